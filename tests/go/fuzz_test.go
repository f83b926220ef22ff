package gotests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

// codes are all codes that an error may have.
var codes = []types.Code{
	types.CodeTooLong, types.CodeInvalidUTF8, types.CodeInvalidJSON, types.CodeTooDeep, types.CodeWrongType,
	types.CodeMissingField, types.CodeUnknownVariant, types.CodeNoVariant, types.CodeWrongConstant,
	types.CodeUnknownValue, types.CodeOutOfRange, types.CodeBadFormat, types.CodeOutOfBounds, types.CodeUnknownField,
}

// FuzzDecodeEncode checks for any input that decoding ends with a value or an error that has a code; that lenient
// mode accepts what strict mode accepts; and that a value encodes to the same JSON, which decodes and encodes to the
// same text again.
func FuzzDecodeEncode(f *testing.F) {
	names := types.TypeNames()
	seed(f, func(name string, data []byte) {
		if at := slices.Index(names, name); at >= 0 {
			f.Add(uint16(at), data)
		}
	})
	f.Fuzz(func(t *testing.T, at uint16, data []byte) {
		name := names[int(at)%len(names)]
		given := bytes.Clone(data)
		value, err := types.DecodeAs(name, data, types.LenientMode)
		strict, refusal := types.DecodeAs(name, data, types.StrictMode)
		if !bytes.Equal(data, given) {
			t.Fatal("the input was written to")
		}
		for _, err := range []error{err, refusal} {
			var fault *types.DecodeError
			if err != nil && (!errors.As(err, &fault) || !slices.Contains(codes, fault.Code)) {
				t.Fatalf("no code: %v", err)
			}
		}
		if err != nil {
			if refusal == nil {
				t.Fatalf("%v, but strict mode took it", err)
			}
			return
		}
		text := encoded(t, name, value)
		if !json.Valid(data) {
			t.Fatalf("no JSON, but decoded: %q", data)
		}
		if !surrogate.Match(data) && !sameJSON(text, data) {
			t.Fatalf("%s became %s", data, text)
		}
		again, err := types.DecodeAs(name, text, types.LenientMode)
		if err != nil {
			t.Fatalf("%v in our own %s", err, text)
		}
		if twice := encoded(t, name, again); !bytes.Equal(twice, text) {
			t.Fatalf("%s became %s", text, twice)
		}
		if refusal == nil && !bytes.Equal(encoded(t, name, strict), text) {
			t.Fatalf("strict mode made %s, lenient mode %s", encoded(t, name, strict), text)
		}
	})
}

func encoded(t *testing.T, name string, value any) []byte {
	t.Helper()
	text, err := types.EncodeAs(name, value)
	if err != nil {
		t.Fatalf("%v, though it was decoded: %#v", err, value)
	}
	if bytes.ContainsAny(text, "\r\n") || !json.Valid(text) {
		t.Fatalf("malformed: %q", text)
	}
	return text
}

// surrogate matches an escaped lone surrogate, which encoding/json does not keep.
var surrogate = regexp.MustCompile(`(?i)\\ud[89a-f]`)

// seed adds the cases of the suite and captured lines.
func seed(f *testing.F, add func(name string, data []byte)) {
	for _, line := range lines {
		add("WireMessage", []byte(line))
	}
	for _, request := range requests {
		add("ControlRequestInner", []byte(request))
	}
	err := filepath.WalkDir("../fixtures", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var fixture struct {
			Type    string          `json:"type"`
			Raw     string          `json:"raw"`
			Bytes   []byte          `json:"bytes"`
			Input   json.RawMessage `json:"input"`
			Dialect string          `json:"dialect"`
		}
		if json.Unmarshal(text, &fixture) != nil || fixture.Dialect != "" {
			return nil // a list of cases, or a case of another protocol
		}
		for _, input := range [][]byte{[]byte(fixture.Raw), fixture.Bytes, fixture.Input} {
			if len(input) > 0 && len(input) < 10_000 {
				add(fixture.Type, input)
			}
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	captures, err := filepath.Glob("../captures/*/*.ndjson")
	if err != nil || len(captures) == 0 {
		f.Fatalf("no captures: %v", err)
	}
	for _, capture := range captures {
		text, err := os.ReadFile(capture)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if line != "" && len(line) < 4_000 {
				add("WireMessage", []byte(line))
			}
		}
	}
}
