// Values to JSON: the buffer that the writers of types append to.
//
// The first fault is kept; on the way out each level adds its step to the fault's path.

package polywireruntime

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

type encoder struct {
	buf   []byte
	err   *EncodeError
	depth int
}

// written returns the text of a value, or its fault.
func written[T any](v *T, write func(*encoder, *T)) ([]byte, error) {
	e := encoder{buf: make([]byte, 0, 512)}
	if write(&e, v); e.err != nil {
		return nil, e.err
	}
	return e.buf, nil
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
		e.fail(CodeTooDeep, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
		return false
	}
	e.depth++
	e.buf = append(e.buf, bracket)
	return true
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

// key begins a member; name is the quoted key with the colon.
func (e *encoder) key(name string) { e.buf = append(e.buf, name...) }

// end ends a member.
func (e *encoder) end() { e.buf = append(e.buf, ',') }

func (e *encoder) null() { e.buf = append(e.buf, "null"...) }

// --- text ------------------------------------------------------------------------------------------

const hexDigits = "0123456789abcdef"

func (e *encoder) text(s string) {
	e.buf = append(e.buf, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			if c != 0xED || len(s) < i+3 || s[i+1] < 0xA0 || s[i+1] > 0xBF || s[i+2]&0xC0 != 0x80 {
				e.fail(CodeInvalidUTF8, "text that is not UTF-8")
				return
			}
			e.buf = append(e.buf, s[start:i]...)
			e.buf = appendEscape(e.buf, 0xD000|uint16(s[i+1]&0x3F)<<6|uint16(s[i+2]&0x3F))
			i += 3
			start = i
			continue
		}
		e.buf = append(e.buf, s[start:i]...)
		switch c {
		case '"', '\\':
			e.buf = append(e.buf, '\\', c)
		case '\n':
			e.buf = append(e.buf, `\n`...)
		case '\r':
			e.buf = append(e.buf, `\r`...)
		case '\t':
			e.buf = append(e.buf, `\t`...)
		default:
			e.buf = appendEscape(e.buf, uint16(c))
		}
		i++
		start = i
	}
	e.buf = append(append(e.buf, s[start:]...), '"')
}

func appendEscape(b []byte, c uint16) []byte {
	return append(b, '\\', 'u', hexDigits[c>>12], hexDigits[c>>8&0xF], hexDigits[c>>4&0xF], hexDigits[c&0xF])
}

// appendText appends the text of a document, quoted.
func appendText(b []byte, text string) []byte {
	e := encoder{buf: b}
	e.text(text)
	return e.buf
}

// --- untouched JSON --------------------------------------------------------------------------------

// writeAny writes untouched JSON; other values as encoding/json does.
func writeAny(e *encoder, v *any) {
	switch x := (*v).(type) {
	case nil:
		e.null()
	case bool:
		e.buf = strconv.AppendBool(e.buf, x)
	case string:
		e.text(x)
	case float64:
		writeFloat(e, &x)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(x), 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, x, 10)
	case json.Number:
		e.number(x)
	case []any:
		writeList(e, &x, writeAny)
	case map[string]any:
		writeObject(e, &x)
	default:
		e.foreign(x)
	}
}

func writeObject(e *encoder, v *map[string]any) { writeMap(e, v, writeAny) }

// number writes the literal of a number.
func (e *encoder) number(x json.Number) {
	d := decoder{data: []byte(x)}
	if _, whole := d.literal(); whole && !d.bad && tooLong(x) {
		e.fail(CodeOutOfRange, longInteger)
		return
	}
	d.at = 0
	if d.skip(); d.bad || d.at != len(d.data) || len(x) == 0 || x[0] != '-' && (x[0] < '0' || x[0] > '9') {
		e.fail(CodeWrongType, "expected a number, got "+strconv.Quote(string(x)))
		return
	}
	e.buf = append(e.buf, x...)
}

// foreign writes a value of a type that is not the package's as encoding/json does, but without
// escaping HTML, and only if the result is JSON that a decoder accepts.
func (e *encoder) foreign(v any) {
	if own, ok := v.(interface{ writeTo(e *encoder) }); ok && !isNil(v) {
		own.writeTo(e)
		return
	}
	var b bytes.Buffer
	text := json.NewEncoder(&b)
	text.SetEscapeHTML(false)
	if err := text.Encode(v); err != nil {
		e.fail(CodeWrongType, "expected JSON: "+err.Error())
		return
	}
	d := decoder{data: b.Bytes(), depth: e.depth}
	var tree any
	if readAny(&d, &tree); d.bad {
		e.refuseLong(b.Bytes())
		e.fail(CodeWrongType, "expected JSON, nested at most "+strconv.Itoa(maxDepth)+" levels")
		return
	}
	writeAny(e, &tree)
}

// isNil reports whether v is a nil pointer.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return value.Kind() == reflect.Pointer && value.IsNil()
}

// refuseLong notes a fault if text is JSON with an integer that is too long.
func (e *encoder) refuseLong(text []byte) {
	if _, fault := parse(text); fault != nil && fault.Code == CodeOutOfRange {
		e.fail(fault.Code, fault.Message)
	}
}

// raw writes the text of an Unknown.
func (e *encoder) raw(raw json.RawMessage) {
	if !utf8.Valid(raw) || !rawObject(raw, e.depth) {
		e.refuseLong(raw)
		e.fail(CodeInvalidJSON, "expected the text of one JSON object")
		return
	}
	if bytes.ContainsAny(raw, "\n\r") {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			e.fail(CodeInvalidJSON, err.Error())
			return
		}
		raw = b.Bytes()
	}
	e.buf = append(e.buf, bytes.TrimSpace(raw)...)
}

// loose writes a value that has none of the Go types of a place as plain JSON, if that fits the
// place.
func (e *encoder) loose(v *any, want rule) {
	start := len(e.buf)
	if writeAny(e, v); e.err != nil {
		return
	}
	tree, fault := parse(e.buf[start:])
	if fault == nil {
		_, fault = validate(want, tree, false)
	}
	if fault != nil {
		e.err = &EncodeError{Code: fault.Code, Path: fault.Path, Message: fault.Message}
	}
}

// extra writes the undeclared members into the object that begins at start, but for those with the name
// of a field that was written.
func (e *encoder) extra(r *record, start int) {
	if r.more == nil || len(r.more.extra) == 0 {
		return
	}
	written := e.keys(start)
	for i := range r.more.extra {
		member := &r.more.extra[i]
		if slices.Contains(written, member.Key) {
			continue
		}
		e.text(member.Key)
		e.buf = append(e.buf, ':')
		if member.raw != "" {
			e.buf = append(append(e.buf, member.raw...), ',')
			continue
		}
		if writeAny(e, &member.Value); e.failed(member.Key) {
			return
		}
		e.end()
	}
}

// keys returns the keys of the unfinished object that begins at start.
func (e *encoder) keys(start int) (keys []string) {
	d := decoder{data: e.buf[start+1:]}
	for d.at < len(d.data) {
		keys = append(keys, d.str())
		d.at++ // the colon
		d.skip()
		d.at++ // the comma
	}
	return keys
}
