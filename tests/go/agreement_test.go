package gotests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bench/listing"

	"example.com/agentlines/types"
)

// disagreements lists places where the listing loses or changes wire content, so that our field differs.
var disagreements = map[string]string{}

// TestListedFieldsHoldWhatTheListingsDecoderPutsThere decodes captured lines with both decoders.
func TestListedFieldsHoldWhatTheListingsDecoderPutsThere(t *testing.T) {
	captures, err := filepath.Glob("../captures/0.2.37/*.ndjson")
	if err != nil || len(captures) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	compared := map[string]int{}
	met := map[string]bool{}
	for _, capture := range captures {
		text, err := os.ReadFile(capture)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			theirs, err := listing.UnmarshalSDKMessage([]byte(line))
			if line == "" || err != nil {
				continue
			}
			ours, err := types.UnmarshalSDKMessage([]byte(line))
			if err != nil {
				t.Errorf("%v, but the listing reads %s", err, line)
				continue
			}
			compared[typeName(ours)]++
			agree(t, typeName(ours), reflect.ValueOf(theirs).Elem(), reflect.ValueOf(ours).Elem(), met)
		}
	}
	for place := range disagreements {
		if !met[place] {
			t.Errorf("no disagreement at %s any more", place)
		}
	}
	t.Log(compared)
	if len(compared) < 8 {
		t.Errorf("only %v were compared", compared)
	}
}

// agree compares the exported fields of a listed struct with those of ours.
func agree(t *testing.T, place string, theirs, ours reflect.Value, met map[string]bool) {
	t.Helper()
	if _, known := disagreements[place]; known {
		met[place] = true
		return
	}
	if strings.HasPrefix(ours.Type().Name(), "Nullable[") {
		ours = ours.FieldByName("Value")
	}
	if theirs.Kind() != reflect.Pointer && ours.Kind() == reflect.Pointer { // optional; the listing has zero
		if ours.IsNil() {
			ours = reflect.Zero(ours.Type().Elem())
		} else {
			ours = ours.Elem()
		}
	}
	if theirs.Kind() == reflect.Int && ours.Kind() == reflect.Int64 { // the one size of integers here
		theirs = theirs.Convert(ours.Type())
	}
	switch theirs.Kind() {
	case reflect.Struct:
		if theirs.Type().PkgPath() != "bench/listing" {
			break
		}
		for i := range theirs.NumField() {
			name := theirs.Type().Field(i).Name
			agree(t, theirs.Type().Name()+"."+name, theirs.Field(i), ours.FieldByName(name), met)
		}
		return
	case reflect.Pointer:
		if theirs.IsNil() != ours.IsNil() {
			t.Errorf("%s is nil in one", place)
		} else if !theirs.IsNil() {
			agree(t, place, theirs.Elem(), ours.Elem(), met)
		}
		return
	case reflect.Slice:
		if theirs.Len() != ours.Len() {
			t.Errorf("%s has %d items, %d for the listing", place, ours.Len(), theirs.Len())
			return
		}
		for i := range theirs.Len() {
			agree(t, place, theirs.Index(i), ours.Index(i), met)
		}
		return
	case reflect.Map:
		if theirs.Len() != ours.Len() {
			t.Errorf("%s has %d entries, %d for the listing", place, ours.Len(), theirs.Len())
			return
		}
		for _, key := range theirs.MapKeys() {
			agree(t, place, theirs.MapIndex(key), ours.MapIndex(key.Convert(ours.Type().Key())), met)
		}
		return
	case reflect.Interface:
		one, other := must(json.Marshal(theirs.Interface())), must(json.Marshal(ours.Interface()))
		if !sameJSON(one, other) {
			t.Errorf("%s is %s, %s for the listing", place, other, one)
		}
		return
	}
	if !ours.IsValid() || !ours.CanConvert(theirs.Type()) || ours.Kind() != theirs.Kind() {
		t.Errorf("%s is a %v, a %v for the listing", place, ours, theirs.Type())
	} else if ours.Convert(theirs.Type()).Interface() != theirs.Interface() {
		t.Errorf("%s is %v, %v for the listing", place, ours, theirs)
	}
}
