package polywireruntime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// step is an open union with a nested discriminator: two variants, of which the second also has tags that
// match a pattern.
type step interface{ isStep() }

type walk struct {
	Kind, Way string
	Far       int64

	Extra Extra
}

type climb struct {
	Kind, Way string
	High      int64

	Extra Extra
}

type unknownStep struct {
	Kind, Way string
	Raw       json.RawMessage
}

func (*walk) isStep()               {}
func (*climb) isStep()              {}
func (*note) isStep()               {}
func (*unknownStep) isStep()        {}
func (unknownStep) isUnknown() bool { return true }

func (*walk) resolve() any        { return &tableWalk }
func (*climb) resolve() any       { return &tableClimb }
func (*unknownStep) resolve() any { return &unknownUnknownStep }

var tableWalk = table{name: "Walk", typ: (*walk)(nil), rows: []row{
	{"kind", "Kind", required | constant, &literal{"go"}},
	{"way", "Way", required | constant, &literal{"walk"}},
	{"far", "Far", required, isInteger},
}}

var tableClimb = table{name: "Climb", typ: (*climb)(nil), rows: []row{
	{"kind", "Kind", required | constant, &literal{"go"}},
	{"way", "Way", required | varying, &varied{&enum{texts: []string{"climb"}}, "climb_*"}},
	{"high", "High", required, isInteger},
}}

var unknownUnknownStep = unknown{typ: (*unknownStep)(nil), keys: []place{{"kind", "Kind"}, {"way", "Way"}}}

// ofGo is a union in the union of steps; both are open and share the type of their Unknowns.
type ofGo struct{}

func (*ofGo) resolve() any { return &unionGo }

var unionGo = union{name: "Go", typ: (*step)(nil), by: &dispatch{
	union: "Go", open: true, unknown: (*unknownStep)(nil), key: "way",
	cases:  []dispatchCase{{"walk", (*walk)(nil)}, {"climb", (*climb)(nil)}},
	others: []pattern{{"climb_*", (*climb)(nil)}},
}}

type ofStep struct{}

func (*ofStep) resolve() any { return &unionStep }

var unionStep = union{name: "Step", typ: (*step)(nil), by: &dispatch{
	union: "Step", open: true, unknown: (*unknownStep)(nil), key: "kind",
	cases: []dispatchCase{{"go", (*ofGo)(nil)}, {"note", (*note)(nil)}},
}}

func unmarshalStep(data []byte, mode ...Mode) (x step, err error) {
	err = decodeAs(data, (*ofStep)(nil), &x, mode)
	return x, err
}

func unmarshalGo(data []byte, mode ...Mode) (x step, err error) {
	err = decodeAs(data, (*ofGo)(nil), &x, mode)
	return x, err
}

func unmarshalBlock(data []byte, mode ...Mode) (x block, err error) {
	err = decodeAs(data, (*ofBlock)(nil), &x, mode)
	return x, err
}

func unmarshalShape(data []byte, mode ...Mode) (x shape, err error) {
	err = decodeAs(data, (*ofShape)(nil), &x, mode)
	return x, err
}

// filtered returns the items of a stream and the number of skipped lines. Items are the number of the line,
// and the type of a message or the code and path of a fault.
func filtered[T any](t *testing.T, text string, decode Decoder[T], options ...Option) (found []string, skipped int) {
	t.Helper()
	reader := NewReaderOf(strings.NewReader(text), decode, options...)
	for v, err := range reader.All() {
		what := strings.TrimPrefix(typeName(v), "*polywireruntime.")
		if fault := (*DecodeError)(nil); errors.As(err, &fault) {
			what = string(fault.Code) + " " + fault.Path
		} else if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%d %s", reader.Line(), what))
	}
	if want := strings.Count(text, "\n"); reader.Line() != want {
		t.Errorf("line %d after %d lines", reader.Line(), want)
	}
	return found, reader.Skipped()
}

var someNote = noteWith("")

var deepValue = strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)

func TestAFilterReturnsWantedLinesAndFaultsInLinesThatItReads(t *testing.T) {
	for _, each := range []struct {
		about, line  string
		only         []any
		want, strict string // "" means that the line is skipped, strict that strict mode differs
	}{
		{"a wanted struct", someNote, []any{new(note)}, "note", ""},
		{"the same with spaces", " { \"kind\" : \"note\" }", []any{new(note)}, "missing_field /id", ""},
		{"a tag with an escape", strings.Replace(someNote, `"note"`, `"n\u006fte"`, 1), []any{new(note)}, "note", ""},
		{"a key with an escape", strings.Replace(someNote, `kind`, `\u006bind`, 1), []any{new(note)}, "note", ""},
		{"another type", `{"kind":"go","way":"walk","far":1}`, []any{new(note)}, "", ""},
		{"another type with an escape", `{"kind":"go","way":"walk","far":1,"x":"\u0000"}`, []any{new(note)}, "", ""},
		{"a wanted tag elsewhere", `{"kind":"go","way":"walk","far":1,"x":"note"}`, []any{new(note)}, "", ""},
		{"a wanted tag as a part of one", `{"kind":"notes"}`, []any{new(note)}, "", ""},
		{"an unknown tag", `{"kind":"new"}`, []any{new(note)}, "", ""},
		{"an unknown tag and a wanted one", `{"kind":"new","x":"note"}`, []any{new(note)}, "", "unknown_variant /kind"},

		{"a fault in a wanted struct", noteWith(`"tags":[1]`), []any{new(note)}, "wrong_type /tags/0", ""},
		{"a fault in another struct", `{"kind":"go","way":"walk","far":"x","y":"note","z":1e400}`, []any{new(note)}, "", ""},
		{"an unknown member of another struct", `{"kind":"go","way":"walk","far":1,"y":"note"}`, []any{new(note)}, "", ""},
		{"an unknown member", noteWith(`"x":1`), []any{new(note)}, "note", "unknown_field /x"},
		{"no JSON, unread", `nothing`, []any{new(note)}, "", ""},
		{"no JSON, with a tag", `"note" {`, []any{new(note)}, "invalid_json ", ""},
		{"no JSON, after the tag", `{"kind":"go","way":"walk","x":"note",}`, []any{new(note)}, "invalid_json ", ""},
		{"no JSON, behind the object", `{"kind":"go","way":"walk","x":"note"} 1`, []any{new(note)}, "invalid_json ", ""},
		{"no JSON, with an escape", `{"kind":"\u00"}`, []any{new(note)}, "invalid_json ", ""},
		{"no UTF-8, unread", "{\"kind\":\"go\",\"x\":\"\xff\"}", []any{new(note)}, "", ""},
		{"no UTF-8", "{\"kind\":\"go\",\"way\":\"walk\",\"x\":\"note\xff\",\"y\":\"note\"}", []any{new(note)}, "invalid_utf8 ", ""},
		{"too deep, unread", `{"kind":"go","way":"walk","x":` + deepValue + `}`, []any{new(note)}, "", ""},
		{"too deep", `{"kind":"go","way":"walk","y":"note","x":` + deepValue + `}`, []any{new(note)}, "too_deep ", ""},
		{"a long integer", `{"kind":"go","way":"walk","y":"note","x":` + digits(maxDigits+1) + `}`, []any{new(note)}, "out_of_range ", ""},
		{"no object", `["note"]`, []any{new(note)}, "wrong_type ", ""},
		{"a tag of the wrong kind", `{"kind":1,"x":"note"}`, []any{new(note)}, "wrong_type /kind", ""},
		{"no tag", `{"x":"note"}`, []any{new(note)}, "missing_field /kind", ""},
		{"no nested tag", `{"kind":"go","x":"note"}`, []any{new(note)}, "missing_field /way", ""},

		{"the last of several tags is wanted", `{"kind":"go","way":"walk",` + someNote[1:], []any{new(note)}, "note", "unknown_field /way"},
		{"the last of several tags is not wanted", someNote[:len(someNote)-1] + `,"kind":"go","way":"walk"}`, []any{new(note)}, "", ""},
		{"the last tag is right", `{"kind":1,` + someNote[1:], []any{new(note)}, "note", ""},
		{"the last tag is wrong", someNote[:len(someNote)-1] + `,"kind":1}`, []any{new(note)}, "wrong_type /kind", ""},
		{"other members twice", `{"x":1,"kind":"go","way":"walk","x":"note","y":{"kind":1,"kind":2}}`, []any{new(note)}, "", ""},

		{"a struct with a nested tag", `{"kind":"go","way":"walk","far":1}`, []any{new(walk)}, "walk", ""},
		{"its sibling", `{"kind":"go","way":"climb","high":"x"}`, []any{new(walk)}, "", ""},
		{"only the outer tag counts", `{"way":"walk","far":1`, []any{new(walk)}, "", ""},
		{"an unknown sibling", `{"kind":"go","way":"new"}`, []any{new(walk)}, "", "unknown_variant /way"},
		{"a pattern", `{"kind":"go","way":"climb_far","high":1}`, []any{new(climb)}, "climb", "unknown_value /way"},
		{"a pattern that fails", `{"kind":"go","way":"climb_far"}`, []any{new(climb)}, "", "unknown_value /way"},
		{"a pattern, the Unknown is wanted", `{"kind":"go","way":"climb_far","high":1}`, []any{new(unknownStep)}, "", "unknown_value /way"},
		{"a pattern that fails, the Unknown is wanted", `{"kind":"go","way":"climb_far"}`, []any{new(unknownStep)}, "unknownStep", "unknown_value /way"},
		{"a pattern, both are wanted", `{"kind":"go","way":"climb_far"}`, []any{new(unknownStep), new(climb)}, "unknownStep", "unknown_value /way"},
		{"a pattern, neither is wanted", `{"kind":"go","way":"climb_far"}`, []any{new(walk)}, "", "unknown_value /way"},

		{"a union", `{"kind":"go","way":"climb","high":1}`, []any{unmarshalGo}, "climb", ""},
		{"another variant of a union", `{"kind":"go","way":"walk","far":1}`, []any{unmarshalGo}, "walk", ""},
		{"not of the union", someNote, []any{unmarshalGo}, "", ""},
		{"an Unknown of the enclosing union", `{"kind":"go","way":"new"}`, []any{unmarshalGo}, "", "unknown_variant /way"},
		{"a union and a struct", someNote, []any{unmarshalGo, new(note)}, "note", ""},
		{"the whole union", `{"kind":"new"}`, []any{unmarshalStep}, "unknownStep", "unknown_variant /kind"},
		{"an Unknown", `{"kind":"new"}`, []any{new(unknownStep)}, "unknownStep", "unknown_variant /kind"},
		{"a nested Unknown", `{"kind":"go","way":"new"}`, []any{new(unknownStep)}, "unknownStep", "unknown_variant /way"},
		{"no line is unread if an Unknown is wanted", `{"kind":"note"`, []any{new(unknownStep)}, "invalid_json ", ""},
		{"no Unknown", someNote, []any{new(unknownStep)}, "", ""},
	} {
		for _, mode := range []Mode{LenientMode, StrictMode} {
			want := each.want
			if mode == StrictMode && each.strict != "" {
				want = each.strict
			}
			text := "\n" + each.line + "\n \t\r\n" + each.line + "\n"
			found, skipped := filtered(t, text, unmarshalStep, WithMode(mode), Only(each.only...))
			if want == "" {
				if len(found) != 0 || skipped != 2 {
					t.Errorf("%s: %q, %d skipped lines; expected that both are skipped", each.about, found, skipped)
				}
			} else if !slices.Equal(found, []string{"2 " + want, "4 " + want}) || skipped != 0 {
				t.Errorf("%s: %q, %d skipped lines; expected %s", each.about, found, skipped, want)
			}
		}
	}
}

func TestWantedItemsAreTheSameAsWithoutAFilter(t *testing.T) {
	line := noteWith(`"b":1,"a":null,"text":null,"tags":["a"],"tags":["b"]`)
	want, _ := unmarshalLine([]byte(line))
	got, err := NewReaderOf(strings.NewReader(line), unmarshalLine, Only(new(note))).Read()
	if err != nil || !Equal(got, want) {
		t.Errorf("%v (%v), expected %v", got, err, want)
	}
}

func TestNoLineIsSkippedUnreadIfAWantedTypeCanBeSelectedInAnotherWay(t *testing.T) {
	const invalid = "{\n"
	for about, found := range map[string]func() ([]string, int){
		"a pattern":       func() ([]string, int) { return filtered(t, invalid, unmarshalLine, Only(new(event))) },
		"the open union":  func() ([]string, int) { return filtered(t, invalid, unmarshalLine, Only(new(unknownLine))) },
		"a union by keys": func() ([]string, int) { return filtered(t, invalid, unmarshalShape, Only(new(spot))) },
		"a missing tag":   func() ([]string, int) { return filteredBy(t, invalid, dispatch{absent: (*note)(nil)}) },
		"a prefix": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{prefixes: []dispatchPrefix{{"note", (*note)(nil)}}})
		},
		"a boolean tag": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{true, (*note)(nil)}}})
		},
		"an integer tag": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{int64(1), (*note)(nil)}}})
		},
		"a slash": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{"a/b", (*note)(nil)}}})
		},
		"a quote": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{`a"b`, (*note)(nil)}}})
		},
		"a backslash": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{`a\b`, (*note)(nil)}}})
		},
		"a control": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{"a\tb", (*note)(nil)}}})
		},
		"one of two tags": func() ([]string, int) {
			return filteredBy(t, invalid, dispatch{cases: []dispatchCase{{"a", (*note)(nil)}, {"/", (*note)(nil)}}})
		},
		"a nested pattern": func() ([]string, int) {
			return filteredBy(t, "{\"k\":\"a\"\n", dispatch{cases: []dispatchCase{{"a", (*ofLine)(nil)}}})
		},
	} {
		if items, skipped := found(); skipped != 0 || len(items) != 1 || items[0] != "1 invalid_json " {
			t.Errorf("%s: %q, %d skipped lines", about, items, skipped)
		}
	}
	for about, tag := range map[string]any{"a text": "a", "another alphabet": "ж"} {
		if items, skipped := filteredBy(t, invalid, dispatch{cases: []dispatchCase{{tag, (*note)(nil)}}}); skipped != 1 {
			t.Errorf("%s: %q, %d skipped lines", about, items, skipped)
		}
	}
}

// filteredBy filters notes out of a closed union with a dispatch.
func filteredBy(t *testing.T, text string, by dispatch) ([]string, int) {
	t.Helper()
	by.union, by.key = "Test", "k"
	of := &testUnion{union{name: "Test", typ: (*line)(nil), by: &by}}
	return filtered(t, text, func(data []byte, mode ...Mode) (x line, err error) {
		err = decodeAs(data, of, &x, mode)
		return x, err
	}, Only(new(note)))
}

type testUnion struct{ union }

func (u *testUnion) resolve() any { return &u.union }

func TestAFilterOfFlatStructs(t *testing.T) {
	text := `{"type":"text","text":"x"}` + "\n" + `{"type":"call","input":1}` + "\n" + `{"type":"new","text":7}` + "\n"
	for _, each := range []struct {
		only    any
		lines   string
		skipped int
	}{
		{new(wordsBlock), "[1]", 2}, {new(callBlock), "[2]", 2}, {new(unknownBlock), "[3]", 2}, {new(block), "[1 2 3]", 0},
	} {
		reader := NewReaderOf(strings.NewReader(text), unmarshalBlock, Only(each.only))
		var lines []int
		for _, err := range reader.All() {
			if err != nil {
				t.Error(err)
			}
			lines = append(lines, reader.Line())
		}
		if fmt.Sprint(lines) != each.lines || reader.Skipped() != each.skipped {
			t.Errorf("%T: lines %v, %d skipped", each.only, lines, reader.Skipped())
		}
	}
}

func TestEveryReaderHasAFilter(t *testing.T) {
	text := `{"kind":"new"}` + "\n" + someNote + "\n\n" + `{"kind":"new"}` + "\n" + someNote
	decoder := NewLineDecoderAs("Line", OnlyAs("Note"))
	count := 0
	for _, piece := range strings.SplitAfter(text, "k") {
		for v, err := range decoder.Feed([]byte(piece)) {
			if _, ok := v.(*note); !ok || err != nil {
				t.Error(v, err)
			}
			count++
			break // the next sequence starts with the rest
		}
	}
	for range decoder.Finish() {
		count++
	}
	if count != 2 || decoder.Skipped() != 2 || decoder.Line() != 5 {
		t.Errorf("%d items, %d skipped lines, line %d", count, decoder.Skipped(), decoder.Line())
	}

	reader := NewReaderOf(iotest.OneByteReader(strings.NewReader(text)), unmarshalLine, Only(new(note)))
	for _, line := range []int{2, 5} {
		v, err := reader.Next(context.Background())
		if _, ok := v.(*note); !ok || err != nil || reader.Line() != line || reader.Size() != len(someNote) {
			t.Errorf("%v (%v) at line %d of %d bytes", v, err, reader.Line(), reader.Size())
		}
	}
	if v, err := reader.Next(context.Background()); v != nil || !isEnd(err) || reader.Skipped() != 2 {
		t.Errorf("%v (%v), %d skipped lines", v, err, reader.Skipped())
	}
	if skipped := NewReaderOf(strings.NewReader(text), unmarshalLine).Skipped(); skipped != 0 {
		t.Errorf("%d skipped lines without a filter", skipped)
	}
}

func TestLinesAreSkippedAlikeHoweverTheyArrive(t *testing.T) {
	random := rand.New(rand.NewPCG(0, 0))
	kinds := []string{
		someNote, `{"kind":"new"}`, `{"kind":"new","x":"note"}`, `{"kind":"go","way":"walk","far":1}`, `{"kind":"go","way":"climb","high":1}`,
		`{"kind":"go"`, `{"kind":"note"`, "{", `{"kind":"new","x":"\u0000"}`, `{"kind":"n\u006fte"}`, "", `{"x":"` + strings.Repeat("no", 300) + `"}`,
	}
	for round := range 300 {
		var text strings.Builder
		var want []string
		skipped := 0
		for n := range random.IntN(60) {
			line := kinds[random.IntN(len(kinds))]
			if round%2 == 0 && random.IntN(8) > 0 {
				line = kinds[1] // long runs of skipped lines
			}
			text.WriteString(line + "\n")
			found, count := filtered(t, line+"\n", unmarshalStep, Only(new(note), new(walk)))
			for _, each := range found {
				want = append(want, strconv.Itoa(n+1)+each[1:])
			}
			skipped += count
		}
		decoder := NewLineDecoderOf(unmarshalStep, Only(new(note), new(walk)))
		var got []string
		take := func(v step, err error) bool {
			what := strings.TrimPrefix(typeName(v), "*polywireruntime.")
			if fault := (*DecodeError)(nil); errors.As(err, &fault) {
				what = string(fault.Code) + " " + fault.Path
			}
			got = append(got, strconv.Itoa(decoder.Line())+" "+what)
			return random.IntN(4) > 0
		}
		size := 1 + random.IntN(1<<random.IntN(12))
		for piece := range slices.Chunk([]byte(strings.TrimSuffix(text.String(), "\n")), size) {
			decoder.Feed(piece)(take)
		}
		for before := -1; before < len(got); {
			before = len(got)
			decoder.Finish()(take)
		}
		if !slices.Equal(got, want) || decoder.Skipped() != skipped {
			t.Fatalf("pieces of %d bytes: %q, %d skipped lines; expected %q, %d skipped, of %q", size, got, decoder.Skipped(), want, skipped, text.String())
		}
	}
}

func TestAnErrorOfTheReaderDoesNotEndAFilter(t *testing.T) {
	broken := errors.New("broken")
	r := NewReaderOf(&faults{`{"kind":"new"}` + "\n{\"kind\":", broken, `"new"}` + "\n" + someNote + "\n"}, unmarshalLine, Only(new(note)))
	if _, err := r.Read(); err != broken || r.Skipped() != 1 {
		t.Errorf("%v, %d skipped lines", err, r.Skipped())
	}
	if v, err := r.Read(); v == nil || err != nil || r.Skipped() != 2 || r.Line() != 3 {
		t.Errorf("%v (%v), %d skipped lines, line %d", v, err, r.Skipped(), r.Line())
	}
}

func TestALineThatIsTooLongIsReportedWhateverItsType(t *testing.T) {
	text := strings.Repeat(`{"kind":"new","x":"`+strings.Repeat("x", 99)+"\"}\n", 2)
	found, skipped := filtered(t, text, unmarshalLine, Only(new(note)), WithLimit(50))
	if !slices.Equal(found, []string{"1 too_long ", "2 too_long "}) || skipped != 0 {
		t.Errorf("%q, %d skipped lines", found, skipped)
	}
}

func TestTypesAddUpAndHaveNames(t *testing.T) {
	text := someNote + "\n" + `{"kind":"new"}` + "\n" + `{"kind":"event/move","x":1,"y":2}` + "\n"
	for _, each := range []struct {
		options []Option
		want    string
	}{
		{[]Option{Only(new(note)), Only(new(unknownLine))}, "[1 note 2 unknownLine]"},
		{[]Option{Only(new(note), new(event))}, "[1 note 3 event]"},
		{[]Option{OnlyAs("Note", "Event")}, "[1 note 3 event]"},
		{[]Option{OnlyAs("unknownLine")}, "[2 unknownLine]"},
		{[]Option{OnlyAs("Line")}, "[1 note 2 unknownLine 3 event]"},
		{[]Option{Only(unmarshalLine)}, "[1 note 2 unknownLine 3 event]"},
	} {
		if found, skipped := filtered(t, text, unmarshalLine, each.options...); fmt.Sprint(found) != each.want || skipped != 3-len(found) {
			t.Errorf("%q, %d skipped lines; expected %s", found, skipped, each.want)
		}
	}
}

func TestTypesThatNoLineCanHaveAreWrongUse(t *testing.T) {
	panics := func(create func()) (message any) {
		defer func() { message = recover() }()
		create()
		return nil
	}
	of := func(options ...Option) func() {
		return func() { NewReaderOf(strings.NewReader(""), unmarshalLine, options...) }
	}
	for message, create := range map[string]func(){
		"Only: expected at least one type":                                  of(Only()),
		"OnlyAs: expected at least one type":                                of(OnlyAs()),
		"Only: Line has no Spot":                                            of(Only(new(note), new(spot))),
		"Only: Line has no Walk":                                            of(Only(new(walk))),
		"Only: Line has no unknownStep":                                     of(Only(new(unknownStep))),
		"Only: expected " + expectedOfOnly + ", got *polywireruntime.color": of(Only(new(color))),
		"OnlyAs: Line has no Either":                                        of(OnlyAs("Either")),
		"OnlyAs: Line has no Nothing":                                       of(OnlyAs("Nothing")),
		"Only: expected " + expectedOfOnly + ", got nil":                    of(Only(nil)),
		"Only: expected " + expectedOfOnly + ", got polywireruntime.note":   of(Only(note{})),
		"Only: expected " + expectedOfOnly + ", got *polywireruntime.line":  of(Only(new(line))),
		"Only: expected " + expectedOfOnly + ", got func()":                 of(Only(func() {})),
		"Only: the reader does not read a union": func() {
			NewReaderOf(strings.NewReader(""), Decode[note], Only(new(note)))
		},
		"OnlyAs: the reader does not read a union": func() { NewLineDecoderAs("Note", OnlyAs("Note")) },
	} {
		if got := panics(create); got != "polywireruntime: "+message {
			t.Errorf("%v, expected %s", got, message)
		}
	}
	if got, _ := panics(of(Only(unmarshalShape))).(string); got != "polywireruntime: Only: Line has no Spot" && got != "polywireruntime: Only: Line has no Circle" {
		t.Error(got)
	}
}
