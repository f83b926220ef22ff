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
}

func (d *driver) say(told object) {
	text := must(json.Marshal(told))
	d.lock.Lock()
	defer d.lock.Unlock()
	fmt.Printf("%s\n", text)
}

// asked returns an option that forwards requests to the test and returns its answers, which are results of
// the named type.
func asked[R any, Q types.Control[R]](d *driver, result string) process.Option {
	return process.WithAnswer(func(ctx context.Context, payload Q) (R, error) {
		answers := make(chan json.RawMessage, 1)
		d.lock.Lock()
		number := len(d.waiting)
		d.waiting = append(d.waiting, answers)
		d.lock.Unlock()
		d.say(object{"asked": number, "payload": plain(payload)})
		var none R
		select {
		case <-ctx.Done():
			return none, ctx.Err()
		case text := <-answers:
			if string(text) == "null" {
				return none, nil
			}
			switch value := must(types.DecodeAs(result, text)).(type) {
			case R:
				return value, nil
			case *R:
				return *value, nil
			default:
				return none, fmt.Errorf("%T is no %s", value, result)
			}
		}
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
	hooks := map[types.HookEvent][]types.HookCallbackMatcher{}
	for event, count := range begin.Hooks {
		matcher := types.HookCallbackMatcher{}
		for range count {
			matcher.Hooks = append(matcher.Hooks, func(types.HookInput, *string) (types.HookJSONOutput, error) {
				return &types.SyncHookJSONOutput{}, nil
			})
		}
		hooks[event] = []types.HookCallbackMatcher{matcher}
	}
	options.Hooks = hooks
	d := &driver{}
	d.process = must(process.Start(context.Background(), types.PeerSDK, must(types.Launch(&options, begin.Release)),
		process.WithProgram(begin.Program),
		process.WithGrace(240*time.Second, 5*time.Second),
		asked[types.PermissionResult, *types.PermissionRequest](d, "PermissionResult"),
		asked[types.HookJSONOutput, *types.HookCallbackRequest](d, "HookJSONOutput"),
		asked[*types.McpMessageResponse, *types.McpMessageRequest](d, "McpMessageResponse"),
		asked[types.ElicitationResult, *types.ElicitationRequest](d, "ElicitationResult"),
	))
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
