// Cancellations: messages that withdraw a request.

package polywireruntime

import (
	"fmt"
	"reflect"
)

// Cancel returns the line that cancels a request sent by this side.
func (s *Session) Cancel(id ControlID) ([]byte, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := keyOf(reflect.ValueOf(&id).Elem())
	found := s.pending[key]
	if found == nil {
		return nil, &SessionError{SessionNotPending, fmt.Sprintf("no request with the id %v is pending", id)}
	}
	line, err := marshal(newCancellation(id))
	if err != nil {
		return nil, err
	}
	if found.cancelled = true; !s.by.answered {
		s.end(key, StrayLate)
	}
	return line, nil
}

// cancellationOf makes a message of type E that cancels the request in an envelope.
func cancellationOf[E any](by *exchange, request rule, cancel func(ControlID) *E) (*E, error) {
	if isNil(request) {
		return nil, errNil
	}
	id, _ := by.requestIn(request)
	return cancel(id), nil
}
