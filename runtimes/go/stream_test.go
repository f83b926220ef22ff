package polywireruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// stream has lines of every kind: good, bad, empty, with other line ends, too long, without an end.
var stream = strings.Join([]string{
	`1`,
	``,
	" \t\r",
	`"a` + "\u2028" + `b"` + "\r",
	`{"cut": `,
	`[` + strings.Repeat("1,", 40) + `1]`,
	"\"\xff\"",
	digits(30) + "\r",
	`null`,
}, "\n")

const limit = 32

var items = []string{
	"1: 1", "4: a\u2028b", "5: invalid_json", "6: too_long", "7: invalid_utf8", "8: " + digits(30), "9: <nil>",
}

func itemOf(line int, v any, err error) string {
	var bad *BadLine
	if !errors.As(err, &bad) {
		return fmt.Sprintf("%d: %v", line, v)
	}
	return fmt.Sprintf("%d: %s", bad.Line, bad.Err.(*DecodeError).Code)
}

func TestPiecesMayBeCutAnywhere(t *testing.T) {
	for size := 1; size <= len(stream); size++ {
		d := NewLineDecoderOf(unmarshalAny, WithLimit(limit))
		var got []string
		for piece := range slices.Chunk([]byte(stream), size) {
			copied := bytes.Clone(piece)
			for v, err := range d.Feed(copied) {
				got = append(got, itemOf(d.Line(), v, err))
			}
			clear(copied) // buffered data must have been copied
		}
		for v, err := range d.Finish() {
			got = append(got, itemOf(d.Line(), v, err))
		}
		if !slices.Equal(got, items) {
			t.Fatalf("pieces of %d bytes: %q", size, got)
		}
	}
}

func TestALoopThatEndsEarlyLosesNothing(t *testing.T) {
	d := NewLineDecoderAs("Any", WithLimit(limit), WithMode(StrictMode))
	lines := 0
	for range d.Feed([]byte("1\n2\n3")) {
		lines++
		break
	}
	for range d.Feed([]byte("\n4\n")) {
		lines++
	}
	for range d.Finish() {
		lines++
	}
	if lines != 4 || d.Line() != 4 {
		t.Errorf("%d items, line %d", lines, d.Line())
	}
}

func TestReadersOfAnyPace(t *testing.T) {
	for _, from := range []io.Reader{
		strings.NewReader(stream),
		iotest.OneByteReader(strings.NewReader(stream)),
		iotest.DataErrReader(strings.NewReader(stream)),
		iotest.HalfReader(strings.NewReader(stream)),
	} {
		r := NewReaderOf(from, unmarshalAny, WithLimit(limit))
		var got []string
		for v, err := range r.All() {
			got = append(got, itemOf(r.Line(), v, err))
		}
		if !slices.Equal(got, items) {
			t.Errorf("%q", got)
		}
		if _, err := r.Read(); err != io.EOF {
			t.Errorf("%v after the end", err)
		}
	}
}

func TestBadLinesHaveTheirTextAndTheirCause(t *testing.T) {
	long := `"` + strings.Repeat("x", 5000) + `"`
	r := NewReaderOf(strings.NewReader("\n{\r\n"+long+"\n"+digits(maxDigits+1)+"\n1"), unmarshalAny, WithLimit(4500))
	var bad *BadLine
	if _, err := r.Read(); !errors.As(err, &bad) || bad.Line != 2 || string(bad.Raw) != "{" {
		t.Error(err)
	}
	if text := bad.Error(); !strings.HasPrefix(text, "line 2: polywireruntime: decode: invalid_json") {
		t.Error(text)
	}
	var fault *DecodeError
	if _, err := r.Read(); !errors.As(err, &bad) || !errors.As(err, &fault) || fault.Code != CodeTooLong || string(bad.Raw) != long[:1024] {
		t.Error(err)
	}
	if _, err := r.Read(); !errors.As(err, &fault) || fault.Code != CodeOutOfRange || fault.Path != "" {
		t.Errorf("%.80v", err)
	}
	if v, err := r.Read(); v != 1.0 || err != nil {
		t.Error(v, err)
	}
}

// faults is a reader that returns the given pieces and errors in turn.
type faults []any

func (f *faults) Read(p []byte) (int, error) {
	if len(*f) == 0 {
		return 0, io.EOF
	}
	next := (*f)[0]
	*f = (*f)[1:]
	switch next := next.(type) {
	case string:
		return copy(p, next), nil
	case error:
		return 0, next
	}
	return 0, nil
}

// uncomparable is an error that causes == to panic.
type uncomparable []string

func (uncomparable) Error() string { return "uncomparable" }

func TestAnErrorOfTheReaderLosesNothing(t *testing.T) {
	wrapped := fmt.Errorf("wrapped: %w", io.EOF)
	for _, fault := range []error{errors.New("broken"), wrapped, uncomparable{"x"}, iotest.ErrTimeout} {
		r := NewReaderOf(&faults{"1\n\"a", fault, "b\"\n", nil, "3"}, unmarshalAny)
		var got []string
		take := func() (stopped bool) {
			for v, err := range r.All() {
				got = append(got, fmt.Sprintf("%v %v", v, err))
				stopped = err != nil
			}
			return stopped
		}
		if !take() || take() {
			t.Errorf("%v: the first pass ends at the fault, the second at the end", fault)
		}
		if want := []string{"1 <nil>", "<nil> " + fault.Error(), "ab <nil>", "3 <nil>"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if v, err := r.Read(); err != io.EOF {
			t.Errorf("%v, %v after the end", v, err)
		}
	}
}

func TestDataBesideAnErrorComesFirst(t *testing.T) {
	broken := errors.New("broken")
	from := &together{[]byte("1\n2\n"), broken}
	r := NewReaderOf(from, unmarshalAny)
	for _, want := range []string{"1 <nil>", "2 <nil>", "<nil> broken", "<nil> EOF"} {
		if v, err := r.Read(); fmt.Sprintf("%v %v", v, err) != want {
			t.Errorf("%v %v, expected %s", v, err, want)
		}
	}
}

// together is a reader that returns data and an error in one call.
type together struct {
	data []byte
	err  error
}

func (f *together) Read(p []byte) (n int, err error) {
	if f.err == nil {
		return 0, io.EOF
	}
	n, err = copy(p, f.data), f.err
	f.err = nil
	return n, err
}

// stuck is a reader that returns neither data nor an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestReadingThatMakesNoProgressEnds(t *testing.T) {
	if _, err := NewReaderOf(stuck{}, unmarshalAny).Read(); err != io.ErrNoProgress {
		t.Error(err)
	}
	if _, err := NewReaderOf(stuck{}, unmarshalAny).Next(context.Background()); err != io.ErrNoProgress {
		t.Error(err)
	}
}

func TestAContextThatEndsLosesNothing(t *testing.T) {
	from, to := io.Pipe()
	r := NewReaderOf(from, unmarshalAny)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	waiting := make(chan error)
	go func() {
		_, err := r.Next(ctx)
		waiting <- err
	}()
	if _, err := to.Write([]byte("\"first ")); err != nil { // the read has begun
		t.Fatal(err)
	}
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	go func() {
		_, _ = to.Write([]byte("line\"\n2\n"))
		_ = to.Close()
	}()
	for _, want := range []string{"first line <nil>", "2 <nil>", "<nil> EOF"} {
		if v, err := r.Next(context.Background()); fmt.Sprintf("%v %v", v, err) != want {
			t.Errorf("%v %v, expected %s", v, err, want)
		}
	}
}

// flushed counts what is written and flushed.
type flushed struct {
	bytes.Buffer
	writes, flushes int
}

func (f *flushed) Write(p []byte) (int, error) {
	f.writes++
	return f.Buffer.Write(p)
}

func (f *flushed) Flush() error {
	f.flushes++
	return nil
}

func TestWritersWriteWholeLinesAndFlush(t *testing.T) {
	to := &flushed{}
	w := NewWriter(to)
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := w.Write(note{Text: Some("a\nb")}); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	if err := w.Write(note{Kind: "other"}); err == nil {
		t.Error("a value that does not fit is written")
	}
	lines := strings.SplitAfter(to.String(), "\n")
	if len(lines) != 9 || lines[8] != "" || to.writes != 8 || to.flushes != 8 {
		t.Errorf("%d writes, %d flushes: %q", to.writes, to.flushes, lines)
	}
}

// short writes at most some bytes in a call, and fails in some calls.
type short struct {
	bytes.Buffer
	most  int
	fails []bool
}

func (w *short) Write(p []byte) (int, error) {
	if len(w.fails) > 0 {
		fails := w.fails[0]
		if w.fails = w.fails[1:]; fails {
			return 0, errors.New("would block")
		}
	}
	return w.Buffer.Write(p[:min(len(p), w.most)])
}

func TestShortWritesAreContinued(t *testing.T) {
	to := &short{most: 7}
	if err := NewWriter(to).Write(note{}); err != nil || !strings.HasSuffix(to.String(), "\"count\":0}\n") {
		t.Errorf("%q (%v)", to.String(), err)
	}
	to = &short{most: 7, fails: []bool{false, true, false}}
	w := NewWriter(to)
	if err := w.Write(note{Count: 1}); err == nil {
		t.Fatal("the error of the writer is lost")
	}
	if err := w.Write(note{Count: 2}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(to.String(), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "\"count\":1}\n") || !strings.HasSuffix(lines[1], "\"count\":2}\n") {
		t.Errorf("%q", lines)
	}
	to = &short{most: 1000, fails: []bool{true}}
	w = NewWriter(to)
	if err := w.Write(note{}); err == nil {
		t.Fatal("the error of the writer is lost")
	}
	if err := w.Flush(); err != nil || to.Len() != 0 {
		t.Errorf("a line that was not begun is written twice: %q (%v)", to.String(), err)
	}
}
