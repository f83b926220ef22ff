// The tables of a protocol. The generated tables.go contains what is known when a package is generated;
// layout.go adds what is known about the Go types.
//
// A table refers to a declared type by a value whose method resolve returns that type's table. This is
// because the initialiser of a variable may not refer to itself, and the protocol's types are recursive;
// and because a table reached only through a method is linked only into programs that use the type.

package polywireruntime

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// A rule is a type of the protocol: a scalar, *list, *mapping, *tuple, *literal, *bounded, *choice,
// *enum, or a value that resolves to a *table, *union, *flat, *unknown or *alias. Each is a resolver; tables
// do not say so, as the compiler would have to write a method table for each type.
type rule any

type resolver interface{ resolve() any }

type (
	// typedRule is a rule with a nil pointer to its Go type.
	typedRule struct {
		of  rule
		typ any
	}
	// namedType is a type under its name, which in a list of tools may be a pattern.
	namedType struct {
		name string
		typedRule
	}
)

func resolve(of rule) any { return of.(resolver).resolve() }

type scalar uint8

const (
	isString scalar = iota
	isBool
	isNumber
	isInteger
	isUUID
	isTimestamp
	isJSON
	isObject
	isNull
)

var scalarKinds = [...]string{
	"string", "boolean", "number", "integer", "string", "string", "json", "object", "null",
}

type (
	list struct {
		item      rule
		low, high int // high is -1 without a bound
	}
	mapping struct {
		value rule
		keys  *enum
	}
	// tuple is an array with exactly these items, represented by a struct with a field for each.
	tuple struct{ items []rule }
	// literal is a single value: a string, bool or float64, or for a tag an int64.
	literal struct{ value any }
	// bounded is a string, number or integer whose size strict mode checks: each bound is a float64 or nil.
	bounded struct {
		of        scalar
		low, high any
	}
	// choice selects one of its alternatives by the first byte of a value.
	choice struct {
		expected string
		cases    []alternative
	}
	alternative struct {
		begins string
		of     rule
		typ    any // a nil pointer to the Go type stored in an interface
	}
	// repaired is the type of a field whose invalid values are repaired in lenient mode: by dropping the
	// items of a list that do not fit, by treating the field as absent, or by using a default value,
	// which is JSON.
	repaired struct {
		of     rule
		skip   bool
		absent bool
		value  string
	}
	// claiming is the type of a field that excludes the values of sibling variants: strings, bools,
	// float64s and prefixes.
	claiming struct {
		of     rule
		values []any
	}
	// varied is the type of a tag: a value of the enum, or another one that matches a pattern (a string)
	// or a prefix.
	varied struct {
		of     rule
		others any
	}
	// prefix is the beginning of a tag.
	prefix string
	enum   struct {
		name    string
		open    bool
		texts   []string
		numbers []float64 // instead of texts
	}
)

func (of scalar) resolve() any    { return of }
func (of *list) resolve() any     { return of }
func (of *mapping) resolve() any  { return of }
func (of *alias) resolve() any    { return of }
func (of *tuple) resolve() any    { return of }
func (of *literal) resolve() any  { return of }
func (of *bounded) resolve() any  { return of }
func (of *repaired) resolve() any { return resolve(of.of) }
func (of *claiming) resolve() any { return resolve(of.of) }
func (of *varied) resolve() any   { return resolve(of.of) }
func (of *choice) resolve() any   { return of }
func (e *enum) resolve() any      { return e }

// describes reports whether a rule is that of a value's own type, and not of one that it embeds.
func describes(of any, own resolver) bool {
	var typ any
	switch of := of.(type) {
	case *table:
		typ = of.typ
	case *flat:
		typ = of.typ
	case *unknown:
		typ = of.typ
	case *enum:
		return reflect.Indirect(reflect.ValueOf(own)).Kind() != reflect.Struct
	}
	return reflect.TypeOf(typ) == reflect.TypeOf(own)
}

// flags describe a member of an object.
type flags uint8

const (
	required flags = 1 << iota
	nullable
	flattened
	constant // the member is a literal, which a value need not set
	varying  // the member is a tag with several values
)

type (
	// table describes a struct on the wire. Several tables may share a Go type.
	table struct {
		name  string
		typ   any // a nil pointer to the Go type
		rows  []row
		extra rule
		// marked means that a value must remember that it belongs to this table, as its Go type is named
		// after another one. shared, in that other table, lists the marked tables.
		marked bool
		shared []rule
		layout lazy
	}
	row struct {
		key   string
		field string
		flags flags
		of    rule
	}
	// union is a union of structs. flat is the table of their struct if the variants share one.
	union struct {
		name  string
		typ   any
		by    *dispatch
		flat  *flat
		read  lazy
		held  lazy
		whole lazy
	}
	// flat is a struct with the fields of all variants of some unions, or of one struct. If others are given, it also
	// represents values that are not objects, and the first of them is a text; expected describes all of its kinds.
	flat struct {
		typ      any
		unions   []rule
		leaves   []leaf
		keys     []place
		others   []other
		expected string
		layout   lazy
	}
	// other is the field for the values of one JSON kind.
	other struct {
		begins string
		field  string
		of     rule
	}
	// leaf is a variant of a flat struct.
	leaf struct {
		of rule
		// marked means that a value must remember that it is this variant, as its tags do not identify
		// it.
		marked bool
	}
	// place is the field that holds the value of a discriminator.
	place struct{ key, field string }
	// unknown is an object that is not a declared variant.
	unknown struct {
		typ    any
		keys   []place
		layout lazy
	}
	// alias is a type that contains itself without an intervening struct or union.
	alias struct {
		of  rule
		typ any
	}
	// dispatch selects by a discriminator, or by the keys that are present.
	dispatch struct {
		union   string
		open    bool
		unknown rule
		flat    rule // of the union, if its variants share a struct
		key     string
		cases   []dispatchCase
		// prefixes match other texts, the longest first.
		prefixes []dispatchPrefix
		others   []pattern
		absent   any // applies without the discriminator: a rule, *dispatch or nil
		byKeys   []keysCase
	}
	dispatchCase struct {
		value any // string, bool or int64
		then  any
	}
	dispatchPrefix struct {
		text string
		then any
	}
	pattern struct {
		glob string
		of   rule
	}
	keysCase struct {
		has, lacks []string
		then       any
	}
)

// hop is a step on a path: a field of one of several structs.
type hop struct {
	of      []rule
	field   string
	variant bool // they are variants of a union
}

// lazy is a value derived from a table on first use. It is not generic: each type argument would add the
// methods of an atomic pointer to every package.
type lazy struct {
	once  sync.Once
	ready atomic.Bool
	value any
}

// get returns the value, or nil before it was derived.
func (l *lazy) get() any {
	if !l.ready.Load() {
		return nil
	}
	return l.value
}

// derive returns the value, which it derives if no other goroutine has.
func (l *lazy) derive(derive func() any) any {
	l.once.Do(func() {
		l.value = derive()
		l.ready.Store(true)
	})
	return l.value
}

// hasText reports whether a text is a value of the enum. Inlined, it would be compiled again for each enum.
//
//go:noinline
func (e *enum) hasText(text string) bool { return slices.Contains(e.texts, text) }

// own returns a text from the table if it is a value of the enum, or else "".
func (e *enum) own(text string) string {
	if e != nil {
		if i := slices.Index(e.texts, text); i >= 0 {
			return e.texts[i]
		}
	}
	return ""
}

func (e *enum) hasNumber(x float64) bool { return slices.Contains(e.numbers, x) }

// hasKey reports whether a key of a map is a value of the enum.
func (e *enum) hasKey(key string) bool {
	return e.hasText(key) || slices.ContainsFunc(e.numbers, func(x float64) bool {
		return strconv.FormatFloat(x, 'f', -1, 64) == key
	})
}

func (of *list) bounds() string {
	if of.high >= 0 {
		return strconv.Itoa(of.low) + " to " + strconv.Itoa(of.high) + " items"
	}
	return "at least " + strconv.Itoa(of.low) + " items"
}

// violation describes how a size is out of bounds, or returns "".
func (of *bounded) violation(size float64) string {
	low, hasLow := of.low.(float64)
	high, hasHigh := of.high.(float64)
	shown := func(x float64) string { return string(appendFloat(nil, x)) }
	switch {
	case hasLow && size < low:
		return "expected at least " + shown(low) + ", got " + shown(size)
	case hasHigh && size > high:
		return "expected at most " + shown(high) + ", got " + shown(size)
	}
	return ""
}

func tupleSize(want, got int) string {
	return "expected " + strconv.Itoa(want) + " items, got " + strconv.Itoa(got)
}

// scalarOf returns the scalar type of a constant.
func scalarOf(value any) scalar {
	switch value.(type) {
	case string:
		return isString
	case bool:
		return isBool
	case int64:
		return isInteger
	}
	return isNumber
}

// expected returns the JSON kind of a type, for messages.
func expected(of rule) string {
	switch of := resolve(of).(type) {
	case scalar:
		return scalarKinds[of]
	case *list, *tuple:
		return "array"
	case *literal:
		return expected(scalarOf(of.value))
	case *bounded:
		return expected(of.of)
	case *choice:
		return of.expected
	case *alias:
		return expected(of.of)
	case *flat:
		return cmp.Or(of.expected, "object")
	case *enum:
		if of.numbers != nil {
			return "integer"
		}
		return "string"
	}
	return "object"
}

// glob reports whether text matches a pattern in which * stands for any text.
func glob(pattern, text string) bool {
	if !strings.Contains(pattern, "*") {
		return text == pattern
	}
	parts := strings.Split(pattern, "*")
	text, ok := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		if at := strings.Index(text, part); ok && at >= 0 {
			text = text[at+len(part):]
		} else {
			ok = false
		}
	}
	return ok && strings.HasSuffix(text, parts[len(parts)-1])
}
