package forms

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func written(t *testing.T, v any, want string) {
	t.Helper()
	if line, err := Encode(v); err != nil || string(line) != want {
		t.Errorf("%s (%v), not %s", line, err, want)
	}
}

func refused(t *testing.T, v any, code Code, path string) {
	t.Helper()
	var fault *EncodeError
	if line, err := Encode(v); !errors.As(err, &fault) || fault.Code != code || fault.Path != path {
		t.Errorf("%s, %v, not %s at %s", line, err, code, path)
	}
}

func TestTuplesAreWrittenFromPlainLiterals(t *testing.T) {
	made := Tuples{
		Range:  Range{V0: 1, V1: 2},
		Single: Tuple1[string]{"x"},
		ByPace: map[Pace]Tuple2[bool, string]{PaceFast: {true, "0b8e7d1c-3b1f-4f0a-9c55-1d2e3f405162"}},
		Lists:  &Tuple3[[]string, []Point, map[string]int64]{[]string{"a"}, []Point{{X: 1}}, nil},
		Either: Some[StringAndIntOrString](StringAndIntOrStringList{"a", 1}),
		Pair:   &Pair{V1: &Point{Y: 2}},
		Lines:  []Tuple2[Line, Shape]{{&Bounds{Below: 1, Key: "k"}, &Circle{Radius: 3}}},
	}
	const text = `{"kind":"tuples","range":[1,2],"single":["x"],` +
		`"by_pace":{"fast":[true,"0b8e7d1c-3b1f-4f0a-9c55-1d2e3f405162"]},"lists":[["a"],[{"x":1,"y":0}],{}],` +
		`"either":["a",1],"pair":[null,{"x":0,"y":2}],` +
		`"lines":[[{"kind":"bounds","count":0,"below":1,"key":"k"},{"radius":3}]]}`
	written(t, made, text)
	read := must(Decode[Tuples]([]byte(text)))
	if !Equal(read, read) || !reflect.DeepEqual(read.Range, made.Range) || !reflect.DeepEqual(read.Pair, made.Pair) {
		t.Errorf("%+v", read)
	}
	if pair, ok := read.Either.Get(); !ok || pair != (StringAndIntOrStringList{"a", 1}) {
		t.Error(pair, ok)
	}
	other := must(Decode[Tuples]([]byte(strings.Replace(text, `"y":2`, `"y":3`, 1))))
	if Equal(read, other) {
		t.Error("another item is no difference")
	}
}

func TestATupleIsAnArrayUnderEncodingJSON(t *testing.T) {
	type own struct {
		Pair  Pair
		Line  Tuple2[Line, Shape]
		Count Tuple2[string, *int64]
	}
	given := own{
		Pair{V0: Ptr("<")}, Tuple2[Line, Shape]{&UnknownLine{Raw: []byte(`{"kind":"new"}`)}, &Point{}},
		Tuple2[string, *int64]{V0: "n"},
	}
	text := must(json.Marshal(given))
	if string(text) != `{"Pair":["\u003c",null],"Line":[{"kind":"new"},{"x":0,"y":0}],"Count":["n",null]}` {
		t.Error(string(text))
	}
	var back own
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if again := must(json.Marshal(back)); string(again) != string(text) {
		t.Error(string(again))
	}
	if err := json.Unmarshal([]byte(`{"Pair":null}`), &back); err != nil || *back.Pair.V0 != "<" {
		t.Error(back.Pair, err)
	}
	var fault *DecodeError
	if err := json.Unmarshal([]byte(`{"Pair":["a"]}`), &back); !errors.As(err, &fault) || fault.Code != CodeOutOfBounds {
		t.Error(err)
	}
}

func TestAFaultOfATupleHasThePlaceOfTheItem(t *testing.T) {
	for items, path := range map[string]string{`[1]`: "", `[1,2,3]`: "", `[1,"2"]`: "/1", `{}`: ""} {
		var fault *DecodeError
		_, err := UnmarshalLine([]byte(`{"kind":"tuples","single":["x"],"range":` + items + `}`))
		if !errors.As(err, &fault) || fault.Path != "/range"+path {
			t.Error(items, err)
		}
	}
	refused(t, Tuples{Lines: []Tuple2[Line, Shape]{{V0: &Bounds{}}}}, CodeWrongType, "/lines/0/1")
}

func TestOnlyALiteralIsWrittenInItsPlace(t *testing.T) {
	made := func() Literals {
		return Literals{Either: AllOrStringListString("all"), Number: Type0OrStringNumber(0), Fraction: Type00015OrBoolNumber(-0.0015), Truth: TrueOrYesBool(true)}
	}
	const rest = `"either":"all","number":0,"fraction":-0.0015,"truth":true,`
	written(t, made(), `{"kind":"literals",`+rest+`"many":null}`)
	full := made()
	full.NullOr, full.Maybe, full.Ones = Some("none"), Ptr("sometimes"), map[string]One{"a": 1}
	full.Switches, full.Many, full.Named = []Switch{SwitchString("auto"), SwitchBool(false)}, ManyNumber(2), Nullable[AutoOrInt]{Null: true}
	written(t, full, `{"kind":"literals",`+rest+
		`"null_or":"none","maybe":"sometimes","switches":["auto",false],"named":null,"ones":{"a":1},"many":2}`)
	for path, change := range map[string]func(*Literals){
		"/either":   func(x *Literals) { x.Either = AllOrStringListString("none") },
		"/number":   func(x *Literals) { x.Number = Type0OrStringNumber(1) },
		"/maybe":    func(x *Literals) { x.Maybe = Ptr("") },
		"/null_or":  func(x *Literals) { x.NullOr = Some("some") },
		"/ones/b":   func(x *Literals) { x.Ones = map[string]One{"b": 0} },
		"/truth":    func(x *Literals) { x.Truth = TrueOrYesBool(false) },
		"/fraction": func(x *Literals) { x.Fraction = Type00015OrBoolNumber(0.5) },
	} {
		wrong := made()
		change(&wrong)
		refused(t, wrong, CodeWrongConstant, path)
	}
}

func TestBoundsAreForStrictReadersAlone(t *testing.T) {
	made := Bounds{Kind: "bounds", Count: -1, Below: 11, Key: strings.Repeat("é", 9)}
	text := must(Encode(made))
	if back := must(Decode[Bounds](text)); !Equal(back, made) {
		t.Errorf("%+v", back)
	}
	found := must(Examine("Bounds", text))
	if got := found.Unknown(); !reflect.DeepEqual(got, []string{"/below", "/count", "/key"}) {
		t.Error(got)
	}
	var fault *DecodeError
	_, err := Decode[Bounds](text, StrictMode)
	if !errors.As(err, &fault) || fault.Code != CodeOutOfBounds || fault.Path != "/count" {
		t.Error(err)
	}
	fine := Bounds{Key: "\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600"}
	if _, err := Decode[Bounds](must(Encode(fine)), StrictMode); err != nil {
		t.Error(err)
	}
}

func TestIntegerTagsAreWrittenFromPlainLiterals(t *testing.T) {
	for text, made := range map[string]Tags{
		`"numbered":{"n":0,"z":"a"}`:           {Numbered: &Zero{Z: "a"}},
		`"numbered":{"n":-32700,"b":false}`:    {Numbered: &Negative{}},
		`"numbered":{"n":3}`:                   {Numbered: &Several{N: 3}},
		`"coded":[{"code":100}]`:               {Coded: []Coded{&Success{}}},
		`"coded":[{"code":410,"reason":"r"}]`:  {Coded: []Coded{&Failure{Code: StatusCodeGone, Reason: "r"}}},
		`"coded":[{"code":0,"reason":""}]`:     {Coded: []Coded{&Failure{}}},
		`"named":{"a":{"name":"_b","data":1}}`: {Named: map[string]Named{"a": &Private{Name: "_b", Data: 1}}},
		`"colour":{"colour":"pink"}`:           {Colour: &Others{Colour: "pink"}},
		`"closed":[{"n":-1},{"name":"plain"}]`: {Closed: &Tuple2[ClosedByNumber, Named]{&Levelled{N: Ptr(LevelLow)}, &Plain{}}},
		`"nested":{"n":5,"name":"two"}`:        {Nested: &Inner2{Name: "two"}},
		`"loose":{"t":8}`:                      {Loose: &Rest{T: Ptr[int64](8)}},
		`"begins":{"u":"bu"}`:                  {Begins: &Begun{U: "bu"}},
	} {
		line := `{"kind":"tags",` + text + `}`
		written(t, made, line)
		back := must(Decode[Tags]([]byte(line)))
		written(t, back, line)
	}
	if _, isRest := must(UnmarshalLoose([]byte(`{"t":8.0}`))).(*UnknownLoose); !isRest {
		t.Error("8 is the tag of no variant")
	}
	absent := must(Decode[Levelled]([]byte(`{}`)))
	if absent.N != nil {
		t.Error(*absent.N)
	}
}

func TestATagThatNoVariantHasIsNotWritten(t *testing.T) {
	for path, made := range map[string]Tags{
		"/numbered/n":    {Numbered: &First{N: 2}},
		"/numbered/n ":   {Numbered: &Several{}},
		"/closed/0/n":    {Closed: &Tuple2[ClosedByNumber, Named]{&Levelled{N: Ptr(Level(0))}, &Plain{}}},
		"/named/a/name":  {Named: map[string]Named{"a": &Private{Name: "b"}}},
		"/loose/t":       {Loose: &Rest{T: Ptr[int64](7)}},
		"/begins/u":      {Begins: &Bare{U: Ptr("b")}},
		"/named/a/name ": {Named: map[string]Named{"a": &Private{}}},
	} {
		code := CodeUnknownValue
		if _, isFirst := made.Numbered.(*First); isFirst || made.Loose != nil || made.Begins != nil {
			code = CodeWrongConstant
		}
		refused(t, made, code, strings.TrimSpace(path))
	}
}

func TestAnIntegerTagThatIsNoIntegerIsAFault(t *testing.T) {
	for text, code := range map[string]Code{
		`{"n":1.5}`: CodeOutOfRange, `{"n":9007199254740993}`: CodeOutOfRange, `{"n":"1"}`: CodeWrongType,
		`{"a":"x"}`: CodeMissingField,
	} {
		var fault *DecodeError
		if _, err := UnmarshalNumbered([]byte(text)); !errors.As(err, &fault) || fault.Code != code || fault.Path != "/n" {
			t.Error(text, err)
		}
	}
	if _, isFirst := must(UnmarshalNumbered([]byte(`{"n":1e0}`))).(*First); !isFirst {
		t.Error("1e0 is not 1")
	}
	if !IsUnknown(must(UnmarshalNumbered([]byte(`{"n":4}`)))) {
		t.Error("4 is known")
	}
}

func TestALongerPrefixWinsAndItsBodyHasToFit(t *testing.T) {
	for text, want := range map[string]any{
		`{"name":"_x_listed"}`:         &Listed{},
		`{"name":"_x_a","vendor":"v"}`: &Vendor{},
		`{"name":"_x","data":1}`:       &Private{},
		`{"name":"x_"}`:                &UnknownNamed{},
	} {
		if got := must(UnmarshalNamed([]byte(text))); reflect.TypeOf(got) != reflect.TypeOf(want) {
			t.Errorf("%s: %T", text, got)
		}
	}
	var fault *DecodeError
	if _, err := UnmarshalNamed([]byte(`{"name":"_x_a","data":1}`)); !errors.As(err, &fault) || fault.Path != "/vendor" {
		t.Error(err)
	}
}

func TestAnUnknownShowsTheMembersThatFit(t *testing.T) {
	const text = `{"kind":"newer","id":"0b8e7d1c-3b1f-4f0a-9c55-1d2e3f405162","count":"3","size":null,"point":{"x":1,"y":2},` +
		`"texts":[1],"range":[1,2],"raw":false}`
	line := must(UnmarshalLine([]byte(text)))
	unknown := line.(*UnknownLine)
	if id, ok := unknown.LookupID(); !ok || id.String() != "0b8e7d1c-3b1f-4f0a-9c55-1d2e3f405162" {
		t.Error(id, ok)
	}
	if point, ok := unknown.LookupPoint(); !ok || point.X != 1 || point.Y != 2 {
		t.Error(point, ok)
	}
	if span, ok := unknown.LookupRange(); !ok || span != (Range{1, 2}) {
		t.Error(span, ok)
	}
	if raw, ok := unknown.LookupRaw(); !ok || raw != false {
		t.Error(raw, ok)
	}
	_, count := unknown.LookupCount()
	_, size := unknown.LookupSize()
	_, texts := unknown.LookupTexts()
	_, pace := unknown.LookupPace()
	if count || size || texts || pace {
		t.Error(count, size, texts, pace)
	}
	written(t, line, text)
}

func TestAValueThatDoesNotFitIsRepaired(t *testing.T) {
	const text = `{"kind":"tolerance","text":7,"flag":"yes","size":-1.5,"word":[],"point":{"x":"1"},"points":{},` +
		`"texts":["a",1,"b",null],"many":[{"must":1,"may":0},{"must":"x"}],"level":5}`
	read := must(Decode[Tolerance]([]byte(text)))
	want := Tolerance{
		Kind: "tolerance", Word: StringOrPointString("absent"), Point: Point{Y: 0.5}, Points: []Point{}, Texts: []string{"a", "b"}, Level: 1,
	}
	want.Many = read.Many
	if len(read.Many) != 1 || read.Many[0].Must != 1 || read.Many[0].May != nil {
		t.Errorf("%+v", read.Many)
	}
	want.Extra.Set(Member{"text", 7})
	if !Equal(read, want) {
		t.Errorf("%+v", read)
	}
	written(t, read, `{"kind":"tolerance","flag":false,"size":null,"word":"absent","point":{"x":0,"y":0.5},"points":[],`+
		`"texts":["a","b"],"many":[{"must":1,"may":0}],"level":1,"text":7}`)
	read.Text = Ptr("set")
	if line := string(must(Encode(read))); strings.Contains(line, `"text":7`) || !strings.Contains(line, `"text":"set"`) {
		t.Error(line)
	}
	found := must(Examine("Tolerance", []byte(text)))
	repaired := []string{
		"/flag", "/level", "/many/0/may", "/many/1", "/point", "/points", "/size", "/text", "/texts/1", "/texts/3", "/word",
	}
	if got := found.Unknown(); !reflect.DeepEqual(got, repaired) {
		t.Error(got)
	}
	for _, bad := range []string{text, strings.Replace(text, `"text":7`, `"text":1e400`, 1)} {
		mode := LenientMode
		if bad == text {
			mode = StrictMode
		}
		if _, err := Decode[Tolerance]([]byte(bad), mode); err == nil {
			t.Error(bad)
		}
	}
}
