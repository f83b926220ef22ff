// The session of the sample protocol: its envelopes, its exchange, and the declarations that generated
// files add.
//
// This file is not copied into packages.

package polywireruntime

import (
	"io"
	"strconv"
)

// call, back and stop are the envelopes of requests, answers and cancellations.
type call struct {
	Extra Extra
	ID    any
	Ask   line
}

type back struct {
	Extra  Extra
	ID     any
	Kind   string
	Result any
	Failed *failure
}

type stop struct {
	Extra Extra
	ID    any
}

var ofID = choice{"string or number", []alternative{
	{`"`, isString, (*string)(nil)},
	{"-0123456789", isNumber, (*float64)(nil)},
}}

var (
	tableCall = table{name: "Call", typ: (*call)(nil), rows: []row{
		{"id", "ID", required, &ofID}, {"ask", "Ask", required, (*ofLine)(nil)},
	}}
	tableBack = table{name: "Back", typ: (*back)(nil), rows: []row{
		{"id", "ID", nullable, isJSON}, {"kind", "Kind", required, isString},
		{"result", "Result", 0, isJSON}, {"failed", "Failed", 0, (*failure)(nil)},
	}}
	tableStop = table{name: "Stop", typ: (*stop)(nil), rows: []row{{"id", "ID", required, &ofID}}}
)

func (*call) resolve() any { return &tableCall }
func (*back) resolve() any { return &tableBack }
func (*stop) resolve() any { return &tableStop }

func backAt(field string) []hop { return []hop{{[]rule{(*back)(nil)}, field, false}} }

// exchangeOfNotes has notes, sent by a and answered by a spot, and events, sent by both and answered
// without a payload.
func exchangeOfNotes() *exchange {
	return &exchange{
		peers:    []string{"a", "b"},
		request:  form{id: []hop{{[]rule{(*call)(nil)}, "ID", false}}, payload: []hop{{[]rule{(*call)(nil)}, "Ask", false}}},
		response: backAt("ID"),
		failure:  backAt("ID"),
		cancel:   []hop{{[]rule{(*stop)(nil)}, "ID", false}},
		responses: &responding{
			pointer: "/result",
			loose:   true,
			result:  backAt("Result"),
			when:    []condition{{backAt("Kind"), "good"}},
			message: append(backAt("Failed"), hop{[]rule{(*failure)(nil)}, "Text", false}),
			refused: []condition{{backAt("Kind"), "bad"}},
		},
		pairs: []*pairing{&pairNote, &pairEvent},
		fresh: func(n int64) ControlID { return n },
		wrap: func(id ControlID, written any) (rule, error) {
			return &back{ID: id, Kind: "good", Result: written}, nil
		},
		refuse: func(id ControlID, message string, _ bool) (rule, error) {
			return &back{ID: id, Kind: "bad", Failed: &failure{Text: message, Code: "no"}}, nil
		},
	}
}

type failure struct {
	Extra Extra
	Text  string
	Code  string
	Data  Nullable[spot]
}

var tableFailure = table{name: "Failure", typ: (*failure)(nil), rows: []row{
	{"text", "Text", required, isString},
	{"code", "Code", required, isString},
	{"data", "Data", nullable, (*spot)(nil)},
}}

func (*failure) resolve() any { return &tableFailure }

// Note, Spot and Event are requests and answers.
type (
	Note  = note
	Spot  = spot
	Event = event
)

// Envelope is the union of all messages.
type Envelope interface{ isEnvelope() }

func (*call) isEnvelope() {}
func (*back) isEnvelope() {}
func (*stop) isEnvelope() {}
func (*note) isEnvelope() {}

type ofEnvelope struct{}

func (*ofEnvelope) resolve() any { return &unionEnvelope }

var unionEnvelope = union{name: "Envelope", typ: (*Envelope)(nil), by: &dispatch{union: "Envelope", byKeys: []keysCase{
	{[]string{"ask"}, nil, (*call)(nil)},
	{[]string{"count"}, nil, (*note)(nil)},
	{[]string{"kind"}, nil, (*back)(nil)},
	{[]string{"id"}, nil, (*stop)(nil)},
}}}

// NewReader returns a reader of envelopes.
func NewReader(from io.Reader, options ...Option) *Reader[Envelope] {
	return NewReaderOf(from, func(data []byte, mode ...Mode) (x Envelope, err error) {
		err = decodeAs(data, (*ofEnvelope)(nil), &x, mode)
		return x, err
	}, options...)
}

// Control is a request whose answer is an R.
type Control[R any] interface {
	ControlPayload
	answered(*R) // the pointer ties the type
}

// ControlPayload is a request that a session can send.
type ControlPayload interface{ pair() *pairing }

var pairNote = pairing{request: (*note)(nil), from: "a", typ: (*spot)(nil), of: (*spot)(nil)}

func (*note) pair() *pairing { return &pairNote }

func (*note) answered(*spot) {}

var pairEvent = pairing{request: (*event)(nil), typ: (*None)(nil), optional: true}

func (*event) pair() *pairing { return &pairEvent }

func (*event) answered(*None) {}

// Peer is one side of a connection.
type Peer string

// NewSession returns a session for one side of a connection.
func NewSession(peer Peer, options ...SessionOption) *Session {
	exchange := exchangeOfNotes()
	exchange.fresh = func(n int64) ControlID { return strconv.FormatInt(n, 10) }
	return newSession(exchange, string(peer), options)
}

// Request assigns a new id to a request and returns the id and the line to send.
func (s *Session) Request(request ControlPayload) (ControlID, []byte, error) {
	payload := copied(request).(line)
	return s.ask(nil, payload, func(id ControlID) rule { return &call{ID: id, Ask: payload} })
}

// Cancel returns the line that cancels a request sent by this side.
func (s *Session) Cancel(id ControlID) ([]byte, error) {
	return s.cancel(id, func() rule { return &stop{ID: id} })
}

// Refuse answers a request with an error.
func (s *Session) Refuse(request *SessionRequest, message string) ([]byte, error) {
	return s.close(request, func() (rule, error) { return s.by.refuse(request.ID, message, request.pair == nil) })
}

// UnmarshalControlPayload decodes a request without its envelope.
func UnmarshalControlPayload(data []byte, mode ...Mode) (ControlPayload, error) {
	return sendable[ControlPayload](unmarshalLine(data, mode...))
}

// SessionResult returns the result of an answer in the type that matches its request.
func SessionResult[R any](_ Control[R], answer *SessionAnswer) (R, error) { return resultOf[R](answer) }
