package gotests

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/agentlines/types"
)

// returns reports a value that differs from what a decoder makes of its encoding, by the type that has the given name.
func returns(t *testing.T, name string, value any) (isEncoded bool) {
	t.Helper()
	text, err := types.EncodeAs(name, value)
	if own, wrong := types.Encode(value); err != nil || reflect.TypeOf(value).Kind() == reflect.Pointer && (wrong != nil || string(own) != string(text)) {
		return false // written as another variant on its own, by which it is compared
	}
	back, err := types.DecodeAs(name, text)
	if wrong := (*types.DecodeError)(nil); errors.As(err, &wrong) && strings.HasSuffix(wrong.Path, "/new") {
		return false // drawn, but of a type that its undeclared members do not have
	}
	if err != nil {
		t.Errorf("%s: %v in %s of %+v", name, err, text, value)
	} else if reflect.TypeOf(back) == reflect.TypeOf(value) && !types.Equal(value, back) {
		t.Errorf("%s: %+v\nis not %+v\nfrom %s", name, value, back, text)
	}
	return true
}

func TestAValueEqualsWhatItsEncodingDecodesTo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	encoded, seen := 0, map[reflect.Type]int{}
	for _, instance := range instances(t) {
		decoded := must(types.DecodeAs(instance.Type, []byte(instance.Text)))
		returns(t, instance.Type, decoded)
		typ := reflect.TypeOf(decoded)
		if typ.Kind() != reflect.Pointer || seen[typ] > 2 {
			continue
		}
		for seen[typ]++; seen[typ]%12 != 0; seen[typ]++ {
			drawn := reflect.New(typ.Elem())
			drawn.Elem().Set(reflect.ValueOf(decoded).Elem())
			redraw(random, drawn.Elem(), 0)
			if returns(t, instance.Type, drawn.Interface()) {
				encoded++
			}
		}
	}
	if encoded < 3000 {
		t.Errorf("only %d drawn values could be encoded", encoded)
	}
}

// redraw gives some fields of a value others: none, zero, empty, or drawn ones.
func redraw(random *rand.Rand, v reflect.Value, depth int) {
	choice := random.IntN(6)
	switch {
	case !v.CanSet() || v.Type() == reflect.TypeFor[types.Extra]() && choice > 0:
	case v.Type() == reflect.TypeFor[types.Extra]():
		v.Set(reflect.ValueOf(types.ExtraOf(types.Member{Key: "new", Value: []any{1, "x", nil, map[string]int{"a": 1}, types.Null{}}})))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(append(append([]byte(" "), v.Bytes()...), " "...))
	case v.Type() == reflect.TypeFor[uuid.UUID]():
		v.Set(reflect.ValueOf([]uuid.UUID{{}, uuid.New()}[choice%2]))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			redraw(random, v.Field(i), depth+1)
		}
	case choice == 0 && depth > 1:
		v.SetZero()
	case choice > 2 && v.Kind() != reflect.Pointer:
	case v.Kind() == reflect.Pointer && !v.IsNil():
		fresh := reflect.New(v.Type().Elem())
		fresh.Elem().Set(v.Elem())
		redraw(random, fresh.Elem(), depth)
		v.Set(fresh)
	case v.Kind() == reflect.Pointer && depth < 5:
		v.Set(reflect.New(v.Type().Elem()))
		redraw(random, v.Elem(), depth+1)
	case v.Kind() == reflect.Slice && depth < 5:
		v.Set(reflect.MakeSlice(v.Type(), choice, choice))
		for i := range choice {
			redraw(random, v.Index(i), depth+1)
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case v.Kind() == reflect.String:
		v.SetString([]string{"", "x", "<&>\u2028"}[choice])
	case v.CanInt():
		v.SetInt(int64(choice) - 1)
	case v.CanFloat():
		v.SetFloat(float64(choice) - 0.5)
	case v.Kind() == reflect.Bool:
		v.SetBool(choice == 1)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf([]any{"x", map[string]any{"a": 1, "b": []string{"c"}}, types.Null{}}[choice]))
	}
}

func TestWhatAConstructorMakesEqualsWhatItsEncodingDecodesTo(t *testing.T) {
	for _, made := range constructed() {
		message, isMessage := made.(types.SDKMessage)
		if !isMessage {
			continue
		}
		for _, back := range []types.SDKMessage{
			must(types.UnmarshalSDKMessage(must(types.Encode(message)))),
			must(types.UnmarshalSDKMessage(must(json.MarshalIndent(message, "", "  ")))),
		} {
			if !types.Equal(message, back) {
				t.Errorf("%+v\nis not %+v", message, back)
			}
		}
	}
}

// constructed returns what the constructors make of empty and of other arguments.
func constructed() []any {
	use := map[string]types.ModelUsage{"m": {InputTokens: 1}}
	made := []any{
		types.NewResultSuccess("", 0, 0, types.BetaUsage{}, nil, 0, 0, ""), types.NewResultSuccess("x", 1, 0.5, counters, use, 2, 3, "s"),
		types.NewResultError(types.ResultSubtypeErrorMaxTurns, nil, 0, 0, types.BetaUsage{}, nil, 0, 0, ""),
		types.NewAssistantMessage(types.BetaMessage{}, nil, ""), types.NewSystemInit(types.QueryOptions{}, "", ""),
		types.NewCompactBoundary("auto", 0, ""), types.NewUserMessage("", ""),
	}
	for _, content := range []any{
		"x", []any{}, []types.ContentBlock{{Type: "text", Text: "x"}},
		[]map[string]any{{"type": "text", "text": "x"}}, []any{&types.TextBlock{Text: "x"}},
	} {
		made = append(made, types.NewPrompt(content))
	}
	return made
}

func TestUnknownsAreComparedByValue(t *testing.T) {
	one := must(types.UnmarshalWireMessage([]byte(`{"type":"new","a":[1,"é",{"b":1.0,"c":null}],"n":1e2}`)))
	for text, same := range map[string]bool{
		` {"n":100, "type":"new", "a" : [1.0, "\u00e9", {"c":null,"b":1}]} `: true,
		`{"type":"new","a":[1,"é",{"b":1.0}],"n":1e2}`:                       false,
		`{"type":"new","a":[1,"é",{"b":2,"c":null}],"n":1e2}`:                false,
	} {
		other := must(types.UnmarshalWireMessage([]byte(text)))
		if types.Equal(one, other) != same || types.Equal([]types.WireMessage{one}, []types.WireMessage{other}) != same {
			t.Errorf("%v, %v: expected %v", one, other, same)
		}
	}
	if types.Equal(types.QueryOptions{Stderr: func(string) {}}, types.QueryOptions{}) {
		t.Error("a function does not count")
	}
}
