package polywireruntime

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
)

// pair is a tuple of two items.
type pair[A, B any] struct {
	V0 A
	V1 B
}

func (v pair[A, B]) MarshalJSON() ([]byte, error)     { return marshalTuple(&v) }
func (v *pair[A, B]) UnmarshalJSON(data []byte) error { return unmarshalTuple(data, v) }
func (pair[A, B]) isTuple()                           {}

func TestATupleTravelsAsAnArray(t *testing.T) {
	given := pair[string, shape]{"a", &spot{X: 1}}
	text, err := json.Marshal(given)
	if err != nil || string(text) != `["a",{"x":1,"y":0}]` {
		t.Fatal(string(text), err)
	}
	var back pair[string, shape]
	if err := json.Unmarshal(text, &back); err != nil || !equalPlaces(&given, &back) {
		t.Error(back, err)
	}
	if back.V1 = (&spot{X: 2}); equalPlaces(&given, &back) {
		t.Error("another item is no difference")
	}
}

func TestATupleOfAnotherSizeIsAFault(t *testing.T) {
	for _, text := range []string{`[]`, `["a"]`, `["a",{"x":1,"y":0},2]`} {
		var back pair[string, shape]
		var fault *DecodeError
		if err := json.Unmarshal([]byte(text), &back); !errors.As(err, &fault) || fault.Code != CodeOutOfBounds {
			t.Error(text, err)
		}
	}
	var back pair[string, shape]
	if err := json.Unmarshal([]byte(`["a",{"x":"1","y":0}]`), &back); err == nil {
		t.Error(back)
	}
	if text, err := json.Marshal(pair[string, shape]{}); err != nil || string(text) != `["",null]` {
		t.Error(string(text), err) // some shapes are null
	}
}

// nest contains itself.
type nest []nest

func TestTheItemsOfATupleAreWrittenByTheirGoTypes(t *testing.T) {
	type all = pair[pair[nest, map[string]*float64], pair[[]level, pair[any, uuid.UUID]]]
	given := all{V0: pair[nest, map[string]*float64]{nest{{}, {nest{}}}, map[string]*float64{"a": nil, "b": Ptr(0.5)}}}
	given.V1.V1.V0 = []any{"<", json.Number("1"), &spot{X: 1}}
	text, err := given.MarshalJSON()
	want := `[[[[],[[]]],{"a":null,"b":0.5}],[null,[["<",1,{"x":1,"y":0}],"00000000-0000-0000-0000-000000000000"]]]`
	if err != nil || string(text) != want {
		t.Fatal(string(text), err)
	}
	var back all
	if err := json.Unmarshal(text, &back); err != nil || len(back.V0.V0) != 2 || *back.V0.V1["b"] != 0.5 {
		t.Error(back, err)
	}
	if _, err := (pair[*note, int]{V0: &note{Kind: "none"}}).MarshalJSON(); err == nil {
		t.Error("a note of another kind")
	}
}

type embedding struct {
	count int
	spot
}

func refused[A any](t *testing.T, item A, text string) {
	var wrong *EncodeError
	if written, err := json.Marshal(pair[A, string]{V0: item}); !errors.As(err, &wrong) || wrong.Code != CodeWrongType {
		t.Errorf("%T: %s, %v", item, written, err)
	}
	var back pair[A, string]
	var fault *DecodeError
	if err := json.Unmarshal([]byte("["+text+`,"b"]`), &back); !errors.As(err, &fault) || fault.Code != CodeWrongType {
		t.Errorf("%T: %v, %v", item, back, err)
	}
}

func TestItemsOfOtherTypesAreRefused(t *testing.T) {
	refused(t, time.Now(), `"2020-01-01T00:00:00Z"`)
	refused(t, embedding{1, spot{X: 1}}, `{"x":1,"y":2}`)
	refused[error](t, errors.New("a"), `null`)
	refused(t, map[int]string{1: "a"}, `{"1":"a"}`)
	refused(t, [2]int{1, 2}, `[1,2]`)
	refused(t, []int32{1}, `[1]`)
	refused(t, json.RawMessage("1"), `1`)
}
