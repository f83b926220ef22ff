// Command live drives the CLI with the Go package: it reads commands of the test and writes events, both as
// lines of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"reflect"
	"sync"
	"time"

	"example.com/agentlines/types"
	"example.com/agentlines/types/process"
)

type object = map[string]any

// driver forwards requests and events of the process to the test, and answers of the test to the process.
type driver struct {
	process *process.Process
	lock    sync.Mutex
	waiting []chan json.RawMessage
	// started is closed when process is set.
	started chan struct{}
}

func (d *driver) say(told object) {
	text := must(json.Marshal(told))
	d.lock.Lock()
	defer d.lock.Unlock()
	fmt.Printf("%s\n", text)
}

// asked forwards the request for which a function is called to the test, and returns the answer, which is a
// result of the named type. isOf reports whether a request of the type Q is the one.
func asked[R, Q any](ctx context.Context, d *driver, result string, isOf func(Q) bool) (none R, err error) {
	answers := make(chan json.RawMessage, 1)
	d.lock.Lock()
	number := len(d.waiting)
	d.waiting = append(d.waiting, answers)
	d.lock.Unlock()
	d.say(object{"asked": number, "payload": plain(request(d, isOf))})
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case text := <-answers:
		if string(text) == "null" {
			return none, nil
		}
		if value, ok := must(types.DecodeAs(result, text)).(R); ok {
			return value, nil
		}
		return none, fmt.Errorf("this is no %s: %s", result, text)
	}
}

// request returns the unanswered request for which a function is called.
func request[Q any](d *driver, isOf func(Q) bool) any {
	<-d.started
	for _, each := range d.process.Session().Unanswered() {
		if payload, ok := each.Payload.(Q); ok && isOf(payload) {
			return payload
		}
	}
	return nil
}

func (d *driver) mayRun(toolName string, input object) (*types.PermissionResult, error) {
	return asked[*types.PermissionResult](context.Background(), d, "PermissionResult", func(each *types.PermissionRequest) bool {
		return each.ToolName == toolName && reflect.ValueOf(each.Input).Pointer() == reflect.ValueOf(input).Pointer()
	})
}

func (d *driver) hook(ctx context.Context, input types.HookInput, _ *string) (types.HookJSONOutput, error) {
	return asked[types.HookJSONOutput](ctx, d, "HookJSONOutput", func(each *types.HookCallbackRequest) bool {
		return each.HookInput == any(input)
	})
}

func (d *driver) serve(ctx context.Context, message types.JSONRPCMessage) (types.JSONRPCMessage, error) {
	return asked[types.JSONRPCMessage](ctx, d, "JSONRPCMessage", func(each *types.McpMessageRequest) bool {
		return each.Message == message
	})
}

func (d *driver) elicit(ctx context.Context, request types.ElicitationRequest) (*types.ElicitationResult, error) {
	return asked[*types.ElicitationResult](ctx, d, "ElicitationResult", func(each *types.ElicitationRequest) bool {
		return types.Equal(*each, request)
	})
}

// plain converts a value of the package to JSON; null is for a request without a result.
func plain(value any) json.RawMessage {
	text, err := types.Encode(value)
	if value == nil || err != nil {
		return json.RawMessage("null")
	}
	return text
}

func (d *driver) events() {
	for event, err := range d.process.All() {
		switch event := must(event, err).(type) {
		case *types.SessionMessage:
			line := must(types.Encode(event.Message))
			unknown := must(types.Examine("WireMessage", line)).Unknown()
			d.say(object{"message": json.RawMessage(line), "unknown": append([]string{}, unknown...)})
		case *types.SessionStray:
			d.say(object{"stray": event.Reason})
		case *types.SessionCancellation:
			d.say(object{"event": "cancellation"})
		default:
			d.say(object{"event": fmt.Sprintf("%T", event)})
		}
	}
	d.say(object{"ended": true})
}

// command is a command of the test.
type command struct {
	Write, Request, Result json.RawMessage
	ID                     int
	Answer, Close          *int
}

func (d *driver) obey(told command) {
	ctx := context.Background()
	switch {
	case told.Write != nil:
		must(0, d.process.Write(ctx, must(types.DecodeAs("WireMessage", told.Write))))
	case told.Request != nil:
		payload := must(types.DecodeAs("ControlRequestInner", told.Request, types.StrictMode))
		result, err := d.process.Request(ctx, payload.(types.ControlPayload))
		var refused *types.ControlError
		if errors.As(err, &refused) {
			d.say(object{"failed": told.ID, "message": refused.Error()})
			return
		}
		d.say(object{"answered": told.ID, "result": plain(must(result, err))})
	case told.Answer != nil:
		d.lock.Lock()
		defer d.lock.Unlock()
		d.waiting[*told.Answer] <- told.Result
	case told.Close != nil:
		err := d.process.Close()
		var ended *process.Error
		if err != nil && !errors.As(err, &ended) {
			log.Fatal(err)
		}
		d.say(object{"closed": d.process.State().ExitCode(), "stderr": d.process.Stderr()})
	}
}

func main() {
	commands := json.NewDecoder(bufio.NewReader(os.Stdin))
	var begin struct {
		Options          json.RawMessage
		Hooks            map[types.HookEvent]int
		Release, Program string
	}
	must(0, commands.Decode(&begin))
	options := must(types.Decode[types.QueryOptions](begin.Options))
	d := &driver{started: make(chan struct{})}
	hooks := map[types.HookEvent][]types.HookCallbackMatcher{}
	for event, count := range begin.Hooks {
		matcher := types.HookCallbackMatcher{}
		for range count {
			matcher.Hooks = append(matcher.Hooks, d.hook)
		}
		hooks[event] = []types.HookCallbackMatcher{matcher}
	}
	options.Hooks, options.CanUseTool, options.OnElicitation = hooks, d.mayRun, d.elicit
	for name, server := range options.McpServers {
		if server.Type == "sdk" {
			server.Instance = d.serve
			options.McpServers[name] = server
		}
	}
	d.process = must(process.Start(context.Background(), types.PeerSDK, must(types.Launch(&options, begin.Release)),
		process.WithProgram(begin.Program),
		process.WithGrace(240*time.Second, 5*time.Second),
	))
	close(d.started)
	go d.events()
	d.say(object{"initialized": plain(must(d.process.Started(context.Background(), "initialize")))})
	for {
		var told command
		if err := commands.Decode(&told); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		go d.obey(told)
	}
}

// must returns the value, and ends the program if there is an error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatalf("%v", err)
	}
	return value
}
