// Boxes for values of declared types in other structs, for use with encoding/json.

package polywireruntime

import "reflect"

// Box holds a value of one of the package's interfaces in a struct that encoding/json reads and writes.
// Using it links every union of the protocol into the program.
type Box[T any] struct{ Value T }

// MarshalJSON writes the value, or null if there is none.
func (b Box[T]) MarshalJSON() ([]byte, error) { return marshalBoxed(&b.Value) }

// UnmarshalJSON reads a value in lenient mode. A null changes nothing.
func (b *Box[T]) UnmarshalJSON(data []byte) error { return unmarshalBoxed(data, &b.Value) }

// Equal reports whether two boxes hold the same JSON value.
func (b Box[T]) Equal(other Box[T]) bool { return equalPlaces(&b.Value, &other.Value) }

func marshalBoxed(place any) ([]byte, error) {
	e := encoder{}
	e.any(reflect.ValueOf(place).Elem().Interface())
	if e.err != nil {
		return nil, e.err
	}
	return e.buf, nil
}

func unmarshalBoxed(data []byte, place any) error {
	if string(data) == "null" {
		return nil
	}
	fresh := reflect.New(reflect.TypeOf(place).Elem())
	var err error
	if own, ok := fresh.Interface().(resolver); ok {
		err = decodeInto(data, own, nil)
	} else if of := boxedUnion(place); of != nil {
		err = decodeAs(data, of, fresh.Interface(), nil)
	} else {
		err = &DecodeError{Code: CodeWrongType, Message: typeName(place) + " is not a pointer to a type of the protocol"}
	}
	if err != nil {
		return err
	}
	reflect.ValueOf(place).Elem().Set(fresh.Elem())
	return nil
}
