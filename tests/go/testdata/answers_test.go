package shelf

import (
	"errors"
	"reflect"
	"testing"
)

func travels[R any](t *testing.T, request Control[R], answer R, result string) {
	t.Helper()
	response, err := Reply(WrapRequest(RequestIDNumber(1), request), request, answer)
	if err != nil {
		t.Fatal(err)
	}
	line, err := Encode(response)
	if err != nil || string(line) != `{"jsonrpc":"2.0","id":1,"result":`+result+`}` {
		t.Fatal(string(line), err)
	}
	read, err := UnmarshalLine(line)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := UnwrapResponse(request, read); err != nil || !reflect.DeepEqual(back, answer) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestAnswersOfEveryFormTravel(t *testing.T) {
	travels(t, SpanCall{}, Tuple2[int64, *Book]{1, nil}, `[1,null]`)
	travels(t, SpanCall{}, Tuple2[int64, *Book]{1, &Book{Title: "x"}}, `[1,{"title":"x"}]`)
	travels(t, MaybeCall{}, Nullable[Tuple2[int64, string]]{}, `{}`)
	travels(t, MaybeCall{}, Nullable[Tuple2[int64, string]]{Null: true}, `null`)
	travels(t, MaybeCall{}, Some(Tuple2[int64, string]{1, "a"}), `[1,"a"]`)
	travels(t, FineCall{}, Ptr("fine"), `"fine"`)
	travels(t, FineCall{}, nil, `null`)
	travels(t, LevelCall{}, Ptr[int64](9), `9`)
	travels(t, LevelCall{}, nil, `{}`)
}

func TestAnAnswerThatIsNotTheLiteralIsRefused(t *testing.T) {
	var fault *EncodeError
	_, err := Reply(WrapRequest(RequestIDNumber(1), FineCall{}), FineCall{}, Ptr("no"))
	if !errors.As(err, &fault) || fault.Code != CodeWrongConstant {
		t.Error(err)
	}
}
