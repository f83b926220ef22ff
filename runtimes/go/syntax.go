// Checks of a document below the level of the protocol: JSON syntax, UTF-8, depth and duplicate keys.

package polywireruntime

import (
	"strconv"
	"unicode/utf8"
)

// longInteger is the message for an integer literal with too many digits.
var longInteger = "expected an integer of at most " + strconv.Itoa(maxDigits) + " digits"

// syntaxFault returns the syntax error of a document, if it has one.
func syntaxFault(data []byte) *DecodeError {
	if !utf8.Valid(data) {
		return &DecodeError{Code: CodeInvalidUTF8, Message: "not UTF-8"}
	}
	s := syntax{decoder: decoder{data: data}}
	s.document()
	switch {
	case s.fault != nil:
		return s.fault
	case !s.bad:
		return nil
	case s.at == len(data):
		return &DecodeError{Code: CodeInvalidJSON, Message: "the text ends in the middle of a value"}
	}
	return &DecodeError{Code: CodeInvalidJSON, Message: "unexpected " + strconv.QuoteRune(rune(data[s.at])) + " at offset " + strconv.Itoa(s.at)}
}

// syntax is a cursor that checks JSON syntax; numbers may be of any size.
type syntax struct{ decoder }

// document checks the whole text, which must be a single value.
func (s *syntax) document() {
	s.value()
	if !s.bad && (s.peek() != 0 || s.at < len(s.data)) {
		s.bad = true
	}
}

func (s *syntax) value() {
	switch c := s.peek(); c {
	case '{', '[':
		if s.depth == maxDepth {
			s.fail(CodeTooDeep, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
			return
		}
		s.open(c)
		for c == '{' && s.next() || c == '[' && s.item() {
			s.value()
		}
	case '"':
		s.skipString()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		if text, whole := s.literal(); whole && tooLong(text) {
			s.fail(CodeOutOfRange, longInteger)
		}
	}
}

// withoutDuplicates returns a document without the members that are overwritten by a later one with the
// same key, and whether there were any. The last value takes the position of the first.
func withoutDuplicates(data []byte) ([]byte, bool) {
	o := overwriting{decoder: decoder{data: data, text: string(data), lax: true}}
	root := o.value()
	if !o.found {
		return data, false
	}
	return root.appendTo(make([]byte, 0, len(data)), data), true
}

// overwriting reads a document as a list of parts; a later part may replace an earlier one.
type overwriting struct {
	decoder
	found bool
}

// part is the text between two offsets: a scalar, or an object or array, which has parts itself.
type part struct {
	from, to int
	bracket  byte
	names    [][2]int // the offsets of an object's keys
	parts    []part
}

func (o *overwriting) value() part {
	bracket := o.peek()
	if bracket != '{' && bracket != '[' {
		from := o.at
		o.skip()
		return part{from: from, to: o.at}
	}
	made := part{bracket: bracket}
	o.open(bracket)
	if bracket == '[' {
		for o.item() {
			made.parts = append(made.parts, o.value())
		}
		return made
	}
	places := map[string]int{}
	for !o.bad && o.more('}') {
		o.peek()
		o.fresh = true // so that next does not expect a comma
		from := o.at
		o.next()
		key, to := o.key(), o.at
		value := o.value()
		if i, ok := places[key]; ok {
			made.parts[i], o.found = value, true
			continue
		}
		places[key] = len(made.parts)
		made.names, made.parts = append(made.names, [2]int{from, to}), append(made.parts, value)
	}
	return made
}

func (p *part) appendTo(b, data []byte) []byte {
	if p.bracket == 0 {
		return append(b, data[p.from:p.to]...)
	}
	b = append(b, p.bracket)
	for i := range p.parts {
		if i > 0 {
			b = append(b, ',')
		}
		if p.bracket == '{' {
			b = append(b, data[p.names[i][0]:p.names[i][1]]...)
		}
		b = p.parts[i].appendTo(b, data)
	}
	return append(b, p.bracket+2)
}
