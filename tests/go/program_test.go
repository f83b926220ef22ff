package gotests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/agentlines/types"
)

// A program as it is written from the listing alone: literals, prompts, constructors, and messages read by their types. Where
// it differs from the listing, a comment names the row of the README.

func optionsFromTheListing(ctx context.Context) types.QueryOptions {
	turns, budget, persist := int64(5), 1.5, false // every int
	return types.QueryOptions{
		Agents: map[string]types.AgentDefinition{
			"reviewer": {Description: "Reviews code.", Prompt: "You review.", Tools: []string{"Read"}, MaxTurns: &turns},
		},
		AllowedTools:          []string{"Read", "Grep"},
		DisallowedTools:       []string{"Bash"},
		Tools:                 []string{"Read"},
		Model:                 types.Ptr("sonnet"), // plain values that are omitted if zero
		MaxTurns:              &turns,
		MaxBudgetUSD:          &budget,
		CWD:                   types.Ptr("/work"),
		PersistSession:        &persist,
		AdditionalDirectories: []string{"/data"},
		PermissionMode:        types.Ptr(types.PermissionModePlan),
		SystemPrompt:          types.SystemPromptConfig{Preset: "claude_code", Append: "Always explain reasoning."},
		McpServers: map[string]types.McpServerConfig{
			"files": {Type: "stdio", Command: "mcp-files", Args: []string{"-v"}, Env: map[string]string{"A": "1"}},
			"web":   {Type: "http", URL: "https://example.com/mcp", Headers: map[string]string{"X": "1"}},
		},
		Hooks: map[types.HookEvent][]types.HookCallbackMatcher{
			types.HookEventPreToolUse: {{Matcher: types.Some("Bash")}}, // absent, null or a value
		},
		Plugins:        []types.PluginConfig{{Type: "local", Path: "/plugin"}},
		Betas:          []string{"context-1m-2025-08-07"},
		OutputFormat:   &types.OutputFormat{Type: "json_schema", Schema: map[string]any{"type": "object"}},
		SettingSources: []types.SettingSource{types.SettingSourceUser, types.SettingSourceLocal},
		Sandbox: &types.SandboxSettings{
			Enabled: types.Ptr(true),
			Network: &types.SandboxNetworkConfig{AllowUnixSockets: []string{"/var/run/docker.sock"}},
		},
		CanUseTool: func(toolName string, input map[string]any) (*types.PermissionResult, error) {
			if toolName == "Bash" {
				return &types.PermissionResult{Behavior: "deny", Message: "no shell"}, nil
			}
			mode := types.PermissionModeAcceptEdits
			return &types.PermissionResult{Behavior: "allow", UpdatedInput: input, Permissions: []types.PermissionUpdate{
				{Type: "setMode", Destination: "session", Mode: &mode},
				{Type: "addDirectories", Destination: "session", Directories: []string{"/data"}},
			}}, nil
		},
		AbortSignal: ctx,
		Stderr:      func(string) {},
	}
}

// told describes a message, as a program with a switch over the listed types does.
func told(message types.SDKMessage) string {
	switch m := message.(type) {
	case *types.SystemInitMessage:
		return fmt.Sprintf("init %s in %s, %s", m.Model, m.CWD, m.PermissionMode)
	case *types.UserMessage:
		return fmt.Sprintf("user %v", m.Message.Content)
	case *types.AssistantMessage:
		var texts []string
		for _, block := range m.Message.Content {
			switch block.Type {
			case "text":
				texts = append(texts, block.Text)
			case "tool_use":
				texts = append(texts, block.Name+" "+fmt.Sprint(block.Input["command"]))
			}
		}
		return "assistant " + strings.Join(texts, ", ")
	case *types.ResultMessage:
		if m.Subtype == types.ResultSubtypeSuccess {
			return fmt.Sprintf("result %s, %.2f", m.Result, m.TotalCostUSD)
		}
		return fmt.Sprintf("%s %v", m.Subtype, m.Errors)
	case *types.CompactBoundaryMessage:
		return fmt.Sprintf("compacted %s at %d", m.CompactMetadata.Trigger, m.CompactMetadata.PreTokens)
	}
	return string(message.GetType())
}

func TestAProgramWrittenFromTheListing(t *testing.T) {
	options := optionsFromTheListing(t.Context())
	text := must(json.Marshal(options))
	for _, part := range []string{
		`"systemPrompt":{"type":"preset","preset":"claude_code","append":"Always explain reasoning."}`,
		`"mcpServers":{"files":{"type":"stdio","command":"mcp-files","args":["-v"],"env":{"A":"1"}}`, `"maxTurns":5`,
		`"settingSources":["user","local"]`, `"outputFormat":{"type":"json_schema","schema":{"type":"object"}}`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	answer, err := options.CanUseTool("Read", map[string]any{"path": "/x"})
	if err != nil || answer.Permissions[0].Destination != "session" {
		t.Errorf("%v, %v", answer, err)
	}
	expectJSON(t, *answer, `{"behavior":"allow","updatedInput":{"path":"/x"},"updatedPermissions":[`+
		`{"type":"setMode","destination":"session","mode":"acceptEdits"},`+
		`{"type":"addDirectories","destination":"session","directories":["/data"]}]}`)

	toolUse, usage := "toolu_1", types.BetaUsage{InputTokens: 3, OutputTokens: 5}
	models := map[string]types.ModelUsage{"sonnet": {InputTokens: 3, CostUSD: 0.25}}
	expected := map[string]types.SDKMessage{
		"init sonnet in /work, plan": types.NewSystemInit(options, "2.1.37", "s1"),
		"user Go on.":                types.NewUserMessage("Go on.", "s1"),
		"assistant Done., Bash ls": types.NewAssistantMessage(types.BetaMessage{
			ID: "msg_1", Type: "message", Role: "assistant", Model: "sonnet", Usage: usage,
			Content: []types.ContentBlock{
				{Type: "text", Text: "Done."},
				{Type: "tool_use", ID: "toolu_1", Name: "Bash", Input: map[string]any{"command": "ls"}},
			},
		}, &toolUse, "s1"),
		"result Done., 0.25":         types.NewResultSuccess("Done.", 2, 0.25, usage, models, 1200, 900, "s1"),
		"error_max_turns [too many]": types.NewResultError(types.ResultSubtypeErrorMaxTurns, []string{"too many"}, 2, 0.25, usage, models, 1200, 900, "s1"),
		"compacted auto at 1000":     types.NewCompactBoundary("auto", 1000, "s1"),
	}
	for description, message := range expected {
		line := must(json.Marshal(message))
		back, err := types.UnmarshalSDKMessage(line)
		if err != nil || told(back) != description || back.GetSessionID() != "s1" || back.GetUUID() == uuid.Nil {
			t.Errorf("%v: %v of %s, expected %s", err, back, line, description)
		}
	}
	if _, err := types.UnmarshalSDKMessage([]byte(`{`)); err == nil || errors.Unwrap(err) != nil {
		t.Errorf("%v", err)
	}

	request := types.ControlRequest{
		Type: "control_request", RequestID: uuid.NewString(),
		Request: types.ControlRequestInner{Subtype: types.ControlSubtypeSetPermissionMode, Mode: types.Ptr(types.PermissionModePlan)},
	}
	if line := must(json.Marshal(request)); !strings.Contains(string(line), `"request":{"subtype":"set_permission_mode","mode":"plan"}`) {
		t.Errorf("%s", line)
	}
}
