// Documents to values and back: what users call, above the two passes.
//
// A generated package declares beside these files, for its protocol: plan (the tables), decodeDeclared
// and codecOf (the types by Go type and by name).

package polywireruntime

import (
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// Mode selects what a decoder tolerates.
type Mode uint8

const (
	// LenientMode keeps what the protocol does not declare, and writes it back: it is the default.
	LenientMode Mode = iota
	// StrictMode reports it as a fault.
	StrictMode
)

// decode decodes a document into v. In lenient mode the fast pass decides what it can; the slow pass
// decides the rest, and everything in strict mode.
func decode[T any](data []byte, want rule, mode Mode, v *T, read func(*decoder, *T)) error {
	sound := utf8.Valid(data)
	if sound && mode == LenientMode {
		if x, ok := attempt(data, false, read); ok {
			*v = x
			return nil
		}
	}
	tree, fault := parse(data)
	if fault == nil {
		_, fault = validate(want, tree, mode == StrictMode)
	}
	if fault != nil {
		return fault
	}
	if x, ok := attempt(data, true, read); ok && mode == StrictMode {
		*v = x
		return nil
	}
	x, ok := attempt(text(nil, tree), true, read)
	if !ok {
		return errors.New("polywireruntime: internal error: a validated document failed to decode; please report it")
	}
	*v = x
	return nil
}

// Decode decodes a document as a declared type T.
func Decode[T any](data []byte, mode Mode) (v T, err error) {
	err = decodeInto(data, mode, &v)
	return v, err
}

func decodeInto(data []byte, mode Mode, v any) error {
	if declared, err := decodeDeclared(data, mode, v); declared {
		return err
	}
	if place := reflect.ValueOf(v).Elem(); place.Kind() == reflect.Pointer {
		made := reflect.New(place.Type().Elem())
		if err := decodeInto(data, mode, made.Interface()); err != nil {
			return err
		}
		place.Set(made)
		return nil
	}
	return fmt.Errorf("polywireruntime: decode: %T is not a declared type", v)
}

// DecodeAs decodes a document as the type that the protocol declares under a name. It returns a pointer
// to a struct, and values of other types as they are.
func DecodeAs(name string, data []byte, mode Mode) (any, error) {
	c, ok := codecOf(name)
	if !ok {
		return nil, fmt.Errorf("polywireruntime: decode: no type %q", name)
	}
	return c.decode(data, named(name), mode)
}

// Examined is a decoded document and what the decoder noted about it.
type Examined struct {
	Value any // as DecodeAs returns it
	// Variant is the innermost declared type that was chosen, or "Unknown".
	Variant string
	// Unknown has the JSON Pointer of every place where lenient mode let something pass, sorted.
	Unknown []string
}

// Examine decodes a document like DecodeAs, and reports which variant it is and what is unknown in it.
func Examine(name string, data []byte, mode Mode) (Examined, error) {
	value, err := DecodeAs(name, data, mode)
	if err != nil {
		return Examined{}, err
	}
	tree, fault := parse(data)
	if fault != nil {
		return Examined{}, fault
	}
	found, fault := validate(named(name), tree, mode == StrictMode)
	if fault != nil {
		return Examined{}, fault
	}
	return Examined{value, found.variant, found.unknown}, nil
}

// Encode writes a value of one of the package's structs as one line of JSON, without the newline.
// HTML is not escaped.
func Encode(v any) ([]byte, error) {
	own, ok := v.(interface{ writeTo(e *encoder) })
	if !ok || isNil(v) {
		return nil, &EncodeError{Code: CodeWrongType, Message: fmt.Sprintf("%T is not a declared object", v)}
	}
	e := encoder{buf: make([]byte, 0, 512)}
	if own.writeTo(&e); e.err != nil {
		return nil, e.err
	}
	return e.buf, nil
}

// EncodeAs writes a value as the type that the protocol declares under a name.
func EncodeAs(name string, v any) ([]byte, error) {
	c, ok := codecOf(name)
	if !ok {
		return nil, fmt.Errorf("polywireruntime: encode: no type %q", name)
	}
	return c.encode(named(name), v)
}

// codec decodes and encodes one declared type.
type codec struct {
	decode func(data []byte, want rule, mode Mode) (any, error)
	encode func(want rule, v any) ([]byte, error)
}

// codecFor is the codec of a type whose values are returned as they are.
func codecFor[T any](read func(*decoder, *T), write func(*encoder, *T)) codec {
	return codec{
		func(data []byte, want rule, mode Mode) (any, error) {
			var v T
			err := decode(data, want, mode, &v, read)
			return v, err
		},
		encodeWith(write),
	}
}

// codecOfStruct is the codec of a type whose values are returned as pointers.
func codecOfStruct[T any](read func(*decoder, *T), write func(*encoder, *T)) codec {
	return codec{
		func(data []byte, want rule, mode Mode) (any, error) {
			v := new(T)
			if err := decode(data, want, mode, v, read); err != nil {
				return nil, err
			}
			return v, nil
		},
		encodeWith(write),
	}
}

func encodeWith[T any](write func(*encoder, *T)) func(rule, any) ([]byte, error) {
	return func(want rule, v any) ([]byte, error) {
		switch x := v.(type) {
		case *T:
			if x != nil {
				return written(x, write)
			}
		case T:
			return written(&x, write)
		}
		return written(&v, func(e *encoder, v *any) { e.loose(v, want) })
	}
}
