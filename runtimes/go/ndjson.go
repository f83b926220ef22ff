// The framing ndjson: a line feed ends a message; a carriage return before it is not a part of the message.

package polywireruntime

import "bytes"

// ndjson cuts a stream into lines.
type ndjson struct{}

// frame returns a message as it is written to a stream. It may use the room behind the message.
func (ndjson) frame(message []byte) []byte { return append(message, '\n') }

func (ndjson) cut(s *splitter, limit int) (m cutMessage, ok bool) {
	end := bytes.IndexByte(s.rest, '\n')
	if end < 0 {
		s.hold(s.rest, limit)
		s.rest = nil
		if !s.ended || s.size == 0 {
			return m, false
		}
		m = s.release()
	} else {
		line := s.rest[:end]
		s.rest = s.rest[end+1:]
		if s.size == 0 {
			m = cutMessage{data: line, size: int64(end)}
		} else {
			s.hold(line, limit)
			m = s.release()
		}
	}
	if m.size == int64(len(m.data)) {
		m.data = bytes.TrimSuffix(m.data, []byte("\r"))
		m.size = int64(len(m.data))
	}
	return m, true
}
