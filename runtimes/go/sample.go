// Package polywireruntime is the library part of generated Go packages.
//
// This file is not copied into packages. It is a small, hand-written protocol that replaces the generated
// files in the tests of this folder.
package polywireruntime

import (
	"encoding/json"

	"github.com/google/uuid"
)

// framing is how messages are separated on a stream.
type framing = ndjson

// What other packages use: the other framings, and descriptions of values.
var (
	_ = []interface {
		frame([]byte) []byte
		cut(*splitter, int) (cutMessage, bool)
	}{&contentLength{}, &sse{}}
	_ = show
)

// ControlID is the type of request ids.
type ControlID = any

// note is a struct with a field of each kind.
type note struct {
	Kind   string
	ID     uuid.UUID
	Count  int64
	Text   Nullable[string]
	Done   *bool
	Weight *float64
	Color  *color
	Tags   []string
	Shares map[level]float64
	Body   any
	Meta   Nullable[map[string]any]
	Spots  []spot
	Back   line

	Extra Extra
}

// level is a closed enum.
type level string

// color is an open enum.
type color string

// event is a struct with a discriminator that has several values, and a flattened value.
type event struct {
	Kind string
	Spot *spot

	Extra Extra
}

// spot is a struct that is flattened into others.
type spot struct {
	X int64
	Y int64

	Extra Extra
}

// circle is a struct with a constant and with undeclared members of a declared type.
type circle struct {
	Round bool
	R     int64

	Extra Extra
}

// line is an open union discriminated by the member "kind".
type line interface{ isLine() }

func (*note) isLine()        {}
func (*event) isLine()       {}
func (*unknownLine) isLine() {}

// shape is a closed union discriminated by the keys that are present.
type shape interface{ isShape() }

func (*spot) isShape()   {}
func (*circle) isShape() {}

// unknownLine is the Unknown variant of line.
type unknownLine struct {
	Kind string
	Raw  json.RawMessage
}

func (unknownLine) isUnknown() bool { return true }

func (*note) resolve() any        { return &tableNote }
func (*event) resolve() any       { return &tableEvent }
func (*spot) resolve() any        { return &tableSpot }
func (*circle) resolve() any      { return &tableCircle }
func (*unknownLine) resolve() any { return &unknownUnknownLine }

// MarshalJSON writes the object.
func (v note) MarshalJSON() ([]byte, error) { return marshal(declared(v)) }

// UnmarshalJSON reads the object in lenient mode. A null changes nothing.
func (v *note) UnmarshalJSON(data []byte) error { return unmarshal(data, v) }

func unmarshalLine(data []byte, mode ...Mode) (x line, err error) {
	err = decodeAs(data, (*ofLine)(nil), &x, mode)
	return x, err
}

func unmarshalAny(data []byte, mode ...Mode) (x any, err error) {
	err = decodeAs(data, isJSON, &x, mode)
	return x, err
}

var tableNote = table{name: "Note", typ: (*note)(nil), rows: []row{
	{"kind", "Kind", required | constant, &literal{"note"}},
	{"id", "ID", required, isUUID},
	{"count", "Count", required, isInteger},
	{"text", "Text", nullable, isString},
	{"done", "Done", 0, isBool},
	{"weight", "Weight", 0, isNumber},
	{"color", "Color", 0, &enumColor},
	{"tags", "Tags", 0, &list{isString, 0, 2}},
	{"shares", "Shares", 0, &mapping{isNumber, &enumLevel}},
	{"body", "Body", nullable, isJSON},
	{"meta", "Meta", nullable, isObject},
	{"spots", "Spots", 0, &list{(*spot)(nil), 0, -1}},
	{"back", "Back", 0, (*ofLine)(nil)},
}}

var tableSpot = table{name: "Spot", typ: (*spot)(nil), rows: []row{
	{"x", "X", required, isInteger},
	{"y", "Y", required, isInteger},
}}

var tableEvent = table{name: "Event", typ: (*event)(nil), rows: []row{
	{"kind", "Kind", required | varying, &varied{&enum{texts: []string{"event/move", "event/rest"}}, "event/*"}},
	{"spot", "Spot", flattened, (*spot)(nil)},
}}

var tableCircle = table{name: "Circle", typ: (*circle)(nil), rows: []row{
	{"round", "Round", required | constant, &literal{true}},
	{"r", "R", required, &enumRank},
}, extra: isString}

type ofLine struct{}

func (*ofLine) resolve() any { return &unionLine }

var unionLine = union{name: "Line", typ: (*line)(nil), by: &dispatch{
	union: "Line", open: true, unknown: (*unknownLine)(nil), key: "kind",
	cases: []dispatchCase{
		{"note", (*note)(nil)},
		{"event/move", (*event)(nil)},
		{"event/rest", (*event)(nil)},
	},
	others: []pattern{{"event/*", (*event)(nil)}},
}}

type ofShape struct{}

func (*ofShape) resolve() any { return &unionShape }

var unionShape = union{name: "Shape", typ: (*shape)(nil), by: &dispatch{union: "Shape", byKeys: []keysCase{
	{[]string{"x"}, []string{"r"}, (*spot)(nil)},
	{[]string{"r"}, nil, (*circle)(nil)},
}}}

var unknownUnknownLine = unknown{typ: (*unknownLine)(nil), keys: []place{{"kind", "Kind"}}}

var (
	enumColor = enum{name: "Color", open: true, texts: []string{"red", "green"}}
	enumLevel = enum{name: "Level", texts: []string{"high", "low"}}
	enumRank  = enum{name: "Rank", open: true, numbers: []float64{1, 2}}
)

var choiceEither = choice{"string or object", []alternative{
	{`"`, isTimestamp, (*string)(nil)},
	{"{", (*spot)(nil), (*spot)(nil)},
}}

var declaredTypes = []namedType{
	{"Line", typedRule{(*ofLine)(nil), (*line)(nil)}},
	{"Shape", typedRule{(*ofShape)(nil), (*shape)(nil)}},
	{"Note", typedRule{(*note)(nil), (*note)(nil)}},
	{"Event", typedRule{(*event)(nil), (*event)(nil)}},
	{"Either", typedRule{&choiceEither, (*any)(nil)}},
	{"Any", typedRule{isJSON, (*any)(nil)}},
}

func boxedUnion(place any) resolver {
	switch place.(type) {
	case *line:
		return (*ofLine)(nil)
	case *shape:
		return (*ofShape)(nil)
	}
	return nil
}

// block is a flat struct for two variants; it lacks a field of one of them.
type block struct {
	Type  string
	Text  *string
	Input map[string]any

	Extra Extra
}

type wordsBlock struct {
	Type string
	Text string

	Extra Extra
}

type callBlock struct {
	Type  string
	Text  *string
	Input any
	Marks []float64

	Extra Extra
}

// unknownBlock is the Unknown variant of block.
type unknownBlock struct {
	Type string
	Raw  json.RawMessage
}

func (*block) resolve() any        { return &flatBlock }
func (*wordsBlock) resolve() any   { return &tableWordsBlock }
func (*callBlock) resolve() any    { return &tableCallBlock }
func (*unknownBlock) resolve() any { return &unknownUnknownBlock }

var tableWordsBlock = table{name: "WordsBlock", typ: (*wordsBlock)(nil), rows: []row{
	{"type", "Type", required | constant, &literal{"text"}},
	{"text", "Text", required, isString},
}}

var tableCallBlock = table{name: "CallBlock", typ: (*callBlock)(nil), rows: []row{
	{"type", "Type", required | constant, &literal{"call"}},
	{"text", "Text", 0, isString},
	{"input", "Input", required, isJSON},
	{"marks", "Marks", 0, &repaired{&list{isNumber, 0, -1}, true, false, ""}},
}}

type ofBlock struct{}

func (*ofBlock) resolve() any { return &unionBlock }

var unionBlock = union{name: "Block", typ: (*block)(nil), flat: &flatBlock, by: &dispatch{
	union: "Block", open: true, unknown: (*unknownBlock)(nil), flat: (*block)(nil), key: "type",
	cases: []dispatchCase{{"text", (*wordsBlock)(nil)}, {"call", (*callBlock)(nil)}},
}}

var flatBlock = flat{
	typ: (*block)(nil), unions: []rule{(*ofBlock)(nil)},
	leaves: []leaf{{(*wordsBlock)(nil), false}, {(*callBlock)(nil), false}}, keys: []place{{"type", "Type"}},
}

var unknownUnknownBlock = unknown{typ: (*unknownBlock)(nil), keys: []place{{"type", "Type"}}}
