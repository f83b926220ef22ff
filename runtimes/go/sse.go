// The framing sse: event streams, in which the data lines of an event are the lines of a message. Lines end with a
// carriage return, a line feed, or both. Other fields and comments are ignored.

package polywireruntime

import "bytes"

// deciding is the number of bytes of a line that show what it is: a byte order mark, "data:" and a space.
const deciding = 9

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	dataField     = []byte("data")
)

// sse cuts a stream into the data of events.
type sse struct {
	begun       []byte // of a line that does not show yet what it is
	isDecided   bool   // the line does
	isData      bool   // the line is one of the message
	hasData     bool   // the event has such a line
	afterReturn bool   // a carriage return ended the last line, and a line feed would belong to it
	isLater     bool   // the line is not the first one of the stream
}

// frame returns a message as it is written to a stream.
func (sse) frame(message []byte) []byte {
	return append(append([]byte("data: "), message...), "\n\n"...)
}

func (f *sse) cut(s *splitter, limit int) (m cutMessage, ok bool) {
	for len(s.rest) > 0 {
		if f.afterReturn && s.rest[0] == '\n' {
			f.afterReturn = false
			s.rest = s.rest[1:]
			continue
		}
		f.afterReturn = false
		end := bytes.IndexAny(s.rest, "\r\n")
		if end < 0 {
			f.read(s, s.rest, limit)
			s.rest = nil
			break
		}
		f.read(s, s.rest[:end], limit)
		f.afterReturn = s.rest[end] == '\r'
		s.rest = s.rest[end+1:]
		if f.endLine(s, limit) && f.hasData {
			return f.endEvent(s), true
		}
	}
	if !s.ended {
		return m, false
	}
	if f.endLine(s, limit); f.hasData {
		return f.endEvent(s), true
	}
	return m, false
}

// read reads a part of a line.
func (f *sse) read(s *splitter, part []byte, limit int) {
	switch {
	case f.isData:
		s.hold(part, limit)
	case !f.isDecided:
		if f.begun = append(f.begun, part...); len(f.begun) >= deciding {
			f.decide(s, limit)
		}
	}
}

// decide decides what the line is, and keeps what it has of the message.
func (f *sse) decide(s *splitter, limit int) {
	name, value, _ := bytes.Cut(f.line(), []byte(":"))
	f.isDecided, f.isData = true, bytes.Equal(name, dataField)
	f.begun = nil
	if !f.isData {
		return
	}
	if f.hasData {
		s.hold([]byte("\n"), limit)
	}
	f.hasData = true
	s.hold(bytes.TrimPrefix(value, []byte(" ")), limit)
}

// line returns the beginning of the line, without a byte order mark.
func (f *sse) line() []byte {
	if f.isLater {
		return f.begun
	}
	return bytes.TrimPrefix(f.begun, byteOrderMark)
}

// endLine ends the line, and reports whether it is empty.
func (f *sse) endLine(s *splitter, limit int) bool {
	isEmpty := !f.isDecided && len(f.line()) == 0
	if !f.isDecided && !isEmpty {
		f.decide(s, limit)
	}
	f.begun, f.isDecided, f.isData, f.isLater = nil, false, false, true
	return isEmpty
}

func (f *sse) endEvent(s *splitter) cutMessage {
	f.hasData = false
	return s.release()
}
