//needs NewSession WithCode WithData

package testee

import (
	"reflect"

	types "example.com/agentlines/types"
)

func init() {
	refuse = func(s *types.Session, request *types.SessionRequest, asked step) ([]byte, error) {
		var options []types.RefuseOption
		if asked.Code != nil {
			options = append(options, withCode(types.WithCode, asked.Code))
		}
		if asked.Data != nil {
			options = append(options, types.WithData(plain(asked.Data)))
		}
		return s.Refuse(request, asked.Message, options...)
	}
}

// withCode converts a code to the type of codes in the protocol.
func withCode[T any](option func(T) types.RefuseOption, code any) types.RefuseOption {
	return option(reflect.ValueOf(code).Convert(reflect.TypeFor[T]()).Interface().(T))
}
