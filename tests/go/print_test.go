package gotests

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

func TestValuesArePrintedShort(t *testing.T) {
	user := decode[*types.UserMessage](t, `{"type":"user","uuid":"`+someUUID+`","session_id":"s","parent_tool_use_id":null,`+
		`"message":{"role":"user","content":[{"type":"text","text":"hi"}]},"new":{"x":[1]}}`)
	long := types.NewUserMessage(strings.Repeat("ä", 100), "s")
	for want, value := range map[string]any{
		`UserMessage{UUID: ` + someUUID + `, SessionID: "s", Type: "user", Message: {Role: "user", Content: ` +
			`[{Type: "text", Text: "hi"}]}, Extra: {"new": map[string]interface {}{"x":[]interface {}{1}}}}`: user,
		`"` + strings.Repeat("ä", 80) + `…"`:                        long.Message,
		`UnknownMessage{Type: "new", Raw: {"type":"new"}}`:          must(types.UnmarshalWireMessage([]byte(`{"type":"new"}`))),
		`[SetModelRequest{Model: "opus"} SetModelRequest{}]`:        []any{types.SetModelRequest{Model: types.Some("opus")}, types.SetModelRequest{}},
		`SetModelRequest{Model: null}`:                              types.SetModelRequest{Model: types.Nullable[string]{Null: true}},
		`["opus" null absent]`:                                      []types.Nullable[string]{types.Some("opus"), {Null: true}, {}},
		`QueryOptions{Model: "m", Betas: ["a", "b"], Stderr: func}`: &types.QueryOptions{Model: types.Ptr("m"), Betas: []types.SDKBeta{"a", "b"}, Stderr: func(string) {}},
		`AgentDefinition{Tools: ["t", "t", "t", "t", "t", "t", "t", "t", … 92 more]}`: types.AgentDefinition{
			Tools: strings.Split(strings.Repeat("t", 100), ""),
		},
	} {
		for _, verb := range []string{"%v", "%+v", "%s"} {
			if text := fmt.Sprintf(verb, value); text != want && !(strings.HasPrefix(want, `"`) && strings.Contains(text, want)) {
				t.Errorf("%s: %s\n%s", verb, text, want)
			}
		}
	}
}

var address = regexp.MustCompile(`0x?c0[0-9a-f]{6}`)

func TestNoPrintedValueHasAnAddress(t *testing.T) {
	for _, instance := range instances(t) {
		value := must(types.DecodeAs(instance.Type, []byte(instance.Text)))
		if reflect.Indirect(reflect.ValueOf(value)).Kind() != reflect.Struct {
			continue
		}
		for _, text := range []string{fmt.Sprintf("%+v", value), fmt.Sprintf("%+v", reflect.Indirect(reflect.ValueOf(value)).Interface())} {
			if address.MatchString(text) || len(text) > 3000 {
				t.Errorf("%s: %s", instance.Type, text)
			}
		}
	}
	if text := fmt.Sprint((*types.UserMessage)(nil)); text != "<nil>" {
		t.Error(text)
	}
}
