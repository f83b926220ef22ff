// Functions in options: which of them answers a request, and the call with what is in the request.

package polywireruntime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// SessionFailedAnswer is an event of a process: the function for a request returned an error or an invalid
// result, and the request was refused.
type SessionFailedAnswer struct {
	ID      ControlID
	Payload any // a pointer to the request
	Err     error
}

func (*SessionFailedAnswer) isSessionEvent() {}

// NewRequest returns an empty request of the type that the function answers, as a pointer; nil if it answers
// none.
func (f *LaunchFunction) NewRequest() any {
	if f.Control == "" || f.row == nil || f.row.request == nil {
		return nil
	}
	return reflect.New(reflect.TypeOf(resolve(f.row.request).(*table).typ).Elem()).Interface()
}

// HasID reports whether the function answers only the requests with its ID.
func (f *LaunchFunction) HasID() bool { return f.NewRequest() != nil && len(f.row.id) > 0 }

// Receive calls the function with output of the process.
func (f *LaunchFunction) Receive(output string) {
	if f.Receives != "" && f.row != nil {
		reflect.ValueOf(f.Function).Call([]reflect.Value{reflect.ValueOf(output)})
	}
}

// Answer returns the call of the function that answers a request, which is given as a pointer. The call
// returns the result for Session.Reply. Answer returns nil if no function answers requests of this type; if
// none has the id in the request, the call returns an error.
func (l *Launched) Answer(request any) func(context.Context) (any, error) {
	own := asDeclared(request)
	id, isAnswered := "", false
	for i := range l.Functions {
		f := &l.Functions[i]
		if own == nil || f.NewRequest() == nil || !isRequest(own, f.row.request) {
			continue
		}
		isAnswered = true
		if f.HasID() {
			id = idAt(request, f.row.id)
		}
		if !f.HasID() || f.ID == id {
			return func(ctx context.Context) (any, error) { return f.answer(ctx, request) }
		}
	}
	if !isAnswered {
		return nil
	}
	return func(context.Context) (any, error) { return nil, errors.New(`no function has the id "` + id + `"`) }
}

// answer calls the function, and puts what it returns into the result of the request.
func (f *LaunchFunction) answer(ctx context.Context, request any) (any, error) {
	result, err := f.call(ctx, request)
	if err != nil {
		return nil, err
	}
	if result == nil || isNone(reflect.ValueOf(result)) {
		if f.entry.None == nil {
			return noResult(request), nil
		}
		d := decoder{data: f.entry.None}
		if result = d.any(); result == nil {
			result = Null{}
		}
	}
	for _, key := range slices.Backward(f.entry.Result) {
		result = map[string]any{key: result}
	}
	return result, nil
}

// call calls the function with the values of its parameters in a request. A parameter more than there are values is
// the first one, for the context.
func (f *LaunchFunction) call(ctx context.Context, request any) (any, error) {
	function, arguments := reflect.ValueOf(f.Function), []reflect.Value{}
	if function.Type().NumIn() > len(f.row.params) {
		arguments = append(arguments, argument(function.Type().In(0), ctx, nil))
	}
	for _, way := range f.row.params {
		arguments = append(arguments, argument(function.Type().In(len(arguments)), request, way))
	}
	returned := function.Call(arguments)
	if err, _ := returned[len(returned)-1].Interface().(error); err != nil || len(returned) == 1 {
		return nil, err
	}
	return returned[0].Interface(), nil
}

// noResult returns what stands for no result of a request: null if there must be one.
func noResult(request any) any {
	if _, pair := identify(request, exchanged.pairs); pair != nil && pair.answer.nullable && !pair.answer.optional {
		return Null{}
	}
	return nil
}

// idAt returns the id of a function in a request as text.
func idAt(request any, way []hop) string {
	field, _, ok := reach(request, way)
	if !ok {
		return ""
	}
	value, there := present(field)
	if !there {
		return ""
	}
	if number := reflect.ValueOf(value); number.CanFloat() {
		return spellingOf(number.Float())
	}
	return fmt.Sprint(value)
}

// argument returns a value in a request, or the request itself, as the type of a parameter; the zero value
// if it is absent.
func argument(of reflect.Type, request any, way []hop) reflect.Value {
	place, v, ok := reflect.New(of).Elem(), reflect.ValueOf(request), true
	if len(way) > 0 {
		v, _, ok = reach(request, way)
	}
	if ok {
		assign(place, v)
	}
	return place
}

// assign stores a value, which may be absent, in a place of the same type or of one that represents absence
// differently.
func assign(place, v reflect.Value) {
	switch {
	case !v.IsValid():
	case v.Type().AssignableTo(place.Type()):
		place.Set(v)
	case isNullable(v.Type()):
		assign(place, v.FieldByName("Value"))
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		assign(place, v.Elem())
	case isNullable(place.Type()):
		assign(place.FieldByName("Value"), v)
	case place.Kind() == reflect.Pointer:
		place.Set(reflect.New(place.Type().Elem()))
		assign(place.Elem(), v)
	case v.Type().ConvertibleTo(place.Type()) && v.Kind() == place.Kind():
		place.Set(v.Convert(place.Type()))
	}
}
