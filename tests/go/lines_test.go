package gotests

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"example.com/agentlines/types"
)

const (
	someUUID = "550e8400-e29b-41d4-a716-446655440000"
	base     = `"uuid":"` + someUUID + `","session_id":"s1"`
	usage    = `{"input_tokens":3,"output_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":11,` +
		`"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},` +
		`"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"service_tier":"standard"}`
	totals = base + `,"is_error":false,"duration_ms":1200,"duration_api_ms":900,"num_turns":2,"stop_reason":null,` +
		`"total_cost_usd":0.25,"usage":` + usage + `,"modelUsage":{},"permission_denials":[]`
	hook = base + `,"hook_id":"h1","hook_name":"SessionStart:startup","hook_event":"SessionStart"`
)

// lines has one line of each of the sixteen kinds of message, by the name of its Go type; results have two.
var lines = map[string]string{
	"AssistantMessage": `{"type":"assistant",` + base + `,"message":{"type":"message","role":"assistant","id":"msg_1",` +
		`"model":"claude","content":[{"type":"text","text":"Done."}],"stop_reason":null,"stop_sequence":null,` +
		`"usage":` + usage + `},"parent_tool_use_id":null}`,
	"UserMessage": `{"type":"user",` + base + `,"message":{"role":"user","content":"Go on."},"parent_tool_use_id":null}`,
	"UserMessageReplay": `{"type":"user","isReplay":true,` + base +
		`,"message":{"role":"user","content":"Go on."},"parent_tool_use_id":null}`,
	"ResultMessage (success)": `{"type":"result","subtype":"success",` + totals + `,"result":"Done."}`,
	"ResultMessage (error)":   `{"type":"result","subtype":"error_max_turns",` + totals + `,"errors":["too many"]}`,
	"SystemInitMessage": `{"type":"system","subtype":"init",` + base + `,"agents":["a"],"apiKeySource":"none",` +
		`"claude_code_version":"2.1.37","cwd":"/","tools":["Bash"],"mcp_servers":[{"name":"m","status":"connected"}],` +
		`"model":"claude","permissionMode":"default","slash_commands":[],"output_style":"default","skills":[],` +
		`"plugins":[{"name":"p","path":"/p"}]}`,
	"PartialAssistantMessage": `{"type":"stream_event",` + base + `,"event":{"type":"message_stop"},` +
		`"parent_tool_use_id":null}`,
	"CompactBoundaryMessage": `{"type":"system","subtype":"compact_boundary",` + base +
		`,"compact_metadata":{"trigger":"auto","pre_tokens":1000}}`,
	"StatusMessage":      `{"type":"system","subtype":"status",` + base + `,"status":"compacting"}`,
	"HookStartedMessage": `{"type":"system","subtype":"hook_started",` + hook + `}`,
	"HookProgressMessage": `{"type":"system","subtype":"hook_progress",` + hook +
		`,"stdout":"a","stderr":"b","output":"ab"}`,
	"HookResponseMessage": `{"type":"system","subtype":"hook_response",` + hook +
		`,"output":"ab","stdout":"a","stderr":"b","exit_code":0,"outcome":"success"}`,
	"ToolProgressMessage": `{"type":"tool_progress",` + base +
		`,"tool_use_id":"toolu_1","tool_name":"Bash","parent_tool_use_id":null,"elapsed_time_seconds":2.5}`,
	"AuthStatusMessage": `{"type":"auth_status",` + base + `,"isAuthenticating":true,"output":["Opening the browser"]}`,
	"TaskNotificationMessage": `{"type":"system","subtype":"task_notification",` + base +
		`,"task_id":"t1","status":"completed","output_file":"/o","summary":"Done."}`,
	"FilesPersistedEvent": `{"type":"system","subtype":"files_persisted",` + base +
		`,"files":[{"filename":"a","file_id":"f1"}],"failed":[{"filename":"b","error":"gone"}],` +
		`"processed_at":"2026-02-07T09:30:00Z"}`,
	"ToolUseSummaryMessage": `{"type":"tool_use_summary",` + base +
		`,"summary":"Read a file.","preceding_tool_use_ids":["toolu_1"]}`,
}

// typeName returns the name of the Go type of a message, without its package.
func typeName(message any) string {
	return strings.TrimPrefix(reflect.TypeOf(message).String(), "*types.")
}

func goType(line string) string {
	name, _, _ := strings.Cut(line, " ")
	return name
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// decode decodes a line as a message of the type that the caller expects.
func decode[T types.SDKMessage](t *testing.T, line string) T {
	t.Helper()
	message, err := types.UnmarshalSDKMessage([]byte(line))
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	typed, ok := message.(T)
	if !ok {
		t.Fatalf("%T for %s", message, line)
	}
	return typed
}

// with inserts a member before the other members of an object.
func with(object, member string) string {
	return "{" + member + "," + object[1:]
}

// sameJSON compares two texts as JSON values: numbers as doubles, objects regardless of order.
func sameJSON(a, b []byte) bool {
	return same(plain(a), plain(b))
}

func plain(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return math.NaN() // equal to nothing
	}
	return value
}

// double returns the value of a number. strconv miscounts the digits of long literals with an exponent.
func double(n json.Number) float64 {
	if len(n) <= 300 {
		x, _ := n.Float64()
		return x
	}
	exact, _, err := big.ParseFloat(string(n), 10, 20_000, big.ToNearestEven)
	if err != nil {
		return math.NaN()
	}
	x, _ := exact.Float64()
	return x
}

func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		return double(a) == double(b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if other, ok := b[key]; !ok || !same(a[key], other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// expectJSON encodes a value and compares it with what is expected, as JSON values.
func expectJSON(t *testing.T, value any, expected string) {
	t.Helper()
	text, err := types.Encode(value)
	if err != nil {
		t.Errorf("%v; expected %s", err, expected)
	} else if !sameJSON(text, []byte(expected)) {
		t.Errorf("encoded\n  %s\nexpected\n  %s", text, expected)
	}
}

// expectText encodes a value and compares it with what is expected, byte for byte.
func expectText(t *testing.T, value any, expected string) {
	t.Helper()
	text, err := types.Encode(value)
	if err != nil {
		t.Errorf("%v; expected %s", err, expected)
	} else if string(text) != expected {
		t.Errorf("encoded\n  %s\nexpected\n  %s", text, expected)
	}
}

func pointer[T any](value T) *T { return &value }
