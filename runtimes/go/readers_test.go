package polywireruntime

import (
	"testing"

	"github.com/google/uuid"
)

func read[T any](text string, reader func(*decoder, *T)) (T, bool) {
	return attempt([]byte(text), false, reader)
}

func TestConstantsAreReadAndWrittenAsTheyAre(t *testing.T) {
	isX := func(d *decoder, v *string) { constant(d, v, "x") }
	isTrue := func(d *decoder, v *bool) { constantBool(d, v, true) }
	isTwo := func(d *decoder, v *int) { constantNumber(d, v, 2) }
	for text, want := range map[string]bool{`"x"`: true, `"y"`: false, `1`: false} {
		if v, ok := read(text, isX); ok != want || ok && v != "x" {
			t.Errorf("%s is %q (%t)", text, v, ok)
		}
	}
	for text, want := range map[string]bool{`true`: true, `false`: false, `"true"`: false} {
		if v, ok := read(text, isTrue); ok != want || ok && !v {
			t.Errorf("%s is %t (%t)", text, v, ok)
		}
	}
	for text, want := range map[string]bool{`2`: true, `2.0`: true, `3`: false, `"2"`: false} {
		if v, ok := read(text, isTwo); ok != want || ok && v != 2 {
			t.Errorf("%s is %d (%t)", text, v, ok)
		}
	}
	for _, each := range []struct {
		write func(e *encoder)
		want  string
	}{
		{func(e *encoder) { constantText(e, pointer(""), "x") }, `"x"`},
		{func(e *encoder) { constantText(e, pointer("y"), "x") }, ""},
		{func(e *encoder) { constantFlag(e, pointer(false), true) }, `true`},
		{func(e *encoder) { constantFlag(e, pointer(true), false) }, ""},
		{func(e *encoder) { constantFloat(e, pointer(0), 2) }, `2`},
		{func(e *encoder) { constantFloat(e, pointer(0.5), 2.5) }, ""},
	} {
		e := encoder{}
		each.write(&e)
		if each.want == "" && (e.err == nil || e.err.Code != CodeWrongConstant) || string(e.buf) != each.want {
			t.Errorf("%s (%v), expected %s", e.buf, e.err, each.want)
		}
	}
}

func TestTextIsWrittenWithTheEscapesThatItNeeds(t *testing.T) {
	for text, want := range map[string]string{
		"":                         `""`,
		"a\"\\\n\r\t\x00\x1f":      `"a\"\\\n\r\t\u0000\u001f"`,
		"<é\u2028😀>":               "\"<é\u2028😀>\"",
		"a\xed\xa0\xbdb":           `"a\ud83db"`,
		"\xed\xa0\xbd\xed\xb8\x80": `"\ud83d\ude00"`,
	} {
		line, err := written(&text, writeText[string])
		if err != nil || string(line) != want {
			t.Errorf("%q is written as %s (%v)", text, line, err)
		}
	}
}

func TestNumbersAreWrittenAsEncodingJSONDoes(t *testing.T) {
	for f, want := range map[float64]string{0: "0", -1.5: "-1.5", 1e20: "100000000000000000000", 1e21: "1e+21", 1e-7: "1e-07"} {
		if line, err := written(&f, writeFloat[float64]); err != nil || string(line) != want {
			t.Errorf("%g is written as %s (%v)", f, line, err)
		}
	}
}

func TestUUIDsAndZeroValues(t *testing.T) {
	id, ok := read(`"`+noteID+`"`, readUUID)
	if !ok || id.String() != noteID || blank(id) || !blank(uuid.UUID{}) {
		t.Error(id, ok)
	}
	if !isZero(&spot{}) || isZero(&spot{X: 1}) {
		t.Error("only the zero value is zero")
	}
	var r record
	r.spell("id", "X", id)
	if !r.isSpelt("id", id) || r.isSpelt("id", uuid.UUID{}) || r.isSpelt("other", id) {
		t.Error("a spelling belongs to a key and a value")
	}
}

func TestNilStandsForNull(t *testing.T) {
	e := encoder{}
	writeNil(&e, &map[string]any{}, true, writeObject)
	writePointer(&e, new(*int), writeInt[int])
	if writeNullable(&e, new(*int), writeInt[int]); string(e.buf) != "null0null" || e.err != nil {
		t.Errorf("%s (%v)", e.buf, e.err)
	}
	if writeRef(&e, nil, (*encoder).writeSpot); e.err == nil || e.err.Code != CodeWrongType {
		t.Error(e.err)
	}
	if v, ok := read("null", func(d *decoder, v **int) { readNullable(d, v, readInt[int]) }); !ok || v != nil {
		t.Error(v, ok)
	}
	if v, ok := read("[300]", func(d *decoder, v *[]rank) { readList(d, v, readInt[rank]) }); !ok || v[0] != 300 {
		t.Error(v, ok)
	}
}

// rank is an enum of integers.
type rank int
