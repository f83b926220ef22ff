// What the writers of types are made of: scalars, containers, constants.

//lint:file-ignore U1000 a package uses the helpers that its protocol needs

package polywireruntime

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/uuid"
)

func writeText[T ~string](e *encoder, v *T) { e.text(string(*v)) }

func writeBool[T ~bool](e *encoder, v *T) { e.buf = strconv.AppendBool(e.buf, bool(*v)) }

func writeFloat[T ~float64](e *encoder, v *T) {
	f := float64(*v)
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

func writeInt[T ~int | ~int64](e *encoder, v *T) {
	n := int64(*v)
	if n < -maxInteger || n > maxInteger {
		e.fail(CodeOutOfRange, fmt.Sprintf("expected an integer within ±%d, got %d", int64(maxInteger), n))
		return
	}
	e.buf = strconv.AppendInt(e.buf, n, 10)
}

func writeList[T any](e *encoder, v *[]T, write func(*encoder, *T)) {
	if !e.open('[') {
		return
	}
	for i := range *v {
		if write(e, &(*v)[i]); e.err != nil {
			e.failed(strconv.Itoa(i))
			return
		}
		e.end()
	}
	e.close(']')
}

func writeMap[K ~string, T any](e *encoder, v *map[K]T, write func(*encoder, *T)) {
	if !e.open('{') {
		return
	}
	keys := make([]K, 0, len(*v))
	for key := range *v {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		entry := (*v)[key]
		e.text(string(key))
		e.buf = append(e.buf, ':')
		if write(e, &entry); e.failed(string(key)) {
			return
		}
		e.end()
	}
	e.close('}')
}

// writePointer writes the value of a pointer, the zero value for nil.
func writePointer[T any](e *encoder, v **T, write func(*encoder, *T)) {
	if *v == nil {
		write(e, new(T))
		return
	}
	write(e, *v)
}

// writeNullable writes the value of a pointer, null for nil.
func writeNullable[T any](e *encoder, v **T, write func(*encoder, *T)) {
	if *v == nil {
		e.null()
		return
	}
	write(e, *v)
}

// writeNil writes a value of a type that has a nil, null for that.
func writeNil[T any](e *encoder, v *T, null bool, write func(*encoder, *T)) {
	if null {
		e.null()
		return
	}
	write(e, v)
}

// writeRef writes the value of a pointer that may not be nil.
func writeRef[T any](e *encoder, v *T, write func(*encoder, *T)) {
	if v == nil {
		e.fail(CodeWrongType, "expected object, got a nil pointer")
		return
	}
	write(e, v)
}

// writeKeyed writes a map whose keys are closed.
func writeKeyed[K ~string, T any](e *encoder, v *map[K]T, write func(*encoder, *T), known func(K) bool) {
	for key := range *v {
		if !known(key) {
			e.fail(CodeUnknownValue, strconv.Quote(string(key))+" is no key here")
			e.failed(string(key))
			return
		}
	}
	writeMap(e, v, write)
}

// isZero reports whether a struct is its zero value.
func isZero[T any](v *T) bool { return reflect.ValueOf(v).Elem().IsZero() }

// blank reports whether a UUID is the zero value.
func blank(id uuid.UUID) bool { return id == uuid.UUID{} }

func (e *encoder) wrongConstant(want string) {
	e.fail(CodeWrongConstant, "expected "+want)
}

// constantText writes a constant. The field may be left empty.
func constantText[T ~string](e *encoder, v *T, want T) {
	if *v != "" && *v != want {
		e.wrongConstant(strconv.Quote(string(want)))
		return
	}
	e.text(string(want))
}

func constantFlag[T ~bool](e *encoder, v *T, want T) {
	if bool(*v) && !bool(want) {
		e.wrongConstant("false")
		return
	}
	writeBool(e, &want)
}

func constantFloat[T ~int | ~float64](e *encoder, v *T, want T) {
	if *v != 0 && *v != want {
		e.wrongConstant(strconv.FormatFloat(float64(want), 'g', -1, 64))
		return
	}
	e.buf = appendFloat(e.buf, float64(want))
}

func writeSpelt(e *encoder, v *uuid.UUID, r *record, key string) {
	if text, ok := r.spelt(key, *v); ok {
		e.text(text)
		return
	}
	e.uuid(*v)
}

func (e *encoder) uuid(id uuid.UUID) {
	var text [38]byte
	text[0], text[37] = '"', '"'
	at := 1
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text[at] = '-'
			at++
		}
		text[at], text[at+1] = hexDigits[b>>4], hexDigits[b&0xF]
		at += 2
	}
	e.buf = append(e.buf, text[:]...)
}

// flat writes the members of a flattened value into the object at hand.
func (e *encoder) flat(write func(*encoder)) {
	inner := encoder{depth: e.depth - 1}
	if write(&inner); inner.err != nil {
		e.err = inner.err
		return
	}
	if text := inner.buf; len(text) > 2 {
		e.buf = append(append(e.buf, text[1:len(text)-1]...), ',')
	}
}
