// A cursor over the bytes of a document: tokens, strings, numbers, untouched JSON.
//
// The cursor stops at the first fault (bad) and records nothing else about a syntax error: syntaxFault
// (syntax.go) reads the document again to describe it.

package polywireruntime

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth         = 128
	maxInteger int64 = 1<<53 - 1
	// maxDigits is the length of the longest integer literal that is accepted. Converting an integer
	// takes quadratic time in many languages, so the protocol limits its length.
	maxDigits = 4300
	// maxShared is the size of the largest block that the texts of a document share, and maxSharing that of
	// the longest text for which one is allocated. Sharing saves an allocation per text, but every text that
	// is kept keeps its block alive.
	maxShared  = 8 << 10
	maxSharing = 1 << 10
)

type decoder struct {
	data   []byte
	shared []byte // the block that texts share, filled up to its length
	name   []byte // the key of the current member
	at     int
	depth  int
	fresh  bool // the current object or array was just opened
	strict bool
	lax    bool // numbers that overflow a double are accepted
	// skipping means that items of the current list that do not fit are skipped; it records which items
	// fit.
	skipping *fitting
	// firm means that the fault is in a value that cannot be kept, so that no enclosing value can be
	// repaired.
	firm bool

	// bad means that decoding has stopped: at a fault, a duplicate key, or invalid JSON.
	bad   bool
	fault *DecodeError
	steps []string // of the path of the fault, innermost first

	noted *noted // what lenient mode accepted, if the caller asked for it
}

// begin returns a decoder of a document.
func begin(data []byte, mode Mode) decoder {
	return decoder{data: data, strict: mode == StrictMode}
}

// fail stops decoding with a fault.
func (d *decoder) fail(code Code, message string) {
	if !d.bad {
		d.bad, d.fault = true, &DecodeError{Code: code, Message: message}
	}
}

// failAt stops decoding with a fault in a member of the current value.
func (d *decoder) failAt(step string, code Code, message string) {
	if !d.bad {
		d.fail(code, message)
		d.step(step)
	}
}

// step adds a step to the path of the fault that stopped decoding.
func (d *decoder) step(step string) { d.steps = append(d.steps, step) }

func (d *decoder) stepIndex(i int) { d.step(strconv.Itoa(i)) }

// repeated stops decoding at a duplicate key, which the caller handles.
func (d *decoder) repeated() { d.bad = true }

// peek skips white space and returns the next byte, 0 at the end.
func (d *decoder) peek() byte {
	if d.at < len(d.data) {
		if c := d.data[d.at]; c > ' ' {
			return c
		}
	}
	return d.peekOver()
}

// peekOver is peek for the case that white space comes first.
func (d *decoder) peekOver() byte {
	for d.at < len(d.data) {
		switch c := d.data[d.at]; c {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return c
		}
	}
	return 0
}

// open enters an object or array.
func (d *decoder) open(bracket byte) bool {
	if d.bad || d.peek() != bracket || d.depth == maxDepth {
		d.bad = true // nesting that is too deep is a syntax error
		return false
	}
	d.at++
	d.depth++
	d.fresh = true
	return true
}

// next moves to the value of the next member of the current object, or out of the object.
func (d *decoder) next() bool {
	if d.bad || !d.more('}') {
		return false
	}
	if d.peek() != '"' {
		d.bad = true
		return false
	}
	start := d.at + 1
	if end := d.plain(start); end < len(d.data) && d.data[end] == '"' {
		d.name, d.at = d.data[start:end], end+1
	} else {
		d.name = d.escaped(nil, start, end)
	}
	if d.peek() != ':' {
		d.bad = true
		return false
	}
	d.at++
	return true
}

// item moves to the next item of the current array, or out of the array.
func (d *decoder) item() bool {
	return !d.bad && d.more(']')
}

func (d *decoder) more(end byte) bool {
	c := d.peek()
	if c == end {
		d.at++
		d.depth--
		d.fresh = false
		return false
	}
	if d.fresh {
		d.fresh = false
		return true
	}
	if c != ',' {
		d.bad = true
		return false
	}
	d.at++
	return true
}

// key returns the key of the current member.
func (d *decoder) key() string { return d.stored(d.name) }

// null consumes the next value if it is null.
func (d *decoder) null() bool {
	return d.peek() == 'n' && d.word("null")
}

func (d *decoder) word(word string) bool {
	if len(d.data)-d.at < len(word) || string(d.data[d.at:d.at+len(word)]) != word {
		d.bad = true
		return false
	}
	d.at += len(word)
	return true
}

// --- strings ---------------------------------------------------------------------------------------

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the index of the first byte from i on that ends or interrupts a string.
func (d *decoder) plain(i int) int {
	data := d.data
	for i+8 <= len(data) {
		x := binary.LittleEndian.Uint64(data[i:])
		quote, backslash := x^(lows*'"'), x^(lows*'\\')
		found := ((x - lows*0x20) &^ x) | ((quote - lows) &^ quote) | ((backslash - lows) &^ backslash)
		if found &= highs; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
		i += 8
	}
	for i < len(data) && data[i] >= 0x20 && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// str consumes the next string, which begins at the cursor.
func (d *decoder) str() string {
	start := d.at + 1
	end := d.plain(start)
	if end < len(d.data) && d.data[end] == '"' {
		d.at = end + 1
		return d.stored(d.data[start:end])
	}
	if d.shared == nil {
		d.shared = d.block(0)
	}
	n := len(d.shared)
	b := d.escaped(d.shared[n:], start, end)
	if len(b) > cap(d.shared)-n {
		return string(b)
	}
	d.shared = d.shared[:n+len(b)]
	return viewOf(b)
}

// glance is str for a text that is only compared: it is valid only as long as the data is not modified.
func (d *decoder) glance() string {
	start := d.at + 1
	end := d.plain(start)
	if end < len(d.data) && d.data[end] == '"' {
		d.at = end + 1
		return viewOf(d.data[start:end])
	}
	return viewOf(d.escaped(nil, start, end))
}

// stored returns a copy of a text that has been read.
func (d *decoder) stored(text []byte) string {
	if len(text) > cap(d.shared)-len(d.shared) {
		if len(text) > maxSharing {
			return string(text)
		}
		d.shared = d.block(len(text))
	}
	n := len(d.shared)
	d.shared = append(d.shared, text...)
	return viewOf(d.shared[n:])
}

// block allocates a block for texts. A short document needs only one, as no text is longer than its JSON.
func (d *decoder) block(read int) []byte {
	return make([]byte, 0, min(read+len(d.data)-d.at, maxShared))
}

// reset moves the decoder back to an earlier state. Texts that have been read since then stay valid.
func (d *decoder) reset(to *decoder) {
	shared := d.shared
	*d = *to
	d.shared = shared
}

// escaped consumes a string with escapes, the first of which is at end, and appends it to b.
func (d *decoder) escaped(b []byte, start, end int) []byte {
	for end < len(d.data) && d.data[end] == '\\' {
		b = append(b, d.data[start:end]...)
		var n int
		if b, n = unescape(b, d.data[end:]); n == 0 {
			d.bad = true
			return nil
		}
		start = end + n
		end = d.plain(start)
	}
	if end >= len(d.data) || d.data[end] != '"' {
		d.bad = true
		return nil
	}
	d.at = end + 1
	return append(b, d.data[start:end]...)
}

// unescape appends the character that the escape at the beginning of text stands for, and returns the
// length of the escape, or 0 if it is invalid. A lone surrogate becomes the three bytes of its UTF-8
// form.
func unescape(b, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return b, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return append(b, c), 2
	case 'b':
		return append(b, '\b'), 2
	case 'f':
		return append(b, '\f'), 2
	case 'n':
		return append(b, '\n'), 2
	case 'r':
		return append(b, '\r'), 2
	case 't':
		return append(b, '\t'), 2
	case 'u':
		r, ok := hex4(text[2:])
		if !ok {
			return b, 0
		}
		if r&0xFC00 == 0xD800 && len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
			if low, ok := hex4(text[8:]); ok && low&0xFC00 == 0xDC00 {
				return utf8.AppendRune(b, 0x10000+(r&0x3FF)<<10+low&0x3FF), 12
			}
		}
		if r&0xF800 == 0xD800 {
			return append(b, 0xED, byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F)), 6
		}
		return utf8.AppendRune(b, r), 6
	}
	return b, 0
}

func hex4(text []byte) (r rune, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	for _, c := range text[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// --- numbers ---------------------------------------------------------------------------------------

// digits returns the index after the digits at i.
func (d *decoder) digits(i int) int {
	for i < len(d.data) && d.data[i]-'0' <= 9 {
		i++
	}
	return i
}

// number consumes the next number and reports whether it has neither fraction nor exponent. It fails on
// integers that are too long.
func (d *decoder) number() (text []byte, whole bool) {
	if text, whole = d.literal(); whole && tooLong(text) {
		d.bad = true
	}
	return text, whole
}

// tooLong reports whether an integer literal has more digits than are accepted.
func tooLong[T ~string | ~[]byte](literal T) bool {
	return len(literal) > maxDigits && (len(literal) > maxDigits+1 || literal[0] != '-')
}

// literal consumes a number literal of any length.
func (d *decoder) literal() (text []byte, whole bool) {
	d.peek()
	start, i := d.at, d.at
	if i < len(d.data) && d.data[i] == '-' {
		i++
	}
	first := i
	i = d.digits(i)
	if i == first || d.data[first] == '0' && i > first+1 {
		d.bad = true
		return nil, false
	}
	whole = true
	if i < len(d.data) && d.data[i] == '.' {
		whole = false
		first = i + 1
		if i = d.digits(first); i == first {
			d.bad = true
			return nil, false
		}
	}
	if i < len(d.data) && d.data[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(d.data) && (d.data[i] == '+' || d.data[i] == '-') {
			i++
		}
		first = i
		if i = d.digits(first); i == first {
			d.bad = true
			return nil, false
		}
	}
	d.at = i
	return d.data[start:i], whole
}

// float consumes the next number, which must fit a double.
func (d *decoder) float() float64 {
	text, whole := d.number()
	if d.bad {
		return 0
	}
	if whole && len(text) <= 15 && text[0] != '-' {
		return float64(smallInteger(text))
	}
	return d.parsed(text)
}

// parsed parses a number literal.
func (d *decoder) parsed(text []byte) float64 {
	f, err := parseFloat(string(text))
	if err != nil {
		d.fail(CodeOutOfRange, "expected a finite number, got one that overflows a double")
	}
	return f
}

// smallInteger returns the value of an integer literal of at most 15 characters.
func smallInteger(text []byte) (n int64) {
	for _, c := range text {
		if c != '-' {
			n = n*10 + int64(c-'0')
		}
	}
	if text[0] == '-' {
		return -n
	}
	return n
}

// parseFloat parses a number literal. strconv miscounts the digits before the decimal point from 800 on,
// and exponents from 10,000 on, so long literals are rewritten first.
func parseFloat(literal string) (float64, error) {
	if len(literal) > 300 {
		literal = scientific(literal)
	}
	return strconv.ParseFloat(literal, 64)
}

// scientific rewrites a number literal as 0.DIGITSeEXPONENT, where the first digit is not zero and the
// exponent is short.
func scientific(literal string) string {
	const beyond = 1 << 40 // more than any literal can compensate
	literal, negative := strings.CutPrefix(literal, "-")
	var exponent int64
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		exponent, _ = strconv.ParseInt(literal[at+1:], 10, 64) // clamped if it is out of range
		exponent = min(max(exponent, -beyond), beyond)
		literal = literal[:at]
	}
	whole, fraction, _ := strings.Cut(literal, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent += int64(len(digits) - len(fraction))
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + "0." + digits + "e" + strconv.FormatInt(min(max(exponent, -9999), 9999), 10)
}

// integer consumes the next number, which must be an integer in range.
func (d *decoder) integer() int64 {
	text, whole := d.number()
	if d.bad {
		return 0
	}
	if whole && len(text) <= 15 {
		return smallInteger(text)
	}
	n, ok := integerOf(string(text))
	if !ok {
		d.fail(CodeOutOfRange, "expected an integer within ±"+strconv.FormatInt(maxInteger, 10)+", got "+cut(string(text)))
	}
	return n
}

// integerOf returns the value of a number if it is an integer in range.
func integerOf(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, n >= -maxInteger && n <= maxInteger
	}
	f, err := parseFloat(text)
	if err != nil || math.Trunc(f) != f || math.Abs(f) > float64(maxInteger) {
		return 0, false
	}
	return int64(f), true
}

// untouchedNumber returns a number in the form used for untouched JSON: a float64, or a json.Number for
// an integer that a float64 would change.
func untouchedNumber(text string) (any, bool) {
	f, err := parseFloat(text)
	if !strings.ContainsAny(text, ".eE") {
		if len(text) <= 15 || err == nil && exactly(f, text) {
			return f, true
		}
		return json.Number(text), true
	}
	return f, err == nil
}

// exactly reports whether a double is formatted as the integer literal text.
func exactly(f float64, text string) bool {
	return strconv.FormatFloat(f, 'f', -1, 64) == text && strconv.FormatFloat(f, 'f', 0, 64) == text
}

// --- untouched JSON --------------------------------------------------------------------------------

// any consumes the next value as untouched JSON.
func (d *decoder) any() any {
	switch d.peek() {
	case '"':
		return d.str()
	case '{':
		return d.object()
	case '[':
		items := []any{}
		if d.open('[') {
			for d.item() {
				items = append(items, d.any())
				if d.bad {
					d.stepIndex(len(items) - 1)
				}
			}
		}
		return items
	case 't', 'f':
		return d.boolean()
	case 'n':
		d.word("null")
		return nil
	}
	text, _ := d.number()
	if d.bad {
		return nil
	}
	number, ok := untouchedNumber(string(text))
	if !ok {
		d.parsed(text)
	}
	return number
}

// object consumes the next object as untouched JSON. The last of duplicate keys wins.
func (d *decoder) object() map[string]any {
	members := map[string]any{}
	if d.open('{') {
		for d.next() {
			key := d.key()
			members[key] = d.any()
			if d.bad {
				d.step(key)
			}
		}
	}
	return members
}

func (d *decoder) boolean() bool {
	if d.peek() == 't' {
		return d.word("true")
	}
	d.word("false")
	return false
}

// skip skips a value that is kept untouched.
func (d *decoder) skip() { d.over(false) }

// raw returns the text of the next value, to be written back unchanged. It stops at duplicate keys.
func (d *decoder) raw() []byte {
	d.peek()
	start := d.at
	d.over(true)
	return d.data[start:d.at]
}

func (d *decoder) over(unique bool) {
	switch d.peek() {
	case '"':
		d.skipString()
	case '{':
		if d.open('{') {
			d.overMembers(unique)
		}
	case '[':
		if d.open('[') {
			for i := 0; d.item(); i++ {
				if d.over(unique); d.bad {
					d.stepIndex(i)
				}
			}
		}
	case 't':
		d.word("true")
	case 'f':
		d.word("false")
	case 'n':
		d.word("null")
	default:
		text, whole := d.number()
		if !d.bad && !d.lax && !whole && (len(text) > 300 || bytes.ContainsAny(text, "eE")) {
			d.parsed(text)
		}
	}
}

func (d *decoder) overMembers(unique bool) {
	var keys keySet
	for d.next() {
		if unique && !keys.add(viewOf(d.name)) {
			d.repeated()
			return
		}
		d.overMember(unique)
	}
}

// overMember skips the value of the current member.
func (d *decoder) overMember(unique bool) {
	name := d.name
	if d.over(unique); d.bad && d.fault != nil {
		d.step(string(name))
	}
}

// keySet holds the keys of an object.
type keySet struct {
	few  []string
	many map[string]bool
}

// add adds a key, and reports whether it is new.
func (s *keySet) add(key string) bool {
	if s.many == nil {
		if slices.Contains(s.few, key) {
			return false
		}
		if s.few = append(s.few, key); len(s.few) == many {
			s.many = make(map[string]bool, 2*many)
			for _, each := range s.few {
				s.many[each] = true
			}
		}
		return true
	}
	if s.many[key] {
		return false
	}
	s.many[key] = true
	return true
}

// skipString skips a string, after its opening quote.
func (d *decoder) skipString() {
	end := d.plain(d.at + 1)
	for end < len(d.data) && d.data[end] == '\\' {
		var room [utf8.UTFMax]byte
		_, n := unescape(room[:0], d.data[end:])
		if n == 0 {
			d.bad = true
			return
		}
		end = d.plain(end + n)
	}
	if end >= len(d.data) || d.data[end] != '"' {
		d.bad = true
		return
	}
	d.at = end + 1
}
