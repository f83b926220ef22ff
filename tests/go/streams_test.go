package gotests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"example.com/agentlines/types"
)

// heard returns what a stream yields: the type of each message, or the line and code of each error.
func heard(t *testing.T, items func(func(types.WireMessage, error) bool)) []string {
	t.Helper()
	var found []string
	for message, err := range items {
		var bad *types.BadLine
		var fault *types.DecodeError
		switch {
		case err == nil:
			found = append(found, typeName(message))
		case errors.As(err, &bad) && errors.As(err, &fault):
			found = append(found, fmt.Sprintf("%d %s %q", bad.Line, fault.Code, bad.Raw))
		default:
			found = append(found, err.Error())
		}
	}
	return found
}

var stream = strings.Join([]string{
	lines["StatusMessage"] + "\r", "", " \t", `{"type":`, lines["UserMessage"], `{"type":"keep_alive"}`,
}, "\n")

var fromStream = []string{"StatusMessage", `4 invalid_json "{\"type\":"`, "UserMessage", "KeepAliveMessage"}

func TestReaderGivesMessagesAndBadLinesWhateverTheChunks(t *testing.T) {
	for name, reader := range map[string]io.Reader{
		"whole":   strings.NewReader(stream),
		"bytes":   iotest.OneByteReader(strings.NewReader(stream)),
		"halves":  iotest.HalfReader(strings.NewReader(stream)),
		"eof":     iotest.DataErrReader(strings.NewReader(stream)),
		"newline": strings.NewReader(stream + "\n"),
	} {
		if found := heard(t, types.NewReader(reader).All()); fmt.Sprint(found) != fmt.Sprint(fromStream) {
			t.Errorf("%s: %q", name, found)
		}
	}
}

func TestReaderReadsOneByOneAndKnowsTheLine(t *testing.T) {
	reader := types.NewReader(strings.NewReader(stream))
	for _, line := range []int{1, 4, 5, 6} {
		if _, err := reader.Read(); (err != nil) != (line == 4) || reader.Line() != line {
			t.Errorf("line %d, %v; expected %d", reader.Line(), err, line)
		}
	}
	for range 2 {
		if message, err := reader.Read(); err != io.EOF || message != nil {
			t.Errorf("%v, %v at the end", message, err)
		}
	}
}

func TestReaderCanBeLeftAndTakenUpAgain(t *testing.T) {
	reader := types.NewReader(strings.NewReader(stream))
	var found []string
	for range 10 {
		for message, err := range reader.All() {
			if err == nil {
				found = append(found, typeName(message))
			}
			break
		}
	}
	if fmt.Sprint(found) != "[StatusMessage UserMessage KeepAliveMessage]" {
		t.Errorf("%q", found)
	}
}

func TestReaderEndsWithWhatReadingGave(t *testing.T) {
	broken := errors.New("the pipe broke")
	reader := types.NewReader(io.MultiReader(strings.NewReader(lines["StatusMessage"]+"\n"), iotest.ErrReader(broken)))
	var errs []error
	count := 0
	for _, err := range reader.All() {
		if err != nil {
			errs = append(errs, err)
		} else {
			count++
		}
	}
	if count != 1 || len(errs) != 1 || !errors.Is(errs[0], broken) {
		t.Errorf("%d messages, %v", count, errs)
	}
}

func TestReaderHasNoLimitOf64KiBAndKeepsItsOwn(t *testing.T) {
	long := strings.Replace(lines["UserMessage"], "Go on.", strings.Repeat("x", 300_000), 1)
	if found := heard(t, types.NewReader(strings.NewReader(long+"\n"+long)).All()); fmt.Sprint(found) != "[UserMessage UserMessage]" {
		t.Errorf("%.200q", found)
	}
	text := lines["StatusMessage"] + "\n" + long + "\n" + lines["StatusMessage"]
	var bad *types.BadLine
	var fault *types.DecodeError
	var found []string
	for message, err := range types.NewReader(strings.NewReader(text), types.WithLimit(5000)).All() {
		if err == nil {
			found = append(found, typeName(message))
		} else if !errors.As(err, &bad) || !errors.As(err, &fault) {
			t.Error(err)
		}
	}
	if fmt.Sprint(found) != "[StatusMessage StatusMessage]" || bad == nil {
		t.Fatalf("%q, %v", found, bad)
	}
	if bad.Line != 2 || fault.Code != types.CodeTooLong || string(bad.Raw) != long[:1024] {
		t.Errorf("line %d, %s, %d bytes", bad.Line, fault.Code, len(bad.Raw))
	}
}

func TestReaderInStrictModeAndOfAnotherType(t *testing.T) {
	text := with(lines["StatusMessage"], `"new":1`) + "\n"
	if found := heard(t, types.NewReader(strings.NewReader(text), types.WithMode(types.StrictMode)).All()); len(found) != 1 ||
		!strings.HasPrefix(found[0], "1 unknown_field") {
		t.Errorf("%q", found)
	}
	for message, err := range types.NewReaderOf(strings.NewReader(text), types.UnmarshalSDKMessage).All() {
		if err != nil || message.GetSessionID() != "s1" {
			t.Errorf("%v, %v", message, err)
		}
	}
	for block, err := range types.NewReaderOf(strings.NewReader(`{"type":"text","text":"x"}`), types.UnmarshalContentBlock).All() {
		if err != nil || block.Text != "x" {
			t.Errorf("%v, %v", block, err)
		}
	}
}

func TestReaderSkipsOtherTypesThanTheWanted(t *testing.T) {
	text := stream + "\n" + `{"type":"result","subtype":"new","session_id":1}` + "\n" + `{"type":"new","of":"user"}` + "\n"
	for _, test := range []struct {
		only    []any
		found   string
		skipped int
	}{
		{[]any{new(types.StatusMessage)}, "[StatusMessage]", 5},
		{[]any{new(types.UserMessage), new(types.KeepAliveMessage)}, "[UserMessage KeepAliveMessage]", 4},
		{[]any{types.UnmarshalSystemMessage}, "[StatusMessage]", 5},
		{[]any{types.UnmarshalSDKMessage}, "[StatusMessage UserMessage]", 4},
		{[]any{new(types.ResultMessage)}, "[]", 6},
		{[]any{new(types.UnknownMessage)}, `[4 invalid_json "{\"type\":" UnknownMessage UnknownMessage]`, 3},
	} {
		reader := types.NewReader(strings.NewReader(text), types.Only(test.only...))
		if found := heard(t, reader.All()); fmt.Sprint(found) != test.found || reader.Skipped() != test.skipped {
			t.Errorf("%T: %s, %d skipped lines; expected %s and %d", test.only[0], found, reader.Skipped(), test.found, test.skipped)
		}
	}
}

func TestLineDecoderTakesChunksOfAnySize(t *testing.T) {
	text := strings.Replace(stream, "Go on.", "naïve → 😀 \u2028", 1)
	for size := 1; size <= len(text); size += 1 + size/2 {
		decoder := types.NewLineDecoder()
		var found []string
		for at := 0; at < len(text); at += size {
			chunk := []byte(text[at:min(at+size, len(text))])
			found = append(found, heard(t, decoder.Feed(chunk))...)
			clear(chunk) // the caller may reuse it
		}
		found = append(found, heard(t, decoder.Finish())...)
		if fmt.Sprint(found) != fmt.Sprint(fromStream) {
			t.Errorf("in chunks of %d: %q", size, found)
		}
	}
}

func TestWriterWritesWholeLinesFromManyGoroutines(t *testing.T) {
	var out slowWriter
	writer := types.NewWriter(&out)
	const writers, each = 8, 50
	var group sync.WaitGroup
	for number := range writers {
		group.Add(1)
		go func() {
			defer group.Done()
			for count := range each {
				message := types.NewUserMessage(strings.Repeat("<&>", number+1), fmt.Sprintf("%d-%d", number, count))
				if err := writer.Write(message); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	seen := map[string]int{}
	next := make([]int, writers)
	for message, err := range types.NewReaderOf(&out.buffer, types.UnmarshalSDKMessage, types.WithMode(types.StrictMode)).All() {
		if err != nil {
			t.Fatal(err)
		}
		seen[message.GetSessionID()]++
		var number, count int
		if _, err := fmt.Sscanf(message.GetSessionID(), "%d-%d", &number, &count); err != nil || next[number] != count {
			t.Errorf("%s came after %d", message.GetSessionID(), next[number])
		}
		next[number]++
	}
	if len(seen) != writers*each {
		t.Errorf("%d messages", len(seen))
	}
}

// slowWriter reveals concurrent writes: it is not safe for concurrent use, which -race detects.
type slowWriter struct {
	buffer bytes.Buffer
	calls  int
}

func (w *slowWriter) Write(line []byte) (int, error) {
	w.calls++
	return w.buffer.Write(line)
}

func TestWriterFlushesEveryLineAndWritesNothingOfABadOne(t *testing.T) {
	var out bytes.Buffer
	writer := types.NewWriter(&out)
	if err := writer.Write(types.NewCompactBoundary("auto", 1, "s1")); err != nil {
		t.Fatal(err)
	}
	first := out.Len()
	if first == 0 || out.Bytes()[first-1] != '\n' || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
		t.Errorf("%q", out.String())
	}
	bad := types.NewUserMessage("x", "s1")
	bad.Message.Content = 7
	if err := writer.Write(bad); err == nil || out.Len() != first {
		t.Errorf("%v, %q", err, out.String()[first:])
	}
	broken := errors.New("full")
	if err := types.NewWriter(failing{broken}).Write(types.NewUserMessage("x", "s1")); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
