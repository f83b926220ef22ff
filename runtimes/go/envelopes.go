// What the functions of a package that make messages are built from.

package polywireruntime

import (
	"errors"
	"reflect"
)

var errOther = errors.New("polywireruntime: the envelope holds another request than the one to answer")

// fitted converts an answer to the type of its field in the envelope.
func fitted[P any](pointer string, result any) (P, error) {
	p, fits := result.(P)
	if !fits && result != nil {
		return p, &EncodeError{Code: CodeWrongType, Path: pointer, Message: "expected an object"}
	}
	return p, nil
}

// payloadAs returns a request or a notification as the payload of its envelope: a copy, as an interface or as a
// flat struct.
func payloadAs[P any](message any, how *pairing) P {
	if reflect.TypeFor[P]().Kind() == reflect.Interface {
		return copied(message).(P)
	}
	return asFlat[P](message, how.request)
}

// responding puts a result into an envelope, by a function that takes it as the type of its field.
func responding[P, E any](by *exchange, id ControlID, result any, build func(ControlID, P) *E) (rule, error) {
	payload, err := fitted[P](by.pointer, result)
	if err != nil {
		return nil, err
	}
	return build(id, payload), nil
}

// failing is responding for errors: D is the type of the field for their data, if they have data.
func failing[D, E any](id ControlID, message string, how refusing, build func(ControlID, string, any, D) *E) (rule, error) {
	data, err := plainOf[D](how.data)
	if err != nil {
		return nil, err
	}
	return build(id, message, how.code, data), nil
}

// detailsOf returns the details of a refusal: what the options set, and otherwise the protocol's code.
func detailsOf[O ~func(*refusing)](by *exchange, isUnknown bool, options []O) refusing {
	how := refusing{code: by.codes[0]}
	if isUnknown {
		how.code = by.codes[1]
	}
	for _, option := range options {
		option(&how)
	}
	return how
}

// scalarAs converts a scalar to the type of a field that can hold it; nil is the zero value.
func scalarAs[F any](scalar any) (field F) {
	if scalar == nil {
		return field
	}
	place := reflect.ValueOf(&field).Elem()
	if isNullable(place.Type()) {
		place = place.FieldByName("Value")
	}
	if place.Kind() == reflect.Pointer {
		place.Set(reflect.New(place.Type().Elem()))
		place = place.Elem()
	}
	place.Set(reflect.ValueOf(scalar).Convert(place.Type()))
	return field
}

// plainOf writes the data of an error as the value of its field.
func plainOf[P any](data any) (plain P, err error) {
	if data == nil {
		return plain, nil
	}
	e := encoder{}
	if e.any(data); e.err != nil {
		return plain, e.err
	}
	d := decoder{data: e.buf}
	written := d.any()
	if written == nil {
		written = Null{}
	}
	plain, fits := written.(P)
	if !fits {
		return plain, &EncodeError{Code: CodeWrongType, Message: "expected an object as the data of an error"}
	}
	return plain, nil
}

// noDetails are the options of a refusal in a protocol whose errors have only a message.
var noDetails []func(*refusing)

// enveloped returns a new envelope as its type.
func enveloped[E any](envelope rule, err error) (*E, error) {
	if err != nil {
		return nil, err
	}
	return envelope.(*E), nil
}

// responseTo puts the answer to a request into an envelope of type E.
func responseTo[E, R any](by *exchange, id ControlID, how *pairing, response R) (*E, error) {
	result, err := payloadOf(by, how, response)
	if err != nil {
		return nil, err
	}
	return enveloped[E](by.respond(by, id, result))
}

// replyTo is responseTo for the request in an envelope, whose members it uses where the answer has none.
func replyTo[E, R any](by *exchange, to rule, how *pairing, response R) (*E, error) {
	if isNil(to) {
		return nil, errNil
	}
	id, request := by.requestIn(to)
	if !isRequest(request, how.request) {
		return nil, errOther
	}
	result, err := payloadOf(by, how, response)
	if err == nil {
		result, err = how.filled(request, result)
	}
	if err != nil {
		return nil, err
	}
	return enveloped[E](by.respond(by, id, result))
}

// refusalOf creates an error of type E in answer to the request in an envelope.
func refusalOf[E any, O ~func(*refusing)](by *exchange, to rule, message string, options []O) (*E, error) {
	if isNil(to) {
		return nil, errNil
	}
	id, request := by.requestIn(to)
	return enveloped[E](by.refuse(id, message, detailsOf(by, IsUnknown(request), options)))
}

// requestIn returns the id in an envelope of a request, and a pointer to the request; nil if there is none.
func (by *exchange) requestIn(envelope rule) (id ControlID, request any) {
	if field, _, ok := reach(envelope, by.request.id); ok {
		id, _ = idIn(field)
	}
	if field, _, ok := reach(envelope, by.request.payload); ok {
		request = payloadIn(field)
	}
	return id, request
}
