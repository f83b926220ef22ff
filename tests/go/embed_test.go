package gotests

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/agentlines/types"
)

// Structs that embed declared ones behind fields that JSON does not have, and so have their methods, but not their
// layout.
type (
	received struct {
		Note string `json:"-"`
		at   time.Time
		types.UserMessage
	}
	referring struct {
		note string
		*types.UserMessage
		seen time.Time
	}
	inner struct {
		at time.Time
		received
	}
	marked struct {
		note string
		types.SetModelRequest
	}
	asked struct {
		note string
		types.ControlRequestInner
	}
	moded struct {
		Count int
		types.PermissionMode
	}
	unknown struct {
		note string
		types.UnknownHookInput
	}
)

// Structs that have fields of their own for JSON.
type (
	stored struct {
		Note string `json:"note"`
		types.UserMessage
	}
	storedPointer struct {
		*types.UserMessage
		Note string
	}
	storedInner struct {
		at time.Time
		stored
	}
	storedBeside struct {
		types.SetModelRequest
		time.Time
	}
	storedRequest struct {
		Note string
		types.ControlRequestInner
	}
)

const (
	userLine     = `{"type":"user","uuid":"u","session_id":"s","message":{"role":"user","content":"hi"},"parent_tool_use_id":null}`
	setModel     = `{"subtype":"set_model","model":"opus"}`
	setModelLine = `{"type":"control_request","request_id":"1","request":` + setModel + `}`
)

func userMessage(t *testing.T) types.UserMessage {
	return *decode[*types.UserMessage](t, userLine)
}

func TestAnEmbeddedMessageIsWritten(t *testing.T) {
	message, model := userMessage(t), types.SetModelRequest{Model: types.Some("opus")}
	unread := must(types.UnmarshalHookInput([]byte(`{"hook_event_name":"New","a":1}`))).(*types.UnknownHookInput)
	for _, each := range []struct {
		value any
		want  string
	}{
		{received{"n", time.Now(), message}, userLine},
		{&received{"n", time.Now(), message}, userLine},
		{referring{"n", &message, time.Now()}, userLine},
		{&referring{"n", &message, time.Now()}, userLine},
		{&inner{time.Now(), received{"n", time.Now(), message}}, userLine},
		{marked{"n", model}, setModel},
		{&asked{"n", must(types.UnmarshalControlRequestInner([]byte(setModel)))}, setModel},
		{&unknown{"n", *unread}, `{"hook_event_name":"New","a":1}`},
	} {
		text, err := types.Encode(each.value)
		if err != nil || string(text) != each.want {
			t.Errorf("%T: %s, %v", each.value, text, err)
		}
		if same, err := json.Marshal(each.value); err != nil || string(same) != each.want {
			t.Errorf("%T with encoding/json: %s, %v", each.value, same, err)
		}
		held, err := types.Encode(types.ControlSuccessResponse{RequestID: "1", Result: each.value})
		if want := `{"subtype":"success","request_id":"1","response":` + each.want + `}`; err != nil || string(held) != want {
			t.Errorf("%T as an answer: %s, %v", each.value, held, err)
		}
	}
}

func TestWhatEmbedsNothingIsNotWritten(t *testing.T) {
	for _, each := range []any{referring{note: "n"}, &referring{note: "n"}, moded{1, "plan"}, &moded{1, "plan"}} {
		var wrong *types.EncodeError
		if text, err := types.Encode(each); !errors.As(err, &wrong) || wrong.Code != types.CodeWrongType {
			t.Errorf("%T: %s, %v", each, text, err)
		}
	}
}

// Go gives a struct the MarshalJSON of the message that it embeds, so encoding/json alone cannot tell the two apart.
func TestAStructThatWouldLoseItsFieldsIsRefused(t *testing.T) {
	message, request := userMessage(t), must(types.UnmarshalControlRequestInner([]byte(setModel)))
	for _, each := range []struct {
		value any
		field string
	}{
		{stored{"n", message}, "Note"},
		{&stored{"n", message}, "Note"},
		{storedPointer{&message, "n"}, "Note"},
		{&storedPointer{&message, "n"}, "Note"},
		{storedPointer{Note: "n"}, "Note"},
		{storedInner{time.Now(), stored{"n", message}}, "Note"},
		{storedBeside{types.SetModelRequest{}, time.Now()}, "Time"},
		{storedRequest{"n", request}, "Note"},
	} {
		refused := func(doing string, err error) {
			t.Helper()
			var fault *types.EncodeError
			if !errors.As(err, &fault) || fault.Code != types.CodeWrongType || !strings.Contains(fault.Message, "field "+each.field) {
				t.Errorf("%s of %T: %v", doing, each.value, err)
			}
		}
		_, err := types.Encode(each.value)
		refused("Encode", err)
		_, err = types.Encode(types.ControlSuccessResponse{RequestID: "1", Result: each.value})
		refused("an answer", err)
		_, err = types.Encode(types.HookStartedMessage{Extra: types.ExtraOf(types.Member{Key: "k", Value: []any{each.value}})})
		refused("a member", err)
		_, err = types.Box[any]{Value: each.value}.MarshalJSON()
		refused("a box", err)
		if payload, ok := each.value.(types.ControlPayload); ok {
			_, err = types.NewSession(types.PeerSDK).RequestWithID("1", payload)
			refused("a request", err)
		}
		refused("a line", types.NewWriter(io.Discard).Write(each.value))
	}
	var fault *types.DecodeError
	if found, err := types.Decode[stored]([]byte(userLine)); !errors.As(err, &fault) || !strings.Contains(fault.Message, "field Note") {
		t.Error(found, err)
	}
	if err := json.Unmarshal([]byte(userLine), new(types.Box[stored])); !errors.As(err, &fault) {
		t.Error(err)
	}
}

func TestAnEmbeddedNilPointerIsNoPanic(t *testing.T) {
	var fault *types.DecodeError
	for _, place := range []any{&referring{}, &storedPointer{}, new(types.Box[referring])} {
		if err := json.Unmarshal([]byte(userLine), place); !errors.As(err, &fault) || fault.Code != types.CodeWrongType {
			t.Errorf("%T: %v", place, err)
		}
	}
}

func TestAnEmbeddedMessageIsRead(t *testing.T) {
	message := userMessage(t)
	whole, err := types.Decode[received]([]byte(userLine))
	if want := (received{UserMessage: message}); err != nil || !reflect.DeepEqual(whole, want) {
		t.Error(whole, err)
	}
	var same received
	if err := json.Unmarshal([]byte(userLine), &same); err != nil || !reflect.DeepEqual(whole, same) {
		t.Error(same, err)
	}
	var box types.Box[received]
	if err := json.Unmarshal([]byte(userLine), &box); err != nil || !reflect.DeepEqual(box.Value, whole) {
		t.Error(box, err)
	}
	if text, err := json.Marshal(box); err != nil || string(text) != userLine {
		t.Error(string(text), err)
	}
	var wrong *types.DecodeError
	if found, err := types.Decode[referring]([]byte(userLine)); !errors.As(err, &wrong) || wrong.Code != types.CodeWrongType {
		t.Error(found, err)
	}
	// the declared type itself still has its own layout
	if again := userMessage(t); !reflect.DeepEqual(again, message) {
		t.Error(again)
	}
}

func TestAnEmbeddedRequestIsSentAndAnswered(t *testing.T) {
	request := marked{"n", types.SetModelRequest{Model: types.Some("opus")}}
	payload := must(types.UnmarshalControlRequestInner([]byte(setModel)))
	for _, line := range [][]byte{
		must(types.Encode(types.WrapRequest("1", request))),
		must(types.Encode(types.WrapRequest("1", &request))),
		must(types.NewSession(types.PeerSDK).RequestWithID("1", request)),
		must(types.NewSession(types.PeerSDK).RequestWithID("1", &request)),
		must(types.NewSession(types.PeerSDK).RequestWithID("1", &asked{"n", payload})),
	} {
		if string(line) != setModelLine {
			t.Errorf("%s", line)
		}
	}
	envelope := must(types.Decode[types.ControlRequest]([]byte(setModelLine)))
	type carried struct {
		At time.Time
		*types.ControlRequest
	}
	session := types.NewSession(types.PeerCli)
	event, err := session.Receive(carried{time.Now(), &envelope})
	if asked, ok := event.(*types.SessionRequest); err != nil || !ok || asked.ID != "1" {
		t.Errorf("%#v, %v", event, err)
	}
}

func TestStructsThatEmbedAMessageAreCompared(t *testing.T) {
	message := userMessage(t)
	at := time.Now()
	one, other := referring{"n", &message, at}, referring{"n", &message, at}
	if !types.Equal(one, other) {
		t.Error("a struct differs from its copy")
	}
	if other.note = "m"; types.Equal(one, other) {
		t.Error("a field of its own does not count")
	}
}
