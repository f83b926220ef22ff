// Package listing is the peer: the Go listing of the protocol as a user would have copied it, types and two-pass decode.
package listing

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
)

// Marshal and Unmarshal are what the listing reads and writes with; a program may set those of another library.
var (
	Marshal   = json.Marshal
	Unmarshal = json.Unmarshal
)

// --- decoding: the discriminators first, then the whole message

// UnmarshalSDKMessage returns the message of a line, or an error if its type is none of the listed ones.
func UnmarshalSDKMessage(data []byte) (SDKMessage, error) {
	var head RawSDKMessage
	if err := Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("read the type of a message: %w", err)
	}
	message, err := head.empty(data)
	if err != nil {
		return nil, err
	}
	return message, Unmarshal(data, message)
}

func (head RawSDKMessage) empty(data []byte) (SDKMessage, error) {
	switch head.Type {
	case MessageTypeAssistant:
		return new(AssistantMessage), nil
	case MessageTypeUser:
		return emptyUser(data), nil
	case MessageTypeResult:
		return new(ResultMessage), nil
	case MessageTypeStreamEvent:
		return new(PartialAssistantMessage), nil
	case MessageTypeToolProgress:
		return new(ToolProgressMessage), nil
	case MessageTypeAuthStatus:
		return new(AuthStatusMessage), nil
	case MessageTypeToolUseSummary:
		return new(ToolUseSummaryMessage), nil
	case MessageTypeSystem:
		if head.Subtype == nil {
			return nil, fmt.Errorf("a system message without a subtype")
		}
		return emptySystem(*head.Subtype)
	}
	return nil, fmt.Errorf("no message has the type %q", head.Type)
}

func emptyUser(data []byte) SDKMessage {
	var flag struct {
		IsReplay bool `json:"isReplay"`
	}
	_ = Unmarshal(data, &flag) // a flag that is no boolean is reported when the whole message is decoded
	if flag.IsReplay {
		return new(UserMessageReplay)
	}
	return new(UserMessage)
}

func emptySystem(subtype SystemSubtype) (SDKMessage, error) {
	switch subtype {
	case SystemSubtypeInit:
		return new(SystemInitMessage), nil
	case SystemSubtypeStatus:
		return new(StatusMessage), nil
	case SystemSubtypeCompactBoundary:
		return new(CompactBoundaryMessage), nil
	case SystemSubtypeHookStarted:
		return new(HookStartedMessage), nil
	case SystemSubtypeHookProgress:
		return new(HookProgressMessage), nil
	case SystemSubtypeHookResponse:
		return new(HookResponseMessage), nil
	case SystemSubtypeFilesPersisted:
		return new(FilesPersistedEvent), nil
	case SystemSubtypeTaskNotification:
		return new(TaskNotificationMessage), nil
	}
	return nil, fmt.Errorf("no system message has the subtype %q", subtype)
}

// --- encoding, where the tags of fields are not enough

// MarshalJSON writes the members of the block's type, including empty ones.
func (block ContentBlock) MarshalJSON() ([]byte, error) {
	switch block.Type {
	case "text":
		return Marshal(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{block.Type, block.Text})
	case "tool_use":
		return Marshal(struct {
			Type  string         `json:"type"`
			ID    string         `json:"id"`
			Name  string         `json:"name"`
			Input map[string]any `json:"input"`
		}{block.Type, block.ID, block.Name, block.Input})
	case "thinking":
		return Marshal(struct {
			Type     string `json:"type"`
			Thinking string `json:"thinking"`
		}{block.Type, block.Thinking})
	}
	type plain ContentBlock // without this method
	return Marshal(plain(block))
}

// MarshalJSON writes a text as a string, and a preset as an object.
func (prompt SystemPromptConfig) MarshalJSON() ([]byte, error) {
	if prompt.Raw != "" {
		return Marshal(prompt.Raw)
	}
	return Marshal(struct {
		Type   string `json:"type"`
		Preset string `json:"preset"`
		Append string `json:"append,omitempty"`
	}{"preset", prompt.Preset, prompt.Append})
}

// --- accessors

func (base BaseMessage) GetUUID() uuid.UUID   { return base.UUID }
func (base BaseMessage) GetSessionID() string { return base.SessionID }

func (AssistantMessage) GetType() MessageType        { return MessageTypeAssistant }
func (PartialAssistantMessage) GetType() MessageType { return MessageTypeStreamEvent }
func (UserMessage) GetType() MessageType             { return MessageTypeUser }
func (ResultMessage) GetType() MessageType           { return MessageTypeResult }
func (SystemInitMessage) GetType() MessageType       { return MessageTypeSystem }
func (StatusMessage) GetType() MessageType           { return MessageTypeSystem }
func (CompactBoundaryMessage) GetType() MessageType  { return MessageTypeSystem }
func (HookStartedMessage) GetType() MessageType      { return MessageTypeSystem }
func (HookProgressMessage) GetType() MessageType     { return MessageTypeSystem }
func (HookResponseMessage) GetType() MessageType     { return MessageTypeSystem }
func (ToolProgressMessage) GetType() MessageType     { return MessageTypeToolProgress }
func (AuthStatusMessage) GetType() MessageType       { return MessageTypeAuthStatus }
func (TaskNotificationMessage) GetType() MessageType { return MessageTypeSystem }
func (FilesPersistedEvent) GetType() MessageType     { return MessageTypeSystem }
func (ToolUseSummaryMessage) GetType() MessageType   { return MessageTypeToolUseSummary }

// --- constructors

func newBase(session string) BaseMessage {
	return BaseMessage{UUID: uuid.New(), SessionID: session}
}

// NewAssistantMessage returns a message of the model.
func NewAssistantMessage(message BetaMessage, parent *string, session string) *AssistantMessage {
	made := &AssistantMessage{BaseMessage: newBase(session), Type: MessageTypeAssistant}
	made.Message, made.ParentToolUseID = message, parent
	return made
}

// NewUserMessage returns a text of the user.
func NewUserMessage(text, session string) *UserMessage {
	made := &UserMessage{BaseMessage: newBase(session), Type: MessageTypeUser}
	made.Message = MessageParam{Role: "user", Content: text}
	return made
}

func newResult(
	subtype ResultSubtype, turns int, cost float64, usage BetaUsage, models map[string]ModelUsage,
	duration, ofAPI int64, session string,
) *ResultMessage {
	made := &ResultMessage{BaseMessage: newBase(session), Type: MessageTypeResult, Subtype: subtype}
	made.NumTurns, made.TotalCostUSD = turns, cost
	made.Usage, made.ModelUsage = usage, models
	made.DurationMs, made.DurationAPIMs = duration, ofAPI
	return made
}

// NewResultSuccess returns the result of a session that succeeded.
func NewResultSuccess(
	text string, turns int, cost float64, usage BetaUsage, models map[string]ModelUsage,
	duration, ofAPI int64, session string,
) *ResultMessage {
	made := newResult(ResultSubtypeSuccess, turns, cost, usage, models, duration, ofAPI, session)
	made.Result = text
	return made
}

// NewResultError returns the result of a session that failed.
func NewResultError(
	subtype ResultSubtype, errors []string, turns int, cost float64, usage BetaUsage, models map[string]ModelUsage,
	duration, ofAPI int64, session string,
) *ResultMessage {
	made := newResult(subtype, turns, cost, usage, models, duration, ofAPI, session)
	made.IsError, made.Errors = true, errors
	return made
}

// NewSystemInit returns the first message of a session with some options.
func NewSystemInit(options QueryOptions, version, session string) *SystemInitMessage {
	made := &SystemInitMessage{BaseMessage: newBase(session), Type: MessageTypeSystem, Subtype: SystemSubtypeInit}
	made.Model, made.CWD, made.PermissionMode = options.Model, options.CWD, options.PermissionMode
	made.ClaudeCodeVersion = version
	return made
}

// NewCompactBoundary returns the message where a context was compacted.
func NewCompactBoundary(trigger string, tokens int, session string) *CompactBoundaryMessage {
	made := &CompactBoundaryMessage{
		BaseMessage: newBase(session), Type: MessageTypeSystem, Subtype: SystemSubtypeCompactBoundary,
	}
	made.CompactMetadata = CompactMetadata{Trigger: trigger, PreTokens: tokens}
	return made
}
