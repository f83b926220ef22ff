package polywireruntime

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

var aNote = &note{Count: 1}

func requested(t *testing.T, s *Session, given ...ControlID) (ControlID, []byte) {
	t.Helper()
	var id *ControlID
	if len(given) > 0 {
		id = &given[0]
	}
	drawn, line, err := s.send(id, aNote)
	if err != nil {
		t.Fatal(err)
	}
	return drawn, line
}

func came[E SessionEvent](t *testing.T, s *Session, message any) E {
	t.Helper()
	found, err := s.Receive(message)
	event, ok := found.(E)
	if err != nil || !ok {
		t.Fatalf("%T (%v)", found, err)
	}
	return event
}

func pairOfSessions() (a, b *Session) {
	return newSession(exchangeOfNotes(), "a", nil), newSession(exchangeOfNotes(), "b", nil)
}

func read[T any, P declaredPlace[T]](t *testing.T, line []byte) *T {
	t.Helper()
	message, err := Decode[T, P](line)
	if err != nil {
		t.Fatal(err)
	}
	return &message
}

func codeOf(err error) SessionErrorCode {
	var refused *SessionError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

func TestARequestTravelsAndItsAnswerComesBack(t *testing.T) {
	a, b := pairOfSessions()
	id, line := requested(t, a)
	request := came[*SessionRequest](t, b, read[call](t, line))
	if id != 1.0 || request.ID != 1.0 || request.Payload.(*note).Count != 1 {
		t.Errorf("%v %#v", id, request)
	}
	if _, err := b.Reply(request, "no spot"); err == nil || len(b.Unanswered()) != 1 {
		t.Error("an answer of another type passed")
	}
	for range 2 {
		if _, err := b.Reply(&SessionRequest{ID: id}, spot{}); codeOf(err) != SessionNotOpen {
			t.Error(err)
		}
	}
	line, err := b.Reply(request, &spot{X: 1, Y: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reply(request, spot{}); codeOf(err) != SessionNotOpen {
		t.Error("a request was answered twice")
	}
	answer := came[*SessionAnswer](t, a, read[back](t, line))
	if found, ok := answer.Result.(*spot); !ok || found.Y != 2 || answer.ID != 1.0 || answer.Request.(*note).Count != 1 {
		t.Errorf("%#v", answer)
	}
	if stray := came[*SessionStray](t, a, read[back](t, line)); stray.Reason != StrayRepeated {
		t.Errorf("%#v", stray)
	}
	if len(a.Pending())+len(b.Unanswered()) > 0 {
		t.Error("requests are left")
	}
}

func TestIDsAreComparedWithTheirKind(t *testing.T) {
	a, _ := pairOfSessions()
	requested(t, a, "1")
	id, _ := requested(t, a)
	if _, _, err := a.send(&id, aNote); codeOf(err) != SessionIDInUse {
		t.Error(err)
	}
	for _, each := range []struct {
		id   any
		want string
	}{{true, "*polywireruntime.SessionStray"}, {1.0, "*polywireruntime.SessionAnswer"}, {"1", "*polywireruntime.SessionAnswer"}} {
		event, err := a.Receive(&back{ID: each.id, Kind: "good", Result: map[string]any{"x": 1.0, "y": 2.0}})
		if name := reflect.TypeOf(event).String(); err != nil || name != each.want {
			t.Error(each.id, name, err)
		}
	}
	requested(t, a, 2)
	if next, _ := requested(t, a); next != 3.0 {
		t.Error("an id that is pending was drawn:", next)
	}
}

func TestOnlyTheOtherSidesRequestsAreAnswered(t *testing.T) {
	a, b := pairOfSessions()
	if _, _, err := b.send(nil, aNote); codeOf(err) != SessionWrongDirection {
		t.Error(err)
	}
	for _, ask := range []line{aNote, &unknownLine{Kind: "x", Raw: []byte(`{"kind":"x"}`)}} {
		unknown := came[*SessionUnknownRequest](t, a, &call{ID: "x", Ask: ask})
		if want := `{"id":"x","kind":"bad","failed":{"text":"unknown request","code":"no"}}`; string(unknown.Line) != want {
			t.Errorf("%s", unknown.Line)
		}
	}
	keeping := newSession(exchangeOfNotes(), "a", []SessionOption{WithRefuseUnknown(false)})
	request := came[*SessionRequest](t, keeping, &call{ID: "x", Ask: &unknownLine{Kind: "x", Raw: []byte(`{"kind":"x"}`)}})
	if line, err := keeping.Reply(request, map[string]any{"any": nil}); err != nil || string(line) != `{"id":"x","kind":"good","result":{"any":null}}` {
		t.Errorf("%s %v", line, err)
	}
	silent := exchangeOfNotes()
	silent.refuse = nil
	if unknown := came[*SessionUnknownRequest](t, newSession(silent, "a", nil), &call{ID: "x", Ask: aNote}); unknown.Line != nil {
		t.Errorf("%s", unknown.Line)
	}
}

func TestFailuresAndAnswersThatDoNotFitEndARequest(t *testing.T) {
	a, _ := pairOfSessions()
	requested(t, a, "p")
	requested(t, a, "q")
	failed := came[*SessionFailure](t, a, &back{ID: "p", Kind: "bad", Failed: &failure{Text: "no"}})
	if failed.Err.Message != "no" || failed.Request.(*note).Count != 1 || failed.ID != "p" {
		t.Errorf("%#v", failed)
	}
	invalid := came[*SessionInvalidAnswer](t, a, &back{ID: "q", Kind: "good", Result: map[string]any{"x": 1.0}})
	if invalid.Err.Code != CodeMissingField || invalid.Err.Path != "/y" {
		t.Errorf("%#v", invalid.Err)
	}
	if nobodys := came[*SessionFailure](t, a, &back{Kind: "bad", Failed: &failure{Text: "no"}}); nobodys.Request != nil {
		t.Errorf("%#v", nobodys)
	}
	if len(a.Pending()) > 0 {
		t.Error(a.Pending())
	}
	came[*SessionMessage](t, a, &back{ID: "q", Kind: "third"})
	came[*SessionMessage](t, a, aNote)
	came[*SessionMessage](t, a, 7)
	if _, err := a.Receive((*back)(nil)); err == nil {
		t.Error("nil passed for a message")
	}
}

func TestACancelledRequestIsAnsweredLateOrNotAtAll(t *testing.T) {
	for _, answered := range []bool{false, true} {
		a, b := pairOfSessions()
		a.by.answered, b.by.answered = answered, answered
		id, line := requested(t, a)
		request := came[*SessionRequest](t, b, read[call](t, line))
		line, err := a.Cancel(id)
		if err != nil || (len(a.Pending()) == 1) != answered {
			t.Error(a.Pending(), err)
		}
		if cancelled := came[*SessionCancellation](t, b, read[stop](t, line)); cancelled.Payload != request.Payload {
			t.Errorf("%#v", cancelled)
		}
		if _, err := b.Reply(request, spot{}); (codeOf(err) == SessionNotOpen) == answered {
			t.Error(err)
		}
		if again := came[*SessionStray](t, b, read[stop](t, line)); again.Reason != StrayUnknown {
			t.Errorf("%#v", again)
		}
		for range 2 {
			if late := came[*SessionStray](t, a, &back{ID: id, Kind: "good"}); late.Reason != StrayLate || len(a.Pending()) > 0 {
				t.Errorf("%#v", late)
			}
		}
		if _, err := a.Cancel(id); codeOf(err) != SessionNotPending {
			t.Error(err)
		}
	}
}

func TestAnIDIsNotReusedWhileItsRequestIsUnanswered(t *testing.T) {
	_, b := pairOfSessions()
	request := came[*SessionRequest](t, b, &call{ID: "x", Ask: aNote})
	if stray := came[*SessionStray](t, b, &call{ID: "x", Ask: aNote}); stray.Reason != StrayReused || stray.ID != "x" {
		t.Errorf("%#v", stray)
	}
	if _, err := b.Reply(request, spot{}); err != nil {
		t.Error(err)
	}
	next := came[*SessionRequest](t, b, &call{ID: "x", Ask: aNote})
	if _, err := b.Reply(request, spot{}); codeOf(err) != SessionNotOpen {
		t.Error("an answer to the first request went to the second")
	}
	if _, err := b.Reply(next, spot{}); err != nil {
		t.Error(err)
	}
}

func TestTheLastIDsAreRemembered(t *testing.T) {
	a, _ := pairOfSessions()
	answered := func(id int) SessionEvent {
		event, err := a.Receive(&back{ID: id, Kind: "good", Result: map[string]any{"x": 1.0, "y": 2.0}})
		if err != nil {
			t.Fatal(err)
		}
		return event
	}
	for id := 1; id <= maxPast+1; id++ {
		requested(t, a, id)
		answered(id)
	}
	if stray := answered(1).(*SessionStray); stray.Reason != StrayUnknown {
		t.Errorf("%#v", stray)
	}
	if stray := answered(2).(*SessionStray); stray.Reason != StrayRepeated {
		t.Errorf("%#v", stray)
	}
	for range 2 * maxPast {
		requested(t, a, 2)
		answered(2)
	}
	if len(a.ended) != maxPast || a.past.Len() != maxPast {
		t.Error(len(a.ended), a.past.Len())
	}
	if stray := answered(3).(*SessionStray); stray.Reason != StrayRepeated {
		t.Errorf("%#v", stray)
	}
}

func TestManyRequestsAreKeptInOrder(t *testing.T) {
	a, b := pairOfSessions()
	const many = 20_000
	for n := range many {
		requested(t, a)
		came[*SessionRequest](t, b, &call{ID: fmt.Sprint(n), Ask: aNote})
	}
	pending, open := a.Pending(), b.Unanswered()
	if len(pending) != many || len(open) != many {
		t.Fatal(len(pending), len(open))
	}
	for n := range many {
		if pending[n].ID != float64(n+1) || open[n].ID != fmt.Sprint(n) {
			t.Fatal(n, pending[n], open[n])
		}
	}
}

func TestASessionIsSharedByGoroutines(t *testing.T) {
	a, b := pairOfSessions()
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 50 {
				_, line := requested(t, a)
				message, _ := Decode[call](line)
				event, _ := b.Receive(&message)
				var once sync.WaitGroup
				lines := make(chan []byte, 2)
				for range 2 {
					once.Add(1)
					go func() {
						defer once.Done()
						if line, err := b.Reply(event.(*SessionRequest), spot{}); err == nil {
							lines <- line
						}
					}()
				}
				once.Wait()
				if len(lines) != 1 {
					t.Error("answered", len(lines), "times")
					return
				}
				answer, _ := Decode[back](<-lines)
				if event, err := a.Receive(&answer); err != nil {
					t.Error(event, err)
				}
			}
		}()
	}
	all.Wait()
	if len(a.Pending())+len(b.Unanswered()) > 0 {
		t.Error("requests are left")
	}
}

func TestANotificationIsSentByItsSide(t *testing.T) {
	a, b := pairOfSessions()
	a.by.notices, b.by.notices = []*pairing{&pairNote}, []*pairing{&pairNote}
	if line, err := a.Notify(aNote); err != nil || len(line) == 0 {
		t.Errorf("%s %v", line, err)
	}
	if _, err := b.Notify(aNote); codeOf(err) != SessionWrongDirection {
		t.Error(err)
	}
	for _, each := range []Notification{nil, (*note)(nil), struct{ *note }{}} {
		if _, err := a.Notify(each); err != errNil {
			t.Errorf("%#v: %v", each, err)
		}
	}
}

func TestAPeerThatThereIsNotIsAMistakeOfTheProgram(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the peer passed")
		}
	}()
	newSession(exchangeOfNotes(), "c", nil)
}
