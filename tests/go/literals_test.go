package gotests

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentproto/agentproto-go/types"
)

// zeroMeansAbsent are the optional fields whose zero value stands for absence: because the listing has them so
// (a prompt), or embeds them where they are required (an id).
var zeroMeansAbsent = map[string]bool{
	"QueryOptions.SystemPrompt": true, "UserMessage.UUID": true, "UserMessageReplay.UUID": true, "UserMessageFields.UUID": true,
}

// sharing are types without a Go type of their own: what only the other type has is not theirs.
var sharing = map[string]map[string]bool{
	"HookMatcher":       {"Matcher": true},
	"NonNullableUsage":  {"CacheCreation": true, "ServerToolUse": true, "ServiceTier": true, "InferenceGeo": true},
	"UserMessageReplay": {"Priority": true},
	"AnyUserMessage":    {"Priority": true},
	// A tag is what it is, or absent.
	"McpStdioServerConfig": {"Type": true},
}

// TestEveryOptionalFieldSaysZeroNullAbsentAndValue sets each optional field of each struct as a literal would, and looks
// at the member that is written.
func TestEveryOptionalFieldSaysZeroNullAbsentAndValue(t *testing.T) {
	counts := map[string]int{}
	for _, instance := range instances(t) {
		value := reflect.ValueOf(must(types.DecodeAs(instance.Type, []byte(instance.Text))))
		if value.Kind() == reflect.Pointer && value.Elem().Kind() == reflect.Struct && !isFlat(value.Type()) {
			eachOptional(t, instance.Type, value.Elem(), counts)
		}
	}
	for what, least := range map[string]int{"absent": 250, "zero": 180, "null": 25, "value": 150} {
		if counts[what] < least {
			t.Errorf("%d fields were written as %s, expected at least %d", counts[what], what, least)
		}
	}
	t.Log(counts)
}

func isFlat(typ reflect.Type) bool {
	for i := range typ.NumMethod() {
		if strings.HasPrefix(typ.Method(i).Name, "As") {
			return true
		}
	}
	return false
}

func eachOptional(t *testing.T, name string, value reflect.Value, counts map[string]int) {
	typ := value.Type()
	for _, field := range reflect.VisibleFields(typ) {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || options == "" || key == "-" || sharing[name][field.Name] {
			continue
		}
		place := value.FieldByIndex(field.Index)
		given := reflect.New(field.Type).Elem()
		given.Set(place)
		place.SetZero()
		check := func(what, want string) {
			t.Helper()
			counts[what]++
			line, err := types.EncodeAs(name, value.Addr().Interface())
			if err != nil {
				t.Errorf("%s.%s, %s: %v", name, field.Name, what, err)
				return
			}
			var members map[string]json.RawMessage
			if err := json.Unmarshal(line, &members); err != nil {
				t.Fatal(err)
			}
			if got, ok := members[key]; string(got) != want || ok != (want != "") {
				t.Errorf("%s.%s, %s: %q, expected %q", name, field.Name, what, got, want)
			}
			back := must(types.DecodeAs(name, line))
			if again := must(types.EncodeAs(name, back)); string(again) != string(line) {
				t.Errorf("%s.%s, %s: %s comes back as %s", name, field.Name, what, line, again)
			}
		}
		check("absent", "")
		if isNullable := strings.HasPrefix(field.Type.Name(), "Nullable["); isNullable {
			place.FieldByName("Null").SetBool(true)
			check("null", "null")
			place.SetZero()
			pointer := place.FieldByName("Value")
			pointer.Set(reflect.New(pointer.Type().Elem()))
			if zero, ok := zeroOf(pointer.Type().Elem()); ok {
				check("zero", zero)
			}
		} else if field.Type.Kind() == reflect.Interface && field.Type.NumMethod() == 0 && isUntouched(name, key, value, place) {
			place.Set(reflect.ValueOf(types.Null{}))
			check("null", "null")
		} else if field.Type.Kind() == reflect.Pointer {
			place.Set(reflect.New(field.Type.Elem()))
			if zero, ok := zeroOf(field.Type.Elem()); ok {
				check("zero", zero)
			}
		} else if zero, ok := zeroOf(field.Type); ok && !zeroMeansAbsent[name+"."+field.Name] {
			switch field.Type.Kind() {
			case reflect.Slice:
				place.Set(reflect.MakeSlice(field.Type, 0, 0))
			case reflect.Map:
				place.Set(reflect.MakeMap(field.Type))
			}
			check("zero", zero)
		}
		place.Set(given)
		if !given.IsZero() {
			counts["value"]++
		}
	}
}

// isUntouched reports whether a field of any type takes null.
func isUntouched(name, key string, value, place reflect.Value) bool {
	place.Set(reflect.ValueOf(types.Null{}))
	_, err := types.EncodeAs(name, value.Addr().Interface())
	place.SetZero()
	return err == nil
}

// zeroOf is the JSON of the zero value of a scalar, or of an empty list or map.
func zeroOf(typ reflect.Type) (string, bool) {
	switch {
	case typ == reflect.TypeFor[uuid.UUID]():
		return `"` + uuid.Nil.String() + `"`, true
	case typ.Kind() == reflect.Bool:
		return "false", true
	case typ.Kind() == reflect.String:
		return `""`, true
	case typ.Kind() == reflect.Int, typ.Kind() == reflect.Int64, typ.Kind() == reflect.Float64:
		return "0", true
	case typ.Kind() == reflect.Slice:
		return "[]", true
	case typ.Kind() == reflect.Map:
		return "{}", true
	}
	return "", false
}

func TestTheLiteralsOfTheIssue(t *testing.T) {
	expectText(t, types.SyncHookJSONOutput{Continue: types.Ptr(false), StopReason: types.Ptr("x")},
		`{"continue":false,"stopReason":"x"}`)
	expectText(t, types.SandboxSettings{AllowUnsandboxedCommands: types.Ptr(false)}, `{"allowUnsandboxedCommands":false}`)
	literal := types.SyncHookJSONOutput{Continue: types.Ptr(false)}
	decoded := must(types.Decode[types.SyncHookJSONOutput]([]byte(`{"continue":false}`)))
	if !reflect.DeepEqual(decoded, literal) || !decoded.Equal(literal) {
		t.Errorf("%+v and %+v", decoded, literal)
	}
	expectJSON(t, types.NewPermissionAllow(nil), `{"behavior":"allow","updatedInput":{}}`)
}

func TestAUsageRecordWithTheListingsCountersIsRead(t *testing.T) {
	text := `{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}`
	for _, name := range []string{"BetaUsage", "NonNullableUsage"} {
		if usage := backAgain(t, name, text).(*types.BetaUsage); usage.CacheReadInputTokens != 3 {
			t.Errorf("%+v", usage)
		}
	}
}
