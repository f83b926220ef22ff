// Cancellations: messages that withdraw a request.

package polywireruntime

// Cancel returns the line that cancels a request sent by this side.
func (s *Session) Cancel(id ControlID) ([]byte, error) {
	return s.cancel(id, func() rule { return newCancellation(id) })
}

// cancellationOf makes a message of type E that cancels the request in an envelope.
func cancellationOf[E any](by *exchange, request rule, cancel func(ControlID) *E) (*E, error) {
	if isNil(request) {
		return nil, errNil
	}
	id, _ := by.requestIn(request)
	return cancel(id), nil
}
