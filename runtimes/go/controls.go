// Requests and their answers: how the payload of an answer is written and read.

//lint:file-ignore U1000 a package uses the helpers that its protocol needs

package polywireruntime

import "errors"

// None is the answer to a request that is answered without a payload.
type None struct{}

// answer describes how the answer to a request travels.
type answer[R any] struct {
	want     rule
	optional bool
	read     func(*decoder, *R)
	write    func(*encoder, *R)
}

var errNoAnswer = errors.New("polywireruntime: the response holds no answer")

// payloadOf writes an answer as the payload of an envelope.
func payloadOf[R any](how answer[R], response R) (map[string]any, error) {
	if how.write == nil {
		return nil, nil
	}
	line, err := written(&response, how.write)
	if err != nil {
		return nil, err
	}
	var payload map[string]any
	if d := (decoder{data: line}); !d.null() {
		readObject(&d, &payload)
	}
	return payload, nil
}

// answerOf reads an answer from the payload of an envelope. Where the answer's members stand beside
// others (flat), a missing payload is an object without members.
func answerOf[R any](how answer[R], payload any, flat bool) (r R, err error) {
	if how.read == nil || payload == nil && how.optional {
		return r, nil
	}
	if payload == nil {
		if !flat {
			return r, errors.New("polywireruntime: the response has no payload")
		}
		payload = map[string]any{}
	}
	e := encoder{}
	if writeAny(&e, &payload); e.err != nil {
		return r, e.err
	}
	err = decode(e.buf, how.want, LenientMode, &r, how.read)
	return r, err
}
