// Writes values as JSON: the buffer, text, untouched JSON, and values of foreign types.
//
// The first fault is kept; each level adds its step to the fault's path when it returns.

package polywireruntime

import (
	"bytes"
	"encoding/json"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"
)

type encoder struct {
	buf     []byte
	err     *EncodeError
	depth   int
	block   []byte  // free space, in which the buffer begins
	spare   []byte  // the buffer of a line for which there was no room in the block
	entries []entry // of the current maps, sorted
}

func (e *encoder) fail(code Code, message string) {
	if e.err == nil {
		e.err = &EncodeError{Code: code, Message: message}
	}
}

// failed reports whether the member just written has a fault, and adds its key to the path.
func (e *encoder) failed(key string) bool {
	if e.err == nil {
		return false
	}
	e.err.Path = "/" + escapeStep(key) + e.err.Path
	return true
}

func (e *encoder) open(bracket byte) bool {
	if e.depth == maxDepth {
		e.tooDeep()
		return false
	}
	e.depth++
	e.buf = append(e.buf, bracket)
	return true
}

func (e *encoder) tooDeep() {
	e.fail(CodeTooDeep, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
}

// close ends an object or array, each of whose members is followed by a comma.
func (e *encoder) close(bracket byte) {
	e.depth--
	if last := len(e.buf) - 1; e.buf[last] == ',' {
		e.buf[last] = bracket
	} else {
		e.buf = append(e.buf, bracket)
	}
}

// end ends a member.
func (e *encoder) end() { e.buf = append(e.buf, ',') }

func (e *encoder) null() { e.buf = append(e.buf, "null"...) }

// --- text ------------------------------------------------------------------------------------------

const hexDigits = "0123456789abcdef"

// reserve makes room for n more bytes.
func (e *encoder) reserve(n int) {
	if cap(e.buf)-len(e.buf) < n {
		e.grow(n)
	}
}

func (e *encoder) grow(n int) {
	if cap(e.spare)-len(e.buf) < n {
		e.buf = slices.Grow(e.buf, n)
		return
	}
	e.buf, e.spare = append(e.spare[:0], e.buf...), nil
}

// textMargin is the room that a text needs in addition to its length: for its quotes, one escape, and the
// bytes of a word after its end.
const textMargin = 2 + len(`\u0000`) + 8

// text writes a text; a lone surrogate is the three bytes of its UTF-8 form.
func (e *encoder) text(s string) {
	start := len(e.buf)
	e.reserve(len(s) + textMargin)
	from, to := startOfText(s), startOf(e.buf)
	*byteAt(at(to, uintptr(start))) = '"'
	i, n := 0, start+1
	for {
		rest := len(s) - i
		var x uint64
		if rest >= 8 {
			x = wordAt(at(from, uintptr(i)))
		} else {
			x = lastWord(s, rest)
		}
		setWord(at(to, uintptr(n)), x)
		found := special(x)
		if found == 0 {
			i, n = i+8, n+8
			continue
		}
		ordinary := bits.TrailingZeros64(found) >> 3
		if ordinary >= rest {
			n += rest
			break
		}
		i, n = i+ordinary, n+ordinary
		c := s[i]
		if short := shortEscapes[c]; short != 0 {
			setPair(at(to, uintptr(n)), uint16('\\')|uint16(short)<<8)
			i, n = i+1, n+2
		} else if size := loneRune(s, i); size > 0 {
			// The last of its bytes may not be in the word.
			*byteAt(at(to, uintptr(n+1))) = s[i+1]
			*byteAt(at(to, uintptr(n+size-1))) = s[i+size-1]
			i, n = i+size, n+size
			continue
		} else {
			e.buf = e.buf[:n]
			if i = e.unusual(s, i); i < 0 {
				e.buf = e.buf[:start]
				return
			}
			n = len(e.buf)
		}
		if rest := len(s) - i; cap(e.buf)-n < rest+textMargin {
			e.buf = e.buf[:n]
			e.grow(rest + rest/8 + textMargin)
			to = startOf(e.buf)
		}
	}
	*byteAt(at(to, uintptr(n))) = '"'
	e.buf = e.buf[:n+1]
}

// loneRune returns the length of the rune at i if it has two or three bytes and an ASCII character follows it,
// as in most texts of Latin letters, or else 0.
func loneRune(s string, i int) int {
	if i+3 >= len(s) || s[i+1]&0xC0 != 0x80 {
		return 0
	}
	switch c := s[i]; {
	case c-0xC2 < 0x1E && s[i+2] < utf8.RuneSelf:
		return 2
	case c-0xE1 < 0xC && s[i+2]&0xC0 == 0x80 && s[i+3] < utf8.RuneSelf:
		return 3
	}
	return 0
}

// unusual writes the character at i, which neither stands for itself nor has a short escape, and returns
// the index of the next one. All runes that follow each other are written at once.
func (e *encoder) unusual(s string, i int) int {
	if c := s[i]; c < utf8.RuneSelf {
		e.buf = appendEscape(e.buf, uint16(c))
		return i + 1
	}
	if size := runes(s[i:]); size > 0 {
		e.buf = append(e.buf, s[i:i+size]...)
		return i + size
	}
	size := surrogate(s[i:])
	if size == 0 {
		e.fail(CodeInvalidUTF8, "text that is not UTF-8")
		return -1
	}
	e.buf = appendEscape(e.buf, 0xD000|uint16(s[i+1]&0x3F)<<6|uint16(s[i+2]&0x3F))
	return i + size
}

// lastWord returns the last bytes of a text, fewer than eight, in the form of wordAt, followed by zeros.
func lastWord(s string, rest int) uint64 {
	if len(s) >= 8 {
		return wordAt(at(startOfText(s), uintptr(len(s)-8))) >> (64 - 8*rest)
	}
	x := uint64(0)
	for i := len(s) - 1; i >= len(s)-rest; i-- {
		x = x<<8 | uint64(s[i])
	}
	return x
}

// shortEscapes has the second character of each escape that consists of two.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\t': 't', '\r': 'r'}

// runes returns the length of the runes that a text begins with, up to one that is ASCII or not UTF-8.
func runes(s string) int {
	i := 0
	for i < len(s) && s[i] >= utf8.RuneSelf {
		if c := s[i]; c-0xE1 < 0xC && i+2 < len(s) && s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80 {
			i += 3 // most runes that are not ASCII
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}

// surrogate returns the length of the lone surrogate that a text begins with, or 0.
func surrogate(s string) int {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0
	}
	return 3
}

// special marks the first of eight bytes that is a control character, a quote, a backslash, or not ASCII.
// It may also mark later bytes that are none of these.
func special(x uint64) uint64 {
	// Flipping the second bit moves the quote next to the control characters.
	return (((x ^ lows*2) - lows*0x21) | ((x ^ lows*'\\') - lows) | x) & highs
}

func appendEscape(b []byte, c uint16) []byte {
	return append(b, '\\', 'u', hexDigits[c>>12], hexDigits[c>>8&0xF], hexDigits[c>>4&0xF], hexDigits[c&0xF])
}

// appendText appends a text as a quoted JSON string.
func appendText(b []byte, text string) []byte {
	e := encoder{buf: b}
	e.text(text)
	return e.buf
}

// --- untouched JSON --------------------------------------------------------------------------------

// any writes untouched JSON, and values of other types as encoding/json does.
func (e *encoder) any(v any) {
	switch x := v.(type) {
	case nil, Null:
		e.null()
	case bool:
		e.buf = strconv.AppendBool(e.buf, x)
	case string:
		e.text(x)
	case float64:
		e.float(x)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(x), 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, x, 10)
	case json.Number:
		e.number(x)
	case []any:
		if x == nil {
			e.null()
			return
		}
		if !e.open('[') {
			return
		}
		for i, item := range x {
			if e.any(item); e.err != nil {
				e.failed(strconv.Itoa(i))
				return
			}
			e.end()
		}
		e.close(']')
	case map[string]any:
		if x == nil {
			e.null()
			return
		}
		e.object(x)
	default:
		e.foreign(x)
	}
}

func (e *encoder) object(v map[string]any) {
	if !e.open('{') {
		return
	}
	start := len(e.entries)
	for key, value := range v {
		e.entries = append(e.entries, entry{key: key, value: value})
	}
	e.sorted(start, nil, func(value any, _ int64) { e.any(value) })
}

// entry is an entry of a map that is being written: its key, and its value, the index of that in a list, or
// an integer.
type entry struct {
	key   string
	value any
	at    int64
}

// byKey sorts entries. It is not generic, as every package would have to compile a generic function again.
type byKey []entry

func (x byKey) Len() int           { return len(x) }
func (x byKey) Less(i, j int) bool { return x[i].key < x[j].key }
func (x byKey) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }

// few is the number of entries up to which an insertion sort is the fastest.
const few = 12

// sorted writes the entries of the current map, which begin at start, in the order of their keys, and ends the
// object. Only a value of keys may be a key, unless that is nil or open.
func (e *encoder) sorted(start int, keys *enum, write func(value any, at int64)) {
	e.sort(e.entries[start:])
	for i, end := start, len(e.entries); i < end; i++ {
		key := e.entries[i].key
		if keys != nil && !keys.open && !keys.hasKey(key) {
			e.fail(CodeUnknownValue, quote(key)+" is not a value of "+keys.name)
		} else {
			e.text(key)
			e.buf = append(e.buf, ':')
			write(e.entries[i].value, e.entries[i].at)
		}
		if e.failed(key) {
			break
		}
		e.end()
	}
	clear(e.entries[start:])
	e.entries = e.entries[:start]
	if e.err == nil {
		e.close('}')
	}
}

func (e *encoder) sort(entries []entry) {
	if len(entries) > few {
		sort.Sort(byKey(entries))
		return
	}
	for i := range entries {
		for j := i; j > 0 && entries[j].key < entries[j-1].key; j-- {
			entries[j], entries[j-1] = entries[j-1], entries[j]
		}
	}
}

func (e *encoder) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail(CodeOutOfRange, "expected a finite number, got "+strconv.FormatFloat(f, 'g', -1, 64))
		return
	}
	e.buf = appendFloat(e.buf, f)
}

func appendFloat(b []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64)
}

func (e *encoder) integer(n int64) {
	if n < -maxInteger || n > maxInteger {
		e.fail(CodeOutOfRange, "expected an integer within ±"+strconv.FormatInt(maxInteger, 10)+", got "+strconv.FormatInt(n, 10))
		return
	}
	e.buf = strconv.AppendInt(e.buf, n, 10)
}

// number writes a number literal.
func (e *encoder) number(x json.Number) {
	d := decoder{data: []byte(x)}
	if _, whole := d.literal(); whole && !d.bad && tooLong(x) {
		e.fail(CodeOutOfRange, longInteger)
		return
	}
	d.at, d.bad = 0, false
	if d.skip(); d.fault != nil {
		e.fail(d.fault.Code, d.fault.Message)
		return
	} else if d.bad || d.at != len(d.data) || len(x) == 0 || x[0] != '-' && (x[0] < '0' || x[0] > '9') {
		e.fail(CodeWrongType, "expected a number, got "+strconv.Quote(string(x)))
		return
	}
	e.buf = append(e.buf, x...)
}

// foreign writes a value whose type is not from this package, as encoding/json does but without escaping
// HTML, and only if the result is JSON that a decoder accepts.
func (e *encoder) foreign(v any) {
	own := asDeclared(v)
	if fault := losing(v, own); fault != "" {
		e.fail(CodeWrongType, fault)
		return
	}
	if own != nil {
		e.declared(own)
		return
	}
	var b bytes.Buffer
	text := json.NewEncoder(&b)
	text.SetEscapeHTML(false)
	if err := text.Encode(v); err != nil {
		e.fail(CodeWrongType, "expected JSON: "+err.Error())
		e.err.cause = err
		return
	}
	d := decoder{data: b.Bytes(), depth: e.depth}
	tree := d.any()
	if d.bad {
		if fault := syntaxFault(b.Bytes()); fault != nil && fault.Code == CodeOutOfRange {
			e.fail(fault.Code, fault.Message)
		}
		e.fail(CodeWrongType, "expected JSON, nested at most "+strconv.Itoa(maxDepth)+" levels")
		return
	}
	e.any(tree)
}

// isNil reports whether v is a nil pointer.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return value.Kind() == reflect.Pointer && value.IsNil()
}

// asDeclared returns the declared value that v is or embeds as a pointer, to a copy if v is none; nil if there
// is none. A struct that embeds a declared one also has its methods, but not its layout in memory. See
// fieldBeside.
func asDeclared(v any) resolver {
	own, ok := v.(resolver)
	switch {
	case !ok:
		if own = pointerTo(v); own == nil {
			return nil
		}
	case isNil(v):
		return nil
	}
	of := resolve(own)
	if describes(of, own) {
		return own
	}
	holder := reflect.Indirect(reflect.ValueOf(own))
	for i := range holder.NumField() {
		place := holder.Field(i)
		if !holder.Type().Field(i).Anonymous {
			continue
		}
		if place.Kind() != reflect.Pointer && place.CanAddr() {
			place = place.Addr()
		}
		if place.Kind() != reflect.Pointer || place.IsNil() {
			continue
		}
		inner, ok := asAny(place.Type().Elem(), addressOf(place)).(resolver)
		if ok && resolve(inner) == of {
			return asDeclared(inner)
		}
	}
	return nil
}

// fieldBeside returns the name of a field that a struct has for JSON beside the declared value that it embeds, or "".
func fieldBeside(typ reflect.Type) string {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || isDeclared(typ) {
		return ""
	}
	for i := range typ.NumField() {
		field := typ.Field(i)
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch isRule := reflect.PointerTo(inner).Implements(ruleType); {
		case field.Anonymous && isRule:
			if name := fieldBeside(inner); name != "" {
				return name
			}
		case (field.IsExported() || field.Anonymous) && field.Tag.Get("json") != "-":
			return field.Name
		}
	}
	return ""
}

// losing is the message for a struct, or a pointer to one, that has fields beside the declared value that it embeds; ""
// for all other values. What such a struct holds cannot be written as that value, or read, without losing the fields.
// The declared value, if there is one, is given as asDeclared returns it.
func losing(v any, own resolver) string {
	typ := reflect.TypeOf(v)
	if own != nil && (typ == reflect.TypeOf(own) || typ == reflect.TypeOf(own).Elem()) {
		return "" // the usual case
	}
	if typ == nil || !typ.Implements(ruleType) && !reflect.PointerTo(typ).Implements(ruleType) {
		return ""
	}
	name := fieldBeside(typ)
	if name == "" {
		return ""
	}
	return typeName(v) + " embeds a declared value, so its field " + name + " would be lost; make the value a named field"
}

// copied returns a pointer to a copy of the declared value that v is or embeds.
func copied(v any) resolver { return pointerTo(reflect.ValueOf(asDeclared(v)).Elem().Interface()) }

// isDeclared reports whether a type is declared in this package, rather than one that embeds such a type.
func isDeclared(typ reflect.Type) bool {
	if !reflect.PointerTo(typ).Implements(ruleType) {
		return false
	}
	own := reflect.New(typ).Interface().(resolver)
	return describes(resolve(own), own)
}

// pointerTo returns a pointer to a copy of a declared value that is not a pointer itself, or nil.
func pointerTo(v any) resolver {
	typ := reflect.TypeOf(v)
	if typ == nil || typ.Kind() != reflect.Struct || !reflect.PointerTo(typ).Implements(ruleType) {
		return nil
	}
	place := reflect.New(typ)
	place.Elem().Set(reflect.ValueOf(v))
	return place.Interface().(resolver)
}

var ruleType = reflect.TypeFor[resolver]()

// raw writes the text of an Unknown.
func (e *encoder) raw(raw json.RawMessage) {
	d := decoder{data: raw, depth: e.depth}
	isObject := d.peek() == '{'
	if d.skip(); !isObject || d.bad || d.peek() != 0 || d.at != len(raw) || !utf8.Valid(raw) {
		if fault := syntaxFault(raw); fault != nil && fault.Code == CodeOutOfRange {
			e.fail(fault.Code, fault.Message)
		}
		e.fail(CodeInvalidJSON, "expected the text of one JSON object")
		return
	}
	e.buf = append(e.buf, bytes.TrimSpace(compact(raw))...)
}

// hasBreaks reports whether JSON has line breaks, which are white space that cannot be part of a line. It
// takes a fraction of the time of bytes.ContainsAny.
func hasBreaks(raw []byte) bool {
	return bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') >= 0
}

// compact returns JSON without the white space that cannot be part of a line.
func compact(raw []byte) []byte {
	if !hasBreaks(raw) {
		return raw
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw // not JSON, which the caller has checked
	}
	return b.Bytes()
}
