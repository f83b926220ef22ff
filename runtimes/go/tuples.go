// Tuples under encoding/json outside the structs of the package. Their rules follow from their Go types,
// which do not state whether a list, map, object or union may be null, so null is accepted.

package polywireruntime

import "reflect"

// marshalTuple writes a tuple, given as a pointer to it.
func marshalTuple(tuple any) ([]byte, error) {
	place := reflect.ValueOf(tuple)
	e := encoder{}
	e.value(codecOf(rules{}.of(place.Type().Elem()), place.Type().Elem()), addressOf(place))
	if e.err != nil {
		return nil, e.err
	}
	return e.buf, nil
}

// unmarshalTuple reads a tuple in lenient mode. By convention, null changes nothing.
func unmarshalTuple(data []byte, tuple any) error {
	if string(data) == "null" {
		return nil
	}
	typ := reflect.TypeOf(tuple).Elem()
	fresh := reflect.New(typ)
	if err := decodeAs(data, rules{}.of(typ), fresh.Interface(), nil); err != nil {
		return err
	}
	reflect.ValueOf(tuple).Elem().Set(fresh.Elem())
	return nil
}

// rules are the named lists and maps that are being visited, which may contain themselves.
type rules map[reflect.Type]*alias

// of returns the rule that follows from a Go type.
func (open rules) of(typ reflect.Type) rule {
	place := reflect.Zero(reflect.PointerTo(typ)).Interface()
	if isDeclared(typ) {
		return place
	}
	if of := boxedUnion(place); of != nil {
		return &orNull{of}
	}
	switch {
	case typ == uuidType:
		return isUUID
	case typ == objectType:
		return &orNull{isObject}
	case typ.Implements(reflect.TypeFor[tuplePlace]()):
		made := &tuple{}
		for i := range typ.NumField() {
			made.items = append(made.items, open.of(typ.Field(i).Type))
		}
		return made
	case typ.Name() != "" && (typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map):
		if open[typ] == nil {
			open[typ] = &alias{typ: place}
			open[typ].of = open.composed(typ)
		}
		return open[typ]
	}
	return open.composed(typ)
}

func (open rules) composed(typ reflect.Type) rule {
	switch typ.Kind() {
	case reflect.String:
		return isString
	case reflect.Bool:
		return isBool
	case reflect.Int, reflect.Int64:
		return isInteger
	case reflect.Float64:
		return isNumber
	case reflect.Slice:
		return &orNull{&list{open.of(typ.Elem()), 0, -1}}
	case reflect.Map:
		return &orNull{&mapping{open.of(typ.Elem()), nil}}
	case reflect.Pointer:
		return &orNull{open.of(typ.Elem())}
	}
	return isJSON
}
