package polywireruntime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

var (
	atCount = []hop{{[]rule{(*note)(nil)}, "Count", false}}
	atText  = []hop{{[]rule{(*note)(nil)}, "Text", false}}
)

// functionFor returns a function in the options that answers notes and takes their counts.
func functionFor(id string, entry launchFunction, function any) LaunchFunction {
	row := &launchRow{request: (*note)(nil), params: [][]hop{atCount}}
	if len(entry.ID) > 0 {
		row.id = atCount
	}
	return LaunchFunction{Place: "/" + id, Control: "note", ID: id, Function: function, entry: &entry, row: row}
}

func TestARequestIsAnsweredByTheFunctionWithItsID(t *testing.T) {
	var missed error = errors.New("missed")
	byID := launchFunction{ID: []string{"count"}, Result: []string{"a", "b"}, None: []byte("[1]")}
	made := &Launched{Functions: []LaunchFunction{
		{Place: "/live", Live: true},
		functionFor("7", byID, func(_ context.Context, count int64) (any, error) { return count, nil }),
		functionFor("8", byID, func(*int64) (*spot, error) { return nil, nil }),
		functionFor("9", byID, func(context.Context, int64) error { return missed }),
	}}
	for count, want := range map[int64]string{
		7: "map[a:map[b:7]] <nil>", 8: "map[a:map[b:[1]]] <nil>", 9: "<nil> missed", 10: `<nil> no function has the id "10"`,
	} {
		result, err := made.Answer(&note{Count: count})(context.Background())
		if found := fmt.Sprint(result, " ", err); found != want {
			t.Error(found)
		}
	}
	var absent context.Context
	if result, err := made.Answer(&note{Count: 7})(absent); result == nil || err != nil {
		t.Error(result, err)
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
	none := functionFor("", launchFunction{}, func(int64) error { return nil })
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
	f.row = &launchRow{}
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

// argumentAs returns the value of a parameter of type T.
func argumentAs[T any](request any, way []hop) T {
	found, _ := argument(reflect.TypeFor[T](), request, way).Interface().(T)
	return found
}

func TestAParameterHasTheValueInTheRequestOrNone(t *testing.T) {
	n := &note{Text: Some("x"), Tags: []string{"a"}, Back: &event{Kind: "event/move"}, Done: Ptr(true), Color: Ptr(color("red"))}
	at := func(field string) []hop { return []hop{{[]rule{(*note)(nil)}, field, false}} }
	if argumentAs[note](n, nil).Done != n.Done || argumentAs[*note](n, nil) != n {
		t.Error("the request itself")
	}
	if text := argumentAs[*string](n, at("Text")); text == nil || *text != "x" {
		t.Error(text)
	}
	if text := argumentAs[Nullable[string]](n, at("Color")); text.Value == nil || *text.Value != "red" {
		t.Error(text)
	}
	if !argumentAs[bool](n, at("Done")) || argumentAs[*int64](n, at("Count")) == nil || argumentAs[*event](n, at("Back")) == nil {
		t.Error("values")
	}
	none := &note{Text: Nullable[string]{Null: true}}
	if argumentAs[*string](none, at("Text")) != nil || argumentAs[*bool](none, at("Done")) != nil || argumentAs[line](none, at("Back")) != nil {
		t.Error("absent values")
	}
	if argumentAs[string](&spot{}, at("Text")) != "" || argumentAs[bool](n, at("Text")) {
		t.Error("values of other types")
	}
}

func TestAMemberThatIsAbsentInAResultIsFilledFromTheRequest(t *testing.T) {
	x := exchangeOfNotes()
	pair := pairing{
		request: (*note)(nil), from: "a", answer: answer{typedRule{(*ofBlock)(nil), (*block)(nil)}, false, false},
		fill: []filling{{[]hop{{[]rule{(*callBlock)(nil)}, "Text", true}}, atText}},
	}
	x.pairs = []*pairing{&pair}
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
	if answer, err := replyTo[back](x, envelope, &pair, own); err != nil || answer.Result.(map[string]any)["text"] != "x" {
		t.Error(answer, err)
	}
	if written, err := payloadOf(x, &pair, own); err != nil || written.(map[string]any)["text"] != nil {
		t.Error(written, err)
	}
}
