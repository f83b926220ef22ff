// The slow pass, part one: JSON text to a tree, or the fault of the parser.

package polywireruntime

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A tree is nil, bool, string, number, []any or *object.
type (
	number string
	object struct {
		keys    []string // in the order they first came
		members map[string]any
	}
)

func (o *object) has(key string) bool {
	_, ok := o.members[key]
	return ok
}

// parse reads one JSON text. The last of duplicate keys counts.
func parse(data []byte) (any, *DecodeError) {
	if !utf8.Valid(data) {
		return nil, &DecodeError{Code: CodeInvalidUTF8, Message: "not UTF-8"}
	}
	p := parser{tokensOf(data)}
	tree, err := p.value()
	if err == nil {
		err = p.end()
	}
	deep := tooDeep(data)
	var fault *DecodeError
	if errors.As(err, &fault) {
		return nil, fault
	}
	if err != nil && !(deep && jsonBeyond(data)) {
		return nil, &DecodeError{Code: CodeInvalidJSON, Message: strings.TrimPrefix(err.Error(), "jsontext: ")}
	}
	if deep {
		return nil, depthFault("")
	}
	return tree, nil
}

func depthFault(path string) *DecodeError {
	return &DecodeError{CodeTooDeep, path, "nested deeper than " + strconv.Itoa(maxDepth) + " levels"}
}

type parser struct{ tokens *tokens }

func (p parser) end() error {
	_, err := p.tokens.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = errors.New("text after the value")
	}
	return err
}

func (p parser) value() (any, error) {
	switch p.tokens.PeekKind() {
	case '{':
		return p.object()
	case '[':
		if _, err := p.tokens.ReadToken(); err != nil {
			return nil, err
		}
		items := []any{}
		for p.tokens.PeekKind() != ']' {
			item, err := p.value()
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := p.tokens.ReadToken()
		return items, err
	}
	text, err := p.tokens.ReadValue()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("no value")
		}
		return nil, err
	}
	switch text[0] {
	case 'n':
		return nil, nil
	case 't', 'f':
		return text[0] == 't', nil
	case '"':
		return unquote(text), nil
	}
	if tooLong(text) && isInteger(text) {
		return nil, &DecodeError{Code: CodeOutOfRange, Message: longInteger}
	}
	return number(text), nil
}

// longInteger is the message for an integer literal with too many digits.
var longInteger = "expected an integer of at most " + strconv.Itoa(maxDigits) + " digits"

// isInteger reports whether the literal of a number has neither fraction nor exponent.
func isInteger[T ~string | ~[]byte](literal T) bool {
	return !strings.ContainsAny(string(literal), ".eE")
}

func (p parser) object() (any, error) {
	if _, err := p.tokens.ReadToken(); err != nil {
		return nil, err
	}
	o := &object{members: map[string]any{}}
	for p.tokens.PeekKind() != '}' {
		name, err := p.tokens.ReadValue()
		if err != nil {
			return nil, err
		}
		key := unquote(name)
		member, err := p.value()
		if err != nil {
			return nil, err
		}
		if !o.has(key) {
			o.keys = append(o.keys, key)
		}
		o.members[key] = member
	}
	_, err := p.tokens.ReadToken()
	return o, err
}

// unquote returns the value of a string literal, lone surrogates included.
func unquote(text []byte) string {
	text = text[1 : len(text)-1]
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return string(text)
	}
	b := append([]byte(nil), text[:at]...)
	for at < len(text) {
		if text[at] != '\\' {
			b = append(b, text[at])
			at++
			continue
		}
		var n int
		b, n = unescape(b, text[at:])
		at += max(n, 1)
	}
	return string(b)
}

// tooDeep reports whether brackets nest too deep in a text that is JSON.
func tooDeep(data []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// jsonBeyond reports whether a text that nests too deep for the tokenizer is JSON.
func jsonBeyond(data []byte) bool {
	var stack []byte
	d := decoder{data: data}
	for {
		c := d.peek()
		if c == '{' || c == '[' {
			d.at++
			stack = append(stack, c+2)
			if d.peek() != c+2 {
				if c == '{' && !d.name() {
					return false
				}
				continue
			}
		} else if c == '"' || c == 't' || c == 'f' || c == 'n' {
			d.skip()
		} else {
			d.literal() // of any size: depth is the fault to report
		}
		if d.bad {
			return false
		}
		// A value or an empty bracket has ended, and perhaps those around it.
		for len(stack) > 0 && d.peek() == stack[len(stack)-1] {
			d.at++
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return d.peek() == 0 && d.at == len(data)
		}
		if d.peek() != ',' {
			return false
		}
		d.at++
		if stack[len(stack)-1] == '}' && !d.name() {
			return false
		}
	}
}

// name moves over a key and its colon.
func (d *decoder) name() bool {
	if d.peek() != '"' {
		return false
	}
	d.skipString()
	if d.bad || d.peek() != ':' {
		return false
	}
	d.at++
	return true
}

// text writes a tree as a document that the fast pass accepts.
func text(b []byte, tree any) []byte {
	switch x := tree.(type) {
	case bool:
		return strconv.AppendBool(b, x)
	case string:
		return appendText(b, x)
	case number:
		return append(b, x...)
	case []any:
		b = append(b, '[')
		for i, item := range x {
			if i > 0 {
				b = append(b, ',')
			}
			b = text(b, item)
		}
		return append(b, ']')
	case *object:
		b = append(b, '{')
		for i, key := range x.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = text(append(appendText(b, key), ':'), x.members[key])
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// --- kinds of values -------------------------------------------------------------------------------

func kindOf(tree any) string {
	switch x := tree.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case number:
		if isInteger(x) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// wideKind is the kind that tells members of an inline union apart.
func wideKind(tree any) string {
	if kind := kindOf(tree); kind != "integer" {
		return kind
	}
	return "number"
}

func (x number) double() (float64, bool) {
	f, err := parseFloat(string(x))
	return f, err == nil
}
