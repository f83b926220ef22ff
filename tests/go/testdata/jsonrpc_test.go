package shelf

import (
	"errors"
	"reflect"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func written(t *testing.T, v any, want string) {
	t.Helper()
	if line, err := Encode(v); err != nil || string(line) != want {
		t.Errorf("%s (%v), not %s", line, err, want)
	}
}

// travelled encodes a response and decodes it as the other side would.
func travelled(v any) Line { return must(UnmarshalLine(must(Encode(v)))) }

var (
	findCall = FindCall{Params: FindParams{Title: "x"}}
	sortCall = SortCall{Params: SortParams{By: "title"}}
	find     = WrapRequest(RequestIDString("a"), findCall)
	sorting  = WrapRequest(RequestIDNumber(7), sortCall)
)

func TestIDsAreCountedAndMayBeTexts(t *testing.T) {
	first, second := NewRequestID(), NewRequestID()
	if n, ok := first.(RequestIDNumber); !ok || second != n+1 {
		t.Error(first, second)
	}
	read := travelled(WrapRequest(second, PingCall{})).(*RPCRequest)
	if read.ID != second {
		t.Errorf("%#v", read.ID)
	}
	if answer := must(Reply[any](find, findCall, nil)); answer.ID != StringOrIntString("a") {
		t.Error(answer)
	}
}

func TestAListANumberNullAndAnObjectAreResults(t *testing.T) {
	place := Place{Shelf: 1, From: 2.5}
	for _, each := range []struct {
		result, back any
		text         string
	}{
		{nil, nil, "null"},
		{place, &place, `{"from":2.5,"shelf":1}`},
		{[]Place{place}, []Place{place}, `[{"from":2.5,"shelf":1}]`},
	} {
		answer := must(Reply(find, findCall, each.result))
		written(t, answer, `{"jsonrpc":"2.0","id":"a","result":`+each.text+`}`)
		if back, err := UnwrapResponse(findCall, travelled(answer)); err != nil || !reflect.DeepEqual(back, each.back) {
			t.Errorf("%#v, %v", back, err)
		}
	}
	count := WrapRequest(RequestIDNumber(1), CountCall{})
	answer := must(Reply(count, CountCall{}, 3))
	written(t, answer, `{"jsonrpc":"2.0","id":1,"result":3}`)
	if back, err := UnwrapResponse(CountCall{}, travelled(answer)); err != nil || back != 3 {
		t.Error(back, err)
	}
	ask := AskCall{Params: Book{Title: "x"}}
	yes := must(Reply(WrapRequest(RequestIDNumber(2), ask), ask, true))
	written(t, yes, `{"jsonrpc":"2.0","id":2,"result":true}`)
	if back, err := UnwrapResponse(ask, yes); err != nil || !back {
		t.Error(back, err)
	}
	state := must(Reply[any](WrapRequest(RequestIDNumber(3), StateCall{}), StateCall{}, []any{1, "x", nil}))
	written(t, state, `{"jsonrpc":"2.0","id":3,"result":[1,"x",null]}`)
	if back, err := UnwrapResponse(StateCall{}, state); err != nil || !reflect.DeepEqual(back, []any{1.0, "x", nil}) {
		t.Error(back, err)
	}
	listed := WrapRequest(RequestIDNumber(2), ListCall{})
	for _, list := range [][]Book{nil, {}} {
		books := must(Reply(listed, ListCall{}, list))
		written(t, books, `{"jsonrpc":"2.0","id":2,"result":[]}`)
		if back, err := UnwrapResponse(ListCall{}, books); err != nil || back == nil || len(back) != 0 {
			t.Error(back, err)
		}
	}
	var fault *EncodeError
	if _, err := Reply[any](find, findCall, 7); !errors.As(err, &fault) || fault.Code != CodeWrongType {
		t.Error(err)
	}
}

func TestAnAnswerThatDoesNotFitIsAnError(t *testing.T) {
	var fault *DecodeError
	bad := &RPCResponse{ID: StringOrIntNumber(2), Result: []any{map[string]any{}}}
	if _, err := UnwrapResponse(ListCall{}, bad); !errors.As(err, &fault) || fault.Code != CodeMissingField || fault.Path != "/0/title" {
		t.Error(err)
	}
	if _, err := UnwrapResponse(CountCall{}, &RPCResponse{ID: StringOrIntNumber(2), Result: nil}); !errors.As(err, &fault) || fault.Code != CodeWrongType {
		t.Error(err)
	}
	for _, other := range []any{nil, find, (*RPCResponse)(nil), (*RPCError)(nil), 7} {
		if _, err := UnwrapResponse(CountCall{}, other); err == nil {
			t.Errorf("%#v passed for a response", other)
		}
	}
}

func TestNoResultNullAndAValueAreThreeThings(t *testing.T) {
	for text, result := range map[string]Nullable[SortKey]{
		"{}": {}, "null": {Null: true}, `"title"`: Some(SortKeyTitle),
	} {
		answer := must(Reply(sorting, sortCall, result))
		written(t, answer, `{"jsonrpc":"2.0","id":7,"result":`+text+`}`)
		if back, err := UnwrapResponse(sortCall, travelled(answer)); err != nil || !reflect.DeepEqual(back, result) {
			t.Errorf("%#v, %v", back, err)
		}
	}
	none := must(Reply(WrapRequest(RequestIDNumber(1), PingCall{}), PingCall{}, None{}))
	written(t, none, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	if _, err := UnwrapResponse(PingCall{}, none); err != nil {
		t.Error(err)
	}
}

// raised encodes and decodes a response, and returns the error that it represents.
func raised[R any](t *testing.T, request Control[R], response *RPCError) *ControlError {
	t.Helper()
	var refused *ControlError
	if _, err := UnwrapResponse(request, travelled(response)); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	return refused
}

func TestAnErrorHasItsCodeAndTypedData(t *testing.T) {
	busy := raised(t, findCall, must(Refuse(find, "busy")))
	if busy.Message != "busy" || busy.Code != int64(-32603) || busy.Data != nil {
		t.Errorf("%+v", busy)
	}
	if response, ok := busy.Response.(*RPCError); !ok || response.ID != RequestIDString("a") {
		t.Errorf("%+v", busy.Response)
	}
	missing := MissingBook{Title: "x", Near: []string{"y"}}
	gone := raised(t, findCall, must(Refuse(find, "gone", WithCode(-32002), WithData(missing))))
	if gone.Code != int64(-32002) || !reflect.DeepEqual(gone.Data, &missing) {
		t.Errorf("%+v", gone)
	}
	locked := &LockedShelf{Until: "2025-01-01T00:00:00Z"}
	if data := raised(t, sortCall, must(Refuse(sorting, "locked", WithData(locked)))).Data; !reflect.DeepEqual(data, locked) {
		t.Errorf("%+v", data)
	}
	if data := raised(t, findCall, must(Refuse(find, "gone", WithCode(-32002), WithData([]any{1})))).Data; !reflect.DeepEqual(data, []any{1.0}) {
		t.Errorf("%+v", data)
	}
	null := must(Refuse(find, "gone", WithData(Null{})))
	written(t, null, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"gone","data":null}}`)
	if _, err := Refuse(find, "x", WithData(MissingBook{Near: []string{"\xff"}})); err == nil {
		t.Error("data that is no JSON")
	}
}

func TestAnErrorWithoutAnIDAnswersNoRequest(t *testing.T) {
	came := must(UnmarshalLine([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`)))
	if failed, ok := came.(*RPCError); !ok || failed.ID != nil {
		t.Errorf("%+v", came)
	}
}

func TestARequestThatIsNotDeclaredIsRefusedAsUnknown(t *testing.T) {
	came := must(UnmarshalLine([]byte(`{"jsonrpc":"2.0","id":3,"method":"x/y","params":[1]}`))).(*RPCRequest)
	written(t, must(Refuse(came, "no such method")),
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}`)
	if _, err := Reply(came, PingCall{}, None{}); err == nil {
		t.Error("an answer to another request")
	}
}

func TestNotificationsAndCancellationsHaveTheirEnvelope(t *testing.T) {
	written(t, Notify(ClosedNotice{}), `{"jsonrpc":"2.0","method":"notifications/closed"}`)
	cancelled := must(Cancel(sorting))
	written(t, cancelled, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if back, ok := travelled(cancelled).(*RPCNotification); !ok || !Equal(*back, *cancelled) {
		t.Errorf("%+v", back)
	}
	if _, err := Cancel(nil); err == nil {
		t.Error("a cancellation of nothing")
	}
}

func TestAResultIsGivenAsItsTypeOrAsTheSameJSON(t *testing.T) {
	place := Place{Shelf: 1, From: 2.5}
	for _, each := range []struct {
		request ControlPayload
		result  any
		back    any
		text    string
	}{
		{sortCall, nil, nil, `{}`},
		{sortCall, Nullable[SortKey]{}, nil, `{}`},
		{sortCall, Null{}, Null{}, `null`},
		{sortCall, Nullable[SortKey]{Null: true}, Null{}, `null`},
		{sortCall, Some(SortKey("x")), SortKey("x"), `"x"`},
		{sortCall, SortKey("x"), SortKey("x"), `"x"`},
		{sortCall, Ptr("x"), SortKey("x"), `"x"`},
		{findCall, Null{}, Null{}, `null`},
		{findCall, place, &place, `{"from":2.5,"shelf":1}`},
		{findCall, &place, &place, `{"from":2.5,"shelf":1}`},
		{findCall, []Place{place}, []Place{place}, `[{"from":2.5,"shelf":1}]`},
		{findCall, map[string]any{"shelf": 1, "from": 2.5}, &place, `{"from":2.5,"shelf":1}`},
		{CountCall{}, 3, int64(3), `3`},
		{CountCall{}, 3.0, int64(3), `3`},
		{PingCall{}, nil, nil, `{}`},
		{PingCall{}, None{}, nil, `{}`},
		{ListCall{}, []Book(nil), []Book{}, `[]`},
		{StateCall{}, []any{1, nil}, []any{1.0, nil}, `[1,null]`},
	} {
		client, server := NewSession(PeerClient), NewSession(PeerServer)
		id, line, err := client.Request(each.request)
		if err != nil || id != RequestIDNumber(1) {
			t.Error(id, err)
		}
		request := must(server.Receive(must(UnmarshalLine(line)))).(*SessionRequest)
		if line, err = server.Reply(request, each.result); err != nil || string(line) != `{"jsonrpc":"2.0","id":1,"result":`+each.text+`}` {
			t.Errorf("%T %#v: %s %v", each.request, each.result, line, err)
			continue
		}
		answer := must(client.Receive(must(UnmarshalLine(line)))).(*SessionAnswer)
		if !reflect.DeepEqual(answer.Result, each.back) {
			t.Errorf("%T %#v: %#v", each.request, each.result, answer.Result)
		}
	}
}

func TestAResultOfAnotherTypeLeavesARequestUnanswered(t *testing.T) {
	for _, each := range []struct {
		request ControlPayload
		result  any
		code    Code
	}{
		{sortCall, 3, CodeWrongType}, {findCall, nil, CodeMissingField}, {CountCall{}, nil, CodeMissingField},
		{CountCall{}, Null{}, CodeWrongType}, {CountCall{}, "3", CodeWrongType}, {PingCall{}, 1, CodeWrongType},
		{findCall, Book{}, CodeMissingField}, {ListCall{}, (*[]Book)(nil), CodeWrongType},
	} {
		client, server := NewSession(PeerClient), NewSession(PeerServer)
		_, line, err := client.Request(each.request)
		if err != nil {
			t.Fatal(err)
		}
		request := must(server.Receive(must(UnmarshalLine(line)))).(*SessionRequest)
		var wrong *EncodeError
		if _, err := server.Reply(request, each.result); !errors.As(err, &wrong) || wrong.Code != each.code || len(server.Unanswered()) != 1 {
			t.Errorf("%T %#v: %v", each.request, each.result, err)
		}
		if line, err := server.Refuse(request, "no", WithCode(7), WithData(Book{Title: "x"})); err != nil ||
			string(line) != `{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"no","data":{"title":"x"}}}` {
			t.Errorf("%s %v", line, err)
		}
	}
}

func TestWhatIsNilIsNotSent(t *testing.T) {
	client := NewSession(PeerClient)
	if _, _, err := client.Request(nil); err == nil {
		t.Error("nil passed for a request")
	}
	if _, _, err := client.Request((*CountCall)(nil)); err == nil {
		t.Error("a nil pointer passed for a request")
	}
	if _, err := client.Notify(nil); err == nil {
		t.Error("nil passed for a notification")
	}
	if _, err := client.Reply(nil, nil); err == nil {
		t.Error("nil passed for what is answered")
	}
}

func TestARequestThatIsUsedAgainDoesNotChangeWhatIsPending(t *testing.T) {
	client, request := NewSession(PeerClient), findCall
	if _, _, err := client.Request(&request); err != nil {
		t.Fatal(err)
	}
	envelope := WrapRequest(RequestIDString("a"), &request)
	request.Params.Title = "y"
	pending := client.Pending()[0].Request.(*FindCall)
	if wrapped := envelope.Call.(*FindCall); pending.Params.Title != "x" || wrapped.Params.Title != "x" {
		t.Error(pending, wrapped)
	}
}
