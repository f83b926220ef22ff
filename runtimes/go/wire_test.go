package polywireruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestTextIsEscapedOnlyWhereItHasToBe(t *testing.T) {
	parts := map[string]string{
		"a": "a", "plain words": "plain words", `"`: `\"`, `\`: `\\`, "\n": `\n`, "\r": `\r`, "\t": `\t`, "\x00": `\u0000`,
		"\x1f": `\u001f`, "\x7f": "\x7f", "é": "é", "€": "€", "😀": "😀", "日本語ё": "日本語ё", "\u2028": "\u2028", "<&>": "<&>",
		"\xed\xa0\xbd": `\ud83d`, "\xed\xb8\x80": `\ude00`, "": "",
	}
	for one, first := range parts {
		for two, second := range parts {
			for _, between := range []string{"", "b", "seven b", "eight by", "nine byte", "sixteen bytes ab", "b€b", "tail of \" it"} {
				text := one + between + two + between
				middle := strings.ReplaceAll(between, `"`, `\"`)
				want := `"` + first + middle + second + middle + `"`
				if got := string(appendText(nil, text)); got != want {
					t.Fatalf("%q is written as %s, expected %s", text, got, want)
				}
			}
		}
	}
	for _, text := range []string{
		"\xff", "\xed\xa0", "\xed\xa0\xff", "text \xc3", "ok \xf0\x9f\x98", "€\xe2\x82", "€\xe2\x82 ", "€\xe2 \xac", "€\xe0\x80\x80",
		"\xc0\x80 and more", "\xc1\xbf and more", "\xc3 and more", "\xe0\x9f\xbf and more", "\xe2\x82 and more", "\x80\x80 and more",
	} {
		e := encoder{}
		if e.text(text); e.err == nil || e.err.Code != CodeInvalidUTF8 || len(e.buf) != 0 {
			t.Errorf("%q is written as %q (%v)", text, e.buf, e.err)
		}
	}
}

func TestDocumentsComeBackAsTheyWere(t *testing.T) {
	for _, text := range []string{
		noteWith(""),
		noteWith(`"text":"\"<&>\u2028","done":true,"weight":0.5,"color":"red","tags":["a"],"shares":{"high":1,"low":2}`),
		`{"kind":"note","id":"` + noteID + `","count":0,"text":null,"done":false,"tags":[],"shares":{},"body":[],"meta":{},"spots":[],"back":{"kind":"x"}}`,
		noteWith(`"text":"","weight":0,"color":"","body":null,"meta":null,"spots":[{"x":1,"y":2},{"x":3,"y":4,"z":5}]`),
		noteWith(`"color":"blue","done":null,"b":1,"a":{"x":[9007199254740993]},"":""`),
		`{"kind":"note","id":"` + strings.ToUpper(noteID) + `","count":1}`,
		`{"kind":"note","id":"no uuid","count":1}`,
		`{"kind":"event/move","x":1,"y":2,"z":{"a":[]}}`,
		`{"kind":"event/new","x":1}`,
		`{"kind":"new","nested":{"kind":"note"}}`,
	} {
		text = strings.ReplaceAll(text, `\u2028`, "\u2028")
		value, err := DecodeAs("Line", []byte(text), LenientMode)
		if err != nil {
			t.Errorf("%v for %s", err, text)
			continue
		}
		for name, encode := range map[string]func() ([]byte, error){
			"Encode":   func() ([]byte, error) { return Encode(value) },
			"EncodeAs": func() ([]byte, error) { return EncodeAs("Line", value) },
		} {
			if back, err := encode(); err != nil || string(back) != text {
				t.Errorf("%s: %s became %s (%v)", name, text, back, err)
			}
		}
	}
}

func TestLinesOfAllLengthsStayAsTheyWere(t *testing.T) {
	random := rand.New(rand.NewPCG(0, 0))
	var lines [][]byte
	var want []string
	for i := range 2000 {
		// About one in eight needs more room than a block has left, some more than any block has.
		length := random.IntN(blockSize >> random.IntN(12) * 3)
		text := strings.Repeat("many bytes\"\n", length/12) + strings.Repeat("x", length%12)
		line, err := Encode(&note{ID: uuid.MustParse(noteID), Tags: []string{text, "end"}})
		if err != nil {
			t.Fatal(err)
		}
		quoted, _ := json.Marshal(text)
		lines, want = append(lines, line), append(want, noteWith(`"count":0,"tags":[`+string(quoted)+`,"end"]`))
		if i%3 == 0 {
			lines[i] = append(line, '\n') // there is room for it, where it must not change the next line
			want[i] += "\n"
		}
		if i%50 == 0 {
			if _, err := Encode(&note{Tags: []string{"not UTF-8: \xff"}}); err == nil {
				t.Fatal("accepted")
			}
		}
	}
	for i, line := range lines {
		if string(line) != want[i] {
			t.Fatalf("line %d of %d bytes is %.200s, expected %.200s", i, len(want[i]), line, want[i])
		}
	}
}

func TestOneDocumentHasOneValueOnEveryPath(t *testing.T) {
	text := noteWith(`"text":null,"color":"blue","more":[1]`)
	twice := noteWith(`"text":"first","text":null,"color":"blue","more":[1]`)
	want, err := Decode[note]([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Decode[note]([]byte(twice)); err != nil || !Equal(again, want) {
		t.Error(again, err)
	}
	if named, err := DecodeAs("Line", []byte(text)); err != nil || !Equal(*named.(*note), want) {
		t.Error(named, err)
	}
	var unmarshalled note
	if err := json.Unmarshal([]byte(text), &unmarshalled); err != nil || !reflect.DeepEqual(unmarshalled, want) {
		t.Error(unmarshalled, err)
	}
	if err := json.Unmarshal([]byte("null"), &unmarshalled); err != nil || !Equal(unmarshalled, want) {
		t.Error("null is not a no-op", err)
	}
	if err := json.Unmarshal([]byte("{}"), &unmarshalled); err == nil || !Equal(unmarshalled, want) {
		t.Error("a refused document changed the value", err)
	}
	if back, err := json.Marshal(want); err != nil || string(back) != text {
		t.Errorf("%s (%v)", back, err)
	}
}

func TestDecodedValuesEqualTheirLiterals(t *testing.T) {
	id := uuid.MustParse(noteID)
	for text, literal := range map[string]note{
		`"done":false`:                 {Done: Ptr(false)},
		`"text":null`:                  {Text: Nullable[string]{Null: true}},
		`"text":""`:                    {Text: Some("")},
		`"body":null`:                  {Body: Null{}},
		`"color":"","tags":[]`:         {Color: Ptr(color("")), Tags: []string{}},
		`"meta":{},"spots":[]`:         {Meta: Some(map[string]any{}), Spots: []spot{}},
		`"back":{"kind":"event/rest"}`: {Back: &event{Kind: "event/rest"}},
	} {
		literal.Kind, literal.ID, literal.Count = "note", id, 1
		got, err := Decode[note]([]byte(noteWith(text)))
		if err != nil || !reflect.DeepEqual(got, literal) || !Equal(got, literal) {
			t.Errorf("%+v (%v) for %s", got, err, text)
		}
		if back, err := Encode(&literal); err != nil || string(back) != noteWith(text) {
			t.Errorf("%s (%v)", back, err)
		}
		if literal.Count++; Equal(got, literal) {
			t.Errorf("values that differ are equal: %s", text)
		}
	}
}

func TestUndeclaredMembersCountInEquality(t *testing.T) {
	one, _ := Decode[note]([]byte(noteWith(`"a":1,"b":{"c":[2]}`)))
	other, _ := Decode[note]([]byte(noteWith(`"b":{"c":[2.0]},"a":1.0`)))
	if !Equal(one, other) || Equal(one, note{Kind: one.Kind, ID: one.ID, Count: 1}) {
		t.Error("the order of members counts, or their values do not")
	}
	if other.Extra.Set(Member{"a", 1}); Equal(one, other) {
		t.Error("a member is missing")
	}
}

func TestBoxesHoldInterfacesUnderEncodingJSON(t *testing.T) {
	type holder struct {
		Line  Box[line]   `json:"line"`
		Shape *Box[shape] `json:"shape,omitempty"`
		Spot  Box[spot]   `json:"spot"`
	}
	text := `{"line":{"kind":"new","a":1},"shape":{"x":1,"y":2},"spot":{"x":0,"y":0}}`
	var v holder
	if err := json.Unmarshal([]byte(text), &v); err != nil || !IsUnknown(v.Line.Value) || v.Shape.Value.(*spot).Y != 2 {
		t.Fatal(v, err)
	}
	if back, err := json.Marshal(v); err != nil || string(back) != text {
		t.Errorf("%s (%v)", back, err)
	}
	err := json.Unmarshal([]byte(`{"shape":{"x":"1","y":2}}`), &v)
	if fault := (*DecodeError)(nil); !errors.As(err, &fault) || fault.Path != "/x" {
		t.Error(err)
	}
	var other Box[error]
	if json.Unmarshal([]byte(`1`), &other) == nil {
		t.Error("error is no type of the protocol")
	}
}

func TestStrictModeDecodesWhatItAccepts(t *testing.T) {
	for _, text := range []string{noteWith(`"tags":["a"]`), noteWith(`"tags":["b"],"tags":["a"]`)} {
		n, err := Decode[note]([]byte(text), StrictMode)
		if err != nil || !slices.Equal(n.Tags, []string{"a"}) {
			t.Errorf("%v (%v)", n, err)
		}
	}
}

func TestExamineReportsTheVariantAndWhatIsUnknown(t *testing.T) {
	text := noteWith(`"color":"blue","zoo":1,"done":null`)
	found, err := Examine("Line", []byte(text), LenientMode)
	if err != nil || found.Variant != "Note" || !slices.Equal(found.Unknown(), []string{"/color", "/done", "/zoo"}) {
		t.Errorf("%+v (%v)", found, err)
	}
	if _, err := Examine("Line", []byte(text), StrictMode); err == nil {
		t.Error("strict mode lets it pass")
	}
}

func TestStrictEncodingRejectsWhatAStrictReaderWould(t *testing.T) {
	for text, path := range map[string]string{
		noteWith(`"tags":["a"]`): "", noteWith(`"zoo":1`): "/zoo", noteWith(`"color":"blue"`): "/color",
		noteWith(`"done":null`): "/done", `{"kind":"new"}`: "/kind",
	} {
		value, err := unmarshalLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		line, err := EncodeStrict(value, unmarshalLine)
		_, refused := unmarshalLine([]byte(text), StrictMode)
		var fault *EncodeError
		switch {
		case path == "":
			if want, _ := Encode(value); err != nil || !bytes.Equal(line, want) {
				t.Errorf("%s (%v)", line, err)
			}
		case !errors.As(err, &fault) || fault.Path != path || fault.Code != refused.(*DecodeError).Code || line != nil:
			t.Errorf("%s (%v), not %v", line, err, refused)
		}
	}
	if _, err := EncodeStrict(&note{Kind: "x"}, Decode[note]); err == nil {
		t.Error("an invalid value is encoded")
	}
}

func TestWhatIsNotDeclaredIsAnError(t *testing.T) {
	_, decoding := DecodeAs("Nothing", nil, LenientMode)
	_, examining := Examine("Nothing", nil, LenientMode)
	_, encoding := EncodeAs("Nothing", nil)
	for _, err := range []error{decoding, examining, encoding} {
		if err == nil || !strings.HasPrefix(err.Error(), "polywireruntime: ") {
			t.Error(err)
		}
	}
	for _, value := range []any{nil, 1, (*note)(nil), struct{}{}} {
		_, err := Encode(value)
		if fault := (*EncodeError)(nil); !errors.As(err, &fault) || fault.Code != CodeWrongType {
			t.Errorf("%v for %v", err, value)
		}
	}
}

func TestValuesAreCheckedOnTheWayOut(t *testing.T) {
	deep := any(nil)
	for range maxDepth {
		deep = []any{deep}
	}
	for _, each := range []struct {
		value note
		code  Code
		path  string
	}{
		{note{Kind: "line"}, CodeWrongConstant, "/kind"},
		{note{Count: maxInteger + 1}, CodeOutOfRange, "/count"},
		{note{Weight: Ptr(math.NaN())}, CodeOutOfRange, "/weight"},
		{note{Text: Some("\xff")}, CodeInvalidUTF8, "/text"},
		{note{Shares: map[level]float64{"other": 1}}, CodeUnknownValue, "/shares/other"},
		{note{Body: make(chan int)}, CodeWrongType, "/body"},
		{note{Body: []any{0, math.Inf(1)}}, CodeOutOfRange, "/body/1"},
		{note{Body: json.Number("1, 2")}, CodeWrongType, "/body"},
		{note{Body: deep}, CodeTooDeep, "/body" + strings.Repeat("/0", maxDepth-1)},
	} {
		_, err := Encode(each.value)
		fault := (*EncodeError)(nil)
		if !errors.As(err, &fault) || fault.Code != each.code || fault.Path != each.path || fault.Message == "" {
			t.Errorf("%v, expected %s at %s", err, each.code, each.path)
		}
	}
	if _, err := Encode(unknownLine{Raw: json.RawMessage(`{"a":1}{`)}); err == nil {
		t.Error("an Unknown is not one object")
	}
	if _, err := EncodeAs("Line", map[string]any{"kind": 1}); err == nil {
		t.Error("a map is not a line")
	}
}

func TestForeignValuesAreWrittenAsEncodingJSONDoes(t *testing.T) {
	own := note{ID: uuid.MustParse(noteID), Count: 2}
	body := struct {
		A string `json:"a"`
		B []int
	}{"<&>", []int{1}}
	back, err := Encode(note{ID: own.ID, Body: []any{body, &own, int64(3), uint8(4)}})
	want := noteWith(`"count":0,"body":[{"B":[1],"a":"<&>"},{"kind":"note","id":"` + noteID + `","count":2},3,4]`)
	if err != nil || string(back) != want {
		t.Errorf("%s (%v)", back, err)
	}
	if back, err := EncodeAs("Either", map[string]any{"x": 1, "y": 2}); err != nil || string(back) != `{"x":1,"y":2}` {
		t.Errorf("%s (%v)", back, err)
	}
}

func TestUndeclaredMembersAreKeptInOrder(t *testing.T) {
	n, err := Decode[note]([]byte(noteWith(`"b":1,"a":null,"done":null`)), LenientMode)
	if want := []Member{{"b", 1.0}, {"a", nil}, {"done", nil}}; err != nil || !reflect.DeepEqual(n.Extra.Members(), want) {
		t.Errorf("%v (%v)", n.Extra.Members(), err)
	}
	n.Extra.Set(Member{"z", "<"}, Member{"count", 7}, Member{"done", nil})
	if back, err := Encode(n); err != nil || string(back) != noteWith(`"z":"<","done":null`) {
		t.Errorf("%s (%v)", back, err)
	}
	n.Done = Ptr(true)
	if back, err := Encode(n); err != nil || string(back) != `{"kind":"note","id":"`+noteID+`","count":1,"done":true,"z":"<"}` {
		t.Errorf("%s (%v)", back, err)
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	n, err = Decode[note]([]byte(noteWith(many.String()+`"k":2`)), LenientMode)
	if err != nil || len(n.Extra.Members()) != 100 || n.Extra.Members()[0] != (Member{"k", 2.0}) {
		t.Errorf("%d members (%v)", len(n.Extra.Members()), err)
	}
}

func TestAMemberThatIsSetUnderADeclaredNameHasToBeOfItsType(t *testing.T) {
	for _, test := range []struct {
		member Member
		want   string // the expected output, or code and path
	}{
		{Member{"done", true}, `,"done":true`},
		{Member{"done", nil}, `,"done":null`},
		{Member{"done", 1}, "wrong_type /done"},
		{Member{"weight", 1}, `,"weight":1`},
		{Member{"weight", json.Number("1e400")}, "out_of_range /weight"},
		{Member{"color", "new"}, `,"color":"new"`},
		{Member{"tags", []any{"a", 2}}, "wrong_type /tags/1"},
		{Member{"shares", map[string]any{"none": 1}}, "unknown_value /shares/none"},
		{Member{"spots", []any{map[string]any{"x": 1}}}, "missing_field /spots/0/y"},
		{Member{"back", map[string]any{"kind": "note"}}, "missing_field /back/id"},
		{Member{"back", map[string]any{"kind": "new"}}, `,"back":{"kind":"new"}`},
		{Member{"count", "wins over"}, ""},
		{Member{"other", "x"}, `,"other":"x"`},
	} {
		n := note{ID: uuid.MustParse(noteID)}
		n.Extra.Set(test.member)
		line, err := Encode(n)
		got := strings.TrimSuffix(strings.TrimPrefix(string(line), `{"kind":"note","id":"`+noteID+`","count":0`), "}")
		if fault := (*EncodeError)(nil); errors.As(err, &fault) {
			got = string(fault.Code) + " " + fault.Path
		}
		if got != test.want {
			t.Errorf("%v: %s (%v), expected %s", test.member, got, err, test.want)
		}
	}
}

func TestWhatWasReadIsNotWrittenDeeperThanItMayBe(t *testing.T) {
	n, err := Decode[note]([]byte(noteWith(`"more":` + strings.Repeat("[", 100) + strings.Repeat("]", 100))))
	if err != nil {
		t.Fatal(err)
	}
	for outer, want := range map[int]string{27: "", 28: "too_deep"} {
		top := note{ID: n.ID, Body: &n}
		for range outer - 1 {
			top.Body = []any{top.Body}
		}
		_, err := Encode(top)
		fault := &EncodeError{}
		if errors.As(err, &fault); string(fault.Code) != want {
			t.Errorf("%d levels around: %v", outer, err)
		}
	}
}

func TestSpellingIsKeptWhileTheFieldHoldsTheValue(t *testing.T) {
	text := strings.Replace(noteWith(""), noteID, strings.ToUpper(noteID), 1)
	n, err := Decode[note]([]byte(text), LenientMode)
	if err != nil || n.ID.String() != noteID {
		t.Fatal(n.ID, err)
	}
	n.ID[0]++
	if back, err := Encode(n); err != nil || string(back) != strings.Replace(noteWith(""), noteID, n.ID.String(), 1) {
		t.Errorf("%s (%v)", back, err)
	}
}

func TestUnknownsAreTold(t *testing.T) {
	for text, want := range map[string]bool{noteWith(""): false, `{"kind":"new"}`: true} {
		if v, err := unmarshalLine([]byte(text), LenientMode); err != nil || IsUnknown(v) != want {
			t.Errorf("%v (%v)", v, err)
		}
	}
	raw := json.RawMessage(`{"a":"x","n":1}`)
	if a, n := memberOf[string](raw, "a", isString), memberOf[string](raw, "n", isString); a != "x" || n != "" {
		t.Error(a, n)
	}
}

func TestUntouchedValuesDecodeByName(t *testing.T) {
	v, err := decodePlain(typedRule{(*note)(nil), (*note)(nil)}, map[string]any{"kind": "note", "id": noteID, "count": 3})
	if n, ok := v.(*note); err != nil || !ok || n.Count != 3 {
		t.Error(v, err)
	}
	if _, err := decodePlain(typedRule{(*note)(nil), (*note)(nil)}, map[string]any{"kind": math.NaN()}); err == nil {
		t.Error("NaN is not JSON")
	}
}

func TestErrorsSayWhatIsWrongAndWhere(t *testing.T) {
	decoding := &DecodeError{CodeWrongType, "/a~1b", "expected string, got null"}
	if text := decoding.Error(); text != "polywireruntime: decode: wrong_type at /a~1b: expected string, got null" {
		t.Error(text)
	}
	if text := (&EncodeError{Code: CodeTooDeep}).Error(); text != "polywireruntime: encode: too_deep" {
		t.Error(text)
	}
	if text := escapeStep("~/"); text != "~0~1" {
		t.Error(text)
	}
}

func TestANilPointerIsNoUnknownAndNoObject(t *testing.T) {
	if IsUnknown((*unknownLine)(nil)) || IsUnknown((*block)(nil)) || IsUnknown(nil) {
		t.Error("a nil pointer is unknown")
	}
	var fault *EncodeError
	if _, err := Encode((*note)(nil)); !errors.As(err, &fault) || fault.Code != CodeWrongType ||
		fault.Message != "a nil *polywireruntime.note is no object" {
		t.Errorf("%v", err)
	}
}

func TestAnExtraIsReadByKeyAndShown(t *testing.T) {
	n := note{Extra: ExtraOf(Member{"a", 1.5}, Member{"b", nil})}
	a, hasA := n.Extra.Get("a")
	b, hasB := n.Extra.Get("b")
	c, hasC := n.Extra.Get("c")
	if a != 1.5 || b != nil || c != nil || !hasA || !hasB || hasC {
		t.Errorf("%v %v, %v %v, %v %v", a, hasA, b, hasB, c, hasC)
	}
	if _, ok := (Extra{}).Get("a"); ok || (Extra{}).Members() != nil {
		t.Error("the zero value has members")
	}
	if text := fmt.Sprint(n.Extra, Extra{}); text != `{"a": 1.5, "b": <nil>} {}` {
		t.Error(text)
	}
	swapped := ExtraOf(Member{"b", nil}, Member{"a", 1.5})
	if n := (note{Extra: ExtraOf()}); !reflect.DeepEqual(n, note{}) {
		t.Errorf("%#v is not the zero value", n)
	}
	emptied := n.Extra
	if emptied.Set(); !reflect.DeepEqual(emptied, Extra{}) {
		t.Errorf("%#v is not the zero value", emptied)
	}
	if !n.Extra.Equal(swapped) || n.Extra.Equal(ExtraOf(Member{"a", 1.5})) || n.Extra.Equal(Extra{}) {
		t.Error("Equal of an Extra")
	}
}
