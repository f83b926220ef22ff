// Requests and their answers: writing an answer into its envelope and finding it there.

package polywireruntime

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/google/uuid"
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

// Control is a request whose answer has the type R.
type Control[R any] interface {
	ControlPayload
	answered(*R) // the pointer ties the type
}

// ControlPayload is a request that a session can send.
type ControlPayload interface{ pair() *pairing }

type (
	// exchange is the session table: it describes the messages of a protocol that are requests and answers.
	exchange struct {
		peers     []string
		request   form
		notify    form
		response  form
		failure   form
		cancel    form
		cancelled rule   // the notification that cancels a request, nil if an envelope does
		answered  bool   // cancelled requests must be answered
		pointer   string // to the result
		none      string // what represents no result, "" for its absence
		flat      bool   // the result's members are among others, so that one without members looks absent
		loose     bool   // the result's field is nil if it is absent, and Null{} if it is null
		codes     [2]any // of a refusal, and of the response to an unknown request
		data      []dataType
		announced announcement
		pairs     []*pairing
		notices   []*pairing
		prefix    string                          // of a number that is a text
		draw      func(by *exchange, n int64) any // what an id is made from: freshUUID, counted or numbered
		respond   func(by *exchange, id ControlID, result any) (rule, error)
		refuse    func(id ControlID, message string, how refusing) (rule, error) // nil if the protocol has no errors
	}
	// form is a form of messages: the paths to their parts, and what distinguishes them from other messages.
	form struct {
		id      []hop
		payload []hop
		result  []hop
		message []hop
		code    []hop
		data    []hop
		when    []condition
	}
	// announcement is where messages carry the number of the peer's release, and each number with its release,
	// oldest first.
	announcement struct {
		at       []hop
		releases [][2]string
	}
	// pairing is a request with its answer, or a notification.
	pairing struct {
		request rule
		from    string // the peer that sends it, "" for both peers
		answer  answer
		data    *typedRule // of errors that answer it; takes precedence over the types by code
		reply   *answer    // what the newest release writes, nil if it is the same
		fill    []filling
	}
	// filling is the path to a member of an answer, and the path to the member of the request whose value it
	// has if it is absent.
	filling struct{ at, from []hop }
	// answer is the type of an answer; its rule is nil if it has no payload.
	answer struct {
		typedRule
		optional bool
		nullable bool
	}
	// dataType is the type of the data of errors with a code.
	dataType struct {
		code any // an int64 or a string
		typedRule
	}
	// refusing has the details of a refusal.
	refusing struct {
		code any
		data any
	}
	condition struct {
		way   []hop
		value any // a string, bool, int64 or float64
	}
)

var (
	errNoAnswer    = errors.New("polywireruntime: the response holds no answer")
	errOtherAnswer = errors.New("polywireruntime: the answer belongs to another request")
)

// --- ids -------------------------------------------------------------------------------------------

var drawn atomic.Int64

// nextNumber returns a number that this process has not given to another request.
func nextNumber() int64 { return drawn.Add(1) }

// NewRequestID returns an id that this process has not used for another request.
func NewRequestID() ControlID { return exchanged.fresh(nextNumber()) }

// fresh returns the id with a number, or a random one.
func (by *exchange) fresh(n int64) (id ControlID) {
	convert(by.draw(by, n), controlID, &id)
	return id
}

func freshUUID(*exchange, int64) any { return uuid.NewString() }

func counted(_ *exchange, n int64) any { return n }

func numbered(by *exchange, n int64) any { return by.prefix + strconv.FormatInt(n, 10) }

// --- writing ---------------------------------------------------------------------------------------

// payloadOf writes an answer as plain JSON; nil for no answer.
func payloadOf[R any](by *exchange, how *pairing, response R) (any, error) {
	return by.written(how, reflect.ValueOf(&response).Elem())
}

func (by *exchange) written(how *pairing, v reflect.Value) (any, error) {
	if how.reply == nil {
		return by.writtenAs(how.answer, v)
	}
	return by.writtenReply(how, v)
}

func (by *exchange) writtenAs(to answer, v reflect.Value) (any, error) {
	if to.of == nil || to.optional && isNone(v) {
		return by.nothing(), nil
	}
	e := encoder{}
	switch {
	case isNullOf(v):
		e.null()
	default:
		e.value(codecOf(to.of, v.Type()), addressOf(v.Addr()))
	}
	return by.untouched(&e)
}

// writtenReply writes an answer whose type accepts more forms than the newest release writes.
func (by *exchange) writtenReply(how *pairing, v reflect.Value) (any, error) {
	to, isMissing := how.reply, how.answer.optional && isNone(v)
	switch {
	case isMissing && !to.optional:
		return nil, &EncodeError{Code: CodeMissingField, Path: by.pointer, Message: "expected an answer, got none"}
	case !isMissing && to.of == nil:
		return nil, &EncodeError{Code: CodeWrongType, Message: "expected no answer"}
	}
	written, err := by.writtenAs(how.answer, v)
	if err != nil || isMissing {
		return written, err
	}
	_, err = decodePlain(to.typedRule, written)
	if fault := (*DecodeError)(nil); errors.As(err, &fault) {
		err = fault.ofEncoding()
	}
	return written, err
}

// filled returns an answer, written as plain JSON, with the members that the request fills.
func (p *pairing) filled(request, written any) (any, error) {
	_, isObject := written.(map[string]any)
	own := asDeclared(request)
	if len(p.fill) == 0 || !isObject || own == nil {
		return written, nil
	}
	e, given := encoder{}, decoder{}
	if e.any(written); e.err != nil {
		return nil, e.err
	}
	place := reflect.New(reflect.TypeOf(p.answer.typ).Elem())
	if err := decodeAs(e.buf, p.answer.of, place.Interface(), nil); err != nil {
		return nil, err
	}
	text, err := marshal(own)
	if err != nil {
		return nil, err
	}
	given.data = text
	plain := given.any()
	for _, each := range p.fill {
		to, member := holding(place.Interface(), written, each.at)
		from, source := holding(own, plain, each.from)
		if to == nil || from == nil {
			continue
		}
		value, isGiven := from[source.key]
		if held, there := to[member.key]; there && held == nil && !member.isNullable() {
			return nil, &EncodeError{Code: CodeWrongType, Path: "/" + escapeStep(member.key), Message: "expected a value, got null"}
		} else if !there && isGiven {
			to[member.key] = value
		}
	}
	return written, nil
}

// nothing returns the value that represents no result.
func (by *exchange) nothing() any {
	if by.none == "" {
		return nil
	}
	d := decoder{data: []byte(by.none)}
	return d.any()
}

// untouched converts a written result to untouched JSON.
func (by *exchange) untouched(e *encoder) (any, error) {
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

// --- reading ---------------------------------------------------------------------------------------

// answerOf reads the answer to a request from the envelope that carried it.
func answerOf[R any](by *exchange, how *pairing, response any) (r R, err error) {
	err = readAnswer(by, how, response, reflect.ValueOf(&r))
	return r, err
}

func readAnswer(by *exchange, how *pairing, response any, place reflect.Value) error {
	if refused := by.refusal(how.data, response); refused != nil {
		return refused
	}
	found, ok := by.response.find(response, by.response.result)
	if !ok {
		return errNoAnswer
	}
	to := how.answer
	payload, there := present(found)
	if !there && !by.flat && !by.loose && found.Kind() == reflect.Interface {
		there = true // null, as the field is never absent
	}
	if _, null := payload.(Null); null {
		payload = nil
	}
	if there && to.optional && by.none != "" {
		d := decoder{data: []byte(by.none)}
		there = !reflect.DeepEqual(payload, d.any())
	}
	switch {
	case !there && to.optional || to.of == nil:
		return nil
	case !there && !by.flat:
		return &DecodeError{Code: CodeMissingField, Message: "expected an answer, got none"}
	case !there:
		payload = map[string]any{} // none of its members is in the response
	case payload == nil && to.optional && !to.nullable:
		return nil
	case payload == nil && to.optional:
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
	return decodeAs(e.buf, to.of, place.Interface(), nil)
}

// refusal returns the error that a response represents, if any. Data that does not fit its type stays
// untyped.
func (by *exchange) refusal(own *typedRule, response any) error {
	form := &by.failure
	found, holder, ok := reach(response, form.message)
	if !ok || !meets(response, form.when) {
		return nil
	}
	message, _ := present(found)
	refused := &ControlError{Response: holder}
	refused.Message, _ = message.(string)
	if code, _, ok := reach(response, form.code); ok {
		refused.Code = scalarIn(code)
	}
	if data, _, ok := reach(response, form.data); ok {
		refused.Data, _ = present(data)
	}
	if own == nil {
		at := slices.IndexFunc(by.data, func(each dataType) bool { return each.code == refused.Code })
		if at >= 0 {
			own = &by.data[at].typedRule
		}
	}
	if own != nil && refused.Data != nil {
		if data, err := decodePlain(*own, refused.Data); err == nil {
			refused.Data = data
		}
	}
	return refused
}

// --- paths -----------------------------------------------------------------------------------------

// find returns the field at the end of a path in a message; ok is false if the message has another form.
func (f *form) find(message any, way []hop) (field reflect.Value, ok bool) {
	field, _, ok = reach(message, way)
	return field, ok && meets(message, f.when)
}

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

// isNullable reports whether the member for results may be null.
func (by *exchange) isNullable() bool {
	last := by.response.result[len(by.response.result)-1]
	t := resolve(last.of[0]).(*table)
	at := slices.IndexFunc(t.rows, func(r row) bool { return r.field == last.field })
	return at >= 0 && t.rows[at].isNullable()
}

// isNullable reports whether null is a value of the member.
func (r *row) isNullable() bool {
	_, isOrNull := r.of.(*orNull)
	return isOrNull || r.flags&nullable != 0
}

// holding returns the object in plain JSON that holds the member at the end of a path, and the member's row,
// given the JSON as a value too; nil if the value has another struct on the path.
func holding(from, plain any, way []hop) (object map[string]any, found *row) {
	v := reflect.ValueOf(from)
	for _, each := range way {
		place, ok := structIn(v)
		if !ok {
			return nil, nil
		}
		own := asDeclared(place.Addr().Interface())
		at := slices.IndexFunc(each.of, func(of rule) bool { return isRequest(own, of) })
		if at < 0 {
			return nil, nil
		}
		t := resolve(each.of[at]).(*table)
		if _, isFlat := resolve(own).(*flat); isFlat {
			variant := reflect.New(reflect.TypeOf(t.typ).Elem())
			toVariant(own, each.of[at], variant.Interface())
			place = variant.Elem()
		} else {
			place = reflect.ValueOf(own).Elem()
		}
		r := &t.rows[slices.IndexFunc(t.rows, func(r row) bool { return r.field == each.field })]
		v = place.FieldByName(each.field)
		if r.flags&flattened == 0 {
			object, _ = plain.(map[string]any)
			found, plain = r, object[r.key]
		}
	}
	return object, found
}

// payloadIn returns the payload in the field of an envelope, as a pointer to a struct; nil if it has none.
func payloadIn(field reflect.Value) any {
	if v, ok := structIn(field); ok {
		return v.Addr().Interface()
	}
	return nil
}

// isRequest reports whether a payload, a pointer to a struct, is the given request.
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
		return asDouble(scalarIn(field)) != asDouble(each.value)
	})
}

// asDouble returns an int64 as a float64, and any other value unchanged.
func asDouble(scalar any) any {
	if number, ok := scalar.(int64); ok {
		return float64(number)
	}
	return scalar
}
