// Command client has all of its functions in its options; it prints what it was told besides.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"example.com/agentlines/types"
	"example.com/agentlines/types/process"
)

type hookFunc = func(context.Context, types.HookInput, *string) (types.HookJSONOutput, error)

func mayRun(toolName string, _ map[string]any) (*types.PermissionResult, error) {
	switch toolName {
	case "Bash":
		return &types.PermissionResult{Behavior: "allow"}, nil
	case "Write":
		return types.NewPermissionAllow(nil), nil
	case "Raise":
		return nil, errors.New("broken")
	}
	return types.NewPermissionDeny("no"), nil
}

func hook(number int) hookFunc {
	return func(_ context.Context, _ types.HookInput, toolUseID *string) (types.HookJSONOutput, error) {
		id := "none"
		if toolUseID != nil {
			id = *toolUseID
		}
		return &types.SyncHookJSONOutput{SystemMessage: types.Ptr(fmt.Sprint(number, " ", id))}, nil
	}
}

func server(name string) types.McpServerConfig {
	return types.McpServerConfig{Type: "sdk", Name: name, Instance: func(_ context.Context, message types.JSONRPCMessage) (types.JSONRPCMessage, error) {
		if request, ok := message.(*types.JSONRPCRequest); ok {
			return &types.JSONRPCResponse{ID: request.ID, Result: map[string]any{"server": name}}, nil
		}
		return nil, nil
	}}
}

func main() {
	told := strings.Builder{}
	matchers := []types.HookCallbackMatcher{{Hooks: []hookFunc{hook(0), hook(1)}}, {Hooks: []hookFunc{hook(2)}}}
	launched := must(types.Launch(&types.QueryOptions{
		CanUseTool: mayRun,
		Hooks:      map[types.HookEvent][]types.HookCallbackMatcher{types.HookEventPreToolUse: matchers},
		McpServers: map[string]types.McpServerConfig{"first": server("first"), "second": server("second")},
		OnElicitation: func(context.Context, types.ElicitationRequest) (*types.ElicitationResult, error) {
			return &types.ElicitationResult{Action: "decline"}, nil
		},
		OnUserDialog: func(context.Context, types.RequestUserDialogRequest) (types.UserDialogResult, error) {
			return &types.UserDialogCancelled{}, nil
		},
		Stderr: func(text string) { told.WriteString(text) },
	}, ""))
	p := must(process.Start(context.Background(), types.PeerSDK, launched, process.WithProgram(os.Args[1])))
	failed, others := []string{}, 0
	for event, err := range p.All() {
		switch event := must(event, err).(type) {
		case *types.SessionFailedAnswer:
			failed = append(failed, event.Err.Error())
		case *types.SessionRequest:
			others++
		}
	}
	must(0, p.Wait())
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"failed": failed, "stderr": told.String(), "others": others})
}

// must returns a value and exits on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
