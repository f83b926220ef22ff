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

func TestARefusalHasTheCodeOfTheProtocolOrOfItsOptions(t *testing.T) {
	by := &exchange{codes: [2]any{int64(1), int64(2)}}
	option := func(how *refusing) { how.code, how.data = int64(3), "x" }
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
	envelope := call{Ask: aNote}
	if err := expectRequest(&envelope.Ask, (*note)(nil)); err != nil {
		t.Error(err)
	}
	if err := expectRequest(&envelope.Ask, (*event)(nil)); err != errOther {
		t.Error(err)
	}
	if err := expectRequest(&new(call).Ask, (*note)(nil)); err != errOther {
		t.Error(err)
	}
}
