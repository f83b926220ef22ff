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
	d := decoder{data: data}
	d.checkDocument()
	switch {
	case d.fault != nil:
		return d.fault
	case !d.bad:
		return nil
	case d.at == len(data):
		return &DecodeError{Code: CodeInvalidJSON, Message: "the text ends in the middle of a value"}
	}
	return &DecodeError{Code: CodeInvalidJSON, Message: "unexpected " + strconv.QuoteRune(rune(data[d.at])) + " at offset " + strconv.Itoa(d.at)}
}

// checkDocument checks the syntax of the whole text, which must be a single value.
func (d *decoder) checkDocument() {
	d.checkValue()
	if !d.bad && (d.peek() != 0 || d.at < len(d.data)) {
		d.bad = true
	}
}

// checkValue checks the syntax of the next value; numbers may be of any size.
func (d *decoder) checkValue() {
	switch c := d.peek(); c {
	case '{', '[':
		if d.depth == maxDepth {
			d.fail(CodeTooDeep, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
			return
		}
		d.open(c)
		for c == '{' && d.next() || c == '[' && d.item() {
			d.checkValue()
		}
	case '"':
		d.skipString()
	case 't':
		d.word("true")
	case 'f':
		d.word("false")
	case 'n':
		d.word("null")
	default:
		if text, whole := d.literal(); whole && tooLong(text) {
			d.fail(CodeOutOfRange, longInteger)
		}
	}
}

// withoutDuplicates returns a document without the members that are overwritten by a later one with the
// same key, and whether there were any. The last value takes the position of the first.
func withoutDuplicates(data []byte) ([]byte, bool) {
	d, found := decoder{data: data, lax: true}, false
	root := d.partOf(&found)
	if !found {
		return data, false
	}
	return root.appendTo(make([]byte, 0, len(data)), data), true
}

// part is the text between two offsets: a scalar, or an object or array, which has parts itself.
type part struct {
	from, to int
	bracket  byte
	names    [][2]int // the offsets of an object's keys
	parts    []part
}

// partOf reads the next value as a part, in which a later part may replace an earlier one; found is then
// set.
func (d *decoder) partOf(found *bool) part {
	bracket := d.peek()
	if bracket != '{' && bracket != '[' {
		from := d.at
		d.skip()
		return part{from: from, to: d.at}
	}
	made := part{bracket: bracket}
	d.open(bracket)
	if bracket == '[' {
		for d.item() {
			made.parts = append(made.parts, d.partOf(found))
		}
		return made
	}
	places := map[string]int{}
	for !d.bad && d.more('}') {
		d.peek()
		d.fresh = true // so that next does not expect a comma
		from := d.at
		d.next()
		key, to := viewOf(d.name), d.at
		value := d.partOf(found)
		if i, ok := places[key]; ok {
			made.parts[i], *found = value, true
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
