// Tuples under encoding/json outside the structs of the package. Their rules follow from their Go types,
// which do not state whether a list, map, object or union may be null, so null is accepted.

package polywireruntime

import "reflect"

// marshalTuple writes a tuple, given as a pointer to it.
func marshalTuple(tuple any) ([]byte, error) {
	place := reflect.ValueOf(tuple)
	of, foreign := ruleOf(place.Type().Elem())
	if foreign != "" {
		return nil, &EncodeError{Code: CodeWrongType, Message: foreign}
	}
	e := encoder{}
	if e.value(codecOf(of, place.Type().Elem()), addressOf(place)); e.err != nil {
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
	of, foreign := ruleOf(typ)
	if foreign != "" {
		return &DecodeError{Code: CodeWrongType, Message: foreign}
	}
	fresh := reflect.New(typ)
	if err := decodeAs(data, of, fresh.Interface(), nil); err != nil {
		return err
	}
	reflect.ValueOf(tuple).Elem().Set(fresh.Elem())
	return nil
}

// ruleOf returns the rule that follows from a Go type. If no rule does, foreign says why.
func ruleOf(typ reflect.Type) (of rule, foreign string) {
	r := rules{open: map[reflect.Type]*alias{}}
	if of = r.of(typ); r.foreign != nil {
		foreign = r.foreign.String() + " is not a type of the protocol"
	}
	return of, foreign
}

type rules struct {
	open    map[reflect.Type]*alias // the named lists and maps that are being visited, which may contain themselves
	foreign reflect.Type            // one without a rule, nil if there is none
}

// of returns the rule that follows from a Go type.
func (r *rules) of(typ reflect.Type) rule {
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
			made.items = append(made.items, r.of(typ.Field(i).Type))
		}
		return made
	case typ.Name() != "" && (typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map):
		if r.open[typ] == nil {
			r.open[typ] = &alias{typ: place}
			r.open[typ].of = r.composed(typ)
		}
		return r.open[typ]
	case isNullable(typ):
		return r.of(typ.Field(0).Type.Elem())
	}
	return r.composed(typ)
}

func (r *rules) composed(typ reflect.Type) rule {
	switch kind := typ.Kind(); {
	case kind == reflect.String:
		return isString
	case kind == reflect.Bool:
		return isBool
	case kind == reflect.Int64:
		return isInteger
	case kind == reflect.Float64:
		return isNumber
	case kind == reflect.Slice:
		return &orNull{&list{r.of(typ.Elem()), 0, -1}}
	case kind == reflect.Map && typ.Key().Kind() == reflect.String:
		return &orNull{&mapping{r.of(typ.Elem()), nil}}
	case kind == reflect.Pointer:
		return &orNull{r.of(typ.Elem())}
	case kind != reflect.Interface || typ.NumMethod() > 0:
		r.foreign = typ
	}
	return isJSON
}
