// Flat structs: conversion to and from their variants.

package polywireruntime

import (
	"encoding/json"
	"reflect"
)

// asVariant stores the variant that a flat struct represents in what place points to, if it is of that
// type. It is not generic, so that no code is compiled for each variant.
func asVariant(v any, of rule, place any) bool { return toVariant(declared(v), of, place) }

// variantAs returns the variant that a flat struct represents, if it is of the given type.
func variantAs[T any](v any, of rule) (x T, ok bool) {
	ok = asVariant(v, of, &x)
	return x, ok
}

// toVariant is asVariant of a flat struct given as a pointer.
func toVariant(v, of rule, place any) bool {
	if !isVariantOf(v, of) {
		return false
	}
	l := resolve(v).(*flat).ready()
	p, q := addressOf(reflect.ValueOf(v)), addressOf(reflect.ValueOf(place))
	r := extraAt(at(p, l.extraOffset))
	t := resolve(of).(*table)
	leaf, own := l.of[t], t.ready()
	for i := range leaf.fields {
		from, to := &leaf.fields[i], &own.fields[i]
		switch {
		case to.codec == nil:
		case from.codec != nil:
			transfer(valueAt(to.codec.typ, at(q, to.offset)), valueAt(from.codec.typ, at(p, from.offset)))
		default:
			if raw, ok := r.held(from.key); ok {
				d := begin([]byte(raw), LenientMode)
				d.member(to, at(q, to.offset), extraAt(at(q, own.extraOffset)))
			}
		}
	}
	for _, name := range leaf.idle {
		reflect.ValueOf(place).Elem().FieldByName(name).Set(reflect.ValueOf(v).Elem().FieldByName(name))
	}
	extraAt(at(q, own.extraOffset)).more = r.ofVariant()
	return true
}

// isVariantOf reports whether a flat struct, given as a pointer, is the given variant.
func isVariantOf(v, of rule) bool {
	l := resolve(v).(*flat).ready()
	p := addressOf(reflect.ValueOf(v))
	r := extraAt(at(p, l.extraOffset))
	if r.untouched() != nil && l.isUntouched(r, p) {
		return false
	}
	leaf := l.of[resolve(of).(*table)]
	if l.others != nil && (l.hasOther(p) || leaf != nil && leaf == l.untagged(p)) {
		return !l.hasOther(p)
	}
	return leaf != nil && (!leaf.hasTags() || leaf.tagged(p))
}

// fillFlat turns a flat struct, given as a pointer, into the variant that another pointer refers to.
func fillFlat(v, of, x rule) {
	l := resolve(v).(*flat).ready()
	p, q := addressOf(reflect.ValueOf(v)), addressOf(reflect.ValueOf(x))
	t := resolve(of).(*table)
	leaf, own := l.of[t], t.ready()
	next, seldom := more{}, rare{}
	if given := extraAt(at(q, own.extraOffset)); given.more != nil {
		if next = *given.more; next.rare != nil {
			seldom = *next.rare
			seldom.held = nil // belongs to another value
		}
	}
	for i := range leaf.fields {
		to, from := &leaf.fields[i], &own.fields[i]
		switch {
		case from.codec == nil:
		case to.codec == nil:
			e := encoder{}
			if e.member(from, at(q, from.offset), extraAt(at(q, own.extraOffset))); e.err == nil && len(e.buf) > 0 {
				seldom.held = append(seldom.held, heldMember{to.key, string(e.buf[len(from.label) : len(e.buf)-1])})
			}
		default:
			transfer(valueAt(to.codec.typ, at(p, to.offset)), valueAt(from.codec.typ, at(q, from.offset)))
		}
		if text, ok := to.value.(string); ok && to.flags&constant != 0 && to.codec != nil {
			*textAt(at(p, to.offset)) = text
		}
	}
	for _, name := range leaf.idle {
		reflect.ValueOf(v).Elem().FieldByName(name).Set(reflect.ValueOf(x).Elem().FieldByName(name))
	}
	if leaf.marked {
		seldom.as = t
	}
	if !reflect.ValueOf(seldom).IsZero() {
		next.rare = &seldom
	}
	if !reflect.ValueOf(next).IsZero() {
		extraAt(at(p, l.extraOffset)).more = &next
	}
}

// asFlat returns a message as a flat struct: the message is that, or its variant of a given rule.
func asFlat[F any](message any, of rule) F {
	own := asDeclared(message)
	if whole, ok := any(own).(*F); ok {
		return *whole
	}
	return *wholeOf[F](of, own)
}

// wholeOf returns a new flat struct with the content of a variant, which is given as a pointer and has a rule.
func wholeOf[F any](of, x rule) *F {
	v := new(F)
	fillFlat(v, of, x)
	return v
}

// transfer copies a value between fields; one of them may be a pointer to the other's type.
func transfer(to, from reflect.Value) {
	switch {
	case to.Type() == from.Type():
		to.Set(from)
	case to.Kind() == reflect.Pointer && to.Type().Elem() == from.Type():
		to.Set(reflect.New(from.Type()))
		to.Elem().Set(from)
	case !from.IsNil():
		to.Set(from.Elem())
	}
}

func (l *layout) hasTags() bool {
	for i := range l.fields {
		if l.fields[i].codec != nil && l.fields[i].flags&(constant|varying) != 0 {
			return true
		}
	}
	return false
}

// isUnknownFlat reports whether a flat struct holds an object of unknown type.
func isUnknownFlat(v any) bool { return rememberedUnknown(declared(v)) != nil }

// rememberedUnknown returns what a flat struct, given as a pointer, remembers of an object of unknown type, or nil.
func rememberedUnknown(v rule) *rare {
	l := resolve(v).(*flat).ready()
	p := addressOf(reflect.ValueOf(v))
	r := extraAt(at(p, l.extraOffset))
	if r.untouched() == nil || !l.isUntouched(r, p) {
		return nil
	}
	return r.seldom()
}

// asUnknown stores the object of unknown type that a flat struct holds in place, if it has that type.
func asUnknown(v any, place rule) bool {
	found := rememberedUnknown(declared(v))
	return found != nil && found.unknown == resolve(place) && unmarshal(found.raw, place) == nil
}

// heldUnknown returns the object of unknown type that a flat struct holds, if it has the given type.
func heldUnknown[T any](v any) (x T, ok bool) {
	ok = asUnknown(v, &x)
	return x, ok
}

// memberOf decodes a member of an Unknown. It returns the zero value if the member is absent or has
// another type.
func memberOf[T any](raw json.RawMessage, key string, of rule) T {
	x, _ := lookup[T](raw, key, of)
	return x
}

// lookup is like memberOf but also reports whether the member is present, has the right type and is not
// null.
func lookup[T any](raw json.RawMessage, key string, of rule) (x T, ok bool) {
	text := memberText(raw, key)
	if text == nil || string(text) == "null" || decodeAs(text, of, &x, nil) != nil {
		return *new(T), false
	}
	return x, true
}

// memberText returns the text of a member of an object, or nil.
func memberText(raw json.RawMessage, key string) []byte {
	d := decoder{data: raw}
	if !d.find(key) {
		return nil
	}
	start := d.at
	if d.skip(); d.bad {
		return nil
	}
	return raw[start:d.at]
}
