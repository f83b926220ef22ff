// What the framings share: the bytes of a stream that have arrived, and the part of a message.

package polywireruntime

import (
	"bytes"
	"slices"
	"strconv"
)

// keptOfLong is the number of bytes that are kept of a message that is too long, and of a malformed header.
const keptOfLong = 1 << 10

// splitter cuts a stream into messages.
type splitter struct {
	framing framing
	line    int    // counts messages, with blank ones
	rest    []byte // of the pieces received so far
	held    []byte // of an unfinished message; only its beginning if it is too long
	size    int64  // of that message so far
	kept    int    // of the last message that was returned
	// pieces is the number of pieces so far.
	pieces int
	ended  bool
	closed bool // nothing more can be read, as it is unknown where the next message begins
}

// cutMessage is what a framing cuts off: a message, of which data is kept.
type cutMessage struct {
	data []byte
	size int64
	// fault is what is wrong with the stream there.
	fault string
}

func (s *splitter) feed(piece []byte) {
	s.pieces++
	if len(s.rest) == 0 {
		s.rest = piece
	} else {
		s.rest = append(slices.Clip(s.rest), piece...)
	}
}

// next returns the next message that is not blank, an error for one that cannot be decoded, or neither if no message is
// complete.
func (s *splitter) next(limit int) ([]byte, *BadLine) {
	for !s.closed {
		m, ok := s.framing.cut(s, limit)
		if !ok {
			return nil, nil
		}
		s.line++
		if m.size > int64(limit) {
			fault := &DecodeError{Code: CodeTooLong, Message: "longer than " + strconv.Itoa(limit) + " bytes"}
			return nil, &BadLine{s.line, slices.Clone(m.data[:min(len(m.data), keptOfLong)]), fault}
		}
		if m.fault != "" {
			return nil, &BadLine{s.line, slices.Clone(m.data), &DecodeError{Code: CodeInvalidJSON, Message: m.fault}}
		}
		if len(bytes.Trim(m.data, " \t\r\n")) > 0 {
			return m.data, nil
		}
	}
	return nil, nil
}

// hold keeps a piece of a message; of a message that is too long, it keeps as much as is reported. One byte above the
// limit may be a carriage return.
func (s *splitter) hold(piece []byte, limit int) {
	s.size += int64(len(piece))
	if s.size-1 > int64(limit) {
		if len(s.held) > keptOfLong {
			s.held = slices.Clone(s.held[:keptOfLong])
		}
		piece = piece[:min(len(piece), keptOfLong-len(s.held))]
	}
	s.held = append(s.held, piece...)
}

// release returns the message that is held, and its size.
func (s *splitter) release() cutMessage {
	m := cutMessage{data: s.held, size: s.size}
	s.held, s.size = nil, 0
	return m
}
