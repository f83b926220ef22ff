// Package listing is the peer: the Go listing of the protocol as a user would have copied it, types and two-pass decode.
package listing

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
)

type MessageType string

const (
	MessageTypeAssistant      MessageType = "assistant"
	MessageTypeUser           MessageType = "user"
	MessageTypeResult         MessageType = "result"
	MessageTypeSystem         MessageType = "system"
	MessageTypeStreamEvent    MessageType = "stream_event"
	MessageTypeToolProgress   MessageType = "tool_progress"
	MessageTypeAuthStatus     MessageType = "auth_status"
	MessageTypeToolUseSummary MessageType = "tool_use_summary"
)

type SystemSubtype string

const (
	SystemSubtypeInit             SystemSubtype = "init"
	SystemSubtypeStatus           SystemSubtype = "status"
	SystemSubtypeCompactBoundary  SystemSubtype = "compact_boundary"
	SystemSubtypeHookStarted      SystemSubtype = "hook_started"
	SystemSubtypeHookProgress     SystemSubtype = "hook_progress"
	SystemSubtypeHookResponse     SystemSubtype = "hook_response"
	SystemSubtypeFilesPersisted   SystemSubtype = "files_persisted"
	SystemSubtypeTaskNotification SystemSubtype = "task_notification"
)

type ResultSubtype string

const (
	ResultSubtypeSuccess                   ResultSubtype = "success"
	ResultSubtypeErrorDuringExecution      ResultSubtype = "error_during_execution"
	ResultSubtypeErrorMaxTurns             ResultSubtype = "error_max_turns"
	ResultSubtypeErrorMaxBudget            ResultSubtype = "error_max_budget_usd"
	ResultSubtypeErrorMaxStructuredRetries ResultSubtype = "error_max_structured_output_retries"
)

type SDKMessage interface {
	GetType() MessageType
	GetUUID() uuid.UUID
	GetSessionID() string
}

type BaseMessage struct {
	UUID      uuid.UUID `json:"uuid"`
	SessionID string    `json:"session_id"`
}

func (b BaseMessage) GetUUID() uuid.UUID   { return b.UUID }
func (b BaseMessage) GetSessionID() string { return b.SessionID }

type AssistantMessage struct {
	BaseMessage
	Type            MessageType     `json:"type"`
	Message         BetaMessage     `json:"message"`
	ParentToolUseID *string         `json:"parent_tool_use_id"`
	Error           *AssistantError `json:"error,omitempty"`
}

func (m AssistantMessage) GetType() MessageType { return MessageTypeAssistant }

type AssistantError string

const (
	ErrAuthenticationFailed AssistantError = "authentication_failed"
	ErrBillingError         AssistantError = "billing_error"
	ErrRateLimit            AssistantError = "rate_limit"
	ErrInvalidRequest       AssistantError = "invalid_request"
	ErrServerError          AssistantError = "server_error"
	ErrUnknown              AssistantError = "unknown"
)

type BetaMessage struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Content      []ContentBlock `json:"content"`
	Model        string         `json:"model"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        BetaUsage      `json:"usage"`
}

type ContentBlock struct {
	Type     string         `json:"type"`
	Text     string         `json:"text,omitempty"`
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name,omitempty"`
	Input    map[string]any `json:"input,omitempty"`
	Thinking string         `json:"thinking,omitempty"`
}

type BetaUsage struct {
	InputTokens              int `json:"input_tokens"`
	OutputTokens             int `json:"output_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
}

type PartialAssistantMessage struct {
	BaseMessage
	Type            MessageType `json:"type"`
	Event           any         `json:"event"`
	ParentToolUseID *string     `json:"parent_tool_use_id"`
}

func (m PartialAssistantMessage) GetType() MessageType { return MessageTypeStreamEvent }

type UserMessage struct {
	BaseMessage
	Type            MessageType  `json:"type"`
	Message         MessageParam `json:"message"`
	ParentToolUseID *string      `json:"parent_tool_use_id"`
	IsSynthetic     bool         `json:"isSynthetic,omitempty"`
	ToolUseResult   any          `json:"tool_use_result,omitempty"`
}

func (m UserMessage) GetType() MessageType { return MessageTypeUser }

type UserMessageReplay struct {
	UserMessage
	IsReplay bool `json:"isReplay"`
}

type MessageParam struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type ResultMessage struct {
	BaseMessage
	Type              MessageType           `json:"type"`
	Subtype           ResultSubtype         `json:"subtype"`
	DurationMs        int64                 `json:"duration_ms"`
	DurationAPIMs     int64                 `json:"duration_api_ms"`
	IsError           bool                  `json:"is_error"`
	NumTurns          int                   `json:"num_turns"`
	StopReason        *string               `json:"stop_reason"`
	TotalCostUSD      float64               `json:"total_cost_usd"`
	Usage             BetaUsage             `json:"usage"`
	ModelUsage        map[string]ModelUsage `json:"modelUsage"`
	PermissionDenials []PermissionDenial    `json:"permission_denials"`

	Result           string `json:"result,omitempty"`
	StructuredOutput any    `json:"structured_output,omitempty"`

	Errors []string `json:"errors,omitempty"`
}

func (m ResultMessage) GetType() MessageType { return MessageTypeResult }

type ModelUsage struct {
	InputTokens              int     `json:"inputTokens"`
	OutputTokens             int     `json:"outputTokens"`
	CacheReadInputTokens     int     `json:"cacheReadInputTokens"`
	CacheCreationInputTokens int     `json:"cacheCreationInputTokens"`
	WebSearchRequests        int     `json:"webSearchRequests"`
	CostUSD                  float64 `json:"costUSD"`
	ContextWindow            int     `json:"contextWindow"`
	MaxOutputTokens          int     `json:"maxOutputTokens"`
}

type PermissionDenial struct {
	ToolName  string         `json:"tool_name"`
	ToolUseID string         `json:"tool_use_id"`
	ToolInput map[string]any `json:"tool_input"`
}

type SystemInitMessage struct {
	BaseMessage
	Type              MessageType     `json:"type"`
	Subtype           SystemSubtype   `json:"subtype"`
	Agents            []string        `json:"agents,omitempty"`
	APIKeySource      string          `json:"apiKeySource"`
	Betas             []string        `json:"betas,omitempty"`
	ClaudeCodeVersion string          `json:"claude_code_version"`
	CWD               string          `json:"cwd"`
	Tools             []string        `json:"tools"`
	McpServers        []McpServerInfo `json:"mcp_servers"`
	Model             string          `json:"model"`
	PermissionMode    PermissionMode  `json:"permissionMode"`
	SlashCommands     []string        `json:"slash_commands"`
	OutputStyle       string          `json:"output_style"`
	Skills            []string        `json:"skills"`
	Plugins           []PluginInfo    `json:"plugins"`
}

func (m SystemInitMessage) GetType() MessageType { return MessageTypeSystem }

type McpServerInfo struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

type PluginInfo struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

type StatusMessage struct {
	BaseMessage
	Type           MessageType     `json:"type"`
	Subtype        SystemSubtype   `json:"subtype"`
	Status         *string         `json:"status"`
	PermissionMode *PermissionMode `json:"permissionMode,omitempty"`
}

func (m StatusMessage) GetType() MessageType { return MessageTypeSystem }

type CompactBoundaryMessage struct {
	BaseMessage
	Type            MessageType     `json:"type"`
	Subtype         SystemSubtype   `json:"subtype"`
	CompactMetadata CompactMetadata `json:"compact_metadata"`
}

func (m CompactBoundaryMessage) GetType() MessageType { return MessageTypeSystem }

type CompactMetadata struct {
	Trigger   string `json:"trigger"`
	PreTokens int    `json:"pre_tokens"`
}

type HookStartedMessage struct {
	BaseMessage
	Type      MessageType   `json:"type"`
	Subtype   SystemSubtype `json:"subtype"`
	HookID    string        `json:"hook_id"`
	HookName  string        `json:"hook_name"`
	HookEvent string        `json:"hook_event"`
}

func (m HookStartedMessage) GetType() MessageType { return MessageTypeSystem }

type HookProgressMessage struct {
	BaseMessage
	Type      MessageType   `json:"type"`
	Subtype   SystemSubtype `json:"subtype"`
	HookID    string        `json:"hook_id"`
	HookName  string        `json:"hook_name"`
	HookEvent string        `json:"hook_event"`
	Stdout    string        `json:"stdout"`
	Stderr    string        `json:"stderr"`
	Output    string        `json:"output"`
}

func (m HookProgressMessage) GetType() MessageType { return MessageTypeSystem }

type HookResponseMessage struct {
	BaseMessage
	Type      MessageType   `json:"type"`
	Subtype   SystemSubtype `json:"subtype"`
	HookID    string        `json:"hook_id"`
	HookName  string        `json:"hook_name"`
	HookEvent string        `json:"hook_event"`
	Output    string        `json:"output"`
	Stdout    string        `json:"stdout"`
	Stderr    string        `json:"stderr"`
	ExitCode  *int          `json:"exit_code,omitempty"`
	Outcome   string        `json:"outcome"`
}

func (m HookResponseMessage) GetType() MessageType { return MessageTypeSystem }

type ToolProgressMessage struct {
	BaseMessage
	Type               MessageType `json:"type"`
	ToolUseID          string      `json:"tool_use_id"`
	ToolName           string      `json:"tool_name"`
	ParentToolUseID    *string     `json:"parent_tool_use_id"`
	ElapsedTimeSeconds float64     `json:"elapsed_time_seconds"`
}

func (m ToolProgressMessage) GetType() MessageType { return MessageTypeToolProgress }

type AuthStatusMessage struct {
	BaseMessage
	Type             MessageType `json:"type"`
	IsAuthenticating bool        `json:"isAuthenticating"`
	Output           []string    `json:"output"`
	Error            string      `json:"error,omitempty"`
}

func (m AuthStatusMessage) GetType() MessageType { return MessageTypeAuthStatus }

type TaskNotificationMessage struct {
	BaseMessage
	Type       MessageType   `json:"type"`
	Subtype    SystemSubtype `json:"subtype"`
	TaskID     string        `json:"task_id"`
	Status     string        `json:"status"`
	OutputFile string        `json:"output_file"`
	Summary    string        `json:"summary"`
}

func (m TaskNotificationMessage) GetType() MessageType { return MessageTypeSystem }

type FilesPersistedEvent struct {
	BaseMessage
	Type        MessageType     `json:"type"`
	Subtype     SystemSubtype   `json:"subtype"`
	Files       []PersistedFile `json:"files"`
	Failed      []FailedFile    `json:"failed"`
	ProcessedAt string          `json:"processed_at"`
}

func (m FilesPersistedEvent) GetType() MessageType { return MessageTypeSystem }

type PersistedFile struct {
	Filename string `json:"filename"`
	FileID   string `json:"file_id"`
}

type FailedFile struct {
	Filename string `json:"filename"`
	Error    string `json:"error"`
}

type ToolUseSummaryMessage struct {
	BaseMessage
	Type                MessageType `json:"type"`
	Summary             string      `json:"summary"`
	PrecedingToolUseIDs []string    `json:"preceding_tool_use_ids"`
}

func (m ToolUseSummaryMessage) GetType() MessageType { return MessageTypeToolUseSummary }

type RawSDKMessage struct {
	Type    MessageType    `json:"type"`
	Subtype *SystemSubtype `json:"subtype,omitempty"`
}

func UnmarshalSDKMessage(data []byte) (SDKMessage, error) {
	var raw RawSDKMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("unmarshal discriminator: %w", err)
	}

	switch raw.Type {
	case MessageTypeAssistant:
		var msg AssistantMessage
		return &msg, json.Unmarshal(data, &msg)

	case MessageTypeUser:
		var probe struct {
			IsReplay bool `json:"isReplay"`
		}
		json.Unmarshal(data, &probe)
		if probe.IsReplay {
			var msg UserMessageReplay
			return &msg, json.Unmarshal(data, &msg)
		}
		var msg UserMessage
		return &msg, json.Unmarshal(data, &msg)

	case MessageTypeResult:
		var msg ResultMessage
		return &msg, json.Unmarshal(data, &msg)

	case MessageTypeSystem:
		return unmarshalSystemMessage(data, raw.Subtype)

	case MessageTypeStreamEvent:
		var msg PartialAssistantMessage
		return &msg, json.Unmarshal(data, &msg)

	case MessageTypeToolProgress:
		var msg ToolProgressMessage
		return &msg, json.Unmarshal(data, &msg)

	case MessageTypeAuthStatus:
		var msg AuthStatusMessage
		return &msg, json.Unmarshal(data, &msg)

	case MessageTypeToolUseSummary:
		var msg ToolUseSummaryMessage
		return &msg, json.Unmarshal(data, &msg)

	default:
		return nil, fmt.Errorf("unknown message type: %s", raw.Type)
	}
}

func unmarshalSystemMessage(data []byte, subtype *SystemSubtype) (SDKMessage, error) {
	if subtype == nil {
		return nil, fmt.Errorf("system message missing subtype")
	}
	switch *subtype {
	case SystemSubtypeInit:
		var msg SystemInitMessage
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeStatus:
		var msg StatusMessage
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeCompactBoundary:
		var msg CompactBoundaryMessage
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeHookStarted:
		var msg HookStartedMessage
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeHookProgress:
		var msg HookProgressMessage
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeHookResponse:
		var msg HookResponseMessage
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeFilesPersisted:
		var msg FilesPersistedEvent
		return &msg, json.Unmarshal(data, &msg)
	case SystemSubtypeTaskNotification:
		var msg TaskNotificationMessage
		return &msg, json.Unmarshal(data, &msg)
	default:
		return nil, fmt.Errorf("unknown system subtype: %s", *subtype)
	}
}

func (cb ContentBlock) MarshalJSON() ([]byte, error) {
	switch cb.Type {
	case "text":
		return json.Marshal(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{Type: "text", Text: cb.Text})

	case "tool_use":
		return json.Marshal(struct {
			Type  string         `json:"type"`
			ID    string         `json:"id"`
			Name  string         `json:"name"`
			Input map[string]any `json:"input"`
		}{Type: "tool_use", ID: cb.ID, Name: cb.Name, Input: cb.Input})

	case "thinking":
		return json.Marshal(struct {
			Type     string `json:"type"`
			Thinking string `json:"thinking"`
		}{Type: "thinking", Thinking: cb.Thinking})

	default:
		type Alias ContentBlock
		return json.Marshal(Alias(cb))
	}
}

type ControlRequest struct {
	Type      string              `json:"type"`
	RequestID string              `json:"request_id"`
	Request   ControlRequestInner `json:"request"`
}

type ControlRequestInner struct {
	Subtype string `json:"subtype"`

	ToolName              string             `json:"tool_name,omitempty"`
	Input                 map[string]any     `json:"input,omitempty"`
	PermissionSuggestions []PermissionUpdate `json:"permission_suggestions,omitempty"`
	BlockedPath           string             `json:"blocked_path,omitempty"`
	DecisionReason        string             `json:"decision_reason,omitempty"`
	ToolUseID             string             `json:"tool_use_id,omitempty"`
	AgentID               string             `json:"agent_id,omitempty"`
	Description           string             `json:"description,omitempty"`

	Mode PermissionMode `json:"mode,omitempty"`

	Model string `json:"model,omitempty"`

	MaxThinkingTokens *int `json:"max_thinking_tokens,omitempty"`

	Servers map[string]McpServerConfig `json:"servers,omitempty"`

	ServerName string `json:"serverName,omitempty"`
	Enabled    *bool  `json:"enabled,omitempty"`

	UserMessageID string `json:"user_message_id,omitempty"`
	DryRun        bool   `json:"dry_run,omitempty"`

	CallbackID string `json:"callback_id,omitempty"`
	HookInput  any    `json:"input,omitempty"`
}

const (
	ControlSubtypeInterrupt            = "interrupt"
	ControlSubtypeCanUseTool           = "can_use_tool"
	ControlSubtypeSetPermissionMode    = "set_permission_mode"
	ControlSubtypeSetModel             = "set_model"
	ControlSubtypeSetMaxThinkingTokens = "set_max_thinking_tokens"
	ControlSubtypeMcpStatus            = "mcp_status"
	ControlSubtypeMcpReconnect         = "mcp_reconnect"
	ControlSubtypeMcpToggle            = "mcp_toggle"
	ControlSubtypeMcpSetServers        = "mcp_set_servers"
	ControlSubtypeMcpMessage           = "mcp_message"
	ControlSubtypeRewindFiles          = "rewind_files"
	ControlSubtypeHookCallback         = "hook_callback"
	ControlSubtypeInitialize           = "initialize"
)

type ControlResponse struct {
	Type     string `json:"type"`
	Response any    `json:"response"`
}

type ControlSuccessResponse struct {
	RequestID string `json:"request_id"`
	Result    any    `json:"result,omitempty"`
}

type ControlErrorResponse struct {
	RequestID string `json:"request_id"`
	Error     string `json:"error"`
}

type ControlCancelRequest struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
}

type QueryOptions struct {
	Agent  string                     `json:"agent,omitempty"`
	Agents map[string]AgentDefinition `json:"agents,omitempty"`

	AllowedTools    []string `json:"allowedTools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	Tools           any      `json:"tools,omitempty"`

	Model             string   `json:"model,omitempty"`
	FallbackModel     string   `json:"fallbackModel,omitempty"`
	MaxThinkingTokens *int     `json:"maxThinkingTokens,omitempty"`
	MaxTurns          *int     `json:"maxTurns,omitempty"`
	MaxBudgetUSD      *float64 `json:"maxBudgetUsd,omitempty"`

	CWD                     string   `json:"cwd,omitempty"`
	Continue                bool     `json:"continue,omitempty"`
	Resume                  string   `json:"resume,omitempty"`
	ResumeSessionAt         string   `json:"resumeSessionAt,omitempty"`
	SessionID               string   `json:"sessionId,omitempty"`
	PersistSession          *bool    `json:"persistSession,omitempty"`
	ForkSession             bool     `json:"forkSession,omitempty"`
	EnableFileCheckpointing bool     `json:"enableFileCheckpointing,omitempty"`
	AdditionalDirectories   []string `json:"additionalDirectories,omitempty"`

	PermissionMode                  PermissionMode `json:"permissionMode,omitempty"`
	AllowDangerouslySkipPermissions bool           `json:"allowDangerouslySkipPermissions,omitempty"`
	PermissionPromptToolName        string         `json:"permissionPromptToolName,omitempty"`

	SystemPrompt SystemPromptConfig `json:"systemPrompt,omitempty"`

	McpServers      map[string]McpServerConfig `json:"mcpServers,omitempty"`
	StrictMcpConfig bool                       `json:"strictMcpConfig,omitempty"`

	Hooks map[HookEvent][]HookCallbackMatcher `json:"hooks,omitempty"`

	Plugins []PluginConfig `json:"plugins,omitempty"`

	IncludePartialMessages bool `json:"includePartialMessages,omitempty"`

	Betas        []string      `json:"betas,omitempty"`
	OutputFormat *OutputFormat `json:"outputFormat,omitempty"`

	SettingSources []SettingSource `json:"settingSources,omitempty"`

	Sandbox *SandboxSettings `json:"sandbox,omitempty"`

	Debug     bool   `json:"debug,omitempty"`
	DebugFile string `json:"debugFile,omitempty"`

	CanUseTool  CanUseToolFunc  `json:"-"`
	AbortSignal context.Context `json:"-"`
	Stderr      func(string)    `json:"-"`
}

type PermissionMode string

const (
	PermissionModeDefault           PermissionMode = "default"
	PermissionModeAcceptEdits       PermissionMode = "acceptEdits"
	PermissionModeBypassPermissions PermissionMode = "bypassPermissions"
	PermissionModePlan              PermissionMode = "plan"
	PermissionModeDelegate          PermissionMode = "delegate"
	PermissionModeDontAsk           PermissionMode = "dontAsk"
)

type SettingSource string

const (
	SettingSourceUser    SettingSource = "user"
	SettingSourceProject SettingSource = "project"
	SettingSourceLocal   SettingSource = "local"
)

type OutputFormat struct {
	Type   string         `json:"type"`
	Schema map[string]any `json:"schema"`
}

type SystemPromptConfig struct {
	Raw    string `json:"-"`
	Preset string `json:"preset"`
	Append string `json:"append"`
}

func (s SystemPromptConfig) MarshalJSON() ([]byte, error) {
	if s.Raw != "" {
		return json.Marshal(s.Raw)
	}
	type alias struct {
		Type   string `json:"type"`
		Preset string `json:"preset"`
		Append string `json:"append,omitempty"`
	}
	return json.Marshal(alias{Type: "preset", Preset: s.Preset, Append: s.Append})
}

type ExitReason string

const (
	ExitReasonClear                     ExitReason = "clear"
	ExitReasonLogout                    ExitReason = "logout"
	ExitReasonPromptInputExit           ExitReason = "prompt_input_exit"
	ExitReasonOther                     ExitReason = "other"
	ExitReasonBypassPermissionsDisabled ExitReason = "bypass_permissions_disabled"
)

type ModelInfo struct {
	Value       string `json:"value"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
}

type HookEvent string

const (
	HookEventPreToolUse         HookEvent = "PreToolUse"
	HookEventPostToolUse        HookEvent = "PostToolUse"
	HookEventPostToolUseFailure HookEvent = "PostToolUseFailure"
	HookEventNotification       HookEvent = "Notification"
	HookEventUserPromptSubmit   HookEvent = "UserPromptSubmit"
	HookEventSessionStart       HookEvent = "SessionStart"
	HookEventSessionEnd         HookEvent = "SessionEnd"
	HookEventStop               HookEvent = "Stop"
	HookEventSubagentStart      HookEvent = "SubagentStart"
	HookEventSubagentStop       HookEvent = "SubagentStop"
	HookEventPreCompact         HookEvent = "PreCompact"
	HookEventPermissionRequest  HookEvent = "PermissionRequest"
	HookEventSetup              HookEvent = "Setup"
	HookEventTeammateIdle       HookEvent = "TeammateIdle"
	HookEventTaskCompleted      HookEvent = "TaskCompleted"
)

type HookCallbackMatcher struct {
	Matcher         string   `json:"matcher,omitempty"`
	HookCallbackIDs []string `json:"hookCallbackIds"`
	Timeout         *int     `json:"timeout,omitempty"`
}

type CanUseToolFunc func(toolName string, input map[string]any) (*PermissionResult, error)

type PermissionResult struct {
	Behavior     string             `json:"behavior"`
	UpdatedInput map[string]any     `json:"updatedInput,omitempty"`
	Message      string             `json:"message,omitempty"`
	Permissions  []PermissionUpdate `json:"updatedPermissions,omitempty"`
}

type PermissionUpdate struct {
	Type        string               `json:"type"`
	Destination string               `json:"destination"`
	Rule        *PermissionRuleValue `json:"rule,omitempty"`
	Mode        *PermissionMode      `json:"mode,omitempty"`
	Directories []string             `json:"directories,omitempty"`
}

type PermissionRuleValue struct {
	ToolName    string `json:"tool_name"`
	RuleContent string `json:"rule_content"`
}

type McpServerConfig struct {
	Type string `json:"type"`

	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`

	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`

	Name string `json:"name,omitempty"`

	ID string `json:"id,omitempty"`
}

type PluginConfig struct {
	Type string `json:"type"`
	Path string `json:"path"`
}

type SandboxSettings struct {
	Enabled                  bool                  `json:"enabled"`
	AutoAllowBashIfSandboxed bool                  `json:"autoAllowBashIfSandboxed,omitempty"`
	Network                  *SandboxNetworkConfig `json:"network,omitempty"`
	IgnoreViolations         []string              `json:"ignoreViolations,omitempty"`
}

type SandboxNetworkConfig struct {
	AllowLocalBinding bool     `json:"allowLocalBinding,omitempty"`
	AllowUnixSockets  []string `json:"allowUnixSockets,omitempty"`
}

type AgentDefinition struct {
	Description     string   `json:"description"`
	Tools           []string `json:"tools,omitempty"`
	DisallowedTools []string `json:"disallowedTools,omitempty"`
	Prompt          string   `json:"prompt"`
	Model           string   `json:"model,omitempty"`
	MCPServers      []string `json:"mcpServers,omitempty"`
	MaxTurns        *int     `json:"maxTurns,omitempty"`
}

func NewAssistantMessage(msg BetaMessage, parentToolUseID *string, sessionID string) *AssistantMessage {
	return &AssistantMessage{
		BaseMessage:     BaseMessage{UUID: uuid.New(), SessionID: sessionID},
		Type:            MessageTypeAssistant,
		Message:         msg,
		ParentToolUseID: parentToolUseID,
	}
}

func NewUserMessage(content string, sessionID string) *UserMessage {
	return &UserMessage{
		BaseMessage: BaseMessage{UUID: uuid.New(), SessionID: sessionID},
		Type:        MessageTypeUser,
		Message:     MessageParam{Role: "user", Content: content},
	}
}

func NewResultSuccess(result string, numTurns int, totalCost float64, usage BetaUsage,
	modelUsage map[string]ModelUsage, duration, apiDuration int64, sessionID string) *ResultMessage {
	return &ResultMessage{
		BaseMessage:   BaseMessage{UUID: uuid.New(), SessionID: sessionID},
		Type:          MessageTypeResult,
		Subtype:       ResultSubtypeSuccess,
		IsError:       false,
		Result:        result,
		NumTurns:      numTurns,
		TotalCostUSD:  totalCost,
		Usage:         usage,
		ModelUsage:    modelUsage,
		DurationMs:    duration,
		DurationAPIMs: apiDuration,
	}
}

func NewResultError(subtype ResultSubtype, errors []string, numTurns int, totalCost float64,
	usage BetaUsage, modelUsage map[string]ModelUsage, duration, apiDuration int64, sessionID string) *ResultMessage {
	return &ResultMessage{
		BaseMessage:   BaseMessage{UUID: uuid.New(), SessionID: sessionID},
		Type:          MessageTypeResult,
		Subtype:       subtype,
		IsError:       true,
		Errors:        errors,
		NumTurns:      numTurns,
		TotalCostUSD:  totalCost,
		Usage:         usage,
		ModelUsage:    modelUsage,
		DurationMs:    duration,
		DurationAPIMs: apiDuration,
	}
}

func NewSystemInit(config QueryOptions, version string, sessionID string) *SystemInitMessage {
	return &SystemInitMessage{
		BaseMessage:       BaseMessage{UUID: uuid.New(), SessionID: sessionID},
		Type:              MessageTypeSystem,
		Subtype:           SystemSubtypeInit,
		Model:             config.Model,
		ClaudeCodeVersion: version,
		CWD:               config.CWD,
		PermissionMode:    config.PermissionMode,
	}
}

func NewCompactBoundary(trigger string, preTokens int, sessionID string) *CompactBoundaryMessage {
	return &CompactBoundaryMessage{
		BaseMessage: BaseMessage{UUID: uuid.New(), SessionID: sessionID},
		Type:        MessageTypeSystem,
		Subtype:     SystemSubtypeCompactBoundary,
		CompactMetadata: CompactMetadata{
			Trigger:   trigger,
			PreTokens: preTokens,
		},
	}
}
