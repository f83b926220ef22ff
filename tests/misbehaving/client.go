// Command client runs misbehaving programs, and prints what it sees of each.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"example.com/agentlines/types"
	"example.com/agentlines/types/process"
)

const (
	limit = 1 << 20
	// long is how long it takes until whatever is left counts as left for good.
	long = time.Minute
)

var background = context.Background()

// asked is a program to run.
type asked struct {
	Kind, Program, First string
	Size                 int
	Grace, Patience      float64
}

// outcome is the outcome of the request.
type outcome struct {
	Outcome string `json:"outcome"`
	Message string `json:"message,omitempty"`
	Status  *int   `json:"status"`
	Stderr  string `json:"stderr"`
}

// seen is what is seen of a program.
type seen struct {
	Kind      string            `json:"kind"`
	Request   *outcome          `json:"request"`
	Events    [][2]any          `json:"events"`
	End       *string           `json:"end"`
	Status    *int              `json:"status"`
	Stderr    string            `json:"stderr"`
	Unstarted string            `json:"unstarted,omitempty"`
	Left      map[string][2]int `json:"left"`
}

// left returns the numbers of goroutines, descriptors and child processes. The runtime keeps threads that it has
// started.
func left() map[string]int {
	children := 0
	for _, path := range must(filepath.Glob("/proc/self/task/*/children")) {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH) {
			log.Fatal(err)
		}
		children += len(strings.Fields(string(text)))
	}
	return map[string]int{
		"tasks":       runtime.NumGoroutine(),
		"descriptors": len(must(os.ReadDir("/proc/self/fd"))),
		"children":    children,
	}
}

// isQuiet records what is left, and reports whether it is the same as before.
func (s *seen) isQuiet(before map[string]int) bool {
	isSame := true
	s.Left = map[string][2]int{}
	for name, now := range left() {
		s.Left[name] = [2]int{before[name], now}
		isSame = isSame && before[name] == now
	}
	return isSame
}

func statusOf(state *os.ProcessState) *int {
	if state == nil {
		return nil
	}
	status := state.ExitCode()
	if how, ok := state.Sys().(syscall.WaitStatus); ok && how.Signaled() {
		status = -int(how.Signal())
	}
	return &status
}

// last returns the last 40 characters of a text.
func last(text string) string {
	characters := []rune(text)
	return string(characters[max(0, len(characters)-40):])
}

func (s *seen) request(p *process.Process) {
	_, err := p.Started(background, "initialize")
	var ended *process.Error
	var refused *types.ControlError
	var invalid *types.DecodeError
	switch {
	case err == nil:
		s.Request = &outcome{Outcome: "answered"}
	case errors.As(err, &ended):
		s.Request = &outcome{"process", ended.Message, statusOf(ended.State), last(ended.Stderr)}
	case errors.As(err, &refused):
		s.Request = &outcome{Outcome: "refused", Message: refused.Message}
	case errors.As(err, &invalid):
		s.Request = &outcome{Outcome: "invalid", Message: invalid.Error()}
	default:
		log.Fatal(err)
	}
}

// record records an event, and reports whether the program is to be closed.
func (s *seen) record(event types.SessionEvent, bad *types.BadLine) (isLast bool) {
	var name string
	switch event := event.(type) {
	case nil:
		var fault *types.DecodeError
		errors.As(bad.Err, &fault)
		name = fmt.Sprint("bad ", bad.Line, " ", fault.Code)
	case *types.SessionStray:
		name = fmt.Sprint("stray ", event.Reason)
	case *types.SessionMessage:
		name = "message"
		isLast = bytes.Contains(must(types.Encode(event.Message)), []byte(`"close"`))
	case *types.SessionAnswer:
		name = "answer"
	case *types.SessionCancellation:
		name = "cancellation"
	case *types.SessionRequest:
		name = "request"
	default:
		name = fmt.Sprintf("%T", event)
	}
	if count := len(s.Events); count > 0 && s.Events[count-1][0] == name {
		s.Events[count-1][1] = s.Events[count-1][1].(int) + 1
	} else {
		s.Events = append(s.Events, [2]any{name, 1})
	}
	return isLast
}

// rest takes events to the end, or until the program is to be closed.
func (s *seen) rest(p *process.Process, isClosed bool) {
	for event, err := range p.All() {
		var bad *types.BadLine
		if err != nil && !errors.As(err, &bad) {
			text := err.Error()
			s.End = &text
			return
		}
		if s.record(event, bad) && !isClosed {
			return
		}
	}
}

func run(a asked) {
	before := left()
	s := &seen{Kind: a.Kind, Events: [][2]any{}}
	launched := must(types.Launch(&types.QueryOptions{SystemPrompt: types.SystemPromptConfig{Raw: strings.Repeat("x", a.Size)}}, ""))
	seconds := func(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }
	p, err := process.Start(background, types.PeerSDK, launched, process.WithProgram(a.Program),
		process.WithLimit(limit), process.WithGrace(seconds(a.Grace), seconds(a.Patience)))
	if err != nil {
		s.Unstarted = err.Error()
	} else {
		if a.First == "answer" {
			s.request(p)
		}
		s.rest(p, false)
		_ = p.Close() // the state has its exit status
		s.rest(p, true)
		if a.First == "events" {
			s.request(p)
		}
		s.Status, s.Stderr = statusOf(p.State()), last(p.Stderr())
	}
	for deadline := time.Now().Add(long); !s.isQuiet(before) && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	must(0, json.NewEncoder(os.Stdout).Encode(s))
}

func main() {
	must(0, exec.Command("true").Run()) // the first child process opens descriptors for good
	var all []asked
	must(0, json.Unmarshal([]byte(os.Args[1]), &all))
	for _, each := range all {
		run(each)
	}
}

// must returns a value and exits on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
