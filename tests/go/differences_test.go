package gotests

import (
	"reflect"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

// These tests check the rows about values in the README's table; go_listing.py covers what the compiler can check.

func TestFieldsOfAnyTypeHoldPointersToStructs(t *testing.T) {
	partial := decode[*types.PartialAssistantMessage](t, lines["PartialAssistantMessage"])
	if _, ok := partial.Event.(*types.MessageStopEvent); !ok {
		t.Errorf("%T", partial.Event)
	}
	request := must(types.UnmarshalWireMessage([]byte(`{"type":"control_request","request_id":"r","request":` +
		requests[types.ControlSubtypeHookCallback] + `}`))).(*types.ControlRequest)
	if _, ok := request.Request.HookInput.(*types.StopHookInput); !ok {
		t.Errorf("%T", request.Request.HookInput)
	}
	if request.Request.Input != nil || request.Request.CallbackID != "c1" {
		t.Errorf("%+v", request.Request)
	}
	for text, ok := range map[string]func(any) bool{
		`{"subtype":"success","request_id":"r1","response":{"mode":"plan"}}`: func(v any) bool {
			answer, ok := v.(*types.ControlSuccessResponse)
			return ok && answer.Result != nil
		},
		`{"subtype":"error","request_id":"r1","error":"no"}`: func(v any) bool {
			answer, ok := v.(*types.ControlErrorResponse)
			return ok && answer.Error == "no"
		},
	} {
		response := must(types.UnmarshalWireMessage([]byte(`{"type":"control_response","response":` + text + `}`)))
		if value := response.(*types.ControlResponse).Response; !ok(value) {
			t.Errorf("%T for %s", value, text)
		}
	}
}

func TestKeysAreThoseOfTheWireToTheLetter(t *testing.T) {
	line := strings.Replace(lines["StatusMessage"], `"session_id"`, `"Session_ID"`, 1)
	if message, err := types.UnmarshalSDKMessage([]byte(line)); err == nil || message != nil {
		t.Errorf("%+v, %v", message, err)
	}
	denial := `{"toolName":"Bash","ruleContent":"ls"}`
	rule := backAgain(t, "PermissionRuleValue", denial).(*types.PermissionRuleValue)
	if rule.ToolName != "Bash" || *rule.RuleContent != "ls" {
		t.Errorf("%+v", rule)
	}
}

func TestNullsThatTheListingHasNoRoomFor(t *testing.T) {
	line := strings.Replace(lines["AssistantMessage"], `"cache_read_input_tokens":7`, `"cache_read_input_tokens":null`, 1)
	message := decode[*types.AssistantMessage](t, line)
	if _, ok := message.Message.Usage.CacheReadInputTokens.Get(); ok {
		t.Errorf("%+v", message.Message.Usage)
	}
	expectJSON(t, message, line)
	message.Message.Usage.CacheReadInputTokens = types.Some[int64](7)
	expectJSON(t, message, lines["AssistantMessage"])
	for text, limit := range map[string]types.Nullable[int64]{
		``: {}, `,"max_thinking_tokens":null`: {Null: true}, `,"max_thinking_tokens":0`: types.Some[int64](0),
	} {
		expectJSON(t, types.ControlRequestInner{Subtype: types.ControlSubtypeSetMaxThinkingTokens, MaxThinkingTokens: limit},
			`{"subtype":"set_max_thinking_tokens"`+text+`}`)
	}
}

func TestFormsThatTheListingHasOneOf(t *testing.T) {
	expectJSON(t, types.SandboxSettings{}, `{}`)
	agent := backAgain(t, "AgentDefinition", `{"description":"d","prompt":"p","mcpServers":["m",{"n":{"command":"c"}}]}`)
	if servers := agent.(*types.AgentDefinition).MCPServers; len(servers) != 2 || servers[0].Name != "m" || servers[1].Servers["n"].Command != "c" {
		t.Errorf("%#v", servers)
	}
	backAgain(t, "HookCallbackMatcher", `{"hookCallbackIds":["c1"],"timeout":1.5}`)
	backAgain(t, "PermissionUpdate", `{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"session"}`)
	backAgain(t, "SandboxSettings", `{"ignoreViolations":{"git":["/x"]}}`)
	backAgain(t, "ControlErrorResponse", `{"subtype":"error","request_id":"r","error":"e","pending_permission_requests":[]}`)
}

// One struct writes every request, since each member has a field in it: also mcp_message, of which the listing has none.
func TestTheStructOfRequestsWritesEveryRequest(t *testing.T) {
	expectJSON(t, types.ControlRequestInner{
		Subtype: types.ControlSubtypeMcpMessage, ServerName: "m",
		Message: &types.JSONRPCRequest{ID: types.JSONRPCIdNumber(1), Method: "ping"},
	}, requests[types.ControlSubtypeMcpMessage])
	seen := map[string]bool{}
	for _, instance := range instances(t) {
		request, err := types.UnmarshalControlRequestInner([]byte(instance.Text), types.StrictMode)
		if err != nil { // no request
			continue
		}
		written := types.ControlRequestInner{Subtype: request.Subtype}
		variant := variantOf(reflect.ValueOf(request))
		for _, field := range reflect.VisibleFields(variant.Type()) {
			value := variant.FieldByIndex(field.Index)
			if field.Name == "Extra" || value.IsZero() {
				continue
			}
			place := reflect.ValueOf(&written).Elem().FieldByName(field.Name)
			switch {
			case place.IsValid() && value.Type() == place.Type():
				place.Set(value)
			case place.IsValid() && reflect.PointerTo(value.Type()) == place.Type():
				place.Set(reflect.New(value.Type()))
				place.Elem().Set(value)
			default:
				t.Errorf("%s of %v has no field", field.Name, variant.Type())
			}
		}
		expectJSON(t, written, instance.Text)
		seen[written.Subtype] = true
	}
	if len(seen) < 40 {
		t.Errorf("only %d requests", len(seen))
	}
}

// variantOf returns the variant that a flat struct is.
func variantOf(flat reflect.Value) reflect.Value {
	for i := range flat.NumMethod() {
		if name := flat.Type().Method(i).Name; strings.HasPrefix(name, "As") && !strings.HasPrefix(name, "AsUnknown") {
			if out := flat.Method(i).Call(nil); out[1].Bool() {
				return out[0]
			}
		}
	}
	panic("no variant")
}
