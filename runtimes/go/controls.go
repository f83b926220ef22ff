// Requests and their answers: how the payload of an answer is written and read.

//lint:file-ignore U1000 a package uses the helpers that its protocol needs

package polywireruntime

import (
	"errors"
	"reflect"
)

// None is the answer to a request that is answered without a payload.
type None struct{}

// answer describes how the answer to a request travels. A nil rule means that it has no payload.
type answer[R any] struct {
	request  rule
	of       rule
	optional bool
}

// ControlError is the error of a request that the peer refused, found with errors.As.
type ControlError struct {
	// Message is what the peer wrote.
	Message string
	// Response is the variant of the answer that holds it, a pointer to a struct.
	Response any
}

func (e *ControlError) Error() string {
	return "polywireruntime: the request was refused: " + e.Message
}

var (
	errNoAnswer  = errors.New("polywireruntime: the response holds no answer")
	errNoPayload = errors.New("polywireruntime: the response has no payload")
	errNil       = errors.New("polywireruntime: a nil pointer in place of a message")
	errOther     = errors.New("polywireruntime: the envelope holds another request than the one to answer")
)

// payloadOf writes an answer as the payload of an envelope.
func payloadOf[R any](how answer[R], response R) (map[string]any, error) {
	return writtenPayload(how.of, &response)
}

func writtenPayload(of rule, response any) (map[string]any, error) {
	if of == nil {
		return nil, nil
	}
	v := reflect.ValueOf(response)
	if inner := v.Elem(); inner.Kind() == reflect.Pointer && inner.IsNil() {
		return nil, nil
	}
	e := encoder{}
	if e.value(codecOf(of, v.Type().Elem()), addressOf(v)); e.err != nil {
		return nil, e.err
	}
	d := decoder{data: e.buf}
	if d.null() {
		return nil, nil
	}
	return d.object(), nil
}

// answerOf reads an answer from the payload of an envelope. Where the answer's members stand beside
// others (flat), a missing payload is an object without members.
func answerOf[R any](how answer[R], payload any, flat bool) (r R, err error) {
	err = readPayload(how.of, how.optional, payload, flat, &r)
	return r, err
}

func readPayload(of rule, optional bool, payload any, flat bool, place any) error {
	if of == nil || payload == nil && optional {
		return nil
	}
	if payload == nil {
		if !flat {
			return errNoPayload
		}
		payload = map[string]any{}
	}
	e := encoder{}
	if e.any(payload); e.err != nil {
		return e.err
	}
	return decodeAs(e.buf, of, place, nil)
}

// isRequest reports whether the payload of an envelope, a pointer to a struct, is a certain request.
func isRequest(payload any, request rule) bool {
	own, ok := payload.(rule)
	if !ok || isNil(own) {
		return false
	}
	switch of := own.resolve().(type) {
	case *flat:
		return isVariantOf(own, request)
	case *table:
		return of == request.resolve()
	}
	return false
}
