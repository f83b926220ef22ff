// The functions by which encoding/json/v2 reads values of the package's interfaces.

//go:build goexperiment.jsonv2

package polywireruntime

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
)

// JSONUnmarshalers lets encoding/json/v2 read fields whose type is an interface of this package: pass
// them with json.WithUnmarshalers. Fields of other types, and writing, do not need them.
func JSONUnmarshalers() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(from *jsontext.Decoder, place any) error {
		if boxedUnion(place) == nil {
			return json.SkipFunc
		}
		raw, err := from.ReadValue()
		if err != nil {
			return err
		}
		return unmarshalBoxed(raw, place)
	})
}
