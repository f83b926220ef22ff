package polywireruntime

import (
	"errors"
	"reflect"
	"testing"
)

func TestNoIDIsDrawnTwice(t *testing.T) {
	if first, second := NewRequestID(), NewRequestID(); first == second {
		t.Error(first, second)
	}
}

func TestANewIDIsAUUIDANumberOrAText(t *testing.T) {
	by := &exchange{prefix: "r-", draw: freshUUID}
	if id, _ := by.fresh(7).(string); len(id) != 36 {
		t.Error(id)
	}
	if by.draw = counted; by.fresh(7) != 7.0 {
		t.Error(by.fresh(7))
	}
	if by.draw = numbered; by.fresh(7) != "r-7" {
		t.Error(by.fresh(7))
	}
}

func TestARefusalHasTheCodeOfTheProtocolOrOfItsOptions(t *testing.T) {
	by := &exchange{codes: [2]any{int64(1), int64(2)}}
	option := func(how *refusing) {
		how.code = int64(3)
		WithData("x")(how)
	}
	for _, each := range []struct {
		how, want refusing
	}{
		{detailsOf(by, false, []func(*refusing){}), refusing{code: int64(1)}},
		{detailsOf(by, true, []func(*refusing){}), refusing{code: int64(2)}},
		{detailsOf(by, true, []func(*refusing){option}), refusing{int64(3), "x"}},
	} {
		if each.how != each.want {
			t.Errorf("%#v", each.how)
		}
	}
}

func TestAScalarIsHeldByFieldsOfEveryForm(t *testing.T) {
	if number := scalarAs[*int64](int64(7)); number == nil || *number != 7 {
		t.Error(number)
	}
	if number := scalarAs[Nullable[float64]](int64(7)); number.Value == nil || *number.Value != 7 {
		t.Errorf("%#v", number)
	}
	if scalarAs[any]("x") != "x" || scalarAs[any](nil) != nil || scalarAs[string](nil) != "" {
		t.Error("a text or nothing changed")
	}
}

func TestTheDataOfAnErrorIsPlainJSON(t *testing.T) {
	if data, err := plainOf[any](spot{X: 1, Y: 2}); err != nil || !reflect.DeepEqual(data, map[string]any{"x": 1.0, "y": 2.0}) {
		t.Error(data, err)
	}
	if data, err := plainOf[any](nil); err != nil || data != nil {
		t.Error(data, err)
	}
	var fault *EncodeError
	if _, err := plainOf[map[string]any](3); !errors.As(err, &fault) || fault.Code != CodeWrongType {
		t.Error(err)
	}
}

func TestAnEnvelopeIsAnsweredOnlyForItsRequest(t *testing.T) {
	by, envelope := exchangeOfNotes(), &call{ID: "x", Ask: aNote}
	if answer, err := replyTo[back](by, envelope, &pairNote, spot{}); err != nil || answer.ID != "x" {
		t.Error(answer, err)
	}
	if answer, err := responseTo[back](by, "y", &pairNote, spot{}); err != nil || answer.ID != "y" {
		t.Error(answer, err)
	}
	if _, err := replyTo[back](by, envelope, &pairEvent, None{}); err != errOther {
		t.Error(err)
	}
	if _, err := replyTo[back](by, new(call), &pairNote, spot{}); err != errOther {
		t.Error(err)
	}
	if _, err := replyTo[back](by, (*call)(nil), &pairNote, spot{}); err != errNil {
		t.Error(err)
	}
}

func TestAnEnvelopeIsRefusedOrCancelledByItsID(t *testing.T) {
	by := &exchange{request: exchangeOfNotes().request, codes: [2]any{"no", "unknown"}, refuse: exchangeOfNotes().refuse}
	for _, each := range []struct {
		request line
		code    string
	}{{aNote, "no"}, {&unknownLine{}, "unknown"}, {nil, "no"}} {
		answer, err := refusalOf[back](by, &call{ID: 2.0, Ask: each.request}, "why", noDetails)
		if err != nil || answer.ID != 2.0 || answer.Failed.Code != each.code || answer.Failed.Text != "why" {
			t.Errorf("%+v %v", answer, err)
		}
	}
	if _, err := refusalOf[back](by, (*call)(nil), "why", noDetails); err != errNil {
		t.Error(err)
	}
	if message, err := cancellationOf(by, &call{ID: "x"}, newCancellation); err != nil || message.ID != "x" {
		t.Error(message, err)
	}
	if _, err := cancellationOf(by, (*call)(nil), newCancellation); err != errNil {
		t.Error(err)
	}
}
