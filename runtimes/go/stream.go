// Streams of messages: the incremental decoder, the reader built on it, and the writer.

package polywireruntime

import (
	"context"
	"errors"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

const defaultLimit = 64 << 20

// BadLine is the error for a line that does not decode. The stream continues after it, except after a
// malformed header of the framing content-length.
type BadLine struct {
	Line int    // counts every line, starting at 1
	Raw  []byte // without the line end; only the beginning of a line that is too long, or of a malformed header
	Err  error
}

func (e *BadLine) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Err.Error() }

func (e *BadLine) Unwrap() error { return e.Err }

// Option configures how lines are read.
type Option func(*options)

type options struct {
	mode  Mode
	limit int
	only  []wanting
}

// WithMode sets the mode in which lines are decoded.
func WithMode(mode Mode) Option { return func(o *options) { o.mode = mode } }

// WithLimit sets the maximum length of a line in bytes. The default is 64 MiB.
func WithLimit(bytes int) Option { return func(o *options) { o.limit = bytes } }

// LineDecoder decodes a stream of lines that arrives in pieces. It buffers at most one line and the piece
// that contains its end.
type LineDecoder[T any] struct {
	options
	lines  splitter
	decode Decoder[T]
	filter *filter // nil without Only
}

// NewLineDecoderOf returns a decoder of lines. decode is Decode of a struct, or the Unmarshal function of
// a union.
func NewLineDecoderOf[T any](decode Decoder[T], given ...Option) *LineDecoder[T] {
	d := &LineDecoder[T]{options: gathered(given), decode: decode}
	if d.only != nil {
		_, answer := decode(nil, describing)
		d.filter = newFilter(answer, d.only)
	}
	return d
}

// NewLineDecoderAs returns a decoder of lines of the type that the protocol declares by the given name;
// see DecodeAs.
func NewLineDecoderAs(name string, given ...Option) *LineDecoder[any] {
	return NewLineDecoderOf(func(line []byte, mode ...Mode) (any, error) { return DecodeAs(name, line, mode...) }, given...)
}

func gathered(given []Option) options {
	o := options{limit: defaultLimit}
	for _, option := range given {
		option(&o)
	}
	return o
}

// Line returns the number of the line that was read last, starting at 1. Empty and skipped lines count.
func (d *LineDecoder[T]) Line() int { return d.lines.line }

// Skipped returns the number of lines that were skipped because of Only.
func (d *LineDecoder[T]) Skipped() int {
	if d.filter == nil {
		return 0
	}
	return d.filter.count
}

// Feed adds a piece of the stream and yields the messages it completes, and a *BadLine for every line
// that does not decode. If a loop ends early, the next sequence starts with the rest. The piece is copied
// before Feed returns, so its memory can be reused.
func (d *LineDecoder[T]) Feed(piece []byte) iter.Seq2[T, error] {
	if !d.lines.closed {
		d.lines.feed(slices.Clone(piece))
	}
	return d.all
}

// Finish yields what is left at the end of the stream. A last line without a line end is decoded as well.
func (d *LineDecoder[T]) Finish() iter.Seq2[T, error] {
	d.lines.ended = true
	return d.all
}

func (d *LineDecoder[T]) all(yield func(T, error) bool) {
	for {
		v, err, ok := d.next()
		if !ok || !yield(v, err) {
			return
		}
	}
}

// next decodes the next available line.
func (d *LineDecoder[T]) next() (v T, err error, ok bool) {
	for {
		line, bad := d.lines.next(d.limit)
		if bad != nil {
			d.lines.kept = len(bad.Raw)
			return v, bad, true
		}
		if line == nil {
			return v, nil, false
		}
		if d.filter == nil {
			v, err = d.decode(line, d.mode)
		} else if v, err, ok = d.filtered(line); !ok {
			d.filter.count++
			continue
		}
		if d.lines.kept = len(line); err != nil {
			err = &BadLine{d.lines.line, slices.Clone(line), err}
		}
		return v, err, true
	}
}

// filtered decodes a line unless the filter skips it.
func (d *LineDecoder[T]) filtered(line []byte) (v T, err error, ok bool) {
	decided := d.filter.judge(line, &d.lines, d.mode)
	if decided == isSkipped {
		return v, nil, false
	}
	if v, err = d.decode(line, d.mode); err == nil && decided.excludes(v) {
		return *new(T), nil, false
	}
	return v, err, true
}

// Reader reads a stream of lines. It can be used again after any error: no line is lost or read twice.
type Reader[T any] struct {
	from    io.Reader
	decoder *LineDecoder[T]
	source  source
}

// NewReaderOf returns a reader of lines. decode is Decode of a struct, or the Unmarshal function of a
// union.
func NewReaderOf[T any](from io.Reader, decode Decoder[T], given ...Option) *Reader[T] {
	return &Reader[T]{from: from, decoder: NewLineDecoderOf(decode, given...)}
}

// Line returns the number of the line that was read last, starting at 1. Empty and skipped lines count.
func (r *Reader[T]) Line() int { return r.decoder.Line() }

// Skipped returns the number of lines that were skipped because of Only.
func (r *Reader[T]) Skipped() int { return r.decoder.Skipped() }

// Size returns the length of the line returned last in bytes; for a line that is too long, the length of the part that
// was kept.
func (r *Reader[T]) Size() int { return r.decoder.lines.kept }

// Read returns the next message, or a *BadLine, after which reading can continue. At the end of the
// stream it returns io.EOF. An error of the underlying reader is returned unchanged, once; the next call
// continues.
func (r *Reader[T]) Read() (T, error) {
	for {
		v, err, ok := r.decoder.next()
		if ok {
			return v, err
		}
		if r.decoder.lines.closed {
			return v, io.EOF
		}
		if err := r.source.fill(r.from, &r.decoder.lines); err != nil {
			return v, err
		}
	}
}

// All yields every message, and a *BadLine for every line that does not decode. It stops at the end of
// the stream or after any other error of the underlying reader; another call continues.
func (r *Reader[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			v, err := r.Read()
			if isEnd(err) {
				return
			}
			if !yield(v, err) || err != nil && !isBadLine(err) {
				return
			}
		}
	}
}

// Next is like Read but takes a context. When the context is done, Next returns its error immediately;
// data that the underlying reader delivers afterwards is kept for the next call, and no line is lost.
// Until that call, the underlying reader may still be in use.
func (r *Reader[T]) Next(ctx context.Context) (v T, err error) {
	for {
		if v, err, ok := r.decoder.next(); ok {
			return v, err
		}
		if r.decoder.lines.closed {
			return v, io.EOF
		}
		if err := r.source.fillWithin(ctx, r.from, &r.decoder.lines); err != nil {
			return v, err
		}
	}
}

// isEnd reports whether an error is io.EOF itself; a wrapped one is a failure of the reader.
func isEnd(err error) bool {
	_, isBad := err.(*BadLine)
	return !isBad && err != nil && reflect.TypeOf(err).Comparable() && err == io.EOF
}

func isBadLine(err error) bool {
	_, ok := err.(*BadLine)
	return ok
}

// source reads bytes from an underlying reader.
type source struct {
	room    []byte
	pending error
	reads   chan delivery // of a read that a context did not wait for
}

type delivery struct {
	n   int
	err error
}

// emptyReads is the number of consecutive reads that may return neither bytes nor an error.
const emptyReads = 100

// fill reads once. An error of the reader is returned after the lines that were read before it.
func (s *source) fill(from io.Reader, lines *splitter) error {
	if s.reads != nil {
		return s.settle(<-s.reads, lines)
	}
	if err := s.pending; err != nil {
		s.pending = nil
		return s.end(err, lines)
	}
	s.prepare()
	for range emptyReads {
		if n, err := from.Read(s.room); n > 0 || err != nil {
			return s.settle(delivery{n, err}, lines)
		}
	}
	return io.ErrNoProgress
}

func (s *source) fillWithin(ctx context.Context, from io.Reader, lines *splitter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.pending; err != nil {
		s.pending = nil
		return s.end(err, lines)
	}
	if s.reads == nil {
		s.prepare()
		reads, room := make(chan delivery, 1), s.room
		s.reads = reads
		go func() {
			for range emptyReads {
				if n, err := from.Read(room); n > 0 || err != nil {
					reads <- delivery{n, err}
					return
				}
			}
			reads <- delivery{0, io.ErrNoProgress}
		}()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case came := <-s.reads:
		return s.settle(came, lines)
	}
}

func (s *source) prepare() {
	if s.room == nil {
		s.room = make([]byte, 64<<10)
	}
}

// settle processes the result of a read. The bytes are consumed before the next read.
func (s *source) settle(came delivery, lines *splitter) error {
	s.reads = nil
	if came.n < 0 || came.n > len(s.room) {
		return errBadRead
	}
	lines.feed(s.room[:came.n])
	if came.n > 0 {
		s.pending = came.err
		return nil
	}
	if came.err == nil {
		return nil
	}
	return s.end(came.err, lines)
}

var errBadRead = errors.New("polywireruntime: the reader returned an impossible count")

// end returns an error of the reader. At the end of the stream, the last line is returned first.
func (s *source) end(err error, lines *splitter) error {
	if isEnd(err) && !lines.ended {
		lines.ended = true
		return nil
	}
	return err
}

// Writer writes complete lines, each in one call unless a write is short. It is safe for concurrent use.
type Writer struct {
	mutex sync.Mutex
	to    io.Writer
	rest  []byte // of a line that was partly written
	// partial means that the beginning of the line in rest was written.
	partial bool
}

// NewWriter returns a writer. It flushes after every line if the underlying writer has a Flush method.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes a value as one line. Nothing is written if the value cannot be encoded. If the underlying
// writer fails in the middle of a line, the next call first writes the rest of that line.
func (w *Writer) Write(v any) error {
	line, err := Encode(v)
	if err != nil {
		return err
	}
	return w.whole(framing{}.frame(line))
}

// WriteLine is like Write for a line that is already encoded, without newlines.
func (w *Writer) WriteLine(line []byte) error {
	return w.whole(framing{}.frame(slices.Clip(line)))
}

// whole writes a line with its newline, after the rest of the previous line.
func (w *Writer) whole(line []byte) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err := w.drain(); err != nil {
		return err
	}
	w.rest = line
	if err := w.drain(); err != nil {
		return err
	}
	return w.flushed()
}

// Flush writes the rest of a partly written line and flushes the underlying writer.
func (w *Writer) Flush() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err := w.drain(); err != nil {
		return err
	}
	return w.flushed()
}

func (w *Writer) flushed() error {
	if to, ok := w.to.(interface{ Flush() error }); ok {
		return to.Flush()
	}
	return nil
}

// drain writes the rest of a line. If that fails before any of a line is written, the line is dropped, as
// the caller still has it.
func (w *Writer) drain() error {
	whole := len(w.rest)
	for empty := 0; len(w.rest) > 0; {
		n, err := w.to.Write(w.rest)
		n = min(max(n, 0), len(w.rest))
		w.rest = w.rest[n:]
		if err == nil && n == 0 {
			if empty++; empty == emptyReads {
				err = io.ErrShortWrite
			}
		}
		if err != nil {
			if len(w.rest) == whole && !w.partial {
				w.rest = nil
			}
			w.partial = len(w.rest) > 0
			return err
		}
	}
	w.partial = false
	return nil
}
