package polywireruntime

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

var (
	atCount = []hop{{[]rule{(*note)(nil)}, "Count", false}}
	atText  = []hop{{[]rule{(*note)(nil)}, "Text", false}}
)

// functionFor returns a function in the options that answers notes and returns a value.
func functionFor(id string, entry launchFunction, call func(ctx context.Context, request any) (any, error)) LaunchFunction {
	row := &launchRow{request: (*note)(nil), call: func(ctx context.Context, _, request any) (any, error) { return call(ctx, request) }}
	if len(entry.ID) > 0 {
		row.id = func(request any) string { return idAt(request, atCount) }
	}
	return LaunchFunction{Place: "/" + id, Control: "note", ID: id, entry: &entry, row: row}
}

func TestARequestIsAnsweredByTheFunctionWithItsID(t *testing.T) {
	var missed error = errors.New("missed")
	byID := launchFunction{ID: []string{"count"}, Result: []string{"a", "b"}, None: []byte("[1]")}
	made := &Launched{Functions: []LaunchFunction{
		{Place: "/live", Live: true},
		functionFor("7", byID, func(_ context.Context, request any) (any, error) { return argument[int64](request, atCount), nil }),
		functionFor("8", byID, func(context.Context, any) (any, error) { return (*spot)(nil), nil }),
		functionFor("9", byID, func(context.Context, any) (any, error) { return nil, missed }),
	}}
	for count, want := range map[int64]string{
		7: "map[a:map[b:7]] <nil>", 8: "map[a:map[b:[1]]] <nil>", 9: "<nil> missed", 10: `<nil> no function has the id "10"`,
	} {
		result, err := made.Answer(&note{Count: count})(context.Background())
		if found := fmt.Sprint(result, " ", err); found != want {
			t.Error(found)
		}
	}
	if made.Answer(&event{}) != nil || made.Answer(nil) != nil || made.Answer(&unknownLine{}) != nil {
		t.Error("another request is answered")
	}
	for i, want := range []string{"<nil> false", "*polywireruntime.note true"} {
		if found := fmt.Sprintf("%T %v", made.Functions[i].NewRequest(), made.Functions[i].HasID()); found != want {
			t.Error(found)
		}
	}
}

func TestAFunctionWithoutAnIDAnswersEveryRequestOfItsControl(t *testing.T) {
	none := functionFor("", launchFunction{}, func(context.Context, any) (any, error) { return nil, nil })
	made := &Launched{Functions: []LaunchFunction{none}}
	result, err := made.Answer(&note{Count: 5})(context.Background())
	if result != nil || err != nil {
		t.Error(result, err)
	}
	made.Functions[0].entry.None = []byte("null")
	if result, err := made.Answer(&note{})(context.Background()); result != any(Null{}) || err != nil {
		t.Error(result, err)
	}
	made.Functions[0].Control = "" // its ids do not exist at the release
	if made.Answer(&note{}) != nil {
		t.Error("a function without a control is called")
	}
}

func TestOutputIsPassedToTheFunctionThatReceivesIt(t *testing.T) {
	heard := ""
	f := LaunchFunction{Receives: "stderr", Function: func(text string) { heard += text }}
	f.Receive("lost")
	f.row = &launchRow{call: func(_ context.Context, function, output any) (any, error) {
		function.(func(string))(output.(string))
		return nil, nil
	}}
	if f.Receive("a"); heard != "a" || f.NewRequest() != nil {
		t.Error(heard)
	}
}

func TestIDsAreComparedAsText(t *testing.T) {
	for _, each := range []struct {
		id   any
		want string
	}{{"a", "a"}, {1.0, "1"}, {nil, ""}, {1e21, "1e+21"}} {
		if found := idAt(&call{ID: each.id}, []hop{{[]rule{(*call)(nil)}, "ID", false}}); found != each.want {
			t.Error(found)
		}
	}
	if idAt(&spot{}, atCount) != "" {
		t.Error("another struct has an id")
	}
}

func TestAParameterHasTheValueInTheRequestOrNone(t *testing.T) {
	n := &note{Text: Some("x"), Tags: []string{"a"}, Back: &event{Kind: "event/move"}, Done: Ptr(true), Color: Ptr(color("red"))}
	at := func(field string) []hop { return []hop{{[]rule{(*note)(nil)}, field, false}} }
	if argument[note](n, nil).Done != n.Done || argument[*note](n, nil) != n {
		t.Error("the request itself")
	}
	if text := argument[*string](n, at("Text")); text == nil || *text != "x" {
		t.Error(text)
	}
	if text := argument[Nullable[string]](n, at("Color")); text.Value == nil || *text.Value != "red" {
		t.Error(text)
	}
	if !argument[bool](n, at("Done")) || argument[*int64](n, at("Count")) == nil || argument[*event](n, at("Back")) == nil {
		t.Error("values")
	}
	none := &note{Text: Nullable[string]{Null: true}}
	if argument[*string](none, at("Text")) != nil || argument[*bool](none, at("Done")) != nil || argument[line](none, at("Back")) != nil {
		t.Error("absent values")
	}
	if argument[string](&spot{}, at("Text")) != "" || argument[bool](n, at("Text")) {
		t.Error("values of other types")
	}
}

func TestAMemberThatIsAbsentInAResultIsFilledFromTheRequest(t *testing.T) {
	x := exchangeOfNotes()
	pair := pairing{
		request: (*note)(nil), from: "a", answer: answer{typedRule{(*ofBlock)(nil), (*block)(nil)}, false, false},
		fill: []filling{{[]hop{{[]rule{(*callBlock)(nil)}, "Text", true}}, atText}},
	}
	x.answers = []*pairing{&pair}
	b := newSession(x, "b", nil)
	own := *read[block](t, []byte(`{"type":"call","input":{}}`))
	plain := map[string]any{"type": "call", "input": 1}
	for _, each := range []struct {
		result any
		text   Nullable[string]
		want   string
	}{
		{&own, Some("x"), `{"type":"call","input":{},"text":"x"}`},
		{own, Some("x"), `{"type":"call","input":{},"text":"x"}`},
		{&callBlock{Input: 1}, Some(""), `{"type":"call","input":1,"text":""}`},
		{plain, Some("x"), `{"type":"call","input":1,"text":"x"}`},
		{plain, Nullable[string]{}, `{"type":"call","input":1}`},
		{&callBlock{Input: 1, Text: Ptr("")}, Some("x"), `{"type":"call","input":1,"text":""}`},
		{&wordsBlock{Text: "w"}, Some("x"), `{"type":"text","text":"w"}`},
		{map[string]any{"type": "new"}, Some("x"), `{"type":"new"}`},
	} {
		request := came[*SessionRequest](t, b, &call{ID: "x", Ask: &note{Text: each.text}})
		line, err := b.Reply(request, each.result)
		if err != nil {
			t.Errorf("%v: %v", each.want, err)
			continue
		}
		wanted := map[string]any{}
		err = decodeAs([]byte(each.want), isObject, &wanted, nil)
		if answer := read[back](t, line); err != nil || !sameJSON(answer.Result, wanted) {
			t.Errorf("%s (%v)", line, err)
		}
	}
	if own.Text != nil || len(plain) != 2 {
		t.Error("the result was changed")
	}
	request := came[*SessionRequest](t, b, &call{ID: "y", Ask: &note{Text: Some("x")}})
	var wrong *EncodeError
	if _, err := b.Reply(request, map[string]any{"type": "call", "input": 1, "text": nil}); !errors.As(err, &wrong) || wrong.Code != CodeWrongType {
		t.Error(err)
	}
	envelope := &call{Ask: &note{Text: Some("x")}}
	if written, err := replyTo(x, &pair, &envelope.Ask, own); err != nil || written.(map[string]any)["text"] != "x" {
		t.Error(written, err)
	}
	if written, err := payloadOf(x, &pair, own); err != nil || written.(map[string]any)["text"] != nil {
		t.Error(written, err)
	}
}
