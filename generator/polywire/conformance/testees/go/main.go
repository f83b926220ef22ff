// Package testee is the testee for a generated Go package: it decodes as a user would, and
// answers with the outcome.
package testee

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	types "example.com/agentlines/types"
)

type request struct {
	ID       int      `json:"id"`
	Op       string   `json:"op"`
	Type     string   `json:"type"`
	Mode     string   `json:"mode"`
	JSON     *string  `json:"json"`
	Bytes    []byte   `json:"bytes"`
	Chunks   [][]byte `json:"chunks"`
	Messages [][]byte `json:"messages"`
	Limit    *int     `json:"limit"`
	Only     []string `json:"only"`
}

type answer map[string]any

func (r request) mode() types.Mode {
	if r.Mode == "strict" {
		return types.StrictMode
	}
	return types.LenientMode
}

// text writes a string, which may contain lone surrogates in the form that the package uses.
func text(s string) json.RawMessage {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if r, size := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 && i+2 < len(s) {
			b.WriteString(fmt.Sprintf(`\u%04x`, 0xD000|int(s[i+1]&0x3F)<<6|int(s[i+2]&0x3F)))
			i += 2
		} else {
			quoted, _ := json.Marshal(s[i : i+size])
			b.Write(quoted[1 : len(quoted)-1])
			i += size - 1
		}
	}
	return json.RawMessage(`"` + b.String() + `"`)
}

func fault(err error) answer {
	var fault *types.DecodeError
	if !errors.As(err, &fault) {
		return answer{"problem": err.Error()}
	}
	return answer{"ok": false, "code": fault.Code, "path": text(fault.Path), "message": fault.Message}
}

func problem(format string, values ...any) answer {
	return answer{"problem": fmt.Sprintf(format, values...)}
}

// decoded answers a decode request. If two ways to read or write a value disagree, the answer is a
// problem.
func decoded(data []byte, r request) answer {
	value, err := types.DecodeAs(r.Type, data, r.mode())
	if err != nil {
		return fault(err)
	}
	found, err := types.Examine(r.Type, data, r.mode())
	if err != nil {
		return problem("decode gives %v, examine %v", value, err)
	}
	line, err := types.EncodeAs(r.Type, value)
	if err != nil {
		return problem("encode gives %v", err)
	}
	again, err := types.DecodeAs(r.Type, line, types.LenientMode)
	if err != nil {
		return problem("what encode gives, %s, is refused: %v", line, err)
	}
	if second, err := types.EncodeAs(r.Type, again); err != nil || !bytes.Equal(line, second) {
		return problem("encode gives %s, then %s (%v)", line, second, err)
	}
	if marshaler, ok := value.(json.Marshaler); ok && string(line) != "null" { // a nil pointer has no methods to call
		if text, err := marshaler.MarshalJSON(); err != nil || !bytes.Equal(line, text) {
			return problem("encode gives %s, MarshalJSON %s (%v)", line, text, err)
		}
		if text, err := types.Encode(value); err != nil || !bytes.Equal(line, text) {
			return problem("encode as %s gives %s, encode %s (%v)", r.Type, line, text, err)
		}
	}
	if text := strictProblem(value, line, found.Unknown(), r.Type); text != "" {
		return problem("%s", text)
	}
	unknown := []json.RawMessage{}
	for _, pointer := range found.Unknown() {
		unknown = append(unknown, text(pointer))
	}
	return answer{"ok": true, "variant": found.Variant, "json": string(line), "unknown": unknown}
}

// strictProblem is the problem if strict encoding gives another line, or refuses a value in which nothing was tolerated.
func strictProblem(value any, line []byte, unknown []string, name string) string {
	if _, ok := value.(json.Marshaler); !ok || string(line) == "null" {
		return ""
	}
	text, err := types.EncodeStrict(value, func(data []byte, mode ...types.Mode) (any, error) {
		return types.DecodeAs(name, data, mode...)
	})
	var fault *types.EncodeError
	if err == nil && bytes.Equal(line, text) || errors.As(err, &fault) && len(unknown) > 0 {
		return ""
	}
	return fmt.Sprintf("strict encode gives %s (%v), examine reports %q", text, err, unknown)
}

// streamed answers a stream request: it feeds every chunk and takes the items.
func streamed(r request) answer {
	options := []types.Option{types.WithMode(r.mode())}
	if r.Limit != nil {
		options = append(options, types.WithLimit(*r.Limit))
	}
	if r.Only != nil {
		options = append(options, types.OnlyAs(r.Only...))
	}
	decoder := types.NewLineDecoderAs(r.Type, options...)
	lines := r.Messages
	if lines == nil {
		lines = bytes.Split(bytes.Join(r.Chunks, nil), []byte("\n"))
	}
	items, kept := []answer{}, [][]byte{}
	take := func(value any, err error) {
		var item answer
		var bad *types.BadLine
		if errors.As(err, &bad) {
			item = fault(bad)
			item["raw"] = base64.StdEncoding.EncodeToString(bad.Raw)
		} else {
			item = decoded(bytes.TrimSuffix(lines[decoder.Line()-1], []byte("\r")), r)
			if line, err := types.EncodeAs(r.Type, value); err == nil && item["ok"] == true && item["json"] != string(line) {
				item = problem("the stream has %s", line)
			} else {
				kept = append(kept, line)
			}
		}
		item["line"] = decoder.Line()
		items = append(items, item)
	}
	for _, chunk := range r.Chunks {
		for value, err := range decoder.Feed(chunk) {
			take(value, err)
		}
	}
	for value, err := range decoder.Finish() {
		take(value, err)
	}
	if again := rewritten(kept, r); !slices.EqualFunc(again, kept, bytes.Equal) {
		return problem("a writer and a reader make %q of %q", again, kept)
	}
	reply := answer{"ok": true, "items": items}
	if r.Only != nil {
		reply["skipped"] = decoder.Skipped()
	}
	return reply
}

// rewritten returns messages after they were written and read again.
func rewritten(messages [][]byte, r request) (again [][]byte) {
	stream := new(bytes.Buffer)
	writer := types.NewWriter(stream)
	for _, message := range messages {
		if err := writer.WriteLine(message); err != nil {
			return [][]byte{[]byte(err.Error())}
		}
	}
	decoder := types.NewLineDecoderAs(r.Type)
	for value, err := range decoder.Feed(stream.Bytes()) {
		line, _ := types.EncodeAs(r.Type, value)
		if err != nil {
			line = []byte(err.Error())
		}
		again = append(again, line)
	}
	return again
}

// plain parses JSON text as a user without types would, and returns nil if there is none.
func plain(given *string) (v any) {
	if given == nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(*given))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	if v == nil {
		return types.Null{}
	}
	return v
}

// ops are the operations that are in other files of this package, some of which only some packages have.
var ops = map[string]func(line []byte) answer{}

func answered(r request, line []byte) answer {
	if op := ops[r.Op]; op != nil {
		return op(line)
	}
	switch r.Op {
	case "describe":
		claimed := []string{"decode", "filter", "stream"}
		for _, op := range []string{"session", "tree"} {
			if ops[op] != nil {
				claimed = append(claimed, op)
			}
		}
		return answer{
			"language": "go", "version": runtime.Version(), "maps": "sorted",
			"spec": types.SpecHash, "types": types.TypeNames(), "ops": claimed,
		}
	case "stream":
		return streamed(r)
	}
	if r.JSON != nil {
		return decoded([]byte(*r.JSON), r)
	}
	return decoded(r.Bytes, r)
}

// Run answers the requests on standard input.
func Run() {
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		reply := answered(r, line)
		reply["id"] = r.ID
		if err := out.Encode(reply); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
