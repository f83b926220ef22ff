// What the functions of a package that make messages are built from.

package polywireruntime

import (
	"errors"
	"reflect"
	"strconv"
)

var errOther = errors.New("polywireruntime: the envelope holds another request than the one to answer")

// numbered returns an id with a prefix.
func numbered(prefix string, n int64) string { return prefix + strconv.FormatInt(n, 10) }

// fitted converts an answer to the type of its field in the envelope.
func fitted[P any](pointer string, result any) (P, error) {
	p, fits := result.(P)
	if !fits && result != nil {
		return p, &EncodeError{Code: CodeWrongType, Path: pointer, Message: "expected an object"}
	}
	return p, nil
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

// expectRequest returns an error unless a field of an envelope, given by a pointer, holds the given request.
func expectRequest(field any, request rule) error {
	if !isRequest(payloadIn(reflect.ValueOf(field)), request) {
		return errOther
	}
	return nil
}
