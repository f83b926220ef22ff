package gotests

import (
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
