// The framing content-length, as in the Language Server Protocol: headers with the length of a message, the message. A
// malformed header ends the stream, as it is unknown where the next message begins.

package polywireruntime

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	maxHeader       = 4096 // bytes, with line ends
	maxLengthDigits = 15   // of a length
)

// contentLength cuts a stream into headers and messages.
type contentLength struct {
	header []byte // so far
	begun  int    // where its last line begins
	stated int64  // the length, plus 1; 0 if the header does not state it yet
	inBody bool
	left   int64 // of the message
}

// frame returns a message as it is written to a stream.
func (contentLength) frame(message []byte) []byte {
	header := append(strconv.AppendInt([]byte("Content-Length: "), int64(len(message)), 10), "\r\n\r\n"...)
	return append(header, message...)
}

func (f *contentLength) cut(s *splitter, limit int) (m cutMessage, ok bool) {
	for !f.inBody {
		m, ok = f.readHeader(s)
		if ok || len(s.rest) == 0 && !f.inBody {
			return m, ok
		}
	}
	part := s.rest[:min(int64(len(s.rest)), f.left)]
	s.rest = s.rest[len(part):]
	f.left -= int64(len(part))
	if f.left > 0 && !s.ended {
		s.hold(part, limit)
		return m, false
	}
	if s.size == 0 {
		m = cutMessage{data: part}
	} else {
		s.hold(part, limit)
		m = s.release()
	}
	m.size = f.stated - 1
	if f.left > 0 {
		m.fault = "the stream ends after " + strconv.FormatInt(m.size-f.left, 10) + " of " +
			strconv.FormatInt(m.size, 10) + " bytes"
	}
	*f = contentLength{}
	return m, true
}

// readHeader reads a line of the header as far as it has arrived. It returns a header that is malformed.
func (f *contentLength) readHeader(s *splitter) (m cutMessage, ok bool) {
	piece := s.rest[:min(len(s.rest), maxHeader-len(f.header))]
	end := bytes.IndexByte(piece, '\n')
	if end >= 0 {
		piece = piece[:end+1]
	}
	f.header = append(f.header, piece...)
	s.rest = s.rest[len(piece):]
	if end < 0 {
		switch {
		case len(s.rest) > 0:
			return s.close(f.header, "the header is too long")
		case s.ended && len(f.header) > 0:
			return s.close(f.header, "the stream ends in a header")
		}
		return m, false
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(f.header[f.begun:], []byte("\n")), []byte("\r"))
	if len(line) == 0 && f.stated > 0 {
		*f = contentLength{stated: f.stated, inBody: true, left: f.stated - 1}
		return m, false
	}
	if fault := f.readLine(line); fault != "" {
		return s.close(f.header[:f.begun+len(line)], fault)
	}
	f.begun = len(f.header)
	return m, false
}

// close returns a malformed header, after which nothing is read.
func (s *splitter) close(header []byte, fault string) (cutMessage, bool) {
	s.rest, s.closed = nil, true
	return cutMessage{data: header[:min(len(header), keptOfLong)], fault: fault}, true
}

// readLine reads a line of the header, and returns what is wrong with it.
func (f *contentLength) readLine(line []byte) string {
	if len(line) == 0 {
		return "no Content-Length"
	}
	name, value, ok := strings.Cut(string(line), ":")
	if !ok || name == "" || strings.ContainsFunc(name, endsName) {
		return "a line of the header has no name"
	}
	if !strings.EqualFold(name, "Content-Length") {
		return ""
	}
	digits := strings.Trim(value, " \t")
	length, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || len(digits) > maxLengthDigits || f.stated > 0 {
		return "Content-Length is no number, or is repeated"
	}
	f.stated = int64(length) + 1
	return ""
}

// endsName reports whether a character cannot be part of a header's name.
func endsName(r rune) bool {
	return r != '-' && r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
}
