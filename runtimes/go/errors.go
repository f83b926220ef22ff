// Faults of documents and values, as errors with a code and a path.

package polywireruntime

import (
	"errors"
	"strings"
)

// Code identifies the kind of a fault.
type Code string

// The codes, in order of precedence when several faults occur at the same path.
const (
	CodeTooLong        Code = "too_long"
	CodeInvalidUTF8    Code = "invalid_utf8"
	CodeInvalidJSON    Code = "invalid_json"
	CodeTooDeep        Code = "too_deep"
	CodeWrongType      Code = "wrong_type"
	CodeMissingField   Code = "missing_field"
	CodeUnknownVariant Code = "unknown_variant"
	CodeNoVariant      Code = "no_variant"
	CodeWrongConstant  Code = "wrong_constant"
	CodeUnknownValue   Code = "unknown_value"
	CodeOutOfRange     Code = "out_of_range"
	CodeBadFormat      Code = "bad_format"
	CodeOutOfBounds    Code = "out_of_bounds"
	CodeUnknownField   Code = "unknown_field"
)

var codes = []Code{
	CodeTooLong,
	CodeInvalidUTF8,
	CodeInvalidJSON,
	CodeTooDeep,
	CodeWrongType,
	CodeMissingField,
	CodeUnknownVariant,
	CodeNoVariant,
	CodeWrongConstant,
	CodeUnknownValue,
	CodeOutOfRange,
	CodeBadFormat,
	CodeOutOfBounds,
	CodeUnknownField,
}

var errNil = errors.New("polywireruntime: a nil pointer in place of a message")

// DecodeError is a fault in a document.
type DecodeError struct {
	Code Code
	// Path is a JSON Pointer (RFC 6901). It is "" for the whole document and for syntax errors.
	Path    string
	Message string
}

func (e *DecodeError) Error() string { return describe("decode", e.Code, e.Path, e.Message) }

// EncodeError is a fault in a value that was to be encoded.
type EncodeError struct {
	Code    Code
	Path    string // a JSON Pointer
	Message string

	cause error // from encoding/json, or nil
}

// Unwrap returns the error of encoding/json for a value of a foreign type, which wraps that of its method; nil if
// there is none.
func (e *EncodeError) Unwrap() error { return e.cause }

// ofEncoding returns the fault as one of the value that was written as the document.
func (e *DecodeError) ofEncoding() *EncodeError {
	return &EncodeError{Code: e.Code, Path: e.Path, Message: e.Message}
}

func (e *EncodeError) Error() string { return describe("encode", e.Code, e.Path, e.Message) }

func describe(doing string, code Code, path, message string) string {
	var b strings.Builder
	b.WriteString("polywireruntime: " + doing + ": " + string(code))
	if path != "" {
		b.WriteString(" at " + path)
	}
	if message != "" {
		b.WriteString(": " + message)
	}
	return b.String()
}

var stepEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escapeStep escapes a key for use in a JSON Pointer.
func escapeStep(key string) string { return stepEscapes.Replace(key) }
