// Package polywireruntime is the library part of generated Go packages.
//
// This file, which is not copied into packages, is a small protocol written by hand in place of the
// generated files, for the tests of this folder.
package polywireruntime

import (
	"encoding/json"
	"sync"

	"github.com/google/uuid"
)

// note is a struct with a field of each kind.
type note struct {
	Kind   string
	ID     uuid.UUID
	Count  int
	Text   *string
	Done   bool
	Weight *float64
	Color  color
	Tags   []string
	Shares map[level]float64
	Body   any
	Meta   map[string]any

	record
}

// level is a closed enum.
type level string

func (v level) Known() bool { return v == "high" || v == "low" }

// color is an open enum.
type color string

// event is a struct with a varying tag and a flattened value.
type event struct {
	Kind string
	Spot *spot

	record
}

// spot is a struct that stands flattened in others.
type spot struct {
	X int
	Y int

	record
}

// line is an open union by the member "kind".
type line interface{ isLine() }

func (note) isLine()        {}
func (event) isLine()       {}
func (unknownLine) isLine() {}

// unknownLine is the Unknown of line.
type unknownLine struct {
	Kind string
	Raw  json.RawMessage
}

func (unknownLine) isUnknown() bool { return true }

func (v note) writeTo(e *encoder)        { e.writeNote(&v) }
func (v event) writeTo(e *encoder)       { e.writeEvent(&v) }
func (v unknownLine) writeTo(e *encoder) { e.writeUnknownLine(&v) }

// MarshalJSON writes the object as encoding/json wants it.
func (v note) MarshalJSON() ([]byte, error) { return written(&v, (*encoder).writeNote) }

// UnmarshalJSON reads the object in lenient mode.
func (v *note) UnmarshalJSON(data []byte) error {
	return decode(data, named("Note"), LenientMode, v, (*decoder).readNote)
}

// --- readers ---------------------------------------------------------------------------------------

func (d *decoder) readNote(v *note) {
	if !d.open('{') {
		return
	}
	var seen uint64
	for d.next() {
		switch d.key {
		case "kind":
			d.mark(&seen, 0)
			constant(d, &v.Kind, "note")
		case "id":
			d.mark(&seen, 1)
			readSpelt(d, &v.ID, &v.record, "id")
		case "text":
			d.mark(&seen, 2)
			readNullable(d, &v.Text, readText[string])
			if v.Text == nil {
				v.record.set(0)
			}
		case "done":
			d.mark(&seen, 3)
			if d.null() {
				d.kept(&v.record, "done")
				continue
			}
			if readBool(d, &v.Done); !v.Done {
				v.record.set(1)
			}
		case "count":
			d.mark(&seen, 4)
			readInt(d, &v.Count)
		case "weight":
			d.mark(&seen, 5)
			readPointer(d, &v.Weight, readFloat)
		case "color":
			d.mark(&seen, 6)
			readText(d, &v.Color)
		case "tags":
			d.mark(&seen, 7)
			readList(d, &v.Tags, readText[string])
		case "shares":
			d.mark(&seen, 8)
			readKeyed(d, &v.Shares, readFloat, level.Known)
		case "body":
			d.mark(&seen, 9)
			readAny(d, &v.Body)
		case "meta":
			d.mark(&seen, 10)
			readNil(d, &v.Meta, readObject)
		default:
			d.other(&v.record)
		}
	}
	if seen&0x13 != 0x13 {
		d.fail()
	}
}

func (d *decoder) readEvent(v *event) {
	if !d.open('{') {
		return
	}
	var seen uint64
	var rest []byte
	for d.next() {
		switch d.key {
		case "kind":
			d.mark(&seen, 0)
			if readText(d, &v.Kind); !glob("event/*", v.Kind) {
				d.fail()
			}
		default:
			rest = d.part(rest)
		}
	}
	if seen&0x1 != 0x1 {
		d.fail()
	}
	if rest != nil {
		v.Spot = new(spot)
		flattened(d, rest, v.Spot, (*decoder).readSpot)
	}
}

func (d *decoder) readSpot(v *spot) {
	if !d.open('{') {
		return
	}
	var seen uint64
	for d.next() {
		switch d.key {
		case "x":
			d.mark(&seen, 0)
			readInt(d, &v.X)
		case "y":
			d.mark(&seen, 1)
			readInt(d, &v.Y)
		default:
			d.other(&v.record)
		}
	}
	if seen&0x3 != 0x3 {
		d.fail()
	}
}

func (d *decoder) readLine(v *line) {
	tag, there := d.tag("kind")
	switch {
	case !there:
		d.fail()
	case tag == "note":
		x := new(note)
		d.readNote(x)
		*v = x
	case glob("event/*", tag):
		mark := *d
		x := new(event)
		d.readEvent(x)
		if d.bad && d.validated {
			*d = mark
			y := new(unknownLine)
			d.readUnknownLine(y)
			*v = y
			return
		}
		*v = x
	default:
		x := new(unknownLine)
		d.readUnknownLine(x)
		*v = x
	}
}

func (d *decoder) readUnknownLine(v *unknownLine) {
	d.unknown(&v.Raw, discriminator{"kind", &v.Kind})
}

// --- writers ---------------------------------------------------------------------------------------

func (e *encoder) writeNote(v *note) {
	start := len(e.buf)
	if !e.open('{') {
		return
	}
	for _, member := range []struct {
		key    string
		absent bool
		write  func()
	}{
		{"kind", false, func() { constantText(e, &v.Kind, "note") }},
		{"id", false, func() { writeSpelt(e, &v.ID, &v.record, "id") }},
		{"count", false, func() { writeInt(e, &v.Count) }},
		{"text", v.Text == nil && !v.record.has(0), func() { writeNullable(e, &v.Text, writeText[string]) }},
		{"done", !v.Done && !v.record.has(1), func() { writeBool(e, &v.Done) }},
		{"weight", v.Weight == nil, func() { writePointer(e, &v.Weight, writeFloat[float64]) }},
		{"color", v.Color == "", func() { writeText(e, &v.Color) }},
		{"tags", v.Tags == nil, func() { writeList(e, &v.Tags, writeText[string]) }},
		{"shares", v.Shares == nil, func() { writeKeyed(e, &v.Shares, writeFloat[float64], level.Known) }},
		{"body", v.Body == nil, func() { writeAny(e, &v.Body) }},
		{"meta", v.Meta == nil, func() { writeNil(e, &v.Meta, v.Meta == nil, writeObject) }},
	} {
		if member.absent {
			continue
		}
		e.key(`"` + member.key + `":`)
		if member.write(); e.failed(member.key) {
			return
		}
		e.end()
	}
	e.extra(&v.record, start)
	e.close('}')
}

func (e *encoder) writeEvent(v *event) {
	start := len(e.buf)
	if !e.open('{') {
		return
	}
	e.key(`"kind":`)
	if writeText(e, &v.Kind); e.failed("kind") {
		return
	}
	e.end()
	if v.Spot != nil {
		if e.flat(func(e *encoder) { e.writeSpot(v.Spot) }); e.err != nil {
			return
		}
	}
	e.extra(&v.record, start)
	e.close('}')
}

func (e *encoder) writeSpot(v *spot) {
	start := len(e.buf)
	if !e.open('{') {
		return
	}
	e.key(`"x":`)
	if writeInt(e, &v.X); e.failed("x") {
		return
	}
	e.end()
	e.key(`"y":`)
	if writeInt(e, &v.Y); e.failed("y") {
		return
	}
	e.end()
	e.extra(&v.record, start)
	e.close('}')
}

func (e *encoder) writeLine(v *line) {
	switch x := (*v).(type) {
	case *note:
		writeRef(e, x, (*encoder).writeNote)
	case *event:
		writeRef(e, x, (*encoder).writeEvent)
	case *unknownLine:
		writeRef(e, x, (*encoder).writeUnknownLine)
	default:
		e.fail(CodeWrongType, "expected one of line")
	}
}

func (e *encoder) writeUnknownLine(v *unknownLine) { e.raw(v.Raw) }

// --- types and tables ------------------------------------------------------------------------------

func decodeDeclared(data []byte, mode Mode, v any) (declared bool, err error) {
	switch v := v.(type) {
	case *line:
		return true, decode(data, named("Line"), mode, v, (*decoder).readLine)
	case *note:
		return true, decode(data, named("Note"), mode, v, (*decoder).readNote)
	case *any:
		return true, decode(data, scalar("json"), mode, v, readAny)
	}
	return false, nil
}

func codecOf(name string) (codec, bool) {
	switch name {
	case "Line":
		return codecFor((*decoder).readLine, (*encoder).writeLine), true
	case "Note":
		return codecOfStruct((*decoder).readNote, (*encoder).writeNote), true
	case "Event":
		return codecOfStruct((*decoder).readEvent, (*encoder).writeEvent), true
	case "Either":
		return codecFor(readAny, writeAny), true
	}
	return codec{}, false
}

var plan = sync.OnceValue(func() map[string]any {
	return map[string]any{
		"Color": &enumRow{false, true, []any{"red", "green"}},
		"Level": &enumRow{false, false, []any{"high", "low"}},
		"Rank":  &enumRow{true, true, []any{number("1"), number("2")}},
		"Names": &aliasRow{&listOf{scalar("string"), 0, 2}},
		"Note": &structRow{
			tags: []tagRow{{"kind", false, "note", nil, "", ""}},
			fields: []fieldRow{
				{"id", scalar("uuid"), required, nil},
				{"count", scalar("integer"), required, nil},
				{"text", scalar("string"), nullable, nil},
				{"done", scalar("boolean"), 0, nil},
				{"weight", scalar("number"), 0, nil},
				{"color", named("Color"), 0, nil},
				{"tags", named("Names"), 0, nil},
				{"shares", &mapOf{scalar("number"), "Level"}, 0, nil},
				{"body", scalar("json"), 0, nil},
				{"meta", scalar("object"), nullable, nil},
			},
		},
		"Spot": &structRow{
			fields: []fieldRow{{"x", scalar("integer"), required, nil}, {"y", scalar("integer"), required, nil}},
		},
		"Event": &structRow{
			tags:   []tagRow{{"kind", false, nil, []any{"event/move", "event/rest"}, "", "event/*"}},
			fields: []fieldRow{{"spot", named("Spot"), flatten, nil}},
		},
		"Line": &unionRow{true, &bySwitch{"Line", "kind", []caseRow{
			{"note", leaf("Note")},
			{"event/move", leaf("Event")},
			{"event/rest", leaf("Event")},
		}, []otherRow{{"event/*", "Event"}}, nil}},
		"Shape": &unionRow{false, &byKeys{"Shape", []keysRow{
			{[]string{"x"}, []string{"r"}, leaf("Spot")},
			{[]string{"r"}, nil, leaf("Circle")},
		}}},
		"Circle": &structRow{
			consts: []constRow{{"round", true}},
			fields: []fieldRow{{"r", named("Rank"), required, nil}},
			extra:  scalar("string"),
		},
		"Either": &aliasRow{&oneKind{
			[]string{"string", "object"}, map[string]rule{"string": scalar("timestamp"), "object": named("Spot")},
		}},
	}
})
