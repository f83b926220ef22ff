// Sessions: matching of requests and answers on one side of a connection, without I/O.

package polywireruntime

import (
	"cmp"
	linked "container/list"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// Session matches requests with answers for one side of a connection. It performs no I/O: pass each
// message from the peer to Receive, and send the lines that the other methods return, which have no
// newline (Writer.WriteLine adds it). It is safe for concurrent use.
type Session struct {
	by           *exchange
	peer         string
	keepsUnknown bool

	mutex     sync.Mutex
	announced string
	drawn     int64
	count     int
	pending   map[any]*sent
	open      map[any]*SessionRequest
	ended     map[any]*linked.Element // elements of past
	past      linked.List
}

// maxPast is the number of ids that a session remembers of requests that are no longer pending.
const maxPast = 1024

// noSuchRequest is the error message for a request that this side does not answer.
const noSuchRequest = "unknown request"

// SessionOption configures a session.
type SessionOption func(*Session)

// WithRefuseUnknown sets whether the session refuses requests that the protocol does not declare or that
// only this side sends. The default is true; if false, such a request is a *SessionRequest.
func WithRefuseUnknown(refuse bool) SessionOption {
	return func(s *Session) { s.keepsUnknown = !refuse }
}

// SessionEvent is the result of processing a message: a *SessionMessage, *SessionNotification,
// *SessionRequest, *SessionUnknownRequest, *SessionAnswer, *SessionFailure, *SessionInvalidAnswer,
// *SessionCancellation or *SessionStray. A process also has a *SessionFailedAnswer for a function that failed.
type SessionEvent interface{ isSessionEvent() }

type (
	// SessionMessage is a message that is not part of the control protocol, or an envelope in a form that
	// the protocol does not describe.
	SessionMessage struct{ Message any }

	// SessionNotification is a message of the peer that expects no answer.
	SessionNotification struct {
		Payload any // a pointer to the notification
	}

	// SessionRequest is a request of the peer that is waiting for Reply or Refuse.
	SessionRequest struct {
		ID       ControlID
		Payload  any // a pointer to the request
		Envelope any // the message

		key   any
		order int
		pair  *pairing // nil if the protocol declares no such request for the peer
	}

	// SessionUnknownRequest is a request that the protocol does not declare or that only this side sends.
	SessionUnknownRequest struct {
		ID       ControlID
		Payload  any
		Envelope any
		// Line is the line that refuses the request. Send it, as the peer is waiting for it. It is nil if
		// the protocol has no errors.
		Line []byte
	}

	// SessionAnswer is the answer to a request sent by this side.
	SessionAnswer struct {
		ID      ControlID
		Request any // a pointer to the request
		// Result is nil if there is no result, Null{} if it is null, a pointer if it is a struct, and
		// otherwise a value of the type that UnwrapResponse returns. SessionResult returns it in its
		// declared type.
		Result any

		place any // a pointer to the result
	}

	// SessionFailure is an error in answer to a request sent by this side, or to no request if its id is
	// null.
	SessionFailure struct {
		ID      ControlID
		Request any // nil for an error that answers no request
		Err     *ControlError
	}

	// SessionInvalidAnswer is an answer that does not have the type that matches the request.
	SessionInvalidAnswer struct {
		ID      ControlID
		Request any
		Err     *DecodeError
		Message any
	}

	// SessionCancellation reports that the peer no longer wants an answer to a request it sent.
	SessionCancellation struct {
		ID      ControlID
		Payload any // of the request
	}

	// SessionStray is an answer, a cancellation or a request that does not match the state of the
	// session.
	SessionStray struct {
		ID      any // as received
		Reason  StrayReason
		Message any
	}

	// SessionPending is a request sent by this side that has no answer yet.
	SessionPending struct {
		ID      ControlID
		Request any
	}
)

func (*SessionMessage) isSessionEvent()        {}
func (*SessionNotification) isSessionEvent()   {}
func (*SessionRequest) isSessionEvent()        {}
func (*SessionUnknownRequest) isSessionEvent() {}
func (*SessionAnswer) isSessionEvent()         {}
func (*SessionFailure) isSessionEvent()        {}
func (*SessionInvalidAnswer) isSessionEvent()  {}
func (*SessionCancellation) isSessionEvent()   {}
func (*SessionStray) isSessionEvent()          {}

// StrayReason is the reason why a message does not match the state of the session.
type StrayReason string

const (
	// StrayUnknown is an answer to an id that was never requested, or the cancellation of a request that
	// is not waiting for an answer.
	StrayUnknown StrayReason = "unknown"
	// StrayLate is an answer to a request that was cancelled.
	StrayLate StrayReason = "late"
	// StrayRepeated is another answer to a request that was already answered.
	StrayRepeated StrayReason = "repeated"
	// StrayReused is a request with the id of one that is not yet answered.
	StrayReused StrayReason = "reused"
)

// SessionError is the error of a call that a session cannot perform.
type SessionError struct {
	Code    SessionErrorCode
	Message string
}

func (e *SessionError) Error() string {
	return "polywireruntime: session: " + string(e.Code) + ": " + e.Message
}

// SessionErrorCode identifies the kind of a SessionError.
type SessionErrorCode string

const (
	// SessionIDInUse reports a request with an id that is already pending.
	SessionIDInUse SessionErrorCode = "id_in_use"
	// SessionNotPending reports the cancellation of an id that is not pending.
	SessionNotPending SessionErrorCode = "not_pending"
	// SessionNotOpen reports an answer to a request that was already answered or cancelled.
	SessionNotOpen SessionErrorCode = "not_open"
	// SessionWrongDirection reports a request or notification that only the peer sends.
	SessionWrongDirection SessionErrorCode = "wrong_direction"
)

type (
	// sent is a request sent by this side.
	sent struct {
		SessionPending
		order     int
		pair      *pairing
		cancelled bool
	}
	// ending describes how a request ended.
	ending struct {
		key    any
		reason StrayReason // for another answer to it
	}
)

// untyped is the pairing of payloads that the protocol does not declare, or whose variant tells the pairing.
var untyped = pairing{answer: answer{typedRule{isJSON, (*any)(nil)}, true, true}}

// Peer is one side of a connection.
type Peer string

// NewSession returns a session for one side of a connection. It panics if there is no such side.
func NewSession(peer Peer, options ...SessionOption) *Session {
	return newSession(&exchanged, string(peer), options)
}

func newSession(by *exchange, peer string, options []SessionOption) *Session {
	if !slices.Contains(by.peers, peer) {
		panic("polywireruntime: " + strconv.Quote(peer) + " is no peer, which are " + strings.Join(by.peers, ", "))
	}
	s := &Session{
		by: by, peer: peer,
		pending: map[any]*sent{}, open: map[any]*SessionRequest{}, ended: map[any]*linked.Element{},
	}
	for _, option := range options {
		option(s)
	}
	return s
}

// --- sending ---------------------------------------------------------------------------------------

// Request registers a request under a new id, and returns the id and the line to send.
func (s *Session) Request(request ControlPayload) (ControlID, []byte, error) {
	return s.send(nil, request)
}

// RequestWithID is Request with an id that the caller chooses.
func (s *Session) RequestWithID(id ControlID, request ControlPayload) ([]byte, error) {
	_, line, err := s.send(&id, request)
	return line, err
}

// send sends a request with the given id, or with a new one if given is nil.
func (s *Session) send(given *ControlID, request ControlPayload) (id ControlID, line []byte, err error) {
	if request == nil || isNil(request) {
		return id, nil, errNil
	}
	if fault := losing(request, asDeclared(request)); fault != "" {
		return id, nil, &EncodeError{Code: CodeWrongType, Message: fault}
	}
	payload := requestPayload(request)
	own, pair := identify(payloadIn(reflect.ValueOf(&payload)), s.by.pairs)
	if !s.sends(pair) {
		return id, nil, s.wrongDirection(own)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	drawn := s.drawn
	if given != nil {
		id = *given
	} else {
		for drawn++; ; drawn++ {
			id = s.by.fresh(drawn)
			if _, taken := s.pending[keyOf(reflect.ValueOf(&id).Elem())]; !taken {
				break
			}
		}
	}
	key := keyOf(reflect.ValueOf(&id).Elem())
	if _, taken := s.pending[key]; taken {
		return id, nil, &SessionError{SessionIDInUse, fmt.Sprintf("a request with the id %v is pending", id)}
	}
	if line, err = marshal(newRequest(id, payload)); err != nil {
		return id, nil, err
	}
	if given == nil {
		s.drawn = drawn
	}
	if past := s.ended[key]; past != nil {
		s.past.Remove(past)
		delete(s.ended, key)
	}
	s.count++
	s.pending[key] = &sent{SessionPending{id, own}, s.count, pair, false}
	return id, line, nil
}

// sends reports whether this side sends the message of a pair.
func (s *Session) sends(pair *pairing) bool {
	return pair != nil && (pair.from == "" || pair.from == s.peer)
}

func (s *Session) wrongDirection(payload any) error {
	return &SessionError{SessionWrongDirection, s.peer + " sends no " + strings.TrimPrefix(typeName(payload), "*")}
}

// cancel returns the message that cancels a request sent by this side.
func (s *Session) cancel(id ControlID, message func() rule) ([]byte, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := keyOf(reflect.ValueOf(&id).Elem())
	found := s.pending[key]
	if found == nil {
		return nil, &SessionError{SessionNotPending, fmt.Sprintf("no request with the id %v is pending", id)}
	}
	line, err := marshal(message())
	if err != nil {
		return nil, err
	}
	if found.cancelled = true; !s.by.answered {
		s.end(key, StrayLate)
	}
	return line, nil
}

// end records that a request sent by this side is no longer pending.
func (s *Session) end(key any, reason StrayReason) {
	delete(s.pending, key)
	s.ended[key] = s.past.PushBack(ending{key, reason})
	if s.past.Len() > maxPast {
		delete(s.ended, s.past.Remove(s.past.Front()).(ending).key)
	}
}

// Reply answers a request with a result. The result has the type that matches the request, or is JSON that
// lenient mode accepts for that type. Nil means no result, and Null{} means null. For a request that the
// protocol does not declare, the result is any JSON. If the result has the wrong type, the request stays
// unanswered. Members that the protocol fills from the request have its values if they are absent.
func (s *Session) Reply(request *SessionRequest, result any) ([]byte, error) {
	return s.close(request, func() (rule, error) {
		pair := request.pair
		if pair == nil {
			pair = &pairing{answer: untyped.answer}
			pair.answer.nullable = s.by.isNullable()
		}
		written, err := s.by.writtenResult(pair, result)
		if err == nil {
			written, err = pair.filled(request.Payload, written)
		}
		if err != nil {
			return nil, err
		}
		return s.by.respond(s.by, request.ID, written)
	})
}

// close answers a request of the peer.
func (s *Session) close(request *SessionRequest, answer func() (rule, error)) ([]byte, error) {
	if err := s.take(request, false); err != nil {
		return nil, err
	}
	envelope, err := answer()
	if err != nil {
		return nil, err
	}
	line, err := marshal(envelope)
	if err != nil {
		return nil, err
	}
	return line, s.take(request, true)
}

// refuse answers a request of the peer with an error.
func refuse[O ~func(*refusing)](s *Session, request *SessionRequest, message string, options []O) ([]byte, error) {
	return s.close(request, func() (rule, error) {
		return s.by.refuse(request.ID, message, detailsOf(s.by, request.pair == nil, options))
	})
}

// take checks that a request is unanswered, and if now is true, records that it is answered.
func (s *Session) take(request *SessionRequest, now bool) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if request == nil || request.key == nil || s.open[request.key] != request {
		return &SessionError{SessionNotOpen, "the request is answered, cancelled or none of this session"}
	}
	if now {
		delete(s.open, request.key)
	}
	return nil
}

// writtenResult writes a result as its pair declares it. The result has the type that matches the
// request, or is any value with the same JSON. Null means no result if it is not a valid result.
func (by *exchange) writtenResult(pair *pairing, result any) (any, error) {
	to := pair.answer
	if pair.reply != nil {
		to = *pair.reply
	}
	v := reflect.ValueOf(result)
	_, isNothing := result.(None)
	isNull := result != nil && !isNone(v) && isNullOf(v)
	if to.optional && (isNothing || result == nil || isNone(v) || isNull && !to.nullable) {
		return by.nothing(), nil
	}
	e := encoder{}
	switch {
	case to.of == nil:
		return nil, &EncodeError{Code: CodeWrongType, Message: "expected no result, got " + typeName(result)}
	case result == nil:
		return nil, &EncodeError{Code: CodeMissingField, Path: by.pointer, Message: "expected a result, got none"}
	case isNull && to.nullable:
		e.null()
		return by.untouched(&e)
	}
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() != reflect.Struct && !v.IsNil() {
		result = v.Elem().Interface()
	}
	e.as(codecOf(to.of, reflect.TypeOf(to.typ).Elem()), result)
	return by.untouched(&e)
}

// --- receiving -------------------------------------------------------------------------------------

// Receive processes a decoded message from the peer and returns the event.
func (s *Session) Receive(message any) (SessionEvent, error) {
	if message == nil || isNil(message) {
		return nil, errNil
	}
	own := asDeclared(message)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if own != nil {
		for _, take := range []func(*Session, rule) (SessionEvent, error){
			(*Session).refusal, (*Session).result, (*Session).request, (*Session).notification, (*Session).withdrawal,
		} {
			if event, err := take(s, own); event != nil || err != nil {
				return event, err
			}
		}
	}
	if field, _, ok := reach(own, s.by.announced.at); ok {
		if number, ok := scalarIn(field).(string); ok {
			s.announced = releaseOf(number, s.by.announced.releases)
		}
	}
	return &SessionMessage{message}, nil
}

// Announced returns the release that the peer stated most recently in its messages, or "" if it stated
// none. An unlisted number counts as the closest listed one before it, or as the first if there is none
// before it.
func (s *Session) Announced() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.announced
}

// releaseOf returns the last release whose number is not greater than the given one, or the first if all
// are greater.
func releaseOf(number string, releases [][2]string) string {
	found := releases[0][1]
	for _, each := range releases {
		if compareNumbers(each[0], number) <= 0 {
			found = each[1]
		}
	}
	return found
}

// compareNumbers compares two release numbers: digits compare as integers and sort before everything
// else.
func compareNumbers(one, other string) int {
	for one != "" && other != "" {
		first, second := digitsOf(one), digitsOf(other)
		switch {
		case first != "" && second != "":
			a, b := strings.TrimLeft(first, "0"), strings.TrimLeft(second, "0")
			if order := cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)); order != 0 {
				return order
			}
			one, other = one[len(first):], other[len(second):]
		case first != "":
			return -1
		case second != "":
			return 1
		case one[0] != other[0]:
			return cmp.Compare(one[0], other[0])
		default:
			one, other = one[1:], other[1:]
		}
	}
	return cmp.Compare(len(one), len(other))
}

func digitsOf(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return text
	}
	return text[:end]
}

// refusal processes an error.
func (s *Session) refusal(message rule) (SessionEvent, error) {
	form := &s.by.failure
	if _, ok := form.find(message, form.message); !ok {
		return nil, nil
	}
	field, _, _ := reach(message, form.id)
	key := keyOf(field)
	if key == nil {
		return &SessionFailure{Err: s.by.refusal(nil, message).(*ControlError)}, nil
	}
	return s.answered(message, field, key), nil
}

// result processes an answer with a result.
func (s *Session) result(message rule) (SessionEvent, error) {
	form := &s.by.response
	if _, ok := form.find(message, form.result); !ok {
		return nil, nil
	}
	field, _, ok := reach(message, form.id)
	key := keyOf(field)
	if !ok || key == nil {
		return nil, nil
	}
	return s.answered(message, field, key), nil
}

// answered finds the request that an answer belongs to.
func (s *Session) answered(message rule, field reflect.Value, key any) SessionEvent {
	found := s.pending[key]
	if found == nil {
		reason := StrayUnknown
		if past := s.ended[key]; past != nil {
			reason = past.Value.(ending).reason
		}
		return &SessionStray{spelt(field), reason, message}
	}
	if found.cancelled {
		s.end(key, StrayLate)
		return &SessionStray{found.ID, StrayLate, message}
	}
	s.end(key, StrayRepeated)
	place := reflect.New(reflect.TypeOf(found.pair.answer.typ).Elem())
	err := readAnswer(s.by, found.pair, message, place)
	var refused *ControlError
	var fault *DecodeError
	switch {
	case err == nil:
		return &SessionAnswer{found.ID, found.Request, resultIn(place.Elem(), found.pair.answer), place.Interface()}
	case errors.As(err, &refused):
		return &SessionFailure{found.ID, found.Request, refused}
	case !errors.As(err, &fault):
		fault = &DecodeError{Code: CodeWrongType, Message: err.Error()}
	}
	return &SessionInvalidAnswer{found.ID, found.Request, fault, message}
}

// resultIn returns a result as a decoder would: nil for no result, and Null{} for null.
func resultIn(v reflect.Value, of answer) any {
	if of.of == nil || of.optional && isNone(v) {
		return nil
	}
	if isNullOf(v) || !of.optional && v.Kind() == reflect.Interface && v.IsNil() {
		return Null{}
	}
	if isNullable(v.Type()) {
		v = v.FieldByName("Value").Elem()
	}
	if _, ok := v.Addr().Interface().(resolver); ok && v.Kind() == reflect.Struct {
		return v.Addr().Interface()
	}
	return v.Interface()
}

// SessionResult returns the result of an answer as the type that the protocol declares for its request.
func SessionResult[R any](_ Control[R], answer *SessionAnswer) (result R, err error) {
	if answer == nil {
		return result, errNil
	}
	place, ok := answer.place.(*R)
	if !ok {
		return result, errOtherAnswer
	}
	return *place, nil
}

// request processes a request of the peer.
func (s *Session) request(message rule) (SessionEvent, error) {
	field, payload, ok := s.by.request.in(message)
	id, key := idIn(field)
	if !ok || key == nil {
		return nil, nil
	}
	if s.open[key] != nil {
		return &SessionStray{id, StrayReused, message}, nil
	}
	own, pair := identify(payload, s.by.pairs)
	if own == nil {
		return nil, nil
	}
	if pair != nil && pair.from == s.peer {
		pair = nil // only this side sends it
	}
	if pair != nil || s.keepsUnknown {
		s.count++
		request := &SessionRequest{id, own, message, key, s.count, pair}
		s.open[key] = request
		return request, nil
	}
	event := &SessionUnknownRequest{id, own, message, nil}
	if s.by.refuse == nil {
		return event, nil
	}
	envelope, err := s.by.refuse(id, noSuchRequest, refusing{code: s.by.codes[1]})
	if err == nil {
		event.Line, err = marshal(envelope)
	}
	if err != nil {
		return nil, err
	}
	return event, nil
}

// notification processes a notification, which may cancel a request.
func (s *Session) notification(message rule) (SessionEvent, error) {
	_, payload, ok := s.by.notify.in(message)
	if !ok {
		return nil, nil
	}
	own, notice := identify(payload, s.by.notices)
	if own == nil {
		return nil, nil
	}
	if notice != nil && s.by.cancelled != nil && resolve(notice.request) == resolve(s.by.cancelled) {
		return s.cancellation(own, message), nil
	}
	return &SessionNotification{own}, nil
}

// withdrawal processes an envelope that cancels a request.
func (s *Session) withdrawal(message rule) (SessionEvent, error) {
	if s.by.cancelled != nil {
		return nil, nil
	}
	if _, _, ok := reach(message, s.by.cancel.id); !ok {
		return nil, nil
	}
	return s.cancellation(message, message), nil
}

// cancellation finds the request to cancel.
func (s *Session) cancellation(holder any, message rule) SessionEvent {
	field, _, _ := reach(holder, s.by.cancel.id)
	key := keyOf(field)
	found := s.open[key]
	if found == nil {
		return &SessionStray{spelt(field), StrayUnknown, message}
	}
	if !s.by.answered {
		delete(s.open, key)
	}
	return &SessionCancellation{found.ID, found.Payload}
}

// --- state -----------------------------------------------------------------------------------------

// Pending returns the requests sent by this side that have no answer yet, oldest first.
func (s *Session) Pending() []SessionPending {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	listed := inOrder(s.pending, func(each *sent) int { return each.order })
	found := make([]SessionPending, len(listed))
	for i, each := range listed {
		found[i] = each.SessionPending
	}
	return found
}

// Unanswered returns the requests of the peer that the program has not answered yet, oldest first.
func (s *Session) Unanswered() []*SessionRequest {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return inOrder(s.open, func(each *SessionRequest) int { return each.order })
}

func inOrder[T any](all map[any]T, order func(T) int) []T {
	found := make([]T, 0, len(all))
	for _, each := range all {
		found = append(found, each)
	}
	sort.Slice(found, func(i, j int) bool { return order(found[i]) < order(found[j]) })
	return found
}

// --- places ----------------------------------------------------------------------------------------

// in returns the id and the payload of a message. ok is false if the message has another form.
func (f *form) in(message rule) (id reflect.Value, payload any, ok bool) {
	field, ok := f.find(message, f.payload)
	if !ok {
		return id, nil, false
	}
	if id, _, ok = reach(message, f.id); !ok && len(f.id) > 0 {
		return id, nil, false
	}
	payload = payloadIn(field)
	return id, payload, payload != nil
}

// identify returns a pointer to the payload itself and its pair; the pair is nil if the protocol declares
// none.
func identify(payload any, pairs []*pairing) (any, *pairing) {
	own := asDeclared(payload)
	if own == nil {
		return nil, nil
	}
	for _, pair := range pairs {
		if !isRequest(own, pair.request) {
			continue
		}
		if _, ok := resolve(own).(*flat); ok {
			place := reflect.New(reflect.TypeOf(pair.request).Elem()).Interface()
			toVariant(own, pair.request, place)
			return place, pair
		}
		return own, pair
	}
	return own, nil
}

// idIn returns the id in a field and its comparison key; nil if there is none.
func idIn(field reflect.Value) (id ControlID, key any) {
	if key = keyOf(field); key == nil {
		return id, nil
	}
	place := reflect.ValueOf(&id).Elem()
	if field.Type().AssignableTo(place.Type()) {
		place.Set(field)
		return id, key
	}
	value, _ := present(field)
	if given := reflect.ValueOf(value); given.CanConvert(place.Type()) {
		place.Set(given.Convert(place.Type()))
	} else {
		convert(value, controlID, &id)
	}
	return id, key
}

// keyOf returns the comparison key of the id in a field: a text and a number differ.
func keyOf(field reflect.Value) any {
	if !field.IsValid() {
		return nil
	}
	value, there := present(field)
	if !there {
		return nil
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return float64(v.Int())
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	}
	if id, ok := value.(uuid.UUID); ok {
		return id
	}
	return nil
}

// spelt returns the id in a field.
func spelt(field reflect.Value) any {
	if !field.IsValid() {
		return nil
	}
	value, _ := present(field)
	return value
}

// sendable returns a decoded payload as the type that a session sends.
func sendable[P, T any](payload T, err error) (p P, _ error) {
	if err != nil {
		return p, err
	}
	if p, ok := any(payload).(P); ok {
		return p, nil
	}
	return any(&payload).(P), nil
}
