package process_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stubVariable names the stub to run instead of the tests.
const stubVariable = "POLYWIRE_STUB"

func TestMain(m *testing.M) {
	if stub := stubs[os.Getenv(stubVariable)]; stub != nil {
		stub(&agent{bufio.NewReader(os.Stdin)})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// agent is the other side of the connection: it receives and sends objects.
type agent struct{ in *bufio.Reader }

type object = map[string]any

func say(objects ...object) {
	for _, each := range objects {
		line, err := json.Marshal(each)
		if err != nil {
			panic(err)
		}
		if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
			os.Exit(9)
		}
	}
}

// tell sends a value for the test to compare.
func tell(value any) { say(object{"type": "keep_alive", "value": value}) }

func ask(id, subtype string, more object) {
	request := object{"subtype": subtype}
	for name, value := range more {
		request[name] = value
	}
	say(object{"type": "control_request", "request_id": id, "request": request})
}

func askPermission(id string) {
	ask(id, "can_use_tool", object{"tool_name": "Bash", "input": object{"command": "ls"}, "tool_use_id": "t"})
}

func answer(heard object, response any) {
	found := object{"subtype": "success", "request_id": heard["request_id"]}
	if response != nil {
		found["response"] = response
	}
	say(object{"type": "control_response", "response": found})
}

func refuse(heard object, message string) {
	found := object{"subtype": "error", "request_id": heard["request_id"], "error": message}
	say(object{"type": "control_response", "response": found})
}

// hear returns the next line, or nil at the end.
func (a *agent) hear() object {
	line, err := a.in.ReadBytes('\n')
	if err != nil {
		return nil
	}
	heard := object{}
	if err := json.Unmarshal(line, &heard); err != nil {
		panic(err)
	}
	return heard
}

// rest returns all remaining lines.
func (a *agent) rest() []object {
	found := []object{}
	for heard := a.hear(); heard != nil; heard = a.hear() {
		found = append(found, heard)
	}
	return found
}

func subtype(heard object) any {
	request, _ := heard["request"].(object)
	return request["subtype"]
}

var offer = object{
	"commands": []any{}, "output_style": "x", "available_output_styles": []any{}, "models": []any{}, "account": object{},
}

const events = 5000

func answers(a *agent) {
	for heard := a.hear(); heard != nil; heard = a.hear() {
		switch subtype(heard) {
		case "initialize":
			answer(heard, offer)
		case "set_permission_mode":
			refuse(heard, "no")
		case "mcp_status":
			answer(heard, object{"mcpServers": 1})
		case "interrupt", "set_model":
			answer(heard, nil)
		default:
			tell(heard)
		}
	}
}

// leaveChild starts a process that holds all pipes of this one, and tells its id.
func leaveChild() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), stubVariable+"=sleeps")
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	tell(child.Process.Pid)
}

var stubs = map[string]func(a *agent){
	"answers": answers,
	"asks": func(a *agent) {
		askPermission("a")
		askPermission("b")
		ask("c", "hook_callback", object{"callback_id": "h", "input": object{
			"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t", "cwd": "/", "stop_hook_active": true,
		}})
		ask("d", "mcp_message", object{"server_name": "s", "message": object{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}})
		for range 4 {
			tell(a.hear())
		}
	},
	"asks functions": func(a *agent) {
		stop := object{"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t", "cwd": "/", "stop_hook_active": true}
		message := object{"jsonrpc": "2.0", "method": "m"}
		for n, each := range []object{
			{"subtype": "can_use_tool", "tool_name": "Bash", "input": object{"command": "allow"}, "tool_use_id": "t"},
			{"subtype": "can_use_tool", "tool_name": "Bash", "input": object{"command": "change"}, "tool_use_id": "t"},
			{"subtype": "can_use_tool", "tool_name": "Bash", "input": object{}, "tool_use_id": "t"},
			{"subtype": "can_use_tool", "tool_name": "Bash", "input": object{"command": "nothing"}, "tool_use_id": "t"},
			{"subtype": "hook_callback", "callback_id": "hook_2", "input": stop},
			{"subtype": "hook_callback", "callback_id": "hook_0", "input": stop, "tool_use_id": "t"},
			{"subtype": "hook_callback", "callback_id": "hook_9", "input": stop},
			{"subtype": "mcp_message", "server_name": "a", "message": object{"jsonrpc": "2.0", "method": "m", "id": 7}},
			{"subtype": "mcp_message", "server_name": "b", "message": message},
			{"subtype": "elicitation", "mcp_server_name": "a", "message": "?"},
			{"subtype": "request_user_dialog", "dialog_kind": "d", "payload": object{}},
		} {
			ask(fmt.Sprint(n), each["subtype"].(string), each)
			tell(a.hear()["response"])
		}
	},
	"asks a dialog and cancels": func(a *agent) {
		ask("d", "request_user_dialog", object{"dialog_kind": "d", "payload": object{}})
		say(object{"type": "control_cancel_request", "request_id": "d"})
		tell("cancelled")
	},
	"asks again with the id of what it cancelled": func(a *agent) {
		for _, request := range []object{
			{"subtype": "request_user_dialog", "dialog_kind": "d", "payload": object{}},
			{"subtype": "elicitation", "mcp_server_name": "a", "message": "?"},
		} {
			ask("d", request["subtype"].(string), request)
			say(object{"type": "control_cancel_request", "request_id": "d"})
		}
		a.rest()
	},
	"writes in pieces": func(a *agent) {
		for _, piece := range []string{"it br\xc3", "\xb6ke\xe2\x82"} {
			_, _ = os.Stderr.WriteString(piece)
			time.Sleep(50 * time.Millisecond)
		}
	},
	"asks once": func(a *agent) {
		askPermission("p")
		tell(a.hear())
		a.rest()
	},
	"asks and cancels": func(a *agent) {
		askPermission("p")
		a.hear()
		say(object{"type": "control_cancel_request", "request_id": "p"})
		tell("cancelled")
		tell(a.rest())
	},
	"asks what is unknown": func(a *agent) {
		ask("u", "telepathy", nil)
		tell(a.hear())
		a.rest()
	},
	"launched": func(a *agent) {
		set := object{}
		for _, each := range os.Environ() {
			if name, value, _ := strings.Cut(each, "="); strings.HasPrefix(name, "PROCESS_") {
				set[name] = value
			}
		}
		folder, _ := os.Getwd()
		tell(object{"arguments": os.Args[1:], "cwd": folder, "environment": set})
		answers(a)
	},
	"bad line": func(a *agent) {
		tell(1)
		fmt.Println("{")
		tell(2)
	},
	"dies": func(a *agent) {
		tell("first")
		_, _ = os.Stderr.WriteString("it bröke")
		_, _ = os.Stdout.WriteString(`{"type":"keep_`)
		a.hear()
		os.Exit(3)
	},
	"deaf": func(a *agent) {
		_ = os.Stdin.Close()
		tell("closed")
		time.Sleep(time.Hour)
	},
	"deaf once asked": func(a *agent) {
		a.hear()
		_ = os.Stdin.Close()
		for {
			tell("still here")
			time.Sleep(10 * time.Millisecond)
		}
	},
	"mute once asked": func(a *agent) {
		a.hear()
		tell("last")
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	},
	"fails": func(a *agent) {
		_ = os.Stdin.Close()
		_, _ = os.Stderr.WriteString("no such session")
		os.Exit(1)
	},
	"ends with its input": func(a *agent) {
		tell("ready")
		a.rest()
		os.Exit(4)
	},
	"ends when told to": func(a *agent) {
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGTERM)
		tell("ready")
		<-told
		os.Exit(5)
	},
	"ends when killed": func(a *agent) {
		signal.Ignore(syscall.SIGTERM)
		tell("ready")
		time.Sleep(time.Hour)
	},
	"leaves a child": func(a *agent) {
		leaveChild()
		a.hear()
	},
	"ends before its child": func(a *agent) {
		leaveChild()
		for n := range events {
			tell(n)
		}
	},
	"sleeps": func(a *agent) { time.Sleep(time.Hour) },
	"many before an answer": func(a *agent) {
		for heard := a.hear(); heard != nil; heard = a.hear() {
			for n := range events {
				tell(n)
			}
			answer(heard, nil)
		}
	},
	"many before one answer": func(a *agent) {
		for heard := a.hear(); heard != nil; heard = a.hear() {
			for n := 0; n < events && subtype(heard) == "interrupt"; n++ {
				tell(n)
			}
			answer(heard, nil)
		}
	},
	"large": func(a *agent) {
		heard := a.hear()
		for n := range 12 {
			say(object{"type": "keep_alive", "value": n, "text": strings.Repeat("x", 8<<20)})
		}
		answer(heard, nil)
		a.rest()
	},
	"asks before an answer": func(a *agent) {
		heard := a.hear()
		for range 40 {
			askPermission("p")
			say(object{"type": "control_cancel_request", "request_id": "p"})
		}
		answer(heard, nil)
		tell("done")
		a.rest()
	},
	"many": func(a *agent) {
		for n := range events {
			say(object{"type": "keep_alive", "value": n, "text": strings.Repeat("x", 100)})
		}
		a.rest()
	},
	"asks without reading": func(a *agent) {
		for n := 0; ; n++ {
			ask(fmt.Sprint(n), "telepathy", nil)
		}
	},
	"does not read": func(a *agent) {
		tell("ready")
		time.Sleep(time.Hour)
	},
	"complains": func(a *agent) {
		for range 1000 {
			_, _ = os.Stderr.WriteString(strings.Repeat("ü", 1000))
		}
		_, _ = os.Stderr.WriteString("end")
		tell("complained")
		a.rest()
	},
	"complains to the end": func(a *agent) {
		_, _ = os.Stderr.WriteString("oh")
		a.rest()
		_, _ = os.Stderr.WriteString(strings.Repeat("x", 60_000) + ".")
	},
	"answers late": func(a *agent) {
		heard := a.hear()
		tell("asked")
		tell(a.hear())
		answer(heard, nil)
		a.rest()
	},
	"echoes": func(a *agent) {
		for heard := a.hear(); heard != nil; heard = a.hear() {
			switch heard["type"] {
			case "control_request":
				answer(heard, nil)
			case "keep_alive":
				askPermission(fmt.Sprint(heard["n"]))
			case "control_response":
				response := heard["response"].(object)
				tell(response["request_id"])
			}
		}
		_, _ = io.WriteString(os.Stderr, "done")
	},
}
