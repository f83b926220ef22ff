package polywireruntime

import (
	"reflect"
	"slices"
	"testing"
)

func TestFlatStructsHoldEveryVariant(t *testing.T) {
	for _, text := range []string{
		`{"type":"text","text":""}`,
		`{"type":"text","text":"x","more":[1]}`,
		`{"type":"call","input":{"a":1}}`,
		`{"type":"call","text":"","input":[1,"b"]}`,
		`{"type":"new","text":7}`,
	} {
		b, err := Decode[block]([]byte(text))
		if err != nil {
			t.Errorf("%v for %s", err, text)
			continue
		}
		if back, err := Encode(&b); err != nil || string(back) != text {
			t.Errorf("%s became %s (%v)", text, back, err)
		}
		_, isText := variantAs[wordsBlock](b, (*wordsBlock)(nil))
		_, isCall := variantAs[callBlock](b, (*callBlock)(nil))
		unknown, isNew := heldUnknown[unknownBlock](b)
		if isText != (b.Type == "text") || isCall != (b.Type == "call") || isNew != (b.Type == "new") || isUnknownFlat(b) != isNew {
			t.Errorf("%s is a text: %t, a call: %t, unknown: %t", text, isText, isCall, isNew)
		}
		if isNew && string(unknown.Raw) != text {
			t.Errorf("%s", unknown.Raw)
		}
	}
}

func TestWhatAFlatStructHasNoFieldForIsInItsVariant(t *testing.T) {
	b, err := Decode[block]([]byte(`{"type":"call","input":[1,"b"]}`))
	var call callBlock
	if err != nil || !asVariant(b, (*callBlock)(nil), &call) || !reflect.DeepEqual(call.Input, []any{1.0, "b"}) {
		t.Errorf("%+v (%v)", call, err)
	}
	call.Input, call.Text = 7.5, Ptr("t")
	var other block
	if fillFlat(&other, (*callBlock)(nil), &call); other.Type != "call" || *other.Text != "t" {
		t.Errorf("%+v", other)
	}
	if back, err := Encode(&other); err != nil || string(back) != `{"type":"call","text":"t","input":7.5}` {
		t.Errorf("%s (%v)", back, err)
	}
	var text block
	if fillFlat(&text, (*wordsBlock)(nil), &wordsBlock{Text: "x"}); text.Text == nil || *text.Text != "x" {
		t.Errorf("%+v", text)
	}
	var back wordsBlock
	if !asVariant(text, (*wordsBlock)(nil), &back) || back.Text != "x" {
		t.Errorf("%+v", back)
	}
}

func TestAMessageIsTheFlatStructOrOneOfItsVariants(t *testing.T) {
	whole := block{Type: "text", Text: Ptr("x")}
	if same := asFlat[block](&whole, (*wordsBlock)(nil)); !Equal(&same, &whole) {
		t.Errorf("%+v", same)
	}
	type noted struct {
		wordsBlock
		note string
	}
	for _, words := range []any{
		&wordsBlock{Text: "x"},
		&noted{wordsBlock{Text: "x"}, "struct that embeds the variant"},
	} {
		if made := asFlat[block](words, (*wordsBlock)(nil)); !Equal(&made, &whole) {
			t.Errorf("%+v of %T", made, words)
		}
	}
}

func TestWhatIsHeldIsRepairedLikeAField(t *testing.T) {
	b, err := Decode[block]([]byte(`{"type":"call","input":1,"marks":[ 1, "x" ,[2],3]}`))
	if err != nil {
		t.Fatal(err)
	}
	const repaired = `{"type":"call","input":1,"marks":[1,3]}`
	if back, err := Encode(&b); err != nil || string(back) != repaired {
		t.Errorf("%s (%v)", back, err)
	}
	if same, err := Decode[block]([]byte(repaired)); err != nil || !Equal(&b, &same) {
		t.Errorf("%+v and %+v (%v)", b, same, err)
	}
	var call callBlock
	if !asVariant(b, (*callBlock)(nil), &call) || !slices.Equal(call.Marks, []float64{1, 3}) {
		t.Errorf("%+v", call)
	}
	none, err := Decode[block]([]byte(`{"type":"call","input":1,"marks":["x"]}`))
	if back, failed := Encode(&none); err != nil || failed != nil || string(back) != `{"type":"call","input":1,"marks":[]}` {
		t.Errorf("%s (%v, %v)", back, err, failed)
	}
}

func TestAChangedTagChangesTheVariant(t *testing.T) {
	b, _ := Decode[block]([]byte(`{"type":"new","a":1}`))
	b.Type, b.Text = "text", Ptr("x")
	if back, err := Encode(&b); err != nil || string(back) != `{"type":"text","text":"x"}` {
		t.Errorf("%s (%v)", back, err)
	}
	b.Type = "other"
	if _, err := Encode(&b); err == nil || err.(*EncodeError).Path != "/type" {
		t.Error(err)
	}
}

func TestAFlatStructIsOnlyItsOwnVariants(t *testing.T) {
	v := &block{Type: "text", Text: Ptr("t")}
	if !isVariantOf(v, (*wordsBlock)(nil)) || isVariantOf(v, (*callBlock)(nil)) || isVariantOf(v, (*note)(nil)) {
		t.Error("a struct of another union is a variant")
	}
	a, _ := pairOfSessions()
	if message := came[*SessionMessage](t, a, v); message.Message != v {
		t.Errorf("%#v", message)
	}
}

func TestHelpersOfConstructors(t *testing.T) {
	var s spot
	if preset(`{"x":1,"y":2}`, (*spot)(nil), &s); s.Y != 2 {
		t.Error(s)
	}
	var place *spot
	var maybe Nullable[spot]
	preset(`{"x":1,"y":3}`, (*spot)(nil), &place)
	if preset(`{"x":1,"y":4}`, (*spot)(nil), &maybe); place.Y != 3 || maybe.Value.Y != 4 {
		t.Error(place, maybe)
	}
	var r Extra
	presetZero(&r, "x")
	if null, found := (*Extra)(&r).zero("x"); null || !found {
		t.Error("presetZero")
	}
	if orZero[int](nil) != 0 || orZero(Ptr(7)) != 7 {
		t.Error("orZero")
	}
	if notNilList[int](nil) == nil || notNilMap[string, int](nil) == nil || len(notNilList([]int{1})) != 1 || len(notNilMap(map[string]int{"": 1})) != 1 {
		t.Error("nil is not absent")
	}
	if x, ok := held[string]("x"); !ok || x != "x" {
		t.Error(x)
	}
	for _, v := range []any{s, &s} {
		if x, ok := heldStruct[spot](v); !ok || x.X != 1 {
			t.Error(x)
		}
	}
	if _, ok := heldStruct[spot]((*spot)(nil)); ok {
		t.Error("nil is no struct")
	}
}
