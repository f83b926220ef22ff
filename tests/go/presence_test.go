package gotests

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/agentlines/types"
)

// backAgain decodes a text as a type and checks that it encodes to the same JSON value.
func backAgain(t *testing.T, name, text string) any {
	t.Helper()
	value, err := types.DecodeAs(name, []byte(text), types.LenientMode)
	if err != nil {
		t.Errorf("%v in %s", err, text)
		return nil
	}
	expectJSON(t, value, text)
	return value
}

func TestAbsentNullEmptyAndValueStayApart(t *testing.T) {
	blocks := `"type":"message","role":"assistant","id":"m","model":"c","stop_reason":null,"stop_sequence":null,` +
		`"usage":` + usage
	for name, texts := range map[string][]string{
		"UserMessage": {
			lines["UserMessage"],
			with(lines["UserMessage"], `"isSynthetic":false`),
			with(lines["UserMessage"], `"isSynthetic":true`),
			with(lines["UserMessage"], `"isReplay":false`),
			with(lines["UserMessage"], `"tool_use_result":null`),
			with(lines["UserMessage"], `"tool_use_result":{}`),
			with(lines["UserMessage"], `"tool_use_result":""`),
			strings.Replace(lines["UserMessage"], `"uuid":"`+someUUID+`",`, "", 1),
			strings.Replace(lines["UserMessage"], someUUID, uuid.Nil.String(), 1),
			strings.Replace(lines["UserMessage"], `"Go on."`, `""`, 1),
			strings.Replace(lines["UserMessage"], `"Go on."`, `[]`, 1),
		},
		"SystemInitMessage": {
			lines["SystemInitMessage"],
			strings.Replace(lines["SystemInitMessage"], `"agents":["a"]`, `"agents":[]`, 1),
			strings.Replace(lines["SystemInitMessage"], `"agents":["a"],`, ``, 1),
		},
		"HookResponseMessage": {
			lines["HookResponseMessage"],
			strings.Replace(lines["HookResponseMessage"], `"exit_code":0,`, "", 1),
			strings.Replace(lines["HookResponseMessage"], `"exit_code":0,`, `"exit_code":-1,`, 1),
		},
		"AuthStatusMessage": {
			lines["AuthStatusMessage"],
			with(lines["AuthStatusMessage"], `"error":""`),
			with(lines["AuthStatusMessage"], `"error":"x"`),
		},
		"ResultSuccess": {
			lines["ResultMessage (success)"],
			with(lines["ResultMessage (success)"], `"structured_output":null`),
			with(lines["ResultMessage (success)"], `"structured_output":{}`),
			strings.Replace(lines["ResultMessage (success)"], `"Done."`, `""`, 1),
		},
		"BetaMessage": {
			`{` + blocks + `,"content":[]}`,
			`{` + blocks + `,"content":[{"type":"text","text":""}]}`,
			`{` + blocks + `,"content":[{"type":"text","text":"x","citations":null}]}`,
			`{` + blocks + `,"content":[{"type":"text","text":"x","citations":[]}]}`,
			`{` + blocks + `,"content":[{"type":"tool_use","id":"","name":"","input":{}}]}`,
		},
		"SandboxSettings": {`{}`, `{"enabled":false}`, `{"enabled":true}`, `{"network":{}}`, `{"ignoreViolations":{}}`},
		"QueryOptions": {
			`{}`, `{"model":""}`, `{"continue":false}`, `{"persistSession":false}`, `{"maxTurns":0}`, `{"tools":[]}`,
			`{"tools":{"type":"preset","preset":"claude_code"}}`, `{"systemPrompt":""}`, `{"env":{}}`, `{"hooks":{}}`,
			`{"systemPrompt":{"type":"preset","preset":"claude_code","append":""}}`, `{"maxBudgetUsd":0}`,
		},
		"ControlRequest": {
			`{"type":"control_request","request_id":"r","request":{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}}`,
			`{"type":"control_request","request_id":"r","request":{"subtype":"set_max_thinking_tokens","max_thinking_tokens":0}}`,
			`{"type":"control_request","request_id":"","request":{"subtype":"initialize","hooks":null}}`,
			`{"type":"control_request","request_id":"","request":{"subtype":"initialize","hooks":{}}}`,
			`{"type":"control_request","request_id":"","request":{"subtype":"initialize"}}`,
			`{"type":"control_request","request_id":"","request":{"subtype":"mcp_toggle","serverName":"","enabled":false}}`,
			`{"type":"control_request","request_id":"","request":{"subtype":"rewind_files","user_message_id":"u","dry_run":false}}`,
			`{"type":"control_request","request_id":"","request":{"subtype":"can_use_tool","tool_name":"","input":{},"tool_use_id":"","permission_suggestions":[]}}`,
		},
		"McpServerConfig": {
			`{"command":"c"}`, `{"type":"stdio","command":"c"}`, `{"command":"c","args":[],"env":{}}`,
			`{"type":"sse","url":""}`,
		},
	} {
		for _, text := range texts {
			backAgain(t, name, text)
		}
	}
}

func TestAFieldThatTheUserSetsCountsAsSet(t *testing.T) {
	line := with(lines["AuthStatusMessage"], `"error":""`)
	status := decode[*types.AuthStatusMessage](t, line)
	status.Error = types.Ptr("x")
	expectJSON(t, status, strings.Replace(line, `"error":""`, `"error":"x"`, 1))

	user := decode[*types.UserMessage](t, with(lines["UserMessage"], `"tool_use_result":null`))
	user.ToolUseResult = []any{"x"}
	expectJSON(t, user, with(lines["UserMessage"], `"tool_use_result":["x"]`))

	user = decode[*types.UserMessage](t, with(lines["UserMessage"], `"isSynthetic":false`))
	user.IsSynthetic = types.Ptr(true)
	expectJSON(t, user, with(lines["UserMessage"], `"isSynthetic":true`))

	status2 := decode[*types.StatusMessage](t, `{"type":"system","subtype":"status",`+base+`,"status":null}`)
	status2.Status = pointer("compacting")
	status2.PermissionMode = pointer(types.PermissionModePlan)
	expectJSON(t, status2, `{"type":"system","subtype":"status",`+base+`,"status":"compacting","permissionMode":"plan"}`)
	status2.Status, status2.PermissionMode = nil, nil
	expectJSON(t, status2, `{"type":"system","subtype":"status",`+base+`,"status":null}`)
}

func TestExtraMembersAreKeptInTheirOrderAndBelongToACopy(t *testing.T) {
	line := lines["StatusMessage"][:len(lines["StatusMessage"])-1] + `,"zebra":1,"apple":{"a":100,"b":[null,true,"x"]}}`
	message := decode[*types.StatusMessage](t, line)
	expectText(t, message, line)
	extra := message.Extra.Members()
	if len(extra) != 2 || extra[0].Key != "zebra" || extra[1].Key != "apple" || extra[0].Value != 1.0 {
		t.Fatalf("%+v", extra)
	}
	copied := *message
	copied.Extra.Set(types.Member{Key: "mine", Value: "x"})
	expectJSON(t, copied, with(lines["StatusMessage"], `"mine":"x"`))
	expectJSON(t, message, line)
	// A declared field that is set takes precedence over an entry with its name.
	copied.Extra.Set(types.Member{Key: "session_id", Value: "stolen"}, types.Member{Key: "status", Value: 7})
	expectJSON(t, copied, lines["StatusMessage"])
}

func TestALenientNullIsKeptAndGivesWayToAValue(t *testing.T) {
	line := with(lines["StatusMessage"], `"permissionMode":null`)
	message := decode[*types.StatusMessage](t, line)
	if message.PermissionMode != nil {
		t.Errorf("%v", *message.PermissionMode)
	}
	expectJSON(t, message, line)
	message.PermissionMode = pointer(types.PermissionModePlan)
	expectJSON(t, message, strings.Replace(line, "null", `"plan"`, 1))
}

func TestUnknownMessagesAndBlocksComeBackAsTheyWere(t *testing.T) {
	line := `{"type":"telepathy",` + base + `,"big":123456789012345678901234567890,"x":{"y":[1,2.50,-0.0,1e-7]},"s":"\ud800"}`
	message, err := types.UnmarshalSDKMessage([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	unknown, ok := message.(*types.UnknownMessage)
	if !ok || unknown.Type != "telepathy" || message.GetType() != "telepathy" {
		t.Fatalf("%#v", message)
	}
	if !sameJSON(unknown.Raw, []byte(line)) {
		t.Errorf("%s", unknown.Raw)
	}
	expectText(t, message, line)

	block := `{"type":"hologram","w":1,"h":[{}]}`
	assistant := decode[*types.AssistantMessage](t, strings.Replace(
		lines["AssistantMessage"], `{"type":"text","text":"Done."}`, block, 1))
	if len(assistant.Message.Content) != 1 || !types.IsUnknown(assistant.Message.Content[0]) ||
		assistant.Message.Content[0].Type != "hologram" {
		t.Fatalf("%+v", assistant.Message.Content)
	}
	expectJSON(t, assistant.Message.Content[0], block)
	if _, ok := assistant.Message.Content[0].AsText(); ok {
		t.Error("an unknown block passed for text")
	}
}

func TestNumbersOfUntouchedValuesAreExact(t *testing.T) {
	for text, expected := range map[string]any{
		"1": 1.0, "1.5": 1.5, "-0": math.Copysign(0, -1), "1e3": 1000.0, "9007199254740991": 9007199254740991.0,
		"9007199254740993":               json.Number("9007199254740993"),
		"123456789012345678901234567890": json.Number("123456789012345678901234567890"),
		"0.1":                            0.1,
		"5e-324":                         5e-324,
	} {
		line := with(lines["UserMessage"], `"tool_use_result":{"n":`+text+`}`)
		message := decode[*types.UserMessage](t, line)
		found := message.ToolUseResult.(map[string]any)["n"]
		if found != expected {
			t.Errorf("%s is %T %v", text, found, found)
		}
		encoded := must(types.Encode(message))
		if number, ok := expected.(json.Number); ok && !strings.Contains(string(encoded), `"n":`+number.String()) {
			t.Errorf("%s became %s", text, encoded)
		}
		expectJSON(t, message, line)
	}
	if _, err := types.UnmarshalSDKMessage([]byte(with(lines["UserMessage"], `"tool_use_result":1e400`))); err == nil {
		t.Error("1e400 passed")
	}
}

func TestTheSpellingOfAUUIDSurvivesWhileTheFieldHoldsIt(t *testing.T) {
	upper := strings.Replace(lines["StatusMessage"], someUUID, strings.ToUpper(someUUID), 1)
	message := decode[*types.StatusMessage](t, upper)
	if message.UUID != uuid.MustParse(someUUID) {
		t.Errorf("%v", message.UUID)
	}
	expectJSON(t, message, upper)
	message.UUID = uuid.MustParse("00000000-0000-4000-8000-00000000abcd")
	expectJSON(t, message, strings.Replace(lines["StatusMessage"], someUUID, "00000000-0000-4000-8000-00000000abcd", 1))
}

func TestTextIsWrittenWithoutHTMLEscapesAndOnOneLine(t *testing.T) {
	text := "<b>&\u2028\u2029\r\n\t\"\\\x00\x7fé€😀"
	message := types.NewUserMessage(text, "s1")
	encoded := string(must(types.Encode(message)))
	for _, wanted := range []string{"<b>&", `\r\n\t\"\\\u0000`, "é€😀"} {
		if !strings.Contains(encoded, wanted) {
			t.Errorf("no %q in %q", wanted, encoded)
		}
	}
	if strings.ContainsAny(encoded, "\r\n") {
		t.Errorf("%q", encoded)
	}
	if back := must(types.UnmarshalSDKMessage([]byte(encoded))).(*types.UserMessage); back.Message.Content != text {
		t.Errorf("%q", back.Message.Content)
	}
}

func TestALoneSurrogateComesBack(t *testing.T) {
	for _, escaped := range []string{`"\ud800"`, `"a\udc00b"`, `"\ud83d"`} {
		line := strings.Replace(lines["UserMessage"], `"Go on."`, escaped, 1)
		expectText(t, must(types.UnmarshalSDKMessage([]byte(line))), `{"type":"user",`+base+
			`,"message":{"role":"user","content":`+escaped+`},"parent_tool_use_id":null}`)
	}
}

func TestTypedViewsOfFlatStructsAndOfFieldsOfAnyType(t *testing.T) {
	content := `[{"type":"tool_result","tool_use_id":"toolu_1","content":"done","is_error":false},{"type":"text","text":"x"}]`
	line := strings.Replace(lines["UserMessage"], `"Go on."`, content, 1)
	message := decode[*types.UserMessage](t, line)
	blocks, ok := message.Message.ContentAsContentBlocks()
	if !ok || len(blocks) != 2 {
		t.Fatalf("%#v", message.Message.Content)
	}
	if _, ok := message.Message.ContentAsString(); ok {
		t.Error("blocks passed for a text")
	}
	result, ok := blocks[0].AsToolResult()
	if !ok || result.ToolUseID != "toolu_1" {
		t.Errorf("%+v", result)
	}
	if _, ok := blocks[0].AsToolUse(); ok {
		t.Error("a result passed for a call")
	}
	if text, ok := blocks[1].AsText(); !ok || text.Text != "x" {
		t.Errorf("%+v", text)
	}
	expectJSON(t, message, line)
	text := decode[*types.UserMessage](t, lines["UserMessage"])
	if content, ok := text.Message.ContentAsString(); !ok || content != "Go on." {
		t.Errorf("%#v", text.Message.Content)
	}
}

func TestAnyNumberOfUndeclaredMembersIsReadInTheirTime(t *testing.T) {
	var line strings.Builder
	line.WriteString(`{"type":"keep_alive"`)
	for number := range 100_000 {
		fmt.Fprintf(&line, `,"member%d":%d`, number, number)
	}
	line.WriteString("}")
	message, err := types.UnmarshalWireMessage([]byte(line.String()))
	if err != nil {
		t.Fatal(err)
	}
	if count := len(message.(*types.KeepAliveMessage).Extra.Members()); count != 100_000 {
		t.Errorf("%d members", count)
	}
	expectText(t, message, line.String())
	twice := strings.Replace(line.String(), `"member50000"`, `"member7"`, 1)
	message, err = types.UnmarshalWireMessage([]byte(twice))
	if err != nil || len(message.(*types.KeepAliveMessage).Extra.Members()) != 99_999 {
		t.Errorf("%v", err)
	}
	expectJSON(t, message, twice)
}

func TestAConstructorSaysAnEmptyTextThatReleasesDemand(t *testing.T) {
	prompt := types.NewPrompt("Go on.")
	text := string(must(types.Encode(prompt)))
	if !strings.Contains(text, `"session_id":""`) {
		t.Errorf("no session_id in %s", text)
	}
	if back := decode[*types.UserMessage](t, text); !types.Equal(back, prompt) {
		t.Errorf("%+v", back)
	}
	prompt.SessionID = "s1"
	if text := string(must(types.Encode(prompt))); !strings.Contains(text, `"session_id":"s1"`) {
		t.Errorf("no session_id in %s", text)
	}
}
