// Streams of lines: the incremental decoder, the reader above it, and the writer.

package polywireruntime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
)

const (
	defaultLimit = 64 << 20
	keptOfLong   = 1 << 10
)

// BadLine is the error for a line that does not decode. The stream continues after it.
type BadLine struct {
	Line int    // from 1, counting every line
	Raw  []byte // without the line end; the beginning of a line that is too long
	Err  error
}

func (e *BadLine) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *BadLine) Unwrap() error { return e.Err }

// Option changes how lines are read.
type Option func(*options)

type options struct {
	mode  Mode
	limit int
}

// WithMode sets the mode that lines are decoded in.
func WithMode(mode Mode) Option { return func(o *options) { o.mode = mode } }

// WithLimit sets the length in bytes of the longest line that is read. The default is 64 MiB.
func WithLimit(bytes int) Option { return func(o *options) { o.limit = bytes } }

// LineDecoder decodes a stream of lines that arrives in pieces. It holds at most one line.
type LineDecoder[T any] struct {
	options
	decode func(line []byte, mode Mode) (T, error)

	line  int
	rest  []byte // of the current piece
	held  []byte // of an unfinished line; only its beginning if it is too long
	size  int    // of that line so far
	ended bool
}

// NewLineDecoderOf makes a decoder of lines of type T.
func NewLineDecoderOf[T any](given ...Option) *LineDecoder[T] {
	return &LineDecoder[T]{options: gathered(given), decode: Decode[T]}
}

// NewLineDecoderAs makes a decoder of lines of the type that the protocol declares under a name; see
// DecodeAs.
func NewLineDecoderAs(name string, given ...Option) *LineDecoder[any] {
	as := func(line []byte, mode Mode) (any, error) { return DecodeAs(name, line, mode) }
	return &LineDecoder[any]{options: gathered(given), decode: as}
}

func gathered(given []Option) options {
	o := options{limit: defaultLimit}
	for _, option := range given {
		option(&o)
	}
	return o
}

// Line returns the number of the last line that was returned, from 1.
func (d *LineDecoder[T]) Line() int { return d.line }

// Feed returns what a piece of the stream completes: messages, and a *BadLine for every line that does
// not decode. The decoder refers to the piece until the sequence is exhausted. If a loop ends early, the
// next sequence begins with what is left.
func (d *LineDecoder[T]) Feed(piece []byte) iter.Seq2[T, error] {
	if len(d.rest) == 0 {
		d.rest = piece
	} else {
		d.rest = append(slices.Clip(d.rest), piece...)
	}
	return d.lines
}

// Finish returns what is left at the end of the stream. A last line without a line end counts.
func (d *LineDecoder[T]) Finish() iter.Seq2[T, error] {
	d.ended = true
	return d.lines
}

func (d *LineDecoder[T]) lines(yield func(T, error) bool) {
	for {
		line, size, ok := d.next()
		if !ok {
			return
		}
		if v, err, some := d.item(line, size); some && !yield(v, err) {
			return
		}
	}
}

// next returns a whole line without its end, and its size. Of a line that is too long it may return only
// the beginning.
func (d *LineDecoder[T]) next() (line []byte, size int, ok bool) {
	end := bytes.IndexByte(d.rest, '\n')
	if end < 0 {
		d.hold(d.rest)
		d.rest = nil
		if !d.ended || d.size == 0 {
			return nil, 0, false
		}
	} else {
		line = d.rest[:end]
		d.rest = d.rest[end+1:]
		if d.size == 0 {
			return line, len(line), true
		}
		d.hold(line)
	}
	line, size = d.held, d.size
	d.held, d.size = nil, 0
	return line, size, true
}

// hold keeps a piece of a line, or as much as is reported of a line that is too long. One byte above the
// limit may be a carriage return.
func (d *LineDecoder[T]) hold(piece []byte) {
	d.size += len(piece)
	if d.size-1 > d.limit {
		if len(d.held) > keptOfLong {
			d.held = slices.Clone(d.held[:keptOfLong])
		}
		piece = piece[:min(len(piece), keptOfLong-len(d.held))]
	}
	d.held = append(d.held, piece...)
}

// item decodes a line of a given size. some is false for an empty line.
func (d *LineDecoder[T]) item(line []byte, size int) (v T, err error, some bool) {
	d.line++
	if size == len(line) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		size = len(line)
	}
	if size > d.limit {
		fault := &DecodeError{Code: CodeTooLong, Message: fmt.Sprintf("longer than %d bytes", d.limit)}
		return v, &BadLine{d.line, slices.Clone(line[:min(len(line), keptOfLong)]), fault}, true
	}
	if len(bytes.Trim(line, " \t\r")) == 0 {
		return v, nil, false
	}
	if v, err = d.decode(line, d.mode); err != nil {
		err = &BadLine{d.line, slices.Clone(line), err}
	}
	return v, err, true
}

// Reader reads a stream of lines.
type Reader[T any] struct {
	from    io.Reader
	decoder *LineDecoder[T]
	room    []byte
	err     error
}

// NewReaderOf makes a reader of lines of type T.
func NewReaderOf[T any](from io.Reader, options ...Option) *Reader[T] {
	return &Reader[T]{from: from, decoder: NewLineDecoderOf[T](options...), room: make([]byte, 64<<10)}
}

// Line returns the number of the last line that was returned, from 1.
func (r *Reader[T]) Line() int { return r.decoder.Line() }

// Read returns the next message, or a *BadLine, after which reading can continue. At the end it returns
// io.EOF, and otherwise the error of the underlying reader.
func (r *Reader[T]) Read() (v T, err error) {
	for {
		for v, err := range r.decoder.lines {
			return v, err
		}
		if r.err != nil {
			return v, r.err
		}
		n, err := r.from.Read(r.room)
		r.decoder.Feed(r.room[:n])
		if err != nil {
			r.err = err
			r.decoder.ended = errors.Is(err, io.EOF)
		}
	}
}

// All yields every message, and a *BadLine for every line that does not decode. It ends at the end of
// the stream, or after any other error of the underlying reader.
func (r *Reader[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			v, err := r.Read()
			if errors.Is(err, io.EOF) && r.err == err {
				return
			}
			if !yield(v, err) || err != nil && r.err == err {
				return
			}
		}
	}
}

// Writer writes whole lines, each in one call. It is safe for concurrent use.
type Writer struct {
	mutex sync.Mutex
	to    io.Writer
}

// NewWriter makes a writer. It flushes after every line if the underlying writer can be flushed.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes a value as one line. It writes nothing of a value that cannot be encoded.
func (w *Writer) Write(v any) error {
	line, err := Encode(v)
	if err != nil {
		return err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if _, err := w.to.Write(append(line, '\n')); err != nil {
		return err
	}
	if to, ok := w.to.(interface{ Flush() error }); ok {
		return to.Flush()
	}
	return nil
}
