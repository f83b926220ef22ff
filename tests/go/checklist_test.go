package gotests

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/agentlines/types"
)

// The verification checklist of the Go listing: one test per item, in order.

// Every variant of SDKMessage has a Go struct that implements the interface.
func TestChecklist01TypeCompleteness(t *testing.T) {
	seen := map[string]bool{}
	for name, line := range lines {
		message := must(types.UnmarshalSDKMessage([]byte(line)))
		if typeName(message) != goType(name) {
			t.Errorf("%s is a %s", name, typeName(message))
		}
		if reflect.ValueOf(message).Elem().Kind() != reflect.Struct {
			t.Errorf("%T is no pointer to a struct", message)
		}
		var tag struct {
			Type types.MessageType `json:"type"`
		}
		if err := json.Unmarshal([]byte(line), &tag); err != nil {
			t.Fatal(err)
		}
		if message.GetType() != tag.Type {
			t.Errorf("%s: GetType() is %q", name, message.GetType())
		}
		if message.GetUUID() != uuid.MustParse(someUUID) || message.GetSessionID() != "s1" {
			t.Errorf("%s: %v %q", name, message.GetUUID(), message.GetSessionID())
		}
		seen[typeName(message)] = true
	}
	if len(seen) != 16 {
		t.Errorf("%d types of messages", len(seen))
	}
}

// counters are the usage fields of the listing, plus those that the wire requires.
var counters = types.BetaUsage{
	InputTokens: 3, OutputTokens: 5, CacheReadInputTokens: types.Some[int64](7), CacheCreationInputTokens: types.Some[int64](11),
	CacheCreation: types.Some(types.CacheCreation{}), ServerToolUse: types.Some(types.ServerToolUsage{}),
	ServiceTier: types.Some(types.ServiceTierStandard),
}

// written returns one message of each type as a program would write it, with every field of the listing set.
func written() []types.SDKMessage {
	header := types.BaseMessage{UUID: uuid.MustParse(someUUID), SessionID: "s1"}
	call := pointer("toolu_1")
	user := types.UserMessage{
		BaseMessage: header, Type: types.MessageTypeUser,
		Message:         types.MessageParam{Role: "user", Content: []types.ContentBlock{{Type: "text", Text: "Go <on> & on."}}},
		ParentToolUseID: call, IsSynthetic: types.Ptr(true), ToolUseResult: map[string]any{"stdout": "x", "exit": 1.5, "none": nil},
	}
	return []types.SDKMessage{
		&types.AssistantMessage{
			BaseMessage: header, Type: types.MessageTypeAssistant,
			Message: types.BetaMessage{
				ID: "msg_1", Type: "message", Role: "assistant", Model: "claude", Usage: counters,
				StopReason: pointer("tool_use"), StopSequence: types.Some("END"),
				Content: []types.ContentBlock{
					{Type: "text", Text: "Done."},
					{Type: "tool_use", ID: "toolu_1", Name: "Bash", Input: map[string]any{"command": "ls", "timeout": 1e3}},
					{Type: "thinking", Thinking: "Hm."},
				},
			},
			ParentToolUseID: call, Error: pointer(types.ErrRateLimit),
		},
		&user,
		&types.UserMessageReplay{UserMessage: user, IsReplay: true},
		&types.ResultMessage{
			BaseMessage: header, Type: types.MessageTypeResult, Subtype: types.ResultSubtypeSuccess,
			DurationMs: 1200, DurationAPIMs: 900, NumTurns: 2, StopReason: types.Some("end_turn"), TotalCostUSD: 0.25,
			Usage: counters, ModelUsage: map[string]types.ModelUsage{"claude": {InputTokens: 3, CostUSD: 0.25}},
			PermissionDenials: []types.PermissionDenial{
				{ToolName: "Bash", ToolUseID: "toolu_1", ToolInput: map[string]any{"command": "rm"}},
			},
			Result: "Done.", StructuredOutput: map[string]any{"n": 1.0},
		},
		&types.ResultMessage{
			BaseMessage: header, Type: types.MessageTypeResult, Subtype: types.ResultSubtypeErrorMaxTurns, IsError: true,
			DurationMs: 1200, DurationAPIMs: 900, NumTurns: 2, TotalCostUSD: 0.25, Usage: counters,
			ModelUsage: map[string]types.ModelUsage{}, PermissionDenials: []types.PermissionDenial{},
			Errors: []string{"too many"},
		},
		&types.SystemInitMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeInit,
			Agents: []string{"a"}, APIKeySource: "none", Betas: []string{"b"}, ClaudeCodeVersion: "2.1.37", CWD: "/",
			Tools: []string{"Bash"}, McpServers: []types.McpServerInfo{{Name: "m", Status: "connected"}}, Model: "claude",
			PermissionMode: types.PermissionModePlan, SlashCommands: []string{"compact"}, OutputStyle: "default",
			Skills: []string{"debug"}, Plugins: []types.PluginInfo{{Name: "p", Path: "/p"}},
		},
		&types.PartialAssistantMessage{
			BaseMessage: header, Type: types.MessageTypeStreamEvent, ParentToolUseID: call,
			Event: must(types.UnmarshalRawMessageStreamEvent(
				[]byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`),
			)),
		},
		&types.CompactBoundaryMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeCompactBoundary,
			CompactMetadata: types.CompactMetadata{Trigger: "auto", PreTokens: 1000},
		},
		&types.StatusMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeStatus,
			Status: pointer("compacting"), PermissionMode: pointer(types.PermissionModeDefault),
		},
		&types.HookStartedMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeHookStarted,
			HookID: "h", HookName: "n", HookEvent: "Setup",
		},
		&types.HookProgressMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeHookProgress,
			HookID: "h", HookName: "n", HookEvent: "Setup", Stdout: "a", Stderr: "b", Output: "ab",
		},
		&types.HookResponseMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeHookResponse,
			HookID: "h", HookName: "n", HookEvent: "Setup", Stdout: "a", Stderr: "b", Output: "ab", ExitCode: pointer[int64](0),
			Outcome: "success",
		},
		&types.ToolProgressMessage{
			BaseMessage: header, Type: types.MessageTypeToolProgress,
			ToolUseID: "toolu_1", ToolName: "Bash", ParentToolUseID: call, ElapsedTimeSeconds: 2.5,
		},
		&types.AuthStatusMessage{
			BaseMessage: header, Type: types.MessageTypeAuthStatus,
			IsAuthenticating: true, Output: []string{"x"}, Error: types.Ptr("no"),
		},
		&types.TaskNotificationMessage{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeTaskNotification,
			TaskID: "t1", Status: "completed", OutputFile: "/o", Summary: "Done.",
		},
		&types.FilesPersistedEvent{
			BaseMessage: header, Type: types.MessageTypeSystem, Subtype: types.SystemSubtypeFilesPersisted,
			Files:  []types.PersistedFile{{Filename: "a", FileID: "f1"}},
			Failed: []types.FailedFile{{Filename: "b", Error: "gone"}}, ProcessedAt: "2026-02-07T09:30:00Z",
		},
		&types.ToolUseSummaryMessage{
			BaseMessage: header, Type: types.MessageTypeToolUseSummary,
			Summary: "Read a file.", PrecedingToolUseIDs: []string{"toolu_1"},
		},
	}
}

// json.Marshal followed by UnmarshalSDKMessage returns the same message for all types.
func TestChecklist02JSONRoundTripFidelity(t *testing.T) {
	seen := map[string]bool{}
	for _, message := range written() {
		seen[typeName(message)] = true
		text, err := json.Marshal(message)
		if err != nil {
			t.Errorf("%T: %v", message, err)
			continue
		}
		back, err := types.UnmarshalSDKMessage(text)
		if err != nil {
			t.Errorf("%v in %s", err, text)
			continue
		}
		if at := differs(reflect.ValueOf(message), reflect.ValueOf(back)); at != "" {
			t.Errorf("%T%s did not come back: %s", message, at, text)
		}
		if again := must(json.Marshal(back)); string(again) != string(text) {
			t.Errorf("encoded anew:\n  %s\nat first:\n  %s", again, text)
		}
		if strict, err := types.UnmarshalSDKMessage(text, types.StrictMode); err != nil {
			t.Errorf("%v in strict mode, %s", err, text)
		} else if typeName(strict) != typeName(message) {
			t.Errorf("%T in strict mode", strict)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d types of messages", len(seen))
	}
}

// A block is written with the members that belong to its type, and no others.
func TestChecklist03ContentBlockMarshaling(t *testing.T) {
	for _, block := range []struct {
		value    types.ContentBlock
		expected string
	}{
		{types.ContentBlock{Type: "text", Text: ""}, `{"type":"text","text":""}`},
		{types.ContentBlock{Type: "text", Text: "x", ID: "stray", Name: "stray"}, `{"type":"text","text":"x"}`},
		{
			types.ContentBlock{Type: "tool_use", ID: "toolu_1", Name: "Bash", Input: map[string]any{}},
			`{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}`,
		},
		{
			types.ContentBlock{Type: "tool_use", ID: "toolu_1", Name: "Bash"},
			`{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}`,
		},
		{
			types.ContentBlock{Type: "thinking", Thinking: "Hm.", Text: "stray"},
			`{"type":"thinking","thinking":"Hm."}`,
		},
	} {
		text, err := json.Marshal(block.value)
		if err != nil {
			t.Errorf("%v for %s", err, block.expected)
			continue
		}
		if !sameJSON(text, []byte(block.expected)) {
			t.Errorf("%s, expected %s", text, block.expected)
		}
	}
}

// All types and subtypes are distinguished; an unknown one is a clear error in strict mode, and kept in lenient mode.
func TestChecklist04DiscriminatorCompleteness(t *testing.T) {
	for name, line := range lines {
		message, err := types.UnmarshalSDKMessage([]byte(line), types.StrictMode)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if typeName(message) != goType(name) {
			t.Errorf("%s is a %T", name, message)
		}
	}
	for _, unknown := range []struct{ line, path, word string }{
		{`{"type":"telepathy",` + base + `}`, "/type", "telepathy"},
		{`{"type":"system","subtype":"telepathy",` + base + `}`, "/subtype", "telepathy"},
		{`{"type":"result","subtype":"telepathy",` + base + `}`, "/subtype", "telepathy"},
	} {
		_, err := types.UnmarshalSDKMessage([]byte(unknown.line), types.StrictMode)
		var fault *types.DecodeError
		if !errors.As(err, &fault) || fault.Code != types.CodeUnknownVariant || fault.Path != unknown.path {
			t.Errorf("%v for %s", err, unknown.line)
		} else if !strings.Contains(err.Error(), unknown.word) || !strings.Contains(err.Error(), unknown.path) {
			t.Errorf("%q names neither %q nor %q", err, unknown.word, unknown.path)
		}
		message, err := types.UnmarshalSDKMessage([]byte(unknown.line))
		if err != nil || !types.IsUnknown(message) {
			t.Errorf("%T, %v for %s", message, err, unknown.line)
			continue
		}
		if message.GetUUID() != uuid.MustParse(someUUID) || message.GetSessionID() != "s1" {
			t.Errorf("%v %q", message.GetUUID(), message.GetSessionID())
		}
		expectJSON(t, message, unknown.line)
	}
	for _, malformed := range []struct {
		line string
		code types.Code
		path string
	}{
		{`{"type":"system",` + base + `}`, types.CodeMissingField, "/subtype"},
		{`{` + base + `}`, types.CodeMissingField, "/type"},
		{`{"type":7,` + base + `}`, types.CodeWrongType, "/type"},
		{`[]`, types.CodeWrongType, ""},
	} {
		for _, mode := range []types.Mode{types.LenientMode, types.StrictMode} {
			_, err := types.UnmarshalSDKMessage([]byte(malformed.line), mode)
			var fault *types.DecodeError
			if !errors.As(err, &fault) || fault.Code != malformed.code || fault.Path != malformed.path {
				t.Errorf("%v for %s", err, malformed.line)
			}
		}
	}
}

// isReplay: true marks a replayed user message; false or absent does not.
func TestChecklist05UserMessageReplayDetection(t *testing.T) {
	rest := `"type":"user",` + base + `,"message":{"role":"user","content":"x"},"parent_tool_use_id":null`
	for _, line := range []string{`{"isReplay":true,` + rest + `}`, `{` + rest + `,"isReplay":true}`} {
		replay := decode[*types.UserMessageReplay](t, line)
		if !replay.IsReplay || replay.Message.Role != "user" || replay.GetType() != types.MessageTypeUser {
			t.Errorf("%+v", replay)
		}
		expectJSON(t, replay, line)
	}
	for _, line := range []string{`{` + rest + `}`, `{` + rest + `,"isReplay":false}`} {
		expectJSON(t, decode[*types.UserMessage](t, line), line)
	}
	if _, err := types.UnmarshalSDKMessage([]byte(`{` + rest + `,"isReplay":"yes"}`)); err == nil {
		t.Error("a text passed for isReplay")
	}
}

// Every option is present; options that cannot be passed are rejected.
func TestChecklist06OptionsCompleteness(t *testing.T) {
	everything := `{"agent":"a","agents":{"a":{"description":"d","prompt":"p"}},"allowedTools":["Read"],` +
		`"disallowedTools":["Bash"],"tools":["Read"],"model":"m","fallbackModel":"f","maxThinkingTokens":1,"maxTurns":2,` +
		`"maxBudgetUsd":1.5,"betas":["b"],"outputFormat":{"type":"json_schema","schema":{}},"cwd":"/",` +
		`"additionalDirectories":["/x"],"continue":true,"resume":"r","resumeSessionAt":"u","sessionId":"s",` +
		`"forkSession":true,"persistSession":false,"enableFileCheckpointing":true,"permissionMode":"plan",` +
		`"allowDangerouslySkipPermissions":true,"permissionPromptToolName":"t","sandbox":{"enabled":true},` +
		`"systemPrompt":"Be brief.","mcpServers":{"m":{"type":"stdio","command":"c"}},"strictMcpConfig":true,` +
		`"hooks":{"Stop":[{"matcher":"x"}]},"plugins":[{"type":"local","path":"/p"}],"settingSources":["user"],` +
		`"includePartialMessages":true,"debug":true,"debugFile":"/d","env":{"A":"1"},"executable":"node",` +
		`"executableArgs":["-x"],"extraArgs":{"v":null},"pathToClaudeCodeExecutable":"/c",` +
		// options of later releases
		`"thinking":{"type":"adaptive"},"effort":"high","toolConfig":{"askUserQuestion":{}},"settings":"/s",` +
		`"promptSuggestions":true,"agentProgressSummaries":true,"taskBudget":{"total":1000},"includeHookEvents":true,` +
		`"skills":"all","title":"t","sessionStoreFlush":"eager","loadTimeoutMs":1,"planModeInstructions":"p",` +
		`"managedSettings":{"a":1},"forwardSubagentText":true,"toolAliases":{"Bash":"mcp__m__bash"},` +
		`"resumeDropsTurn":"u","supportedDialogKinds":["k"],"permissionPrompts":"none","perTaskStopAffordance":true,` +
		`"pluginDelivery":"initialize","projectConfigRoot":"/","verbatimPrompts":true,"mcpServersDelivery":"initialize"}`
	options := must(types.Decode[types.QueryOptions]([]byte(everything), types.LenientMode))
	if len(options.Extra.Members()) != 0 {
		t.Errorf("not known: %v", options.Extra.Members())
	}
	fields := reflect.TypeFor[types.QueryOptions]()
	exported := 0
	for i := range fields.NumField() {
		field := fields.Field(i)
		if !field.IsExported() || field.Name == "Extra" {
			continue
		}
		exported++
		live := field.Type.Kind() == reflect.Func || field.Name == "AbortSignal"
		if field.Tag.Get("json") == "-" {
			if !live && field.Type.Kind() != reflect.Interface {
				t.Errorf("%s does not travel", field.Name)
			}
			continue
		}
		if live {
			t.Errorf("%s has the tag %q", field.Name, field.Tag)
		}
		if reflect.ValueOf(options).Field(i).IsZero() && field.Name != "PersistSession" {
			t.Errorf("%s was not decoded", field.Name)
		}
	}
	if exported < 60 {
		t.Errorf("only %d options", exported)
	}
	expectJSON(t, options, everything)
	options = types.QueryOptions{
		Model:      types.Ptr("m"),
		Stderr:     func(string) {},
		CanUseTool: func(string, map[string]any) (*types.PermissionResult, error) { return nil, nil },
	}
	options.AbortSignal = t.Context()
	expectJSON(t, options, `{"model":"m"}`)
}

// Every value of the enums has a constant.
func TestChecklist07EnumCoverage(t *testing.T) {
	for _, enum := range []struct {
		name      string
		constants map[string]bool
		count     int
	}{
		{"PermissionMode", set(
			types.PermissionModeDefault, types.PermissionModeAcceptEdits, types.PermissionModeBypassPermissions,
			types.PermissionModePlan, types.PermissionModeDelegate, types.PermissionModeDontAsk,
		), 6},
		{"ResultSubtype", set(
			types.ResultSubtypeSuccess, types.ResultSubtypeErrorDuringExecution, types.ResultSubtypeErrorMaxTurns,
			types.ResultSubtypeErrorMaxBudget, types.ResultSubtypeErrorMaxStructuredRetries,
		), 5},
		{"ExitReason", set(
			types.ExitReasonClear, types.ExitReasonLogout, types.ExitReasonPromptInputExit, types.ExitReasonOther,
			types.ExitReasonBypassPermissionsDisabled,
		), 5},
		{"HookEvent", set(
			types.HookEventPreToolUse, types.HookEventPostToolUse, types.HookEventPostToolUseFailure,
			types.HookEventNotification, types.HookEventUserPromptSubmit, types.HookEventSessionStart,
			types.HookEventSessionEnd, types.HookEventStop, types.HookEventSubagentStart, types.HookEventSubagentStop,
			types.HookEventPreCompact, types.HookEventPermissionRequest, types.HookEventSetup,
			types.HookEventTeammateIdle, types.HookEventTaskCompleted,
		), 15},
		{"SystemSubtype", set(
			types.SystemSubtypeInit, types.SystemSubtypeStatus, types.SystemSubtypeCompactBoundary,
			types.SystemSubtypeHookStarted, types.SystemSubtypeHookProgress, types.SystemSubtypeHookResponse,
			types.SystemSubtypeFilesPersisted, types.SystemSubtypeTaskNotification,
		), 8},
	} {
		if len(enum.constants) != enum.count {
			t.Errorf("%s has %d values: %v", enum.name, len(enum.constants), enum.constants)
		}
		for value, known := range enum.constants {
			if !known {
				t.Errorf("%s does not know its value %q", enum.name, value)
			}
		}
	}
	if types.PermissionMode("telepathy").Known() {
		t.Error("an unknown value is known")
	}
}

// set returns the distinct values, each with whether its enum declares it.
func set[E interface {
	~string
	Known() bool
}](values ...E) map[string]bool {
	found := map[string]bool{}
	for _, value := range values {
		found[string(value)] = value.Known()
	}
	return found
}

// requests has a request of each control subtype. Those of initialize and mcp_message include members that the listing
// lacks.
var requests = map[string]string{
	types.ControlSubtypeInterrupt: `{"subtype":"interrupt"}`,
	types.ControlSubtypeCanUseTool: `{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},` +
		`"permission_suggestions":[{"type":"setMode","mode":"plan","destination":"session"}],"blocked_path":"/x",` +
		`"decision_reason":"r","tool_use_id":"toolu_1","agent_id":"a","description":"d"}`,
	types.ControlSubtypeSetPermissionMode:    `{"subtype":"set_permission_mode","mode":"plan"}`,
	types.ControlSubtypeSetModel:             `{"subtype":"set_model","model":"haiku"}`,
	types.ControlSubtypeSetMaxThinkingTokens: `{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}`,
	types.ControlSubtypeMcpStatus:            `{"subtype":"mcp_status"}`,
	types.ControlSubtypeMcpReconnect:         `{"subtype":"mcp_reconnect","serverName":"m"}`,
	types.ControlSubtypeMcpToggle:            `{"subtype":"mcp_toggle","serverName":"m","enabled":false}`,
	types.ControlSubtypeMcpSetServers: `{"subtype":"mcp_set_servers","servers":{"m":{"command":"c"},` +
		`"n":{"type":"http","url":"https://example.com","headers":{"A":"1"}}}}`,
	types.ControlSubtypeMcpMessage:  `{"subtype":"mcp_message","server_name":"m","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
	types.ControlSubtypeRewindFiles: `{"subtype":"rewind_files","user_message_id":"` + someUUID + `","dry_run":true}`,
	types.ControlSubtypeHookCallback: `{"subtype":"hook_callback","callback_id":"c1","input":{"session_id":"s1",` +
		`"transcript_path":"/t","cwd":"/","hook_event_name":"Stop","stop_hook_active":false}}`,
	types.ControlSubtypeInitialize: `{"subtype":"initialize","hooks":{"Stop":[{"hookCallbackIds":["c1"]}]},` +
		`"sdkMcpServers":["m"],"jsonSchema":{},"systemPrompt":"p","appendSystemPrompt":"q",` +
		`"agents":{"a":{"description":"d","prompt":"p"}}}`,
}

// All control subtypes survive a round trip, wrapped in a request, also in strict mode.
func TestChecklist08ControlProtocol(t *testing.T) {
	if len(requests) != 13 {
		t.Errorf("%d subtypes", len(requests))
	}
	for subtype, request := range requests {
		line := `{"type":"control_request","request_id":"r1","request":` + request + `}`
		for _, mode := range []types.Mode{types.LenientMode, types.StrictMode} {
			message, err := types.UnmarshalWireMessage([]byte(line), mode)
			if err != nil {
				t.Errorf("%v in %s", err, line)
				continue
			}
			asked, ok := message.(*types.ControlRequest)
			if !ok || asked.RequestID != "r1" || asked.Type != "control_request" || asked.Request.Subtype != subtype {
				t.Errorf("%+v for %s", message, line)
			}
			expectJSON(t, message, line)
		}
	}
	for _, line := range []string{
		`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mode":"plan"}}}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}`,
		`{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"no"}}`,
		`{"type":"control_cancel_request","request_id":"r1"}`,
	} {
		message, err := types.UnmarshalWireMessage([]byte(line), types.StrictMode)
		if err != nil {
			t.Errorf("%v in %s", err, line)
			continue
		}
		expectJSON(t, message, line)
	}
}

// Optional fields are pointers or empty values, required ones are safe when zero, and null differs from absent.
func TestChecklist09NullHandling(t *testing.T) {
	for _, kept := range []string{
		lines["StatusMessage"],
		`{"type":"system","subtype":"status",` + base + `,"status":null}`,
		`{"type":"system","subtype":"status",` + base + `,"status":null,"permissionMode":"plan"}`,
		with(lines["UserMessage"], `"tool_use_result":null`),
		with(lines["HookResponseMessage"], `"x":null`),
	} {
		expectJSON(t, must(types.UnmarshalSDKMessage([]byte(kept))), kept)
	}
	status := decode[*types.StatusMessage](t, `{"type":"system","subtype":"status",`+base+`,"status":null}`)
	if status.Status != nil || status.PermissionMode != nil {
		t.Errorf("%+v", status)
	}
	// A zero value of a message is a message with empty members, its lists and maps included.
	zero := types.ResultMessage{Type: types.MessageTypeResult, Subtype: types.ResultSubtypeSuccess}
	text, err := types.Encode(zero)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := types.UnmarshalSDKMessage(text); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	for _, member := range []string{
		`"modelUsage":{}`, `"permission_denials":[]`, `"result":""`, `"is_error":false`,
	} {
		if !strings.Contains(string(text), member) {
			t.Errorf("no %s in %s", member, text)
		}
	}
	// Null in an untouched value is not nil, which means absent.
	user := decode[*types.UserMessage](t, with(lines["UserMessage"], `"tool_use_result":null`))
	if user.ToolUseResult != (types.Null{}) {
		t.Errorf("%v", user.ToolUseResult)
	}
}

// Identifiers are uuid.UUID; in JSON they are strings in the form of RFC 4122.
func TestChecklist10UUIDFormat(t *testing.T) {
	message := types.NewUserMessage("x", "s1")
	identity := message.UUID
	if identity.Version() != 4 || identity.Variant() != uuid.RFC4122 {
		t.Errorf("%v", identity)
	}
	if text := must(types.Encode(message)); !strings.Contains(string(text), `"uuid":"`+identity.String()+`"`) {
		t.Errorf("%s", text)
	}
	for _, text := range []string{
		`"550e8400e29b41d4a716446655440000"`, `"{550e8400-e29b-41d4-a716-446655440000}"`,
		`"urn:uuid:550e8400-e29b-41d4-a716-446655440000"`, `"550e8400-e29b-41d4-a716-44665544000g"`, `""`,
	} {
		line := strings.Replace(lines["StatusMessage"], `"`+someUUID+`"`, text, 1)
		_, err := types.UnmarshalSDKMessage([]byte(line), types.StrictMode)
		var fault *types.DecodeError
		if !errors.As(err, &fault) || fault.Code != types.CodeBadFormat || fault.Path != "/uuid" {
			t.Errorf("%v for %s", err, text)
		}
		expectJSON(t, must(types.UnmarshalSDKMessage([]byte(line))), line)
	}
}

// A raw prompt is a text, a preset is an object; later releases also have lists of texts and another object. Without
// anything, there is no prompt.
func TestChecklist11SystemPromptConfigMarshaling(t *testing.T) {
	for _, prompt := range []struct {
		value    types.SystemPromptConfig
		expected string
	}{
		{types.SystemPromptConfig{Raw: "You are a helpful assistant."}, `"You are a helpful assistant."`},
		{types.SystemPromptConfig{Blocks: []string{"You are", "a helpful assistant."}}, `["You are","a helpful assistant."]`},
		{types.SystemPromptConfig{Blocks: []string{}}, `[]`},
		{types.SystemPromptConfig{Preset: "claude_code"}, `{"type":"preset","preset":"claude_code"}`},
		{
			types.SystemPromptConfig{Preset: "claude_code", Append: "Always explain reasoning."},
			`{"type":"preset","preset":"claude_code","append":"Always explain reasoning."}`,
		},
		{types.SystemPromptConfig{Prompt: types.StringOrStringListString("You are a reviewer.")}, `{"type":"custom","prompt":"You are a reviewer."}`},
	} {
		text, err := json.Marshal(prompt.value)
		if err != nil || !sameJSON(text, []byte(prompt.expected)) {
			t.Errorf("%s, %v; expected %s", text, err, prompt.expected)
		}
		text, err = json.Marshal(types.QueryOptions{SystemPrompt: prompt.value})
		if err != nil || !sameJSON(text, []byte(`{"systemPrompt":`+prompt.expected+`}`)) {
			t.Errorf("%s, %v; expected %s", text, err, prompt.expected)
		}
		var back types.QueryOptions
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%v in %s", err, text)
		} else if !types.Equal(back.SystemPrompt, prompt.value) {
			t.Errorf("%+v of %s", back.SystemPrompt, text)
		}
	}
	expectJSON(t, types.QueryOptions{}, `{}`)
	expectJSON(t, must(types.Decode[types.QueryOptions]([]byte(`{"systemPrompt":""}`))), `{"systemPrompt":""}`)
	for _, wrong := range []types.SystemPromptConfig{
		{Raw: "x", Blocks: []string{"y"}},
		{Raw: "x", Preset: "claude_code"},
		{Append: "x", Prompt: types.StringOrStringListString("y")}, // members of two objects
		{Snapshot: types.Ptr(true)},                                // a member of both
		{Type: "custom", Preset: "claude_code"},
	} {
		if text, err := json.Marshal(wrong); err == nil {
			t.Errorf("%s of %+v", text, wrong)
		}
	}
}

// The counters of a result are numbers on the wire: zero where nothing was counted, never null.
func TestChecklist12BetaUsageInvariant(t *testing.T) {
	var counters types.BetaUsage
	var _, _ int64 = counters.InputTokens, counters.OutputTokens
	text := must(types.Encode(types.NewResultSuccess("done", 1, 0, counters, nil, 0, 0, "s1")))
	for _, key := range []string{
		"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
	} {
		if !strings.Contains(string(text), `"`+key+`":0`) {
			t.Errorf("no %s in %s", key, text)
		}
	}
	result := decode[*types.ResultMessage](t, lines["ResultMessage (success)"])
	if use := result.Usage; use.InputTokens != 3 || use.OutputTokens != 5 || *use.CacheReadInputTokens.Value != 7 ||
		*use.CacheCreationInputTokens.Value != 11 {
		t.Errorf("%+v", use)
	}
}

// Model usage has camelCase keys, as upstream.
func TestChecklist13ModelUsageCamelCase(t *testing.T) {
	expectText(t, types.ModelUsage{
		InputTokens: 1, OutputTokens: 2, CacheReadInputTokens: 3, CacheCreationInputTokens: 4, WebSearchRequests: 5,
		CostUSD: 0.5, ContextWindow: 6, MaxOutputTokens: 7,
	}, `{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,`+
		`"webSearchRequests":5,"costUSD":0.5,"contextWindow":6,"maxOutputTokens":7}`)
}

// Constructors generate a new id and fill in all required members.
func TestChecklist14ConstructorCorrectness(t *testing.T) {
	models := map[string]types.ModelUsage{"claude": {InputTokens: 3}}
	make := map[string]func() types.SDKMessage{
		"AssistantMessage": func() types.SDKMessage {
			return types.NewAssistantMessage(types.BetaMessage{Type: "message", Role: "assistant"}, pointer("toolu_1"), "s1")
		},
		"UserMessage": func() types.SDKMessage { return types.NewUserMessage("Go on.", "s1") },
		"ResultMessage (success)": func() types.SDKMessage {
			return types.NewResultSuccess("Done.", 2, 0.25, counters, models, 1200, 900, "s1")
		},
		"ResultMessage (error)": func() types.SDKMessage {
			return types.NewResultError(types.ResultSubtypeErrorMaxTurns, []string{"x"}, 2, 0.25, counters, models, 1200, 900, "s1")
		},
		"SystemInitMessage": func() types.SDKMessage {
			options := types.QueryOptions{Model: types.Ptr("claude"), CWD: types.Ptr("/"), PermissionMode: types.Ptr(types.PermissionModePlan)}
			return types.NewSystemInit(options, "2.1.37", "s1")
		},
		"CompactBoundaryMessage": func() types.SDKMessage { return types.NewCompactBoundary("auto", 1000, "s1") },
	}
	for name, construct := range make {
		message, other := construct(), construct()
		if message.GetUUID() == other.GetUUID() || message.GetUUID().Version() != 4 {
			t.Errorf("%s: %v, %v", name, message.GetUUID(), other.GetUUID())
		}
		if message.GetSessionID() != "s1" {
			t.Errorf("%s: session %q", name, message.GetSessionID())
		}
		text := must(types.Encode(message))
		back, err := types.UnmarshalSDKMessage(text, types.StrictMode)
		if err != nil {
			t.Errorf("%s: %v in %s", name, err, text)
		} else if typeName(back) != goType(name) {
			t.Errorf("%s is a %T", name, back)
		} else if at := differs(reflect.ValueOf(message), reflect.ValueOf(back)); at != "" {
			t.Errorf("%s%s did not come back: %s", name, at, text)
		}
	}
	result := types.NewResultSuccess("Done.", 2, 0.25, counters, models, 1200, 900, "s1")
	if result.Subtype != types.ResultSubtypeSuccess || result.IsError || result.Result != "Done." ||
		result.NumTurns != 2 || result.TotalCostUSD != 0.25 || result.DurationMs != 1200 || result.DurationAPIMs != 900 ||
		result.Usage.InputTokens != 3 || result.ModelUsage["claude"].InputTokens != 3 {
		t.Errorf("%+v", result)
	}
	failure := types.NewResultError(types.ResultSubtypeErrorMaxTurns, []string{"x"}, 2, 0.25, counters, models, 1200, 900, "s1")
	if failure.Subtype != types.ResultSubtypeErrorMaxTurns || !failure.IsError || len(failure.Errors) != 1 {
		t.Errorf("%+v", failure)
	}
	boundary := types.NewCompactBoundary("auto", 1000, "s1")
	if boundary.CompactMetadata.Trigger != "auto" || boundary.CompactMetadata.PreTokens != 1000 {
		t.Errorf("%+v", boundary)
	}
	user := types.NewUserMessage("Go on.", "s1")
	if user.Message.Role != "user" || user.Message.Content != "Go on." || user.ParentToolUseID != nil {
		t.Errorf("%+v", user)
	}
}

// The event has the fields files, failed and processed_at, and no others.
func TestChecklist15FilesPersistedEventFields(t *testing.T) {
	event := decode[*types.FilesPersistedEvent](t, lines["FilesPersistedEvent"])
	if len(event.Files) != 1 || event.Files[0].Filename != "a" || event.Files[0].FileID != "f1" ||
		len(event.Failed) != 1 || event.Failed[0].Filename != "b" || event.Failed[0].Error != "gone" ||
		event.ProcessedAt != "2026-02-07T09:30:00Z" {
		t.Errorf("%+v", event)
	}
	expectText(t, event, `{"type":"system","subtype":"files_persisted",`+base+
		`,"files":[{"filename":"a","file_id":"f1"}],"failed":[{"filename":"b","error":"gone"}],`+
		`"processed_at":"2026-02-07T09:30:00Z"}`)
}
