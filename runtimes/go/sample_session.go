// The session of the sample protocol: its envelopes, its exchange, and the declarations that generated
// files add.
//
// This file is not copied into packages.

package polywireruntime

import "io"

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

// controlID is the rule of a ControlID.
var controlID rule = &ofID

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
// without a payload. Ids are numbers.
func exchangeOfNotes() *exchange {
	return &exchange{
		peers:    []string{"a", "b"},
		request:  form{id: []hop{{[]rule{(*call)(nil)}, "ID", false}}, payload: []hop{{[]rule{(*call)(nil)}, "Ask", false}}},
		response: form{id: backAt("ID"), result: backAt("Result"), when: []condition{{backAt("Kind"), "good"}}},
		failure: form{
			id:      backAt("ID"),
			message: append(backAt("Failed"), hop{[]rule{(*failure)(nil)}, "Text", false}),
			when:    []condition{{backAt("Kind"), "bad"}},
		},
		cancel:  form{id: []hop{{[]rule{(*stop)(nil)}, "ID", false}}},
		pointer: "/result",
		loose:   true,
		codes:   [2]any{"no", "no"},
		pairs:   []*pairing{&pairNote, &pairEvent},
		draw:    counted,
		respond: func(by *exchange, id ControlID, result any) (rule, error) {
			return responding(by, id, result, func(id ControlID, payload any) *back {
				return &back{ID: id, Kind: "good", Result: payload}
			})
		},
		refuse: func(id ControlID, message string, how refusing) (rule, error) {
			return failing(id, message, how, func(id ControlID, message string, code, data any) *back {
				return &back{ID: id, Kind: "bad", Failed: &failure{Text: message, Code: scalarAs[string](code)}}
			})
		},
	}
}

// exchanged has texts as ids.
var exchanged = *exchangeOfTexts()

func exchangeOfTexts() *exchange {
	x := exchangeOfNotes()
	x.draw = numbered
	return x
}

func requestPayload(request ControlPayload) line { return payloadAs[line](request, request.pair()) }

func newRequest(id ControlID, payload line) *call { return &call{ID: id, Ask: payload} }

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

var pairNote = pairing{request: (*note)(nil), from: "a", answer: answer{typedRule{(*spot)(nil), (*spot)(nil)}, false, false}}

func (*note) pair() *pairing { return &pairNote }

func (*note) answered(*spot) {}

var pairEvent = pairing{request: (*event)(nil), answer: answer{typedRule{nil, (*None)(nil)}, true, false}}

func (*event) pair() *pairing { return &pairEvent }

func (*event) answered(*None) {}

func (*note) notice() *pairing { return &pairNote }

// Notify puts a notification into its envelope, which it does not have.
func Notify(notification Notification) rule { return copied(notification) }

func newCancellation(id ControlID) *stop { return &stop{ID: id} }

// Refuse answers a request with an error.
func (s *Session) Refuse(request *SessionRequest, message string) ([]byte, error) {
	return refuse(s, request, message, noDetails)
}

// RefuseOption adds a detail to a refusal.
type RefuseOption func(*refusing)

// UnmarshalControlPayload decodes a request without its envelope.
func UnmarshalControlPayload(data []byte, mode ...Mode) (ControlPayload, error) {
	return sendable[ControlPayload](unmarshalLine(data, mode...))
}
