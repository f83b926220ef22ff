package polywireruntime

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// digits returns an integer literal of n digits.
func digits(n int) string { return strings.Repeat("9", n) }

func TestStringsKeepWhatTheirEscapesMean(t *testing.T) {
	for text, want := range map[string]string{
		`""`:                         "",
		`"plain text"`:               "plain text",
		`"\"\\\/\b\f\n\r\t"`:         "\"\\/\b\f\n\r\t",
		`"\u00e9\u20AC"`:             "é€",
		`"\ud83d\ude00"`:             "😀",
		`"\ud83d"`:                   "\xed\xa0\xbd",
		`"\ude00\ud83d"`:             "\xed\xb8\x80\xed\xa0\xbd",
		`"long enough for words \n"`: "long enough for words \n",
	} {
		d := decoder{data: []byte(text)}
		if got := d.str(); d.bad || d.at != len(text) || got != want {
			t.Errorf("%s is read as %q", text, got)
		}
		if d := (decoder{data: []byte(text)}); true {
			if d.skip(); d.bad || d.at != len(text) {
				t.Errorf("%s is not skipped", text)
			}
		}
	}
}

func TestUntouchedValuesHaveTheTypesThatEncodingJSONGives(t *testing.T) {
	for text, want := range map[string]any{
		`null`:                   nil,
		` true `:                 true,
		`false`:                  false,
		`-0.5e1`:                 -5.0,
		`12`:                     12.0,
		`9007199254740993`:       json.Number("9007199254740993"),
		`1` + digits(30):         json.Number("1" + digits(30)),
		`1e21`:                   1e21,
		`[]`:                     []any{},
		`{}`:                     map[string]any{},
		`[1,[{"a":[]}],"b"]`:     []any{1.0, []any{map[string]any{"a": []any{}}}, "b"},
		`{"a":1,"b":{"c":null}}`: map[string]any{"a": 1.0, "b": map[string]any{"c": nil}},
		`{"a":1,"a":[2]}`:        map[string]any{"a": []any{2.0}},
		`{"__proto__":{"x":1}}`:  map[string]any{"__proto__": map[string]any{"x": 1.0}},
	} {
		for _, mode := range []Mode{LenientMode, StrictMode} {
			got, err := unmarshalAny([]byte(text), mode)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s is %#v (%v)", text, got, err)
			}
		}
	}
}

func TestFaultsOfTheParser(t *testing.T) {
	for text, code := range map[string]Code{
		"":                            CodeInvalidJSON,
		"  ":                          CodeInvalidJSON,
		"nul":                         CodeInvalidJSON,
		"NaN":                         CodeInvalidJSON,
		"-Infinity":                   CodeInvalidJSON,
		"01":                          CodeInvalidJSON,
		"-":                           CodeInvalidJSON,
		"1.":                          CodeInvalidJSON,
		".5":                          CodeInvalidJSON,
		"1e":                          CodeInvalidJSON,
		"+1":                          CodeInvalidJSON,
		`"a`:                          CodeInvalidJSON,
		`"\x"`:                        CodeInvalidJSON,
		`"\u12g4"`:                    CodeInvalidJSON,
		"\"a\nb\"":                    CodeInvalidJSON,
		"[1,]":                        CodeInvalidJSON,
		"[1 2]":                       CodeInvalidJSON,
		`{"a"}`:                       CodeInvalidJSON,
		`{"a":1,}`:                    CodeInvalidJSON,
		`{a:1}`:                       CodeInvalidJSON,
		"[1}":                         CodeInvalidJSON,
		"1 2":                         CodeInvalidJSON,
		"\ufeff1":                     CodeInvalidJSON,
		"\"\xff\"":                    CodeInvalidUTF8,
		"\"\xed\xa0\x80\"":            CodeInvalidUTF8,
		nested(maxDepth + 1):          CodeTooDeep,
		nested(20_000):                CodeTooDeep,
		strings.Repeat("[", 20_000):   CodeTooDeep,
		strings.Repeat(`{"a":`, 128):  CodeInvalidJSON,
		nested(128) + "]":             CodeInvalidJSON,
		digits(maxDigits + 1):         CodeOutOfRange,
		"-" + digits(maxDigits+1):     CodeOutOfRange,
		"[" + digits(1_000_000) + "]": CodeOutOfRange,
		`{"a":{"b":[` + digits(maxDigits+1) + `]}}`: CodeOutOfRange,
	} {
		for _, mode := range []Mode{LenientMode, StrictMode} {
			_, err := unmarshalAny([]byte(text), mode)
			fault, ok := err.(*DecodeError)
			if !ok || fault.Code != code || fault.Path != "" || fault.Message == "" {
				t.Errorf("%v for %.40q", err, text)
			}
		}
	}
}

// nested returns nested arrays, n levels deep.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestDepthIsBoundedAndNothingElse(t *testing.T) {
	if _, err := unmarshalAny([]byte(nested(maxDepth)), StrictMode); err != nil {
		t.Error(err)
	}
	deep := strings.Repeat(`{"a":[`, 64) + `"[[[\"{"` + strings.Repeat("]}", 64)
	if _, err := unmarshalAny([]byte(deep), LenientMode); err != nil {
		t.Error(err)
	}
	// If a document has several syntax errors, any of them may be reported.
	both := strings.Repeat("[", 20_000) + digits(maxDigits+1) + strings.Repeat("]", 20_000)
	if _, err := unmarshalAny([]byte(both), LenientMode); err == nil || err.(*DecodeError).Code == CodeInvalidJSON {
		t.Error(err)
	}
}

func TestLongIntegersPassWhereTheyAreKeptUntouched(t *testing.T) {
	for _, text := range []string{digits(maxDigits), "-" + digits(maxDigits)} {
		for _, mode := range []Mode{LenientMode, StrictMode} {
			got, err := unmarshalAny([]byte(text), mode)
			if err != nil || got != json.Number(text) {
				t.Errorf("%.20v (%v)", got, err)
			}
		}
		back, err := EncodeAs("Any", json.Number(text))
		if err != nil || string(back) != text {
			t.Errorf("%.20q (%v)", back, err)
		}
	}
	// The limit applies to integers: other literals are doubles, however many digits they have.
	for _, text := range []string{"0." + digits(5000), digits(5000) + "e-4990", "1." + digits(5000) + "e3"} {
		if got, err := unmarshalAny([]byte(text), StrictMode); err != nil {
			t.Errorf("%v (%v)", got, err)
		}
	}
}

func TestLongIntegersAreRefusedWhereverTheyStand(t *testing.T) {
	long, most := digits(maxDigits+1), digits(maxDigits)
	for _, place := range []string{`"count":%`, `"weight":%`, `"body":%`, `"body":[{"a":%}]`, `"meta":{"a":%}`, `"other":[%]`} {
		for _, mode := range []Mode{LenientMode, StrictMode} {
			_, err := Decode[note]([]byte(strings.ReplaceAll(noteWith(place), "%", long)), mode)
			if fault, ok := err.(*DecodeError); !ok || fault.Code != CodeOutOfRange || fault.Path != "" {
				t.Errorf("%.80v for %s", err, place)
			}
		}
	}
	for place, path := range map[string]string{
		`"count":%`: "/count", `"weight":%`: "/weight", `"body":[{"a":%}]`: "none", `"meta":{"a":%}`: "none", `"other":[%]`: "none",
	} {
		_, err := Decode[note]([]byte(strings.ReplaceAll(noteWith(place), "%", most)), LenientMode)
		if fault, ok := err.(*DecodeError); ok && (fault.Code != CodeOutOfRange || fault.Path != path) || !ok && path != "none" {
			t.Errorf("%.80v for %s", err, place)
		}
	}
	unknown := `{"kind":"new","a":[%]}`
	if _, err := unmarshalLine([]byte(strings.ReplaceAll(unknown, "%", long)), LenientMode); err == nil {
		t.Error("an Unknown holds an integer that is too long")
	}
	if _, err := unmarshalLine([]byte(strings.ReplaceAll(unknown, "%", most)), LenientMode); err != nil {
		t.Error(err)
	}
	var n note
	err := json.Unmarshal([]byte(strings.ReplaceAll(noteWith(`"body":%`), "%", long)), &n)
	if fault, ok := err.(*DecodeError); !ok || fault.Code != CodeOutOfRange {
		t.Errorf("%.80v from encoding/json", err)
	}
}

func TestLongIntegersAreNotWritten(t *testing.T) {
	long := digits(maxDigits + 1)
	for _, body := range []any{
		json.Number(long), []any{json.Number("-" + long)}, map[string]any{"a": json.Number(long)}, json.RawMessage(long),
	} {
		_, err := Encode(&note{Body: body})
		if fault, ok := err.(*EncodeError); !ok || fault.Code != CodeOutOfRange || !strings.HasPrefix(fault.Path, "/body") {
			t.Errorf("%.80v", err)
		}
	}
	_, err := Encode(&unknownLine{Raw: json.RawMessage(`{"a":` + long + `}`)})
	if fault, ok := err.(*EncodeError); !ok || fault.Code != CodeOutOfRange {
		t.Errorf("%.80v", err)
	}
}

func TestIntegersInAnySpelling(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "12.0": 12, "1e3": 1000, "100000e-2": 1000, "9007199254740991": maxInteger, "-9007199254740991": -maxInteger,
	} {
		if n, ok := integerOf(text); !ok || n != want {
			t.Errorf("%s is %d", text, n)
		}
		d := decoder{data: []byte(text)}
		if n := d.integer(); d.bad || n != want {
			t.Errorf("the cursor reads %s as %d", text, n)
		}
	}
	for _, text := range []string{"0.5", "9007199254740992", "-9007199254740992", "1e16", "1e400", digits(400)} {
		if n, ok := integerOf(text); ok {
			t.Errorf("%.20s is %d", text, n)
		}
	}
}

func TestLongLiteralsKeepTheirValue(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for _, each := range []struct {
		text string
		want float64
	}{
		{"1" + zeros(4300) + "e-4300", 1},
		{"-25" + zeros(900) + ".5e-901", -2.5},
		{"0." + zeros(4300) + "1e4301", 1},
		{"1" + zeros(200_000) + "e-200000", 1},
		{"0." + zeros(200_000) + "15e+200002", 15},
		{zeros(1) + "." + zeros(900), 0},
		{"-0." + zeros(900) + "e99999999999999999999", 0},
		{"1." + digits(900), 2},
		{"1" + zeros(900) + "e-99999999999999999999", 0},
	} {
		d := decoder{data: []byte(each.text)}
		if got := d.float(); d.bad || got != each.want {
			t.Errorf("%.10s…, %d bytes, is %g", each.text, len(each.text), got)
		}
	}
	for _, text := range []string{"1" + zeros(400) + "e0", "1" + zeros(900) + "e99999999999999999999", digits(310)} {
		d := decoder{data: []byte(text)}
		if v := d.float(); !d.bad {
			t.Errorf("%.10s… is %g", text, v)
		}
	}
	if n, ok := integerOf("12" + zeros(900) + "e-900"); !ok || n != 12 {
		t.Error(n, ok)
	}
}

func TestGlobsStandForAnyText(t *testing.T) {
	for _, each := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "a", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "ac", true},
		{"a*c", "a", false}, {"aa*aa", "aaa", false}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "acb", false}, {"*", "", true},
	} {
		if glob(each.pattern, each.text) != each.want {
			t.Errorf("%s and %s", each.pattern, each.text)
		}
	}
}

func TestMembersAreFoundWhereverTheyStand(t *testing.T) {
	text := []byte(`{"a":{"tag":"inner"},"b":[1,2],"flag":true,"t\u0061g":"x"}`)
	d := decoder{data: text}
	if !d.find("tag") || d.str() != "x" {
		t.Error("the tag is not found")
	}
	if d := (decoder{data: text}); d.find("none") || d.bad {
		t.Error("there is no such member")
	}
	if got := textOf(text, "flag"); got != "" {
		t.Errorf("%q is no text", got)
	}
}

func TestOfDuplicateKeysTheLastCounts(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":2}`:                          `{"a":1,"b":2}`,
		`{"a":1,"b":2,"a":3}`:                    `{"a":3,"b":2}`,
		`{ "a" : 1 , "\u0061" : 2 , "a" : [3] }`: `{"a":[3]}`,
		`[{"a":{"b":1,"b":2},"a":{"c":1}},{}]`:   `[{"a":{"c":1}},{}]`,
		`{"a":{"b":1,"b":2},"c":{"b":{},"b":1}}`: `{"a":{"b":2},"c":{"b":1}}`,
		`{"a":[],"b":[1,{"c":1e999,"c":""}]}`:    `{"a":[],"b":[1,{"c":""}]}`,
	} {
		var b bytes.Buffer
		once, found := withoutDuplicates([]byte(text))
		if err := json.Compact(&b, once); err != nil || b.String() != want || found == (len(once) == len(text)) {
			t.Errorf("%s becomes %s (%t, %v)", text, b.String(), found, err)
		}
	}
}

// FuzzUntouched checks that untouched JSON is read as encoding/json reads it, and that both accept the
// same documents.
func FuzzUntouched(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e3,"\ud83d"],"a":null}`, nested(129), digits(4301), `[true,false,"é"]`, "\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		given := bytes.Clone(data)
		got, err := unmarshalAny(data)
		if !bytes.Equal(data, given) {
			t.Fatal("the input was written to")
		}
		fault := syntaxFault(data)
		if (fault == nil) != (utf8.Valid(data) && json.Valid(data)) {
			if fault == nil || fault.Code == CodeInvalidJSON || fault.Code == CodeInvalidUTF8 {
				t.Fatalf("%v, but encoding/json: %t", fault, json.Valid(data))
			}
		}
		if err == nil && fault != nil {
			t.Fatalf("%v is decoded, in spite of %v", got, fault)
		}
		if err != nil {
			return
		}
		line, err := EncodeAs("Any", got)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := unmarshalAny(line); err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("%#v becomes %#v (%v)", got, again, err)
		}
	})
}
