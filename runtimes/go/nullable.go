// Types for members that a plain Go type cannot represent.

package polywireruntime

import (
	"reflect"
	"strings"
)

// Nullable is a member that may be absent, null, or a value.
//
//	Nullable[string]{}            is absent
//	Nullable[string]{Null: true}  is null
//	Some("text")                  is a value
type Nullable[T any] struct {
	// Value is nil unless there is a value.
	Value *T
	// Null is true for null. It is ignored if there is a value.
	Null bool
}

// Some returns a Nullable with a value.
func Some[T any](v T) Nullable[T] { return Nullable[T]{Value: &v} }

// Get returns the value; ok is false, and v the zero value, if there is none.
func (n Nullable[T]) Get() (v T, ok bool) {
	if n.Value == nil {
		return v, false
	}
	return *n.Value, true
}

// String describes the value; absence is "absent".
func (n Nullable[T]) String() string {
	switch {
	case n.Value != nil:
		return shown(reflect.ValueOf(n.Value))
	case n.Null:
		return "null"
	}
	return "absent"
}

// isNullable reports whether a type is a Nullable. A method that marks it would be compiled for each T.
func isNullable(typ reflect.Type) bool {
	return strings.HasPrefix(typ.Name(), "Nullable[") && typ.PkgPath() == reflect.TypeFor[Null]().PkgPath()
}

// Null represents null in an optional field of type any, where nil means absent.
type Null struct{}

// MarshalJSON writes null.
func (Null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Ptr returns a pointer to a value, for literals of optional fields.
func Ptr[T any](v T) *T { return &v }

// structIn returns the struct that a field holds.
func structIn(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem() // the zero Value if it was nil
	}
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return v, false
	}
	if isNullable(v.Type()) {
		return structIn(v.FieldByName("Value"))
	}
	return v, true
}
