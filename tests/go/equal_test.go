package gotests

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentlines/types"
)

func TestValuesEqualThemselvesAndNothingElse(t *testing.T) {
	for _, instance := range instances(t) {
		one, other := must(types.DecodeAs(instance.Type, []byte(instance.Text))), must(types.DecodeAs(instance.Type, []byte(instance.Text)))
		if !cmp.Equal(one, other) || !reflect.DeepEqual(one, other) {
			t.Errorf("%s is not equal to itself: %s", instance.Type, instance.Text)
		}
		if !strings.HasPrefix(instance.Text, "{") {
			continue
		}
		more, err := types.DecodeAs(instance.Type, []byte(with(instance.Text, `"another one":[1]`)))
		if err == nil && cmp.Equal(one, more) {
			t.Errorf("%s: an undeclared member does not count", instance.Type)
		}
	}
}

func TestGoCmpComparesMessages(t *testing.T) {
	one, other := decode[*types.AssistantMessage](t, lines["AssistantMessage"]), decode[*types.AssistantMessage](t, lines["AssistantMessage"])
	if diff := cmp.Diff(one, other); diff != "" {
		t.Error(diff)
	}
	other.Message.Content[0].Text = "Undone."
	if types.Equal(one, other) || cmp.Equal(one, other) || cmp.Diff(one, other) == "" {
		t.Error("a text does not count")
	}
	if diff := cmp.Diff(one, other); !strings.Contains(diff, "Undone.") || strings.Contains(diff, one.SessionID) {
		t.Errorf("the difference is not that of the field: %s", diff)
	}
	if !types.Equal(one.Message.Usage, other.Message.Usage) || types.Equal(one.Message.Content[0], other.Message.Content[0]) {
		t.Error("Equal of the parts")
	}
	if types.Equal(one.BaseMessage, types.BaseMessage{}) {
		t.Error("the id does not count")
	}
}

func TestBoxesAreFieldsOfOthersStructs(t *testing.T) {
	type entry struct {
		At      int                            `json:"at"`
		Message types.Box[types.StdoutMessage] `json:"message"`
		Hook    *types.Box[types.HookInput]    `json:"hook,omitempty"`
	}
	text := `[{"at":1,"message":` + lines["StatusMessage"] + `},{"at":2,"message":{"type":"new"}}]`
	var entries []entry
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		t.Fatal(err)
	}
	if _, ok := entries[0].Message.Value.(*types.StatusMessage); !ok || !types.IsUnknown(entries[1].Message.Value) {
		t.Errorf("%+v", entries)
	}
	if back := must(json.Marshal(entries)); !sameJSON(back, []byte(text)) {
		t.Errorf("%s", back)
	}
	if !cmp.Equal(entries[0].Message, entries[0].Message) || cmp.Equal(entries[0].Message, entries[1].Message) {
		t.Error("boxes compare")
	}
	var fault *types.DecodeError
	if err := json.Unmarshal([]byte(`{"hook":{"hook_event_name":7}}`), &entries[0]); !errors.As(err, &fault) || fault.Path != "/hook_event_name" {
		t.Error(err)
	}
}

func TestHookInputsAreLoggedWithoutASwitch(t *testing.T) {
	text := `{"hook_event_name":"Stop","session_id":"s1","transcript_path":"/t","cwd":"/w","stop_hook_active":false}`
	for text, event := range map[string]string{text: "Stop", strings.Replace(text, `"Stop"`, `"Nap"`, 1): "Nap"} {
		input := must(types.UnmarshalHookInput([]byte(text)))
		if input.GetSessionID() != "s1" || input.GetCWD() != "/w" || input.GetTranscriptPath() != "/t" || input.GetHookEventName() != event {
			t.Errorf("%+v", input)
		}
	}
}
