package polywireruntime

import (
	"errors"
	"reflect"
	"testing"
)

// reply is a response with a result or an error, as described by the tables below.
type reply struct {
	Extra  Extra
	Kind   string
	Result any
	Failed *failure
}

var tableReply = table{name: "Reply", typ: (*reply)(nil), rows: []row{
	{"kind", "Kind", required, isString},
	{"result", "Result", 0, isJSON},
	{"failed", "Failed", 0, (*failure)(nil)},
}}

func (*reply) resolve() any { return &tableReply }

func failedAt(field string) []hop {
	return []hop{{[]rule{(*reply)(nil)}, "Failed", false}, {[]rule{(*failure)(nil)}, field, false}}
}

func replyAt(field string) []hop { return []hop{{[]rule{(*reply)(nil)}, field, false}} }

var replies = exchange{
	response: form{result: replyAt("Result"), when: []condition{{replyAt("Kind"), "good"}}},
	failure: form{
		message: failedAt("Text"),
		code:    failedAt("Code"),
		data:    failedAt("Data"),
		when:    []condition{{replyAt("Kind"), "bad"}},
	},
	pointer: "/result",
	loose:   true,
	data:    []dataType{{"far", typedRule{(*note)(nil), (*note)(nil)}}},
}

// pairingOf is a request with an answer of a type.
func pairingOf(of rule, optional, nullable bool) *pairing {
	return &pairing{answer: answer{typedRule{of: of}, optional, nullable}}
}

func TestAnswersTravelAsPayloads(t *testing.T) {
	how := pairingOf((*spot)(nil), false, false)
	payload, err := payloadOf(&replies, how, spot{X: 1, Y: 2})
	if err != nil || !reflect.DeepEqual(payload, map[string]any{"x": 1.0, "y": 2.0}) {
		t.Error(payload, err)
	}
	if back, err := answerOf[spot](&replies, how, &reply{Kind: "good", Result: payload}); err != nil || back.X != 1 || back.Y != 2 {
		t.Error(back, err)
	}
	if _, err := answerOf[spot](&replies, how, &reply{Kind: "good", Result: map[string]any{"x": "1", "y": 2}}); err == nil {
		t.Error("the payload does not fit")
	}
	var fault *DecodeError
	if _, err := answerOf[spot](&replies, how, &reply{Kind: "good"}); !errors.As(err, &fault) || fault.Code != CodeMissingField || fault.Path != "" {
		t.Error(err)
	}
	flat := replies
	flat.flat = true
	if _, err := answerOf[spot](&flat, how, &reply{Kind: "good"}); !errors.As(err, &fault) || fault.Path != "/x" {
		t.Error(err)
	}
	none := pairingOf(nil, true, false)
	if payload, err := payloadOf(&replies, none, None{}); err != nil || payload != nil {
		t.Error(payload, err)
	}
	if _, err := answerOf[None](&replies, none, &reply{Kind: "good"}); err != nil {
		t.Error(err)
	}
	var wrong *EncodeError
	if _, err := fitted[map[string]any]("/result", 3.0); !errors.As(err, &wrong) || wrong.Path != "/result" {
		t.Error(err)
	}
}

func TestNoneAndNullAreTwoAnswers(t *testing.T) {
	how := pairingOf(isString, true, true)
	for _, each := range []struct {
		given Nullable[string]
		held  any
	}{{Nullable[string]{}, nil}, {Nullable[string]{Null: true}, Null{}}, {Some("x"), "x"}} {
		held, err := payloadOf(&replies, how, each.given)
		if err != nil || held != each.held {
			t.Errorf("%#v (%v)", held, err)
		}
		back, err := answerOf[Nullable[string]](&replies, how, &reply{Kind: "good", Result: held})
		if err != nil || !reflect.DeepEqual(back, each.given) {
			t.Errorf("%#v (%v)", back, err)
		}
	}
	loose := pairingOf(isJSON, true, true)
	for _, held := range []any{nil, Null{}, "x"} {
		if back, err := answerOf[any](&replies, loose, &reply{Kind: "good", Result: held}); err != nil || back != held {
			t.Errorf("%#v (%v)", back, err)
		}
		if back, err := payloadOf(&replies, loose, held); err != nil || back != held {
			t.Errorf("%#v (%v)", back, err)
		}
	}
}

func TestAFormIsToldByItsConditions(t *testing.T) {
	how := pairingOf(isJSON, true, true)
	bad := &failure{Text: "no", Code: "near"}
	for _, response := range []any{
		nil, 7, spot{}, (*reply)(nil), &reply{Kind: "third", Result: "x"}, &reply{Kind: "third", Failed: bad}, &reply{Kind: "bad"},
	} {
		var refused *ControlError
		if _, err := answerOf[any](&replies, how, response); err == nil || errors.As(err, &refused) {
			t.Errorf("%#v: %v", response, err)
		}
	}
	if _, err := answerOf[any](&replies, how, &reply{Kind: "good", Failed: bad}); err != nil {
		t.Error(err)
	}
}

func TestTheDataOfAnErrorIsTypedWhereItFits(t *testing.T) {
	own := &typedRule{(*spot)(nil), (*spot)(nil)}
	for _, each := range []struct {
		own  *typedRule
		code string
		data any
	}{
		{own, "far", &spot{X: 1, Y: 2}},
		{nil, "near", spot{X: 1, Y: 2}},
		{nil, "far", spot{X: 1, Y: 2}}, // not a note
	} {
		response := &reply{Kind: "bad", Failed: &failure{Text: "no", Code: each.code, Data: Some(spot{X: 1, Y: 2})}}
		_, err := answerOf[None](&replies, &pairing{answer: answer{optional: true}, data: each.own}, response)
		refused, ok := err.(*ControlError)
		if !ok || refused.Message != "no" || refused.Code != each.code || !reflect.DeepEqual(refused.Data, each.data) {
			t.Errorf("%#v", err)
		}
	}
}
