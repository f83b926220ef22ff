// Package process_test tests the process package. The test program itself acts as the CLI.
package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/agentlines/types"
	"example.com/agentlines/types/process"
)

// long is a time limit that is reached only if something hangs.
const long = 10 * time.Minute

var background = context.Background()

// launch returns a launch that starts a stub.
func launch(stub string) *types.Launched {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	set := map[string]string{stubVariable: stub}
	return &types.Launched{Program: program, Environment: types.LaunchEnvironment{Inherit: true, Set: set}}
}

// start starts a stub. At the end of the test it closes the stub and checks that no goroutine is left.
func start(t *testing.T, stub string, options ...process.Option) *process.Process {
	t.Helper()
	return startAs(t, launch(stub), options...)
}

func startAs(t *testing.T, how *types.Launched, options ...process.Option) *process.Process {
	t.Helper()
	leavesNothing(t)
	ctx, cancel := context.WithCancel(background)
	p, err := process.Start(ctx, types.PeerSDK, how, append([]process.Option{process.WithGrace(long, long)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = p.Close()
	})
	return p
}

var watched *testing.T

// leavesNothing waits at the end of a test until no goroutine of a process is left.
func leavesNothing(t *testing.T) {
	if watched == t {
		return
	}
	watched = t
	t.Cleanup(func() {
		for deadline := time.Now().Add(long); ; time.Sleep(time.Millisecond) {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if !bytes.Contains(stacks, []byte("agentlines/types/process.")) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("goroutines are left:\n%s", stacks)
			}
		}
	})
}

// told returns the next value that the stub reports.
func told(t *testing.T, p *process.Process) any {
	t.Helper()
	return toldBy(t)(p.Next(background))
}

func toldBy(t *testing.T) func(types.SessionEvent, error) any {
	return func(event types.SessionEvent, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		message, ok := event.(*types.SessionMessage)
		if !ok {
			t.Fatalf("%T %+v", event, event)
		}
		said, _ := message.Message.(*types.KeepAliveMessage)
		if said == nil {
			t.Fatalf("%T", message.Message)
		}
		for _, member := range said.Extra.Members() {
			if member.Key == "value" {
				return member.Value
			}
		}
		t.Fatalf("%+v", said)
		return nil
	}
}

func same(t *testing.T, found, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(found, wanted) {
		t.Errorf("found %#v\nwanted %#v", found, wanted)
	}
}

func problem(t *testing.T, err error) *process.Error {
	t.Helper()
	var found *process.Error
	if !errors.As(err, &found) {
		t.Fatalf("expected a *process.Error, got %v", err)
	}
	return found
}

func atEnd(t *testing.T, p *process.Process) {
	t.Helper()
	if event, err := p.Next(background); err != io.EOF {
		t.Errorf("expected the end, got %v, %v", event, err)
	}
}

func TestARequestGetsItsAnswerOrTheErrorThatCameInstead(t *testing.T) {
	p := start(t, "answers")
	if offered, err := process.Ask(background, p, &types.InitializeRequest{}); err != nil || offered.OutputStyle != "x" {
		t.Error(offered, err)
	}
	if nothing, err := process.Ask(background, p, types.InterruptRequest{}); err != nil || nothing != nil {
		t.Error(nothing, err)
	}
	if _, err := process.Ask(background, p, &types.SetModelRequest{Model: types.Some("m")}); err != nil {
		t.Error(err)
	}
	_, err := process.Ask(background, p, &types.SetPermissionModeRequest{Mode: types.PermissionModePlan})
	var refused *types.ControlError
	if !errors.As(err, &refused) || refused.Message != "no" {
		t.Error(err)
	}
	_, err = process.Ask(background, p, types.McpStatusRequest{})
	var fault *types.DecodeError
	if !errors.As(err, &fault) || fault.Code != types.CodeWrongType {
		t.Error(err)
	}
	result, err := p.Request(background, &types.InitializeRequest{})
	if offered, ok := result.(*types.InitializeResponse); err != nil || !ok || offered.OutputStyle != "x" {
		t.Error(result, err)
	}
	_, err = process.Ask(background, p, &types.PermissionRequest{})
	var misused *types.SessionError
	if !errors.As(err, &misused) || misused.Code != types.SessionWrongDirection {
		t.Error(err)
	}
	if err := p.Write(background, types.NewPrompt("hi")); err != nil {
		t.Error(err)
	}
	if heard, ok := told(t, p).(map[string]any); !ok || heard["type"] != "user" {
		t.Error(heard)
	}
	if err := p.Write(background, &types.ControlRequest{}); !errors.As(err, new(*types.EncodeError)) {
		t.Error(err)
	}
	if err := p.Close(); err != nil || len(p.Session().Pending()) > 0 {
		t.Error(err, p.Session().Pending())
	}
	if state := p.State(); state == nil || !state.Success() {
		t.Error(state)
	}
	atEnd(t, p)
}

func TestFunctionsAnswerRequestsAndTheirErrorsRefuseThem(t *testing.T) {
	var count atomic.Int32
	p := start(t, "asks",
		process.WithAnswer(func(_ context.Context, asked *types.PermissionRequest) (types.PermissionResult, error) {
			if count.Add(1) == 1 {
				return *types.NewPermissionAllow(asked.Input), nil
			}
			return types.PermissionResult{}, errors.New("not now")
		}),
		process.WithAnswer(func(context.Context, types.PermissionRequest) (types.PermissionResult, error) {
			panic("the first function answers")
		}),
		process.WithAnswer(func(_ context.Context, asked types.HookCallbackRequest) (types.HookJSONOutput, error) {
			if asked.CallbackID != "h" {
				return nil, errors.New(asked.CallbackID)
			}
			return &types.SyncHookJSONOutput{Continue: types.Ptr(false)}, nil
		}),
		process.WithAnswer(func(_ context.Context, asked *types.McpMessageRequest) (*types.McpMessageResponse, error) {
			return nil, errors.New(asked.ServerName)
		}),
	)
	found := map[string]string{}
	var permissions, failed []string
	for len(found) < 4 || len(failed) < 2 {
		event, err := p.Next(background)
		if refusal, ok := event.(*types.SessionFailedAnswer); ok {
			failed = append(failed, fmt.Sprintf("%v %T", refusal.Err, refusal.Payload))
			continue
		}
		response := toldBy(t)(event, err).(map[string]any)["response"].(map[string]any)
		id := response["request_id"].(string)
		payload, _ := json.Marshal(response["response"])
		text := fmt.Sprint(response["error"], " ", string(payload))
		if found[id] = text; id == "a" || id == "b" {
			permissions = append(permissions, text)
		}
	}
	slices.Sort(permissions)
	slices.Sort(failed)
	same(t, failed, []string{"not now *types.PermissionRequest", "s *types.McpMessageRequest"})
	same(t, permissions, []string{`<nil> {"behavior":"allow","updatedInput":{"command":"ls"}}`, "not now null"})
	same(t, []string{found["c"], found["d"]}, []string{`<nil> {"continue":false}`, "s null"})
	if err := p.Wait(); err != nil || len(p.Session().Unanswered()) > 0 {
		t.Error(err, p.Session().Unanswered())
	}
}

func TestAFunctionThatEndsItsGoroutineRefuses(t *testing.T) {
	p := start(t, "asks once", process.WithAnswer(
		func(context.Context, *types.PermissionRequest) (types.PermissionResult, error) {
			runtime.Goexit()
			panic("unreachable")
		}))
	event, err := p.Next(background)
	if failed, ok := event.(*types.SessionFailedAnswer); err != nil || !ok || failed.Err.Error() != "the function has ended its goroutine" {
		t.Errorf("%v %v", event, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestAResultThatDoesNotFitRefuses(t *testing.T) {
	p := start(t, "asks once", process.WithAnswer(
		func(context.Context, *types.PermissionRequest) (types.PermissionResult, error) {
			return types.PermissionResult{}, nil
		}))
	event, err := p.Next(background)
	if failed, ok := event.(*types.SessionFailedAnswer); err != nil || !ok || failed.ID != "p" || !errors.As(failed.Err, new(*types.EncodeError)) {
		t.Error(event, err)
	}
	response := told(t, p).(map[string]any)["response"].(map[string]any)
	if text := fmt.Sprint(response["error"]); !strings.Contains(text, "encode: ") {
		t.Error(response)
	}
}

type hookFunc = func(context.Context, types.HookInput, *string) (types.HookJSONOutput, error)

func hook(told string) hookFunc {
	return func(_ context.Context, input types.HookInput, toolUseID *string) (types.HookJSONOutput, error) {
		text := fmt.Sprint(told, " ", input.GetHookEventName(), " ", toolUseID == nil)
		return &types.SyncHookJSONOutput{SystemMessage: &text}, nil
	}
}

func server(serve func(types.JSONRPCMessage) (types.JSONRPCMessage, error)) types.McpServerConfig {
	return types.McpServerConfig{Type: "sdk", Name: "s", Instance: func(_ context.Context, m types.JSONRPCMessage) (types.JSONRPCMessage, error) {
		return serve(m)
	}}
}

// launched returns a launch of a stub with options.
func launched(t *testing.T, stub string, options *types.QueryOptions) *types.Launched {
	t.Helper()
	made, err := types.Launch(options, "")
	if err != nil {
		t.Fatal(err)
	}
	how := launch(stub)
	how.Functions = made.Functions
	return how
}

func TestFunctionsInTheOptionsAnswerTheRequestsTheyAreFor(t *testing.T) {
	matchers := []types.HookCallbackMatcher{{Hooks: []hookFunc{hook("0"), hook("1")}}, {Hooks: []hookFunc{hook("2")}}}
	p := startAs(t, launched(t, "asks functions", &types.QueryOptions{
		CanUseTool: func(toolName string, input map[string]any) (*types.PermissionResult, error) {
			switch input["command"] {
			case "allow":
				return &types.PermissionResult{Behavior: "allow"}, nil
			case "change":
				return types.NewPermissionAllow(nil), nil
			case "nothing":
				return nil, nil
			}
			return nil, errors.New(toolName + " is broken")
		},
		Hooks: map[types.HookEvent][]types.HookCallbackMatcher{types.HookEventStop: matchers},
		McpServers: map[string]types.McpServerConfig{
			"a": server(func(m types.JSONRPCMessage) (types.JSONRPCMessage, error) {
				return &types.JSONRPCResponse{ID: m.(*types.JSONRPCRequest).ID, Result: map[string]any{"server": "a"}}, nil
			}),
			"b": server(func(types.JSONRPCMessage) (types.JSONRPCMessage, error) { return nil, nil }),
		},
		OnElicitation: func(_ context.Context, asked types.ElicitationRequest) (*types.ElicitationResult, error) {
			return &types.ElicitationResult{Action: "decline", Content: map[string]any{"asked": asked.Question}}, nil
		},
		OnUserDialog: func(context.Context, types.RequestUserDialogRequest) (types.UserDialogResult, error) {
			return &types.UserDialogCancelled{}, nil
		},
	}))
	var answers, failed []string
	for event, err := range p.All() {
		if refusal, ok := event.(*types.SessionFailedAnswer); ok {
			failed = append(failed, fmt.Sprint(refusal.ID, ": ", refusal.Err))
			continue
		}
		response := toldBy(t)(event, err).(map[string]any)
		text, _ := json.Marshal(response["response"])
		if response["error"] != nil {
			text = []byte(response["error"].(string))
		}
		answers = append(answers, string(text))
	}
	same(t, answers, []string{
		`{"behavior":"allow","updatedInput":{"command":"allow"}}`,
		`{"behavior":"allow","updatedInput":{}}`,
		"Bash is broken",
		"types: encode: missing_field at /response/response: expected a result, got none",
		`{"systemMessage":"2 Stop true"}`,
		`{"systemMessage":"0 Stop false"}`,
		`no function has the id "hook_9"`,
		`{"mcp_response":{"id":7,"jsonrpc":"2.0","result":{"server":"a"}}}`,
		`{"mcp_response":{"id":0,"jsonrpc":"2.0","result":{}}}`,
		`{"action":"decline","content":{"asked":"?"}}`,
		`{"behavior":"cancelled"}`,
	})
	same(t, failed, []string{
		"2: Bash is broken", "3: types: encode: missing_field at /response/response: expected a result, got none",
		`6: no function has the id "hook_9"`,
	})
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAVariantOfAFlatStructHasItsFunction(t *testing.T) {
	config := server(func(types.JSONRPCMessage) (types.JSONRPCMessage, error) { return nil, errors.New("called") })
	variant, ok := config.AsSDK()
	if !ok || variant.Instance == nil {
		t.Fatal(variant, ok)
	}
	if _, err := variant.Instance(background, nil); err == nil || err.Error() != "called" {
		t.Error(err)
	}
}

func TestACancelledRequestCancelsItsFunctionAndIsNoFailure(t *testing.T) {
	cancelled := make(chan error, 1)
	p := startAs(t, launched(t, "asks a dialog and cancels", &types.QueryOptions{
		OnUserDialog: func(ctx context.Context, _ types.RequestUserDialogRequest) (types.UserDialogResult, error) {
			<-ctx.Done()
			cancelled <- ctx.Err()
			return nil, ctx.Err()
		},
	}))
	if err := <-cancelled; err != context.Canceled {
		t.Error(err)
	}
	same(t, told(t, p), "cancelled")
	atEnd(t, p)
}

func TestAFunctionThatGoesOnTakesNoCancellationOfALaterRequestWithItsID(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	p := startAs(t, launched(t, "asks again with the id of what it cancelled", &types.QueryOptions{
		OnUserDialog: func(context.Context, types.RequestUserDialogRequest) (types.UserDialogResult, error) {
			<-release
			return nil, errors.New("too late")
		},
	}))
	asked, err := p.Next(background)
	if request, ok := asked.(*types.SessionRequest); !ok || request.ID != "d" {
		t.Fatal(asked, err)
	}
	after, err := p.Next(background)
	if cancellation, ok := after.(*types.SessionCancellation); !ok || cancellation.ID != "d" {
		t.Error(after, err)
	}
}

func TestAFunctionInTheOptionsReceivesTheStandardError(t *testing.T) {
	var texts []string
	options := &types.QueryOptions{Stderr: func(text string) { texts = append(texts, text) }}
	p := startAs(t, launched(t, "writes in pieces", options))
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	same(t, strings.Join(texts, ""), "it bröke\uFFFD")
	for _, text := range texts[:len(texts)-1] {
		if strings.Contains(text, "\uFFFD") {
			t.Errorf("%q", texts)
		}
	}
}

func TestFunctionsThatConflictOrThatNothingCallsAreErrorsOfTheStart(t *testing.T) {
	ask := func(string, map[string]any) (*types.PermissionResult, error) { return nil, nil }
	answer := process.WithAnswer(func(context.Context, types.PermissionRequest) (types.PermissionResult, error) {
		return types.PermissionResult{}, nil
	})
	twice := launched(t, "answers", &types.QueryOptions{CanUseTool: ask})
	twice.Functions = append(twice.Functions, twice.Functions[0])
	uncalled := launched(t, "answers", &types.QueryOptions{CanUseTool: ask})
	uncalled.Functions[0].Control = ""
	for message, how := range map[string]*types.Launched{
		`process: both WithAnswer and the option /canUseTool answer "can_use_tool"; give one of them`: launched(t, "answers", &types.QueryOptions{CanUseTool: ask}),
		"process: both WithStderr and the option /stderr receive the standard error; give one of them": launched(
			t, "answers", &types.QueryOptions{Stderr: func(string) {}}),
		"process: the object in the option /abortController is not used by a process; leave it out": launched(
			t, "answers", &types.QueryOptions{AbortSignal: background}),
		"process: the function in the option /canUseTool is not used by a process; leave it out":        uncalled,
		`process: the options /canUseTool and /canUseTool both answer "can_use_tool"; give one of them`: twice,
	} {
		options := []process.Option{process.WithStderr(io.Discard)}
		if how != twice {
			options = append(options, answer)
		}
		if _, err := process.Start(background, types.PeerSDK, how, options...); err == nil || err.Error() != message {
			t.Error(err)
		}
	}
}

func TestRequestsWithoutAFunctionAreHandedOut(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		p := start(t, "asks once")
		event, err := p.Next(background)
		asked, ok := event.(*types.SessionRequest)
		if err != nil || !ok || asked.ID != "p" {
			t.Fatal(event, err)
		}
		answer, wanted := p.Reply(background, asked, 5), "success"
		if !errors.As(answer, new(*types.EncodeError)) {
			t.Error(answer)
		}
		if refuses {
			answer, wanted = p.Refuse(background, asked, "no"), "error"
		} else {
			answer = p.Reply(background, asked, types.NewPermissionDeny("no"))
		}
		if response := told(t, p).(map[string]any)["response"].(map[string]any); answer != nil || response["subtype"] != wanted {
			t.Error(answer, response)
		}
		if err := p.Refuse(background, asked, "no"); !errors.As(err, new(*types.SessionError)) {
			t.Error(err)
		}
	}
}

func TestUnknownRequestsAreRefusedUnlessTheProgramWantsThem(t *testing.T) {
	p := start(t, "asks what is unknown")
	response := told(t, p).(map[string]any)["response"].(map[string]any)
	same(t, response["error"], "unknown request")
	p = start(t, "asks what is unknown", process.WithSession(types.WithRefuseUnknown(false)))
	event, err := p.Next(background)
	asked, ok := event.(*types.SessionRequest)
	if err != nil || !ok {
		t.Fatal(event, err)
	}
	if err := p.Refuse(background, asked, "why"); err != nil {
		t.Error(err)
	}
	response = told(t, p).(map[string]any)["response"].(map[string]any)
	same(t, response["error"], "why")
}

func TestAProcessIsStartedAsTheLaunchSaysWithItsRequests(t *testing.T) {
	for _, name := range []string{"TAKEN", "KEPT", "THERE"} {
		t.Setenv("PROCESS_"+name, "mine")
	}
	program, _ := os.Executable()
	environment := map[string]string{stubVariable: "launched", "PROCESS_KEPT": "mine", "PROCESS_SET": "x"}
	how, err := types.Launch(&types.QueryOptions{
		Executable: (*types.JavaScriptRuntime)(&program), ExecutableArgs: []string{"first", "-test.v"}, Model: types.Ptr("m"), CWD: types.Ptr("/"),
		Env: environment,
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	p := startAs(t, how)
	found := told(t, p).(map[string]any)
	arguments := fmt.Sprint(found["arguments"])
	if !strings.HasPrefix(arguments, "[first -test.v") || !strings.Contains(arguments, "--model m") || found["cwd"] != "/" {
		t.Error(found)
	}
	same(t, found["environment"], map[string]any{"PROCESS_KEPT": "mine", "PROCESS_SET": "x"})
	result, err := p.Started(background, "initialize")
	if _, ok := result.(*types.InitializeResponse); err != nil || !ok {
		t.Error(result, err)
	}
	if _, err := p.Started(background, "nothing"); err == nil {
		t.Error("there is an answer to nothing")
	}
	how = launch("launched")
	how.Script, how.Arguments, how.Program = "script", []string{"a b", `"`}, "/nowhere/at/all"
	how.Environment.Defaults = map[string]string{"PROCESS_THERE": "d", "PROCESS_ELSE": "d"}
	how.Environment.Unset = []string{"PROCESS_TAKEN"}
	p = startAs(t, how, process.WithProgram(program))
	found = told(t, p).(map[string]any)
	same(t, found["arguments"], []any{"script", "a b", `"`})
	same(t, found["environment"], map[string]any{"PROCESS_KEPT": "mine", "PROCESS_THERE": "mine", "PROCESS_ELSE": "d"})
}

func TestWhatCannotBeStartedIsAnErrorOfTheStart(t *testing.T) {
	how := launch("answers")
	how.Requests = map[string]json.RawMessage{"initialize": []byte(`{"subtype":"initialize","hooks":1}`)}
	_, err := process.Start(background, types.PeerSDK, how)
	var fault *types.DecodeError
	if !errors.As(err, &fault) || fault.Path != "/hooks" {
		t.Error(err)
	}
	how = launch("answers")
	how.Program = "/nowhere/at/all"
	if _, err := process.Start(background, types.PeerSDK, how); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	how.Program = ""
	if _, err := process.Start(background, types.PeerSDK, how); err == nil || !strings.Contains(err.Error(), "expected a program") {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(background)
	cancel()
	if _, err := process.Start(gone, types.PeerSDK, launch("answers")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestABadLineIsHandedOutAndTheSessionGoesOn(t *testing.T) {
	p := start(t, "bad line")
	var found []any
	for event, err := range p.All() {
		var bad *types.BadLine
		if errors.As(err, &bad) {
			found = append(found, bad.Line, string(bad.Raw))
			continue
		}
		found = append(found, toldBy(t)(event, err))
	}
	same(t, found, []any{1.0, 2, "{", 2.0})
	limited := start(t, "bad line", process.WithLimit(5))
	if _, err := limited.Next(background); !errors.As(err, new(*types.BadLine)) {
		t.Error(err)
	}
}

func TestAProcessThatEndsInTheMiddleOfALineTakesNothingAlong(t *testing.T) {
	var passed bytes.Buffer
	p := start(t, "dies", process.WithStderr(&passed))
	_, err := process.Ask(background, p, types.InterruptRequest{})
	found := problem(t, err)
	if found.Message != "the process ended (exit status 3)" || found.ExitCode() != 3 || found.Stderr != "it bröke" || found.Err != nil {
		t.Errorf("%+v", found)
	}
	same(t, told(t, p), "first")
	var bad *types.BadLine
	if _, err := p.Next(background); !errors.As(err, &bad) || string(bad.Raw) != `{"type":"keep_` {
		t.Error(err)
	}
	atEnd(t, p)
	if code := problem(t, p.Wait()).ExitCode(); code != 3 {
		t.Error(code)
	}
	same(t, []string{passed.String(), p.Stderr()}, []string{"it bröke", "it bröke"})
	same(t, len(p.Session().Pending()), 1)
	_, err = p.Request(background, &types.InterruptRequest{})
	for _, late := range []error{err, p.Write(background, &types.KeepAliveMessage{})} {
		same(t, late.Error(), "process: the process ended (exit status 3)")
	}
}

func TestNothingIsSentToAProcessThatHasClosedItsInput(t *testing.T) {
	p := start(t, "deaf")
	same(t, told(t, p), "closed")
	for range 2 {
		same(t, problem(t, p.Write(background, &types.KeepAliveMessage{})).Message, "the process has closed its input")
	}
	_, err := process.Ask(background, p, types.InterruptRequest{})
	same(t, problem(t, err).Message, "the process has closed its input")
	same(t, problem(t, err).ExitCode(), -1)
	same(t, len(p.Session().Pending()), 0)
}

func TestTheEndOfTheInputFailsTheRequestsToAProcessThatGoesOn(t *testing.T) {
	p := start(t, "deaf once asked")
	failed := make(chan error)
	go func() {
		_, err := process.Ask(background, p, types.InterruptRequest{})
		failed <- err
	}()
	same(t, told(t, p), "still here")
	var err error
	for err == nil { // a line may still be taken before the system has closed the pipe
		err = p.Write(background, &types.KeepAliveMessage{})
	}
	for _, err := range []error{err, <-failed} {
		same(t, problem(t, err).Message, "the process has closed its input")
	}
	same(t, told(t, p), "still here")
}

func TestTheEndOfTheOutputEndsTheSessionOfAProcessThatGoesOn(t *testing.T) {
	p := start(t, "mute once asked", process.WithGrace(0, long))
	for range 2 {
		_, err := process.Ask(background, p, types.InterruptRequest{})
		same(t, problem(t, err).Message, "the process has closed its output")
		same(t, problem(t, err).ExitCode(), -1)
	}
	same(t, told(t, p), "last")
	atEnd(t, p)
}

func TestWhateverNoticesFirstThatAProcessFailsHasItsStatusAndItsLastWords(t *testing.T) {
	for wait := range 5 {
		how := launch("fails")
		how.Requests = map[string]json.RawMessage{"initialize": json.RawMessage(`{"subtype":"initialize"}`)}
		p := startAs(t, how)
		time.Sleep(time.Duration(wait) * 10 * time.Millisecond)
		_, first := p.Started(background, "initialize")
		_, later := process.Ask(background, p, types.InterruptRequest{})
		for _, err := range []error{first, later} {
			same(t, problem(t, err).Message, "the process ended (exit status 1)")
			same(t, problem(t, err).Stderr, "no such session")
		}
	}
}

func TestAProcessIsEndedAndWhateverWaitsForIt(t *testing.T) {
	for _, each := range []struct {
		stub            string
		grace, patience time.Duration
		wanted          string
	}{
		{"ends with its input", long, 0, "the process ended (exit status 4)"},
		{"ends when told to", 0, long, "the process ended (exit status 5)"},
		{"ends when killed", 0, 0, "the process ended (signal: killed)"},
	} {
		p := start(t, each.stub, process.WithGrace(each.grace, each.patience))
		same(t, told(t, p), "ready")
		asked := make(chan error)
		go func() {
			_, err := process.Ask(background, p, types.InterruptRequest{})
			asked <- err
		}()
		for len(p.Session().Pending()) == 0 {
			runtime.Gosched()
		}
		closed := make(chan error)
		for range 2 {
			go func() { closed <- p.Close() }()
		}
		for range 2 {
			same(t, problem(t, <-closed).Message, each.wanted)
		}
		same(t, problem(t, <-asked).Message, each.wanted)
		same(t, problem(t, p.Wait()).State, p.State())
		atEnd(t, p)
	}
}

func TestTheContextOfTheStartEndsTheProcess(t *testing.T) {
	leavesNothing(t)
	enough := errors.New("enough")
	for _, stub := range []string{"ends when told to", "ends when killed"} {
		ctx, cancel := context.WithCancelCause(background)
		p, err := process.Start(ctx, types.PeerSDK, launch(stub), process.WithGrace(long, 0))
		if err != nil {
			t.Fatal(err)
		}
		same(t, told(t, p), "ready")
		asked := make(chan error)
		go func() {
			_, err := process.Ask(background, p, types.InterruptRequest{})
			asked <- err
		}()
		for len(p.Session().Pending()) == 0 {
			runtime.Gosched()
		}
		cancel(enough)
		_, next := p.Next(background)
		for _, err := range []error{<-asked, next, p.Wait(), p.Close(), p.Write(background, &types.KeepAliveMessage{})} {
			if found := problem(t, err); !errors.Is(err, enough) || found.Message != "enough" {
				t.Error(err)
			}
		}
	}
}

func TestOthersThatHoldTheOutputOpenDoNotKeepTheEndAway(t *testing.T) {
	p := start(t, "leaves a child", process.WithGrace(long, time.Millisecond))
	pid := int(told(t, p).(float64))
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	atEnd(t, p)
}

func TestNothingIsLostAndNothingLeftOfAProcessWhoseChildHoldsItsOutput(t *testing.T) {
	p := start(t, "ends before its child")
	pid := int(told(t, p).(float64))
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	for n := range events {
		if n == events/4 {
			time.Sleep(2500 * time.Millisecond) // longer than silence may last
		}
		same(t, told(t, p), float64(n))
	}
	atEnd(t, p)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAnAnswerComesBehindMoreEventsThanWaitWithoutItAndNoneOfThemIsLost(t *testing.T) {
	p := start(t, "many before an answer", process.WithBacklog(2*events))
	if _, err := process.Ask(background, p, types.InterruptRequest{}); err != nil {
		t.Fatal(err)
	}
	for n := range events {
		same(t, told(t, p), float64(n))
	}
}

func TestARequestFailsIfTooManyEventsComeBeforeItsAnswerAndNothingIsLost(t *testing.T) {
	p := start(t, "many before one answer")
	for range 2 { // the second is not sent
		_, err := process.Ask(background, p, types.InterruptRequest{})
		message := problem(t, err).Message
		if !errors.Is(err, process.ErrBacklog) || !strings.HasPrefix(message, "4096 events wait and 0 functions are called (") {
			t.Error(err)
		}
	}
	same(t, len(p.Session().Pending()), 1)
	for n := range events {
		same(t, told(t, p), float64(n))
	}
	event, err := p.Next(background)
	if answer, ok := event.(*types.SessionAnswer); !ok || err != nil || answer.Request == nil {
		t.Error(event, err)
	}
	if _, err := process.Ask(background, p, types.SetModelRequest{}); err != nil {
		t.Error(err)
	}
}

func TestARequestOfTheStartFailsLikeOthers(t *testing.T) {
	how := launch("many before an answer")
	how.Requests = map[string]json.RawMessage{"interrupt": json.RawMessage(`{"subtype":"interrupt"}`)}
	p := startAs(t, how, process.WithBacklog(300))
	if _, err := p.Started(background, "interrupt"); !errors.Is(err, process.ErrBacklog) {
		t.Error(err)
	}
}

func TestEventsThatWaitHave64MiBAtMost(t *testing.T) {
	p := start(t, "large")
	_, err := process.Ask(background, p, types.InterruptRequest{})
	if message := problem(t, err).Message; !strings.HasPrefix(message, "8 events wait ") {
		t.Error(message)
	}
	for n := range 12 {
		same(t, told(t, p), float64(n))
	}
}

func TestCallsOfFunctionsCountAsEventsDoEvenIfTheirRequestsAreCancelled(t *testing.T) {
	gate := make(chan struct{})
	var open sync.Once
	defer open.Do(func() { close(gate) })
	wait := func(context.Context, *types.PermissionRequest) (types.PermissionResult, error) {
		<-gate
		return types.PermissionResult{}, errors.New("no")
	}
	p := start(t, "asks before an answer", process.WithBacklog(20), process.WithAnswer(wait))
	_, err := process.Ask(background, p, types.InterruptRequest{})
	if message := problem(t, err).Message; !strings.HasPrefix(message, "0 events wait and 20 functions are called ") {
		t.Error(message)
	}
	open.Do(func() { close(gate) })
	for {
		event, err := p.Next(background)
		if err != nil {
			t.Fatal(err)
		}
		if message, ok := event.(*types.SessionMessage); ok {
			same(t, toldBy(t)(message, nil), any("done"))
			return
		}
	}
}

func TestWhatNobodyTakesDoesNotKeepAProcessFromEnding(t *testing.T) {
	p := start(t, "many")
	same(t, told(t, p), 0.0)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	left := 0
	for _, err := range p.All() {
		if left++; err != nil {
			t.Error(err)
		}
	}
	if left == 0 || left > 256 {
		t.Error(left, "events were kept")
	}
}

func TestEventsComeInOrder(t *testing.T) {
	p := start(t, "many")
	for n := range events {
		same(t, told(t, p), float64(n))
	}
}

func TestAProcessThatDoesNotReadIsEnded(t *testing.T) {
	p := start(t, "asks without reading")
	_, err := p.Next(background)
	same(t, problem(t, err).Message, "the process does not read what is sent to it")
	err = p.Wait()
	same(t, problem(t, err).State.String(), "signal: killed")
	same(t, problem(t, p.Write(background, &types.KeepAliveMessage{})).Message, "the process does not read what is sent to it")

	p = start(t, "does not read", process.WithGrace(0, long))
	same(t, told(t, p), "ready")
	for _, message := range []any{types.NewPrompt(strings.Repeat("x", 900<<10)), &types.KeepAliveMessage{}} {
		short, stop := context.WithTimeout(background, time.Millisecond)
		if err := p.Write(short, message); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := process.Ask(short, p, types.InterruptRequest{}); !errors.Is(err, context.DeadlineExceeded) || len(p.Session().Pending()) > 0 {
			t.Error(err)
		}
		stop()
	}
	same(t, problem(t, p.Close()).State.String(), "signal: terminated")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTheEndOfTheStandardErrorIsKept(t *testing.T) {
	p := start(t, "complains")
	same(t, told(t, p), "complained")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	kept := p.Stderr()
	if len(kept) > 64<<10 || len(kept) < 63<<10 || strings.Trim(kept, "ü") != "end" {
		t.Error(len(kept), strings.Trim(kept, "ü"))
	}
	p = start(t, "complains", process.WithStderr(full{}))
	for {
		if _, err := p.Next(background); err != nil {
			same(t, err.Error(), "full")
			break
		}
	}
	_, err := process.Ask(background, p, types.InterruptRequest{})
	same(t, problem(t, err).Message, "full")
	if err := p.Close(); problem(t, err).State == nil {
		t.Error(err)
	}
	if p.Stderr() != kept {
		t.Error(len(p.Stderr()))
	}
}

// slow is a writer that waits before it takes anything.
type slow struct {
	begun, release, whole chan struct{}
	text                  []byte
}

func (s *slow) Write(text []byte) (int, error) {
	if s.text == nil {
		close(s.begun)
	}
	<-s.release
	if s.text = append(s.text, text...); bytes.HasSuffix(text, []byte(".")) {
		close(s.whole)
	}
	return len(text), nil
}

func TestCloseDoesNotWaitForAWriterThatTakesTheStandardErrorAndGetsAllOfIt(t *testing.T) {
	to := &slow{begun: make(chan struct{}), release: make(chan struct{}), whole: make(chan struct{})}
	p := start(t, "complains to the end", process.WithStderr(to))
	<-to.begun
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	close(to.release)
	<-to.whole
	same(t, string(to.text), "oh"+strings.Repeat("x", 60_000)+".")
}

func TestARequestThatIsNoLongerWaitedForIsCancelled(t *testing.T) {
	p := start(t, "answers late")
	ctx, cancel := context.WithCancel(background)
	asked := make(chan error)
	go func() {
		_, err := process.Ask(ctx, p, types.InterruptRequest{})
		asked <- err
	}()
	same(t, told(t, p), "asked")
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	same(t, told(t, p).(map[string]any)["type"], "control_cancel_request")
	event, err := p.Next(background)
	if stray, ok := event.(*types.SessionStray); err != nil || !ok || stray.Reason != types.StrayLate {
		t.Error(event, err)
	}
}

func TestTheContextOfAnEventLosesNone(t *testing.T) {
	p := start(t, "answers")
	for range 3 {
		short, stop := context.WithTimeout(background, time.Millisecond)
		if event, err := p.Next(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(event, err)
		}
		stop()
	}
	if err := p.Write(background, types.NewPrompt("hi")); err != nil {
		t.Error(err)
	}
	same(t, told(t, p).(map[string]any)["type"], "user")
}

func TestAFunctionIsCancelledWithItsRequestAndWithItsProcess(t *testing.T) {
	begun, over := make(chan bool, 1), make(chan error, 1)
	wait := process.WithAnswer(func(ctx context.Context, _ *types.PermissionRequest) (types.PermissionResult, error) {
		begun <- true
		<-ctx.Done()
		over <- ctx.Err()
		return *types.NewPermissionDeny("late"), nil
	})
	p := start(t, "asks and cancels", wait)
	<-begun
	if err := p.Write(background, &types.KeepAliveMessage{}); err != nil {
		t.Error(err)
	}
	same(t, told(t, p), "cancelled")
	if err := <-over; err != context.Canceled {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	same(t, told(t, p), []any{})

	p = start(t, "asks once", wait)
	<-begun
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	<-over
}

func TestAProcessIsSharedByGoroutines(t *testing.T) {
	p := start(t, "echoes", process.WithAnswer(
		func(context.Context, *types.PermissionRequest) (types.PermissionResult, error) {
			return *types.NewPermissionDeny("no"), nil
		}))
	const goroutines, rounds = 8, 30
	var all sync.WaitGroup
	seen := make(chan any, goroutines*rounds)
	for at := range goroutines {
		all.Add(2)
		go func() {
			defer all.Done()
			for n := range rounds {
				message := &types.KeepAliveMessage{}
				message.Extra.Set(types.Member{Key: "n", Value: at*rounds + n})
				if err := p.Write(background, message); err != nil {
					t.Error(err)
				}
				if _, err := process.Ask(background, p, types.InterruptRequest{}); err != nil {
					t.Error(err)
				}
				_ = p.Stderr() + p.State().String()
			}
		}()
		go func() {
			defer all.Done()
			for range rounds {
				event, err := p.Next(background)
				seen <- toldBy(t)(event, err)
			}
		}()
	}
	all.Wait()
	close(seen)
	ids := map[any]bool{}
	for id := range seen {
		ids[id] = true
	}
	same(t, len(ids), goroutines*rounds)
	if err := p.Close(); err != nil || p.Stderr() != "done" {
		t.Error(err, p.Stderr())
	}
	atEnd(t, p)
}
