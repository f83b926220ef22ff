package gotests

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"example.com/agentlines/types"
)

// session is an example of a user's own type that contains types of the package.
type session struct {
	Name    string                        `json:"name"`
	First   types.SystemInitMessage       `json:"first"`
	Latest  *types.AssistantMessage       `json:"latest,omitempty"`
	Blocks  []types.ContentBlock          `json:"blocks"`
	Options map[string]types.QueryOptions `json:"options"`
	Prompt  types.SystemPromptConfig      `json:"prompt"`
}

func TestPlainJSONReadsAndWritesEveryMessage(t *testing.T) {
	for name, line := range lines {
		message := must(types.UnmarshalSDKMessage([]byte(line)))
		text, err := json.Marshal(message)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !sameJSON(text, []byte(line)) {
			t.Errorf("json.Marshal made %s of %s", text, line)
		}
		var indented bytes.Buffer
		encoder := json.NewEncoder(&indented)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(message); err != nil || !sameJSON(indented.Bytes(), []byte(line)) {
			t.Errorf("%v: %s", err, indented.String())
		}
		again, err := types.UnmarshalSDKMessage(indented.Bytes())
		if err != nil {
			t.Errorf("%v in %s", err, indented.String())
			continue
		}
		expectJSON(t, again, line)
	}
}

func TestMessagesInsideOfOtherTypes(t *testing.T) {
	text := `{"name":"n","first":` + with(lines["SystemInitMessage"], `"new":{"x":1}`) + `,"latest":` +
		lines["AssistantMessage"] + `,"blocks":[{"type":"text","text":"<x>"},{"type":"hologram","y":[1]}],` +
		`"options":{"a":{"model":"m","new":true}},"prompt":"p"}`
	var read session
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	if read.Latest.Message.Content[0].Text != "Done." || read.First.CWD != "/" || read.Prompt.Raw != "p" {
		t.Errorf("%+v", read)
	}
	written, err := json.Marshal(read)
	if err != nil || !sameJSON(written, []byte(text)) {
		t.Errorf("%v\n  %s\n  %s", err, written, text)
	}
}

func TestPlainJSONReportsTheFirstFault(t *testing.T) {
	var message types.StatusMessage
	err := json.Unmarshal([]byte(`{"type":"system","subtype":"status",`+base+`,"status":7}`), &message)
	var fault *types.DecodeError
	if !errors.As(err, &fault) || fault.Code != types.CodeWrongType || fault.Path != "/status" {
		t.Errorf("%v", err)
	}
}

func TestDecodingIntoAValueThatWasUsedLeavesNothingOfItBehind(t *testing.T) {
	message := must(types.Decode[types.StatusMessage]([]byte(with(lines["StatusMessage"], `"old":1`)), types.LenientMode))
	message.PermissionMode = pointer(types.PermissionModePlan)
	if err := json.Unmarshal([]byte(lines["StatusMessage"]), &message); err != nil {
		t.Fatal(err)
	}
	expectJSON(t, message, lines["StatusMessage"])
}

func TestAnInterfaceOfMessagesIsWrittenByPlainJSON(t *testing.T) {
	text, err := json.Marshal([]types.SDKMessage{
		must(types.UnmarshalSDKMessage([]byte(lines["StatusMessage"]))),
		must(types.UnmarshalSDKMessage([]byte(`{"type":"telepathy","x":1}`))),
		types.NewCompactBoundary("auto", 1, "s1"),
	})
	var back []json.RawMessage
	if err != nil || json.Unmarshal(text, &back) != nil || len(back) != 3 {
		t.Fatalf("%v: %s", err, text)
	}
	if !sameJSON(back[0], []byte(lines["StatusMessage"])) || !sameJSON(back[1], []byte(`{"type":"telepathy","x":1}`)) {
		t.Errorf("%s", text)
	}
}
