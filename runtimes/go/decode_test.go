package polywireruntime

import (
	"slices"
	"strings"
	"testing"
)

const noteID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"

// noteWith returns a note with the given members, which also replace the note's required members.
func noteWith(members string) string {
	text := `{"kind":"note","id":"` + noteID + `"`
	if !strings.Contains(members, `"count"`) {
		text += `,"count":1`
	}
	if members != "" {
		text += "," + members
	}
	return text + "}"
}

func TestFaultsHaveACodeAndAPlace(t *testing.T) {
	for _, each := range []struct {
		name, text string
		code       Code
		path       string
		strict     bool // accepted in lenient mode
	}{
		{"Note", `[]`, CodeWrongType, "", false},
		{"Note", `{}`, CodeMissingField, "/kind", false},
		{"Note", `{"kind":1}`, CodeWrongType, "/kind", false},
		{"Note", `{"kind":"not"}`, CodeWrongConstant, "/kind", false},
		{"Note", `{"kind":"note"}`, CodeMissingField, "/id", false},
		{"Note", noteWith(`"count":"1"`), CodeWrongType, "/count", false},
		{"Note", noteWith(`"count":null`), CodeWrongType, "/count", false},
		{"Note", noteWith(`"count":1.5`), CodeOutOfRange, "/count", false},
		{"Note", noteWith(`"weight":1e400`), CodeOutOfRange, "/weight", false},
		{"Note", noteWith(`"tags":["a",1]`), CodeWrongType, "/tags/1", false},
		{"Note", noteWith(`"tags":{}`), CodeWrongType, "/tags", false},
		{"Note", noteWith(`"shares":{"high":"x"}`), CodeWrongType, "/shares/high", false},
		{"Note", noteWith(`"shares":{"other":1}`), CodeUnknownValue, "/shares/other", false},
		{"Note", noteWith(`"body":{"a/b~":[0,1e400]}`), CodeOutOfRange, "/body/a~1b~0/1", false},
		{"Note", noteWith(`"meta":[]`), CodeWrongType, "/meta", false},
		{"Note", noteWith(`"other":1e400`), CodeOutOfRange, "/other", false},
		{"Note", noteWith(`"other":1`), CodeUnknownField, "/other", true},
		{"Note", noteWith(`"color":"blue"`), CodeUnknownValue, "/color", true},
		{"Note", noteWith(`"done":null`), CodeWrongType, "/done", true},
		{"Note", noteWith(`"tags":["a","b","c"]`), CodeOutOfBounds, "/tags", true},
		{"Note", `{"kind":"note","id":"x","count":1}`, CodeBadFormat, "/id", true},
		{"Line", `{"a":1}`, CodeMissingField, "/kind", false},
		{"Line", `{"kind":1}`, CodeWrongType, "/kind", false},
		{"Line", `{"kind":"new"}`, CodeUnknownVariant, "/kind", true},
		{"Line", `{"kind":"event/new","x":1,"y":2}`, CodeUnknownValue, "/kind", true},
		{"Line", `{"kind":"event/new","x":"1"}`, CodeUnknownValue, "/kind", true},
		{"Line", `{"kind":"event/move","x":1}`, CodeMissingField, "/y", false},
		{"Shape", `{"z":1}`, CodeNoVariant, "", false},
		{"Shape", `{"round":true,"r":true}`, CodeWrongType, "/r", false},
		{"Shape", `{"round":false,"r":1}`, CodeWrongConstant, "/round", false},
		{"Shape", `{"round":true,"r":1,"more":2}`, CodeWrongType, "/more", false},
		{"Shape", `{"round":true,"r":3}`, CodeUnknownValue, "/r", true},
		{"Either", `1`, CodeWrongType, "", false},
		{"Either", `"yesterday"`, CodeBadFormat, "", true},
	} {
		for _, mode := range []Mode{LenientMode, StrictMode} {
			found, err := Examine(each.name, []byte(each.text), mode)
			fault, _ := err.(*DecodeError)
			if each.strict && mode == LenientMode {
				if err != nil || !slices.Contains(found.Unknown(), each.path) {
					t.Errorf("%v, passed %q, for %s", err, found.Unknown(), each.text)
				}
			} else if fault == nil || fault.Code != each.code || fault.Path != each.path || fault.Message == "" {
				t.Errorf("%v, expected %s at %q, for %s", err, each.code, each.path, each.text)
			}
		}
	}
}

func TestTheVariantIsTheInnermostDeclaredType(t *testing.T) {
	for _, each := range []struct{ name, text, variant string }{
		{"Line", noteWith(""), "Note"},
		{"Line", `{"kind":"event/move","x":1,"y":2}`, "Event"},
		{"Line", `{"kind":"event/new","x":1}`, "Unknown"},
		{"Line", `{"kind":"new"}`, "Unknown"},
		{"Shape", `{"x":1,"y":2}`, "Spot"},
		{"Shape", `{"round":true,"r":2,"more":"x"}`, "Circle"},
		{"Either", `"2025-01-02T03:04:05.678+01:00"`, "Either"},
	} {
		found, err := Examine(each.name, []byte(each.text))
		if err != nil || found.Variant != each.variant {
			t.Errorf("%q (%v) for %s", found.Variant, err, each.text)
		}
	}
}

func TestFormsMatchTheWholeText(t *testing.T) {
	for form, texts := range map[scalar]map[string]bool{
		isUUID: {
			noteID: true, strings.ToUpper(noteID): true, noteID + "\n": false, noteID[1:]: false, "g" + noteID[1:]: false, "": false,
			strings.ReplaceAll(noteID, "-", "0"): false,
		},
		isTimestamp: {
			"2025-01-02T03:04:05Z": true, "2025-13-99T99:99:99.123456789Z": true, "2025-01-02T03:04:05+01:00": true,
			"2025-01-02T03:04:05": false, "2025-01-02T03:04:05.Z": false, "2025-01-02 03:04:05Z": false,
			"2025-01-02T03:04:05Z\n": false, "2025-01-02T03:04:05+0100": false, "": false,
		},
	} {
		for text, want := range texts {
			if form.matches(text) != want {
				t.Errorf("%d: %q", form, text)
			}
		}
	}
	for text, want := range map[string]bool{noteID: true, strings.ToUpper(noteID): false, "x": false} {
		id, canonical := parseUUID(text)
		if canonical != want || text != "x" && id.String() != noteID {
			t.Errorf("%s is %s, canonical: %t", text, id, canonical)
		}
	}
}
