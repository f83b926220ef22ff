package gotests

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

// A truncated document is an error, and no malformed document makes a decoder panic.

// survives decodes a document and reports whether that succeeded.
func survives(t *testing.T, name string, data []byte, mode types.Mode) bool {
	t.Helper()
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("%s: %v, for %s", name, x, data)
		}
	}()
	_, err := types.DecodeAs(name, data, mode)
	var fault *types.DecodeError
	if err != nil && (!errors.As(err, &fault) || !slices.Contains(codes, fault.Code)) {
		t.Errorf("%s: no code: %v, for %s", name, err, data)
	}
	return err == nil
}

// cutEverywhere tries every prefix of a document. Lenient mode makes both passes over it.
func cutEverywhere(t *testing.T, name string, data string) {
	t.Helper()
	if !survives(t, name, []byte(data), types.LenientMode) {
		t.Errorf("%s: %s is refused", name, data)
	}
	for end := range data {
		if survives(t, name, []byte(data[:end]), types.LenientMode) {
			t.Errorf("%s: %s is taken", name, data[:end])
		}
	}
}

func TestACutLineIsAnError(t *testing.T) {
	for _, line := range lines {
		cutEverywhere(t, "SDKMessage", line)
	}
	for _, request := range requests {
		cutEverywhere(t, "ControlRequestInner", request)
	}
	for _, line := range captured(t) {
		cutEverywhere(t, "WireMessage", line)
	}
}

// tags matches the tags that distinguish captured lines.
var tags = regexp.MustCompile(`"(?:sub)?type":\s*"\w+"`)

// captured returns the shortest captured line for each set of tags.
func captured(t *testing.T) map[string]string {
	t.Helper()
	captures, err := filepath.Glob("../captures/*/*.ndjson")
	if err != nil || len(captures) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	found := map[string]string{}
	for _, capture := range captures {
		text, err := os.ReadFile(capture)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			names := tags.FindAllString(line, -1)
			slices.Sort(names)
			kind := strings.Join(slices.Compact(names), ",")
			if other, ok := found[kind]; line != "" && (!ok || len(line) < len(other)) {
				found[kind] = line
			}
		}
	}
	return found
}

func TestACutInstanceIsAnError(t *testing.T) {
	for _, each := range instances(t) {
		cutEverywhere(t, each.Type, each.Text)
	}
}

func TestAChangedByteIsNoPanic(t *testing.T) {
	for _, each := range instances(t) {
		for _, place := range formed.FindAllStringIndex(each.Text, -1) {
			for at := place[0]; at < place[1]; at++ {
				before, after := each.Text[:at], each.Text[at:]
				for _, scrap := range []string{"", "-", "0", "Z", `"`, `\`, "\xff"} {
					for _, changed := range []string{before + scrap + after[1:], before + scrap + after, before + scrap} {
						survives(t, each.Type, []byte(changed), types.LenientMode)
						survives(t, each.Type, []byte(changed), types.StrictMode)
					}
				}
			}
		}
	}
}

// formed matches UUIDs and timestamps.
var formed = regexp.MustCompile(`"[-0-9A-Fa-f]{36}"|"\d{4}-\d\d-\d\dT[^"]*"`)

type instance struct{ Type, Text string }

// instances returns a document of every type and of each of its variants.
func instances(t *testing.T) (found []instance) {
	t.Helper()
	path := os.Getenv("INSTANCES")
	if path == "" {
		t.Skip("INSTANCES names no file; pytest makes one")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	return found
}
