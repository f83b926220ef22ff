// Equality: whether two values are the same on the wire.

package polywireruntime

import (
	"encoding/json"
	"reflect"
)

// Equal reports whether two values are the same on the wire: values of declared types, pointers to them,
// and lists, maps and interfaces with them. A value is equal to what a decoder returns for its encoding. The
// order of members is ignored, as is that of entries, and numbers are compared by value. Values that hold
// functions, which are never encoded, are equal only if all of their fields are. [reflect.DeepEqual] and
// go-cmp, which need no options, compare Go values instead.
func Equal[T any](x, y T) bool { return equalPlaces(&x, &y) }

func equalPlaces(x, y any) bool {
	return equalReflected(reflect.ValueOf(x).Elem(), reflect.ValueOf(y).Elem(), true)
}

// equalWritten reports whether two structs of a declared type are encoded as the same JSON.
func equalWritten(x, y reflect.Value) bool {
	if hasFunction(x) || hasFunction(y) {
		return false
	}
	one, other := encoder{}, encoder{}
	one.declared(placeOf(x))
	other.declared(placeOf(y))
	if one.err != nil || other.err != nil {
		return false
	}
	read, same := decoder{data: one.buf}, decoder{data: other.buf}
	v, w := read.any(), same.any()
	return equalReflected(reflect.ValueOf(&v).Elem(), reflect.ValueOf(&w).Elem(), false)
}

// placeOf returns a pointer to a copy of a value of a declared type.
func placeOf(v reflect.Value) resolver {
	place := reflect.New(v.Type())
	place.Elem().Set(v)
	return place.Interface().(resolver)
}

// hasFunction reports whether a value holds a function.
func hasFunction(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Func:
		return !v.IsNil()
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && hasFunction(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if hasFunction(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if hasFunction(entries.Value()) {
				return true
			}
		}
	case reflect.Struct:
		for i := 0; isOwn(v.Type()) && i < v.NumField(); i++ {
			if v.Type().Field(i).Type != extraType && hasFunction(v.Field(i)) {
				return true
			}
		}
	}
	return false
}

var extraType = reflect.TypeFor[Extra]()

// equalReflected compares values as Go values, and with wire also structs of a declared type by their encoding.
func equalReflected(x, y reflect.Value, wire bool) bool {
	if x.Type() != y.Type() {
		return false
	}
	switch x.Kind() {
	case reflect.Pointer, reflect.Interface:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() == y.IsNil()
		}
		if x.Kind() == reflect.Interface {
			return equalAny(x.Elem(), y.Elem(), wire)
		}
		return x.Pointer() == y.Pointer() || equalReflected(x.Elem(), y.Elem(), wire)
	case reflect.Slice:
		if x.IsNil() != y.IsNil() || x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !equalReflected(x.Index(i), y.Index(i), wire) {
				return false
			}
		}
		return true
	case reflect.Map:
		if x.IsNil() != y.IsNil() || x.Len() != y.Len() {
			return false
		}
		for entries := x.MapRange(); entries.Next(); {
			other := y.MapIndex(entries.Key())
			if !other.IsValid() || !equalReflected(entries.Value(), other, wire) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if wire && isDeclared(x.Type()) {
			return equalStructs(x, y, false) || equalWritten(x, y)
		}
		return equalStructs(x, y, wire)
	case reflect.Func, reflect.Chan:
		return x.Pointer() == y.Pointer()
	}
	return x.Equal(y)
}

func equalStructs(x, y reflect.Value, wire bool) bool {
	if !isOwn(x.Type()) {
		return reflect.DeepEqual(x.Interface(), y.Interface())
	}
	for i := range x.NumField() {
		if x.Type().Field(i).Type == extraType {
			if !equalExtras(x.Field(i).Interface().(Extra), y.Field(i).Interface().(Extra)) {
				return false
			}
		} else if !equalReflected(x.Field(i), y.Field(i), wire) {
			return false
		}
	}
	return true
}

// isOwn reports whether a struct is declared in this package.
func isOwn(typ reflect.Type) bool {
	return isDeclared(typ) || isNullable(typ) || typ.Implements(reflect.TypeFor[tuplePlace]())
}

// tuplePlace is a tuple with elements of any types.
type tuplePlace interface {
	isTuple()
	json.Marshaler
}

// equalAny compares the values of interfaces; numbers in untouched JSON are compared by value.
func equalAny(x, y reflect.Value, wire bool) bool {
	if f, ok := asFloat(x); ok {
		g, both := asFloat(y)
		return both && f == g
	}
	return equalReflected(x, y, wire)
}

func asFloat(v reflect.Value) (float64, bool) {
	switch {
	case v.Type() == reflect.TypeFor[json.Number]():
		return 0, false
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

func equalExtras(x, y Extra) bool {
	if x.more == y.more {
		return true
	}
	one, other := x.kept(), y.kept()
	if len(one) != len(other) {
		return false
	}
	for key, value := range one {
		found, ok := other[key]
		if !ok || !equalAny(reflect.ValueOf(&value).Elem(), reflect.ValueOf(&found).Elem(), false) {
			return false
		}
	}
	return true
}

// kept returns everything that an Extra remembers. Entries that are not members have keys that no member
// can have.
func (r Extra) kept() map[[2]string]any {
	members := map[[2]string]any{}
	for _, each := range r.Members() {
		members[[2]string{"", each.Key}] = each.Value
	}
	rare := r.seldom()
	if rare == nil {
		return members
	}
	for _, each := range rare.held {
		d := decoder{data: []byte(each.raw)}
		members[[2]string{"held", each.key}] = d.any()
	}
	for _, each := range rare.spelt {
		members[[2]string{"spelt", each.key}] = each.text
	}
	for _, each := range rare.zeros {
		members[[2]string{"zero", each.key}] = each.null
	}
	if rare.isObject {
		members[[2]string{"object", ""}] = true
	}
	if rare.raw != nil {
		d := decoder{data: rare.raw}
		members[[2]string{"raw", ""}] = d.any()
	}
	return members
}
