package gotests

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/agentlines/types"
)

// unsayable lists what the wire allows and a literal cannot represent. The listing embeds two ids where they are
// required, so in a user's message the zero value, which identifies nothing, means absent. The blocks of a message
// share the field for input, which is an object in all blocks except those of server tools; `ServerToolUseBlockParam`
// itself can represent null. Options without a prompt are sent as with an empty one, and so is nothing that is appended to
// one: both are plain values in the listing.
var unsayable = map[string]bool{
	"UserMessage.uuid zero":        true,
	"UserMessage.session_id zero":  true,
	"ContentBlockParam.input null": true,

	"QueryOptions.systemPrompt zero": true,
	"SystemPromptPreset.append zero": true,
	"SystemPromptForm.append zero":   true,
	"SystemPromptConfig.append zero": true,
}

// TestEveryFieldSaysZeroNullAbsentAndValue takes a document of each type and makes each of its members absent, null
// and zero, as far as a strict decoder accepts that as the same variant. A literal must be able to represent the
// same.
func TestEveryFieldSaysZeroNullAbsentAndValue(t *testing.T) {
	counts, said := map[string]int{}, map[string]bool{}
	for _, instance := range instances(t) {
		value := reflect.ValueOf(must(types.DecodeAs(instance.Type, []byte(instance.Text))))
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(instance.Text), &members) != nil || value.Kind() != reflect.Pointer {
			continue
		}
		kept := must(types.Examine(instance.Type, []byte(instance.Text))).Unknown()
		for _, field := range reflect.VisibleFields(value.Elem().Type()) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if key == "" || key == "-" || field.Anonymous {
				continue
			}
			// A value that does not fit, and is kept as it came, is written for an absent member.
			if slices.Contains(kept, "/"+key) || isOfOthers(field.Type, members[key], value.Elem().FieldByIndex(field.Index)) {
				continue
			}
			for _, form := range formsOf(field.Type) {
				what := instance.Type + "." + key + " " + form.what
				if !admits(instance, members, key, form.text) {
					continue
				}
				counts[form.what]++
				line, err := encodedWith(instance.Type, instance.Text, field, form.value)
				var back map[string]json.RawMessage
				if err == nil {
					err = json.Unmarshal(line, &back)
				}
				if err != nil || string(back[key]) != form.text {
					if !unsayable[what] {
						t.Errorf("%s: %q, expected %q (%v)", what, back[key], form.text, err)
					}
					said[what] = true
				} else if again := must(types.EncodeAs(instance.Type, must(types.DecodeAs(instance.Type, line)))); string(again) != string(line) {
					t.Errorf("%s: %s comes back as %s", what, line, again)
				}
			}
			counts["fields"]++
		}
	}
	for what := range unsayable {
		if !said[what] {
			t.Errorf("%s can be said", what)
		}
	}
	t.Log(counts)
	for what, least := range map[string]int{"fields": 900, "absent": 250, "zero": 300, "null": 50} {
		if counts[what] < least {
			t.Errorf("%d %s, expected at least %d", counts[what], what, least)
		}
	}
}

// form is the text of a member, empty for an absent one, and the corresponding value of the field.
type form struct {
	what, text string
	value      reflect.Value
}

func formsOf(typ reflect.Type) []form {
	forms := []form{{"absent", "", reflect.Zero(typ)}}
	switch {
	case strings.HasPrefix(typ.Name(), "Nullable["):
		null, value := reflect.New(typ).Elem(), reflect.New(typ).Elem()
		null.FieldByName("Null").SetBool(true)
		inner := reflect.New(typ.Field(0).Type.Elem())
		value.FieldByName("Value").Set(inner)
		return append(forms, form{"null", "null", null}, form{"zero", zeroOf(inner.Elem().Type()), value})
	case typ == reflect.TypeFor[any]():
		forms = append(forms, form{"null", "null", reflect.ValueOf(types.Null{})})
		for text, value := range map[string]any{`""`: "", "0": 0, "false": false, "[]": []any{}, "{}": map[string]any{}} {
			forms = append(forms, form{"zero", text, reflect.ValueOf(value)})
		}
		return forms
	case typ.Kind() == reflect.Pointer:
		return append(forms, form{"null", "null", reflect.Zero(typ)},
			form{"zero", zeroOf(typ.Elem()), reflect.New(typ.Elem())})
	case typ.Kind() == reflect.Slice:
		return append(forms, form{"null", "null", reflect.Zero(typ)}, form{"zero", "[]", reflect.MakeSlice(typ, 0, 0)})
	case typ.Kind() == reflect.Map:
		return append(forms, form{"null", "null", reflect.Zero(typ)}, form{"zero", "{}", reflect.MakeMap(typ)})
	case typ.Kind() == reflect.Interface:
		return append(forms, form{"null", "null", reflect.Zero(typ)})
	}
	return append(forms, form{"null", "null", reflect.Zero(typ)}, form{"zero", zeroOf(typ), reflect.Zero(typ)})
}

// zeroOf returns the JSON of the zero value of a type. For a struct it is the empty string, which suits the few
// structs that represent a string.
func zeroOf(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[uuid.UUID]():
		return `"` + uuid.Nil.String() + `"`
	case typ.Kind() == reflect.Bool:
		return "false"
	case typ.Kind() == reflect.Int, typ.Kind() == reflect.Int64, typ.Kind() == reflect.Float64:
		return "0"
	case typ.Kind() == reflect.Slice:
		return "[]"
	case typ.Kind() == reflect.Map:
		return "{}"
	}
	return `""`
}

// isOfOthers reports whether the field of a flat struct belongs to other variants, where their types differ.
func isOfOthers(typ reflect.Type, given json.RawMessage, field reflect.Value) bool {
	return field.IsZero() && (len(given) > len("null") || typ.Kind() == reflect.Map && given != nil && given[0] == '[')
}

// admits reports whether a strict decoder accepts a document with another text for a member, as the same variant.
func admits(given instance, members map[string]json.RawMessage, key, text string) bool {
	changed := maps.Clone(members)
	if text == "" {
		delete(changed, key)
	} else {
		changed[key] = json.RawMessage(text)
	}
	found, err := types.Examine(given.Type, must(json.Marshal(changed)), types.StrictMode)
	return err == nil && found.Variant == must(types.Examine(given.Type, []byte(given.Text))).Variant
}

// encodedWith decodes a document, sets a field to another value, and encodes the result.
func encodedWith(name, text string, field reflect.StructField, value reflect.Value) ([]byte, error) {
	place := reflect.ValueOf(must(types.DecodeAs(name, []byte(text))))
	place.Elem().FieldByIndex(field.Index).Set(value)
	return types.EncodeAs(name, place.Interface())
}

func TestTheLiteralsOfTheIssue(t *testing.T) {
	expectText(t, types.SyncHookJSONOutput{Continue: types.Ptr(false), StopReason: types.Ptr("x")},
		`{"continue":false,"stopReason":"x"}`)
	expectText(t, types.SandboxSettings{AllowUnsandboxedCommands: types.Ptr(false)}, `{"allowUnsandboxedCommands":false}`)
	literal := types.SyncHookJSONOutput{Continue: types.Ptr(false)}
	decoded := must(types.Decode[types.SyncHookJSONOutput]([]byte(`{"continue":false}`)))
	if !reflect.DeepEqual(decoded, literal) || !types.Equal(decoded, literal) {
		t.Errorf("%+v and %+v", decoded, literal)
	}
	expectJSON(t, types.NewPermissionAllow(nil), `{"behavior":"allow","updatedInput":{}}`)
}

func TestAUsageRecordWithTheListingsCountersIsRead(t *testing.T) {
	text := `{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}`
	for _, name := range []string{"BetaUsage", "NonNullableUsage"} {
		if usage := backAgain(t, name, text).(*types.BetaUsage); *usage.CacheReadInputTokens.Value != 3 {
			t.Errorf("%+v", usage)
		}
	}
}
