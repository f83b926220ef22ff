package gotests

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

func TestErrorsHaveACodeAPathAndWords(t *testing.T) {
	for _, fault := range []struct {
		line string
		code types.Code
		path string
	}{
		{``, types.CodeInvalidJSON, ""},
		{`{"type":`, types.CodeInvalidJSON, ""},
		{lines["StatusMessage"] + "x", types.CodeInvalidJSON, ""},
		{"\xef\xbb\xbf" + lines["StatusMessage"], types.CodeInvalidJSON, ""},
		{with(lines["StatusMessage"], `"x":NaN`), types.CodeInvalidJSON, ""},
		{with(lines["StatusMessage"], `"x":"`+"\xff"+`"`), types.CodeInvalidUTF8, ""},
		{with(lines["StatusMessage"], `"x":`+strings.Repeat("[", 128)+strings.Repeat("]", 128)), types.CodeTooDeep, ""},
		{with(lines["StatusMessage"], `"x":1e400`), types.CodeOutOfRange, "/x"},
		{with(lines["UserMessage"], `"a/b~c":{"d":[0,1e400]}`), types.CodeOutOfRange, "/a~1b~0c/d/1"},
		{strings.Replace(lines["UserMessage"], `"role":"user",`, "", 1), types.CodeMissingField, "/message/role"},
		{strings.Replace(lines["ToolProgressMessage"], `2.5`, `"2.5"`, 1), types.CodeWrongType, "/elapsed_time_seconds"},
		{strings.Replace(lines["AssistantMessage"], `"Done."`, `1`, 1), types.CodeWrongType, "/message/content/0/text"},
		{strings.Replace(lines["AssistantMessage"], `"role":"assistant"`, `"role":"user"`, 1), types.CodeWrongConstant, "/message/role"},
		{strings.Replace(lines["CompactBoundaryMessage"], `1000`, `1000.5`, 1), types.CodeOutOfRange, "/compact_metadata/pre_tokens"},
		{strings.Replace(lines["CompactBoundaryMessage"], `1000`, `9007199254740992`, 1), types.CodeOutOfRange, "/compact_metadata/pre_tokens"},
	} {
		message, err := types.UnmarshalSDKMessage([]byte(fault.line))
		if message != nil {
			t.Errorf("%T beside an error", message)
		}
		var typed *types.DecodeError
		if !errors.As(fmt.Errorf("wrapped: %w", err), &typed) {
			t.Errorf("%v for %q", err, fault.line)
			continue
		}
		if typed.Code != fault.code || typed.Path != fault.path {
			t.Errorf("%s at %q, expected %s at %q, for %q", typed.Code, typed.Path, fault.code, fault.path, fault.line)
		}
		if typed.Message == "" || !strings.Contains(err.Error(), typed.Message) || !strings.Contains(err.Error(), string(typed.Code)) {
			t.Errorf("%q says too little", err)
		}
	}
}

func TestIntegersMayBeWrittenWithAFractionOfZero(t *testing.T) {
	for _, spelling := range []string{"1000", "1000.0", "1e3", "100000e-2"} {
		line := strings.Replace(lines["CompactBoundaryMessage"], `1000`, spelling, 1)
		if message := decode[*types.CompactBoundaryMessage](t, line); message.CompactMetadata.PreTokens != 1000 {
			t.Errorf("%s is %d", spelling, message.CompactMetadata.PreTokens)
		}
	}
}

func TestStrictModeRefusesWhatLenientModeKeeps(t *testing.T) {
	for _, surprise := range []struct {
		line string
		code types.Code
		path string
	}{
		{with(lines["StatusMessage"], `"new":1`), types.CodeUnknownField, "/new"},
		{strings.Replace(lines["StatusMessage"], "compacting", "dreaming", 1), types.CodeUnknownValue, "/status"},
		{with(lines["StatusMessage"], `"permissionMode":null`), types.CodeWrongType, "/permissionMode"},
		{strings.Replace(lines["AssistantMessage"], `"type":"text"`, `"type":"hologram"`, 1), types.CodeUnknownVariant, "/message/content/0/type"},
		{strings.Replace(lines["FilesPersistedEvent"], "2026-02-07T09", "2026-02-07 09", 1), types.CodeBadFormat, "/processed_at"},
		{strings.Replace(lines["ResultMessage (error)"], "error_max_turns", "error_of_tomorrow", 1), types.CodeUnknownValue, "/subtype"},
	} {
		_, err := types.UnmarshalSDKMessage([]byte(surprise.line), types.StrictMode)
		var fault *types.DecodeError
		if !errors.As(err, &fault) || fault.Code != surprise.code || fault.Path != surprise.path {
			t.Errorf("%v, expected %s at %s", err, surprise.code, surprise.path)
		}
		examined, err := types.Examine("WireMessage", []byte(surprise.line), types.LenientMode)
		if err != nil || len(examined.Unknown()) != 1 || examined.Unknown()[0] != surprise.path {
			t.Errorf("%v, %v for %s", examined.Unknown(), err, surprise.line)
			continue
		}
		expectJSON(t, examined.Value, surprise.line)
	}
}

func TestEncodingRefusesWhatIsNoJSONOrNotOfItsType(t *testing.T) {
	progress := decode[*types.ToolProgressMessage](t, lines["ToolProgressMessage"])
	result := decode[*types.ResultMessage](t, lines["ResultMessage (success)"])
	result.DurationMs = 1 << 53
	user := decode[*types.UserMessage](t, lines["UserMessage"])
	cyclic := map[string]any{}
	cyclic["again"] = cyclic
	for _, wrong := range []struct {
		value any
		path  string
	}{
		{types.ToolProgressMessage{Type: progress.Type, ElapsedTimeSeconds: math.NaN()}, "/elapsed_time_seconds"},
		{types.ToolProgressMessage{Type: progress.Type, ElapsedTimeSeconds: math.Inf(1)}, "/elapsed_time_seconds"},
		{result, "/duration_ms"},
		{types.UserMessage{Type: "user", Message: types.MessageParam{Role: "user", Content: 7}}, "/message/content"},
		{types.UserMessage{Type: "user", Message: user.Message, ToolUseResult: math.NaN()}, "/tool_use_result"},
		{types.UserMessage{Type: "user", Message: user.Message, ToolUseResult: map[string]any{"f": func() {}}}, "/tool_use_result/f"},
		{types.UserMessage{Type: "user", Message: user.Message, ToolUseResult: cyclic}, ""},
	} {
		text, err := types.Encode(wrong.value)
		var fault *types.EncodeError
		if !errors.As(err, &fault) {
			t.Errorf("%v, %s", err, text)
		} else if !strings.HasPrefix(fault.Path, wrong.path) {
			t.Errorf("%v, expected a fault at %s", fault, wrong.path)
		}
	}
}

type failingJSON struct{ err error }

func (f failingJSON) MarshalJSON() ([]byte, error) { return nil, f.err }

type failingText struct{ err error }

func (f failingText) MarshalText() ([]byte, error) { return nil, f.err }

func TestAnEncodeErrorUnwrapsToItsCause(t *testing.T) {
	cause := &fs.PathError{Op: "read", Path: "/x", Err: io.ErrUnexpectedEOF}
	for _, foreign := range []any{failingJSON{cause}, failingText{cause}, map[string]failingJSON{"k": {cause}}, []any{failingJSON{cause}}} {
		for _, message := range []any{
			types.ControlSuccessResponse{RequestID: "1", Result: foreign},
			types.NewPermissionAllow(map[string]any{"k": foreign}),
			types.StatusMessage{Extra: types.ExtraOf(types.Member{Key: "k", Value: foreign})},
			types.ControlResponse{Response: types.ControlSuccessResponse{RequestID: "1", Result: foreign}},
		} {
			_, err := types.Encode(message)
			var fault *types.EncodeError
			var found *fs.PathError
			if !errors.As(err, &fault) || fault.Path == "" || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &found) || found != cause {
				t.Errorf("%T in %T: %v", foreign, message, err)
			}
		}
	}
	if _, err := types.Encode(types.StatusMessage{BaseMessage: types.BaseMessage{SessionID: "\xff"}}); errors.Unwrap(err) != nil {
		t.Errorf("%v has the cause %v", err, errors.Unwrap(err))
	}
}
