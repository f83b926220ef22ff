// Requests and their answers: writing an answer into its envelope and finding it there.

//lint:file-ignore U1000 a package uses the helpers that its protocol needs

package polywireruntime

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"
)

// None is the result of a request whose answer has no payload.
type None struct{}

// ControlError is the error of a request that the peer refused. Find it with errors.As.
type ControlError struct {
	// Message is the error message that the peer sent.
	Message string
	// Response is a pointer to the struct that holds the error: the variant of the answer, or the whole
	// response if errors have an envelope of their own.
	Response any
	// Code is an int64 or a string, or nil if there is none.
	Code any
	// Data is the error's data as the protocol declares it (a pointer if it is a struct), or untouched
	// JSON; nil if there is none.
	Data any
}

func (e *ControlError) Error() string {
	return "polywireruntime: the request was refused: " + e.Message
}

type (
	// pairing is a request with its answer, or a notification.
	pairing struct {
		request  rule
		from     string // the peer that sends it, "" for both peers
		typ      any    // a nil pointer to the Go type of the answer
		of       rule   // of the answer, nil if it has no payload
		optional bool
		nullable bool
		data     *dataType // of errors that answer it; checked before the types by code
		new      *replying // the form of a new answer, nil if it is the same
	}
	// replying describes the answers that the newest release writes.
	replying struct {
		dataType // its rule is nil if it has no payload
		optional bool
		nullable bool
	}
	// responding describes the forms of responses.
	responding struct {
		pointer string // to the result
		flat    bool   // its members are among others, so that one without members looks absent
		loose   bool   // its field is nil if it is absent, and Null{} if it is null
		none    string // what represents no result, "" for its absence
		result  []hop
		when    []condition
		message []hop
		code    []hop
		data    []hop
		refused []condition // the conditions under which it is an error
		types   []dataType
	}
	// dataType is a type of an error's data: its rule and a nil pointer to its Go type.
	dataType struct {
		code any // an int64 or a string
		of   rule
		typ  any
	}
	// hop is a step on a path: a field of one of several structs.
	hop struct {
		of      []rule
		field   string
		variant bool // they are variants of a union
	}
	condition struct {
		way   []hop
		value any // a string, bool or float64
	}
)

var (
	errNoAnswer = errors.New("polywireruntime: the response holds no answer")
	errNil      = errors.New("polywireruntime: a nil pointer in place of a message")
	errOther    = errors.New("polywireruntime: the envelope holds another request than the one to answer")

	errOtherAnswer = errors.New("polywireruntime: the answer belongs to another request")
)

// --- ids -------------------------------------------------------------------------------------------

var drawn atomic.Int64

// nextNumber returns a number that this process has not given to another request.
func nextNumber() int64 { return drawn.Add(1) }

func nextText(prefix string) string { return prefix + strconv.FormatInt(nextNumber(), 10) }

// --- writing ---------------------------------------------------------------------------------------

// payloadOf writes an answer as the value of an envelope's field.
func payloadOf[P, R any](by *responding, how *pairing, response R) (payload P, err error) {
	written, err := writtenAnswer(by, how, reflect.ValueOf(&response).Elem())
	if err != nil {
		return payload, err
	}
	return fitted[P](by, written)
}

// fitted converts an answer to the type of a field; nil for no answer.
func fitted[P any](by *responding, written any) (P, error) {
	p, fits := written.(P)
	if !fits && written != nil {
		return p, &EncodeError{Code: CodeWrongType, Path: by.pointer, Message: "expected an object"}
	}
	return p, nil
}

func writtenAnswer(by *responding, how *pairing, v reflect.Value) (any, error) {
	if how.new != nil {
		return by.writtenNew(how, v)
	}
	if how.of == nil || how.optional && isNone(v) {
		return by.nothing(), nil
	}
	e := encoder{}
	switch {
	case isNullOf(v):
		e.null()
	default:
		e.value(codecOf(how.of, v.Type()), addressOf(v.Addr()))
	}
	return by.untouched(&e)
}

// writtenNew writes an answer whose type accepts more forms than the newest release writes.
func (by *responding) writtenNew(how *pairing, v reflect.Value) (any, error) {
	to, isMissing := how.new, how.optional && isNone(v)
	switch {
	case isMissing && !to.optional:
		return nil, &EncodeError{Code: CodeMissingField, Path: by.pointer, Message: "expected an answer, got none"}
	case !isMissing && to.of == nil:
		return nil, &EncodeError{Code: CodeWrongType, Message: "expected no answer"}
	}
	same := *how
	same.new = nil
	written, err := writtenAnswer(by, &same, v)
	if err != nil || isMissing {
		return written, err
	}
	_, err = decodePlain(to.of, to.typ, written)
	if fault := (*DecodeError)(nil); errors.As(err, &fault) {
		err = &EncodeError{Code: fault.Code, Path: fault.Path, Message: fault.Message}
	}
	return written, err
}

// nothing returns the value that represents no result.
func (by *responding) nothing() any {
	if by.none == "" {
		return nil
	}
	d := decoder{data: []byte(by.none)}
	return d.any()
}

// untouched converts a written result to untouched JSON.
func (by *responding) untouched(e *encoder) (any, error) {
	if e.err != nil {
		return nil, e.err
	}
	d := decoder{data: e.buf}
	written := d.any()
	if written == nil && by.loose {
		return Null{}, nil
	}
	return written, nil
}

// isNone reports whether an optional answer is absent.
func isNone(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return v.IsNil()
	case reflect.Struct:
		return isNullable(v.Type()) && v.IsZero()
	}
	return false
}

// isNullOf reports whether a Nullable, or a value of any type, represents null by something other than
// nil.
func isNullOf(v reflect.Value) bool {
	if isNullable(v.Type()) {
		return v.FieldByName("Value").IsNil()
	}
	_, ok := v.Interface().(Null)
	return ok
}

// plainOf writes the data of an error as the value of its field.
func plainOf[P any](data any) (plain P, err error) {
	if data == nil {
		return plain, nil
	}
	e := encoder{}
	if e.any(data); e.err != nil {
		return plain, e.err
	}
	d := decoder{data: e.buf}
	written := d.any()
	if written == nil {
		written = Null{}
	}
	plain, fits := written.(P)
	if !fits {
		return plain, &EncodeError{Code: CodeWrongType, Message: "expected an object as the data of an error"}
	}
	return plain, nil
}

// --- reading ---------------------------------------------------------------------------------------

// answerOf reads the answer to a request from the envelope that carried it.
func answerOf[R any](by *responding, how *pairing, response any) (r R, err error) {
	err = readAnswer(by, how, response, reflect.ValueOf(&r))
	return r, err
}

func readAnswer(by *responding, how *pairing, response any, place reflect.Value) error {
	if refused := by.refusal(how.data, response); refused != nil {
		return refused
	}
	found, _, ok := reach(response, by.result)
	if !ok || !meets(response, by.when) {
		return errNoAnswer
	}
	payload, there := present(found)
	if !there && !by.flat && !by.loose && found.Kind() == reflect.Interface {
		there = true // null, as the field is never absent
	}
	if _, null := payload.(Null); null {
		payload = nil
	}
	if there && how.optional && by.none != "" {
		d := decoder{data: []byte(by.none)}
		there = !reflect.DeepEqual(payload, d.any())
	}
	switch {
	case !there && how.optional || how.of == nil:
		return nil
	case !there && !by.flat:
		return &DecodeError{Code: CodeMissingField, Message: "expected an answer, got none"}
	case !there:
		payload = map[string]any{} // none of its members is in the response
	case payload == nil && how.optional && !how.nullable:
		return nil
	case payload == nil && how.optional:
		if v := place.Elem(); v.Kind() == reflect.Interface {
			v.Set(reflect.ValueOf(Null{}))
		} else {
			v.FieldByName("Null").SetBool(true)
		}
		return nil
	}
	e := encoder{}
	if e.any(payload); e.err != nil {
		return e.err
	}
	return decodeAs(e.buf, how.of, place.Interface(), nil)
}

// refusal returns the error that a response represents, if any. Data that does not fit its type stays
// untyped.
func (by *responding) refusal(own *dataType, response any) error {
	found, holder, ok := reach(response, by.message)
	if !ok || !meets(response, by.refused) {
		return nil
	}
	message, _ := present(found)
	refused := &ControlError{Response: holder}
	refused.Message, _ = message.(string)
	if code, _, ok := reach(response, by.code); ok {
		refused.Code = scalarIn(code)
	}
	if data, _, ok := reach(response, by.data); ok {
		refused.Data, _ = present(data)
	}
	if own == nil {
		at := slices.IndexFunc(by.types, func(each dataType) bool { return each.code == refused.Code })
		if at >= 0 {
			own = &by.types[at]
		}
	}
	if own != nil && refused.Data != nil {
		if data, err := decodePlain(own.of, own.typ, refused.Data); err == nil {
			refused.Data = data
		}
	}
	return refused
}

// --- paths -----------------------------------------------------------------------------------------

// reach returns the field at the end of a path, and the innermost variant on the path, or the struct that
// the path starts from. ok is false if there is a different struct on the path.
func reach(from any, way []hop) (v reflect.Value, holder any, ok bool) {
	v = reflect.ValueOf(from)
	for i, each := range way {
		if v, ok = structIn(v); !ok {
			return v, nil, false
		}
		own := asDeclared(v.Addr().Interface())
		if own == nil || !slices.ContainsFunc(each.of, func(of rule) bool { return isRequest(own, of) }) {
			return v, nil, false
		}
		if each.variant || i == 0 {
			holder = own
		}
		v = reflect.ValueOf(own).Elem().FieldByName(each.field)
	}
	return v, holder, len(way) > 0
}

// structIn returns the struct that a field holds.
func structIn(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem() // the zero Value if it was nil
	}
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return v, false
	}
	if isNullable(v.Type()) {
		return structIn(v.FieldByName("Value"))
	}
	return v, true
}

// isRequest reports whether the payload of an envelope, a pointer to a struct, is the given request.
func isRequest(payload any, request rule) bool {
	own := asDeclared(payload)
	if own == nil {
		return false
	}
	switch of := resolve(own).(type) {
	case *flat:
		return isVariantOf(own, request)
	case *table:
		return of == resolve(request)
	}
	return false
}

// present returns the value of a field, or Null{} for null if nil means that the field is absent.
func present(v reflect.Value) (any, bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, false
		}
		return present(v.Elem())
	case reflect.Interface, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return nil, false
		}
	case reflect.String:
		return v.String(), true
	case reflect.Struct:
		if isNullable(v.Type()) {
			if value := v.FieldByName("Value"); !value.IsNil() {
				return present(value)
			}
			return Null{}, v.FieldByName("Null").Bool()
		}
	}
	return v.Interface(), true
}

// scalarIn returns the scalar in a field as an int64, float64, string or bool.
func scalarIn(field reflect.Value) any {
	value, there := present(field)
	if v := reflect.ValueOf(value); there && v.CanInt() {
		return v.Int()
	}
	switch value.(type) {
	case string, bool, float64:
		return value
	}
	return nil
}

// meets reports whether a response has the values that identify a form.
func meets(response any, when []condition) bool {
	return !slices.ContainsFunc(when, func(each condition) bool {
		field, _, ok := reach(response, each.way)
		if !ok {
			return true
		}
		value := scalarIn(field)
		if number, ok := value.(int64); ok {
			value = float64(number)
		}
		return value != each.value
	})
}
