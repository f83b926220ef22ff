//needs NewSession

package testee

import (
	"encoding/json"
	"errors"

	types "example.com/agentlines/types"
)

// step is a step of a script. Exactly one of the first eight members is set and selects the operation.
type step struct {
	Request   *string
	Notify    *string
	Cancel    json.RawMessage
	Receive   *string
	Reply     json.RawMessage
	Refuse    json.RawMessage
	Pending   bool
	Announced bool

	ID      json.RawMessage
	Result  *string
	Message string
	Code    any
	Data    *string
}

// script is a session with the received requests by id.
type script struct {
	*types.Session
	came map[string]*types.SessionRequest
}

var (
	notify func(s *types.Session, payload string) ([]byte, error)
	refuse = func(s *types.Session, request *types.SessionRequest, asked step) ([]byte, error) {
		return any(s).(interface {
			Refuse(*types.SessionRequest, string) ([]byte, error)
		}).Refuse(request, asked.Message)
	}
)

func init() { ops["session"] = scripted }

// scripted runs a script on a session.
func scripted(line []byte) answer {
	asked := struct {
		Peer          types.Peer
		RefuseUnknown *bool `json:"refuse_unknown"`
		Steps         []step
	}{}
	if err := json.Unmarshal(line, &asked); err != nil {
		return problem("%v", err)
	}
	var options []types.SessionOption
	if asked.RefuseUnknown != nil {
		options = append(options, types.WithRefuseUnknown(*asked.RefuseUnknown))
	}
	s := script{types.NewSession(asked.Peer, options...), map[string]*types.SessionRequest{}}
	results := []answer{}
	for _, each := range asked.Steps {
		result, err := s.run(each)
		if err != nil {
			result = failed(err)
		}
		results = append(results, result)
	}
	return answer{"ok": true, "steps": results}
}

func failed(err error) answer {
	var refused *types.SessionError
	var wrong *types.EncodeError
	var fault *types.DecodeError
	switch {
	case errors.As(err, &refused):
		return answer{"error": refused.Code}
	case errors.As(err, &wrong):
		return answer{"error": wrong.Code}
	case errors.As(err, &fault):
		return answer{"error": fault.Code}
	}
	return problem("%v", err)
}

func (s script) run(asked step) (answer, error) {
	var line []byte
	var err error
	switch {
	case asked.Request != nil:
		return s.request(asked)
	case asked.Receive != nil:
		return s.receive(*asked.Receive)
	case asked.Notify != nil:
		line, err = notify(s.Session, *asked.Notify)
	case asked.Cancel != nil:
		line, err = any(s.Session).(interface {
			Cancel(types.ControlID) ([]byte, error)
		}).Cancel(idOf(asked.Cancel))
	case asked.Reply != nil:
		line, err = s.Session.Reply(s.came[key(idOf(asked.Reply))], plain(asked.Result))
	case asked.Refuse != nil:
		line, err = refuse(s.Session, s.came[key(idOf(asked.Refuse))], asked)
	case asked.Announced:
		if release := s.Session.Announced(); release != "" {
			return answer{"announced": release}, nil
		}
		return answer{"announced": nil}, nil
	default:
		return s.state(), nil
	}
	return answer{"sent": string(line)}, err
}

func (s script) request(asked step) (answer, error) {
	payload, err := types.UnmarshalControlPayload([]byte(*asked.Request))
	if err != nil {
		return nil, err
	}
	if asked.ID != nil {
		id := idOf(asked.ID)
		line, err := s.Session.RequestWithID(id, payload)
		return answer{"id": written(id), "sent": string(line)}, err
	}
	id, line, err := s.Session.Request(payload)
	return answer{"id": written(id), "sent": string(line)}, err
}

func (s script) state() answer {
	pending, unanswered := []json.RawMessage{}, []json.RawMessage{}
	for _, each := range s.Session.Pending() {
		pending = append(pending, written(each.ID))
	}
	for _, each := range s.Session.Unanswered() {
		unanswered = append(unanswered, written(each.ID))
	}
	return answer{"pending": pending, "unanswered": unanswered}
}

func (s script) receive(line string) (answer, error) {
	for message, err := range types.NewLineDecoder().Feed([]byte(line + "\n")) {
		if err != nil {
			return nil, err
		}
		event, err := s.Session.Receive(message)
		if err != nil {
			return nil, err
		}
		return s.event(event), nil
	}
	return nil, errors.New("the line holds no message")
}

func (s script) event(event types.SessionEvent) answer {
	switch event := event.(type) {
	case *types.SessionMessage:
		return answer{"event": "message", "message": object(event.Message)}
	case *types.SessionNotification:
		return answer{"event": "notification", "payload": object(event.Payload)}
	case *types.SessionRequest:
		s.came[key(event.ID)] = event
		return answer{"event": "request", "id": written(event.ID), "payload": object(event.Payload)}
	case *types.SessionUnknownRequest:
		found := answer{"event": "unknown_request", "id": written(event.ID), "payload": object(event.Payload)}
		if event.Line != nil {
			found["sent"] = string(event.Line)
		}
		return found
	case *types.SessionAnswer:
		found := answer{"event": "answer", "id": written(event.ID), "request": object(event.Request)}
		if event.Result != nil {
			found["result"] = string(written(event.Result))
		}
		return found
	case *types.SessionFailure:
		found := answer{"event": "failure", "message": text(event.Err.Message)}
		if event.Request != nil {
			found["id"], found["request"] = written(event.ID), object(event.Request)
		}
		if event.Err.Code != nil {
			found["code"] = event.Err.Code
		}
		if event.Err.Data != nil {
			found["data"] = string(written(event.Err.Data))
		}
		return found
	case *types.SessionInvalidAnswer:
		return answer{
			"event": "invalid_answer", "id": written(event.ID), "request": object(event.Request),
			"code": event.Err.Code, "path": text(event.Err.Path),
		}
	case *types.SessionCancellation:
		return answer{"event": "cancellation", "id": written(event.ID), "payload": object(event.Payload)}
	case *types.SessionStray:
		return answer{
			"event": "stray", "id": written(event.ID), "reason": event.Reason, "message": object(event.Message),
		}
	}
	return problem("an event of type %T", event)
}

func idOf(raw json.RawMessage) (id types.ControlID) {
	if json.Unmarshal(raw, &id) == nil {
		return id
	}
	var boxed types.Box[types.ControlID] // an interface
	if err := json.Unmarshal(raw, &boxed); err != nil {
		panic(err)
	}
	return boxed.Value
}

func key(id types.ControlID) string { return string(written(id)) }

func object(v any) string {
	line, err := types.Encode(v)
	if err != nil {
		panic(err)
	}
	return string(line)
}

// written returns any value of the package as JSON.
func written(v any) json.RawMessage {
	found, err := types.Box[any]{Value: v}.MarshalJSON()
	if err != nil {
		panic(err)
	}
	return found
}
