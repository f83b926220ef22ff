// Conversion between documents and values: the functions that users call, built on the engine.
//
// A generated package adds declarations for its protocol to these files: its types with their tables,
// declaredTypes (the types by name) and boxedUnion (the unions by Go type).

package polywireruntime

import (
	"errors"
	"reflect"
	"sync"
)

// Mode selects what a decoder accepts.
type Mode uint8

const (
	// LenientMode keeps what the protocol does not declare and writes it back. It is the default.
	LenientMode Mode = iota
	// StrictMode reports everything that the protocol does not declare as a fault.
	StrictMode
)

// describing is the mode in which the decoder of a union decodes nothing and returns its union, as a *description. A
// reader that filters thus knows the union of the decoder that it is given, and links no other.
const describing Mode = 0xFF

// description is an error that holds the rule of a decoder.
type description struct{ of rule }

func (*description) Error() string { return "polywireruntime: not a mode" }

// Decoder decodes a document as a T: Decode of a struct, or the Unmarshal function of a union.
type Decoder[T any] = func(data []byte, mode ...Mode) (T, error)

// declaredPlace is a pointer to a declared type.
type declaredPlace[T any] interface {
	*T
	resolver
}

// Decode decodes a document as a declared struct or enum T. Unions have Unmarshal functions instead. The
// default mode is lenient.
func Decode[T any, P declaredPlace[T]](data []byte, mode ...Mode) (T, error) {
	place := new(T)
	err := decodeInto(data, P(place), mode)
	return *place, err
}

// decodeInto decodes a document into a variable that has its zero value, given as a pointer: into the whole,
// or into the declared struct that it embeds.
func decodeInto(data []byte, place rule, mode []Mode) error {
	own := asDeclared(place)
	if fault := losing(place, own); fault != "" {
		return &DecodeError{Code: CodeWrongType, Message: fault}
	}
	if own == nil {
		return &DecodeError{Code: CodeWrongType, Message: typeName(place) + " embeds a nil pointer"}
	}
	v := reflect.ValueOf(own)
	return decode(data, codecOf(own, v.Type().Elem()), addressOf(v), modeOf(mode), nil)
}

// decodeAs decodes a document as a union, or by another rule, to where a pointer leads. As it is not generic,
// no code is compiled for each union.
func decodeAs(data []byte, of rule, place any, mode []Mode) error {
	if modeOf(mode) == describing {
		return &description{of}
	}
	v := reflect.ValueOf(place)
	if u, ok := resolve(of).(*union); ok && v.Type() == reflect.TypeOf(u.typ) {
		return decode(data, u.codec(), addressOf(v), modeOf(mode), nil)
	}
	return decode(data, codecOf(of, v.Type().Elem()), addressOf(v), modeOf(mode), nil)
}

// codec returns the codec of the Go type of a union.
func (u *union) codec() *codec {
	if made, ok := u.whole.get().(*codec); ok {
		return made
	}
	return u.whole.derive(func() any {
		typ := reflect.TypeOf(u.typ).Elem()
		made := &codec{kind: kindVariant, typ: typ, size: typ.Size(), union: u, flat: u.flat}
		if u.flat != nil {
			made.kind = kindFlat
		}
		return made
	}).(*codec)
}

func modeOf(given []Mode) Mode {
	if len(given) == 0 {
		return LenientMode
	}
	return given[len(given)-1]
}

// unmarshal implements UnmarshalJSON for declared types. By convention, null changes nothing. The pointer is nil if
// it is embedded in a struct.
func unmarshal(data []byte, place rule) error {
	if string(data) == "null" {
		return nil
	}
	if isNil(place) {
		return &DecodeError{Code: CodeWrongType, Message: typeName(place) + " is nil"}
	}
	v := reflect.ValueOf(place).Elem()
	fresh := reflect.New(v.Type())
	if err := decodeInto(data, fresh.Interface().(resolver), nil); err != nil {
		return err
	}
	v.Set(fresh.Elem())
	return nil
}

// marshal implements MarshalJSON for declared types.
func marshal(v rule) ([]byte, error) {
	e := encoders.Get().(*encoder)
	if len(e.block) < blockSize/16 {
		e.block = make([]byte, blockSize)
	}
	e.buf = e.block[:0]
	e.declared(v)
	var line []byte
	var err error
	if e.err != nil {
		err = e.err
	} else {
		line = e.line()
	}
	kept := encoder{block: e.block}
	if cap(e.spare) <= maxKept {
		kept.spare = e.spare
	}
	if cap(e.entries) <= maxKeptEntries {
		kept.entries = e.entries[:0]
	}
	*e = kept
	encoders.Put(e)
	return line, err
}

// declared returns the pointer to a declared type for the value that an interface holds. The value must not
// be changed through it. Converting to an interface is the shortest code that gives a value an address, and
// methods with value receivers are compiled for every type. Those methods call marshal themselves: a function
// that does both would be inlined into the method that the compiler derives for pointers to each type.
func declared(v any) rule {
	typ := reflect.TypeOf(v)
	return asAny(typ, placeIn(&v, typ)).(resolver)
}

// line returns the output with room for the newline: a part of the block, or a copy if it had no room there.
func (e *encoder) line() []byte {
	n := len(e.buf)
	if startOf(e.buf) == startOf(e.block) && n < len(e.block) {
		e.block = e.block[n+1:]
		return e.buf[: n : n+1]
	}
	e.spare = append(e.buf, '\n')
	return append([]byte(nil), e.spare...)[:n] // which, unlike make, clears no memory before the copy
}

const (
	// blockSize is the size of the blocks that short lines share, which saves allocations. Every line
	// that is kept keeps the whole block alive.
	blockSize = 16 << 10
	// maxKept is the size of the largest buffer that is reused for the next line without room in its block.
	maxKept = 64 << 10
	// maxKeptEntries is the same for the entries of maps.
	maxKeptEntries = 1 << 10
)

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// Encode encodes a value of one of the package's structs as one line of JSON, without the newline. HTML
// characters are not escaped. Short lines share blocks of 16 KB, and each keeps its block alive: clone a
// line that is kept much longer than others.
func Encode(v any) ([]byte, error) {
	own := asDeclared(v)
	if own == nil && v != nil && isNil(v) {
		return nil, &EncodeError{Code: CodeWrongType, Message: "a nil " + typeName(v) + " is no object"}
	}
	if tuple, ok := v.(tuplePlace); ok && own == nil {
		return tuple.MarshalJSON()
	}
	if fault := losing(v, own); fault != "" {
		return nil, &EncodeError{Code: CodeWrongType, Message: fault}
	}
	if own == nil || reflect.TypeOf(own).Elem().Kind() != reflect.Struct {
		return nil, &EncodeError{Code: CodeWrongType, Message: typeName(v) + " is not a declared object"}
	}
	return marshal(own)
}

// EncodeStrict encodes a value like Encode if the line, decoded in strict mode, has no fault. Otherwise, the
// error is an [EncodeError] with the code and path of that fault.
func EncodeStrict[T any](v any, decode Decoder[T]) ([]byte, error) {
	line, err := Encode(v)
	if err != nil {
		return nil, err
	}
	_, err = decode(line, StrictMode)
	var fault *DecodeError
	if errors.As(err, &fault) {
		return nil, &EncodeError{Code: fault.Code, Path: fault.Path, Message: fault.Message}
	}
	return line, err
}

func typeName(v any) string {
	if v == nil {
		return "nil"
	}
	return reflect.TypeOf(v).String()
}

// DecodeAs decodes a document as the type that the protocol declares by the given name. It returns a
// pointer for a struct, and values of other types directly. Using it links every type of the protocol
// into the program.
func DecodeAs(name string, data []byte, mode ...Mode) (any, error) {
	return decodeNamed(name, data, modeOf(mode), nil)
}

var errNoType = errors.New("polywireruntime: the protocol declares no type of this name")

func decodeNamed(name string, data []byte, mode Mode, noted *noted) (any, error) {
	declared := typeNamed(name)
	if declared.of == nil {
		return nil, errNoType
	}
	return decodeKept(declared, data, mode, noted)
}

// TypeNames returns the name of every type that the protocol declares.
func TypeNames() []string {
	names := make([]string, len(declaredTypes))
	for i := range declaredTypes {
		names[i] = declaredTypes[i].name
	}
	return names
}

// typeNamed returns a declared type by its name; its rule is nil if there is none.
func typeNamed(name string) typedRule {
	for i := range declaredTypes {
		if declaredTypes[i].name == name {
			return declaredTypes[i].typedRule
		}
	}
	return typedRule{}
}

// decodeKept decodes a document as a type.
func decodeKept(declared typedRule, data []byte, mode Mode, noted *noted) (any, error) {
	if mode == describing {
		return nil, &description{declared.of}
	}
	place := reflect.New(reflect.TypeOf(declared.typ).Elem())
	c := codecOf(declared.of, place.Type().Elem())
	if err := decode(data, c, addressOf(place), mode, noted); err != nil {
		return nil, err
	}
	if c.kind == kindStruct || c.kind == kindFlat {
		return place.Interface(), nil
	}
	return place.Elem().Interface(), nil
}

// Examined is a decoded document together with what the decoder noted about it.
type Examined struct {
	Value any // as DecodeAs returns it
	// Variant is the innermost declared type that was chosen, or "Unknown".
	Variant string

	noted *noted
}

// Unknown returns the JSON Pointers of all locations where lenient mode accepted something unknown,
// sorted.
func (e Examined) Unknown() []string {
	if e.noted == nil {
		return nil
	}
	return e.noted.pointers()
}

// Examine decodes a document like DecodeAs, and reports its variant and everything unknown in it.
func Examine(name string, data []byte, mode ...Mode) (Examined, error) {
	found := &noted{}
	value, err := decodeNamed(name, data, modeOf(mode), found)
	if err != nil {
		return Examined{}, err
	}
	variant := name
	if found.chosen != "" {
		if _, isUnion := resolve(typeNamed(name).of).(*union); isUnion {
			variant = found.chosen
		}
	}
	return Examined{value, variant, found}, nil
}

// EncodeAs encodes a value as the type that the protocol declares by the given name. Using it links every
// type of the protocol into the program.
func EncodeAs(name string, v any) ([]byte, error) {
	declared := typeNamed(name)
	if declared.of == nil {
		return nil, errNoType
	}
	e := encoder{buf: make([]byte, 0, 512)}
	e.as(codecOf(declared.of, reflect.TypeOf(declared.typ).Elem()), v)
	if e.err != nil {
		return nil, e.err
	}
	return e.buf, nil
}

// as writes a value of any type with a codec.
func (e *encoder) as(c *codec, v any) {
	given := reflect.ValueOf(v)
	switch {
	case v != nil && given.Kind() == reflect.Pointer && given.Type().Elem() == c.typ && !given.IsNil():
		e.value(c, addressOf(given))
	case v != nil && given.Type().AssignableTo(c.typ):
		holder := reflect.New(c.typ)
		holder.Elem().Set(given)
		e.value(c, addressOf(holder))
	case v == nil && (c.kind == kindAny || c.kind == kindChoice || c.kind == kindOrNull):
		e.value(c, newOf(c.typ))
	default:
		e.loose(c, v)
	}
}

// decodePlain decodes untouched JSON like DecodeAs.
func decodePlain(declared typedRule, value any) (any, error) {
	e := encoder{}
	if e.any(value); e.err != nil {
		return nil, e.err
	}
	return decodeKept(declared, e.buf, LenientMode, nil)
}

// preset stores a value that the protocol fixes in a field, given as a pointer.
func preset(text string, of rule, place any) {
	if err := decodeAs([]byte(text), of, place, nil); err != nil {
		panic(err)
	}
}

// convert stores a value in a place of another Go type, given as a pointer, if that can hold it.
func convert(value any, of rule, place any) {
	e := encoder{}
	if e.any(value); e.err == nil {
		_ = decodeAs(e.buf, of, place, nil) // a place without a value is refused when it is written
	}
}

// presetZero records that an optional member is present although its field has the zero value and cannot
// be nil.
func presetZero(r *Extra, key string) {
	rare := r.rarely()
	rare.zeros = append(rare.zeros, zeroMember{key, false})
}

// orZero returns the value that a pointer points to, or the zero value.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// held returns the value of a field of type any if it is a T.
func held[T any](v any) (T, bool) {
	x, ok := v.(T)
	return x, ok
}

// heldStruct is held for structs, which decoders return as pointers.
func heldStruct[T any](v any) (T, bool) {
	if x, ok := v.(*T); ok && x != nil {
		return *x, true
	}
	x, ok := v.(T)
	return x, ok
}

// notNilList and notNilMap turn nil into an empty list or map.
func notNilList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func notNilMap[K comparable, V any](entries map[K]V) map[K]V {
	if entries == nil {
		return map[K]V{}
	}
	return entries
}
