package polywireruntime

import (
	"bytes"
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
		d := NewLineDecoderOf[any](WithLimit(limit))
		var got []string
		for piece := range slices.Chunk([]byte(stream), size) {
			copied := bytes.Clone(piece)
			for v, err := range d.Feed(copied) {
				got = append(got, itemOf(d.Line(), v, err))
			}
			clear(copied) // what was held must have been copied
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
	d := NewLineDecoderAs("Either", WithLimit(limit), WithMode(StrictMode))
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
		r := NewReaderOf[any](from, WithLimit(limit))
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
	r := NewReaderOf[any](strings.NewReader("\n{\r\n"+long+"\n"+digits(maxDigits+1)+"\n1"), WithLimit(4500))
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

func TestOtherErrorsOfReadingAreTheLast(t *testing.T) {
	broken := errors.New("broken")
	r := NewReaderOf[any](io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(broken)))
	var got []string
	for v, err := range r.All() {
		got = append(got, fmt.Sprint(v, err))
	}
	if !slices.Equal(got, []string{"1 <nil>", "<nil> broken"}) {
		t.Errorf("%q", got)
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
			if err := w.Write(note{Text: pointer("a\nb")}); err != nil {
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
	if w := NewWriter(iotest.TruncateWriter(&bytes.Buffer{}, 0)); w.Write(note{}) != nil {
		t.Error("the writer takes everything")
	}
}
