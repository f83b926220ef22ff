// Command answer_requests runs a CLI, allows only tools that read, and has a hook that denies network access.
//
//	go run answer_requests.go cli "Make a folder."
package main

import (
	"context"
	"log"
	"os"

	"example.com/agentlines/types"
	"example.com/agentlines/types/process"
)

// mayRun decides on a tool call by the typed form of its input.
func mayRun(name string, given map[string]any) (*types.PermissionResult, error) {
	input, _ := types.ToolInput(name, given) // nil if it is invalid
	switch input := input.(type) {
	case *types.FileReadInput, *types.GlobInput, *types.GrepInput:
		return &types.PermissionResult{Behavior: "allow"}, nil
	case *types.BashInput:
		return types.NewPermissionDeny("Not without a person: " + input.Command), nil
	}
	return types.NewPermissionDeny(name + " is not allowed here."), nil
}

// beforeTool is the hook. It makes no decision on tools that need no network.
func beforeTool(_ context.Context, input types.HookInput, _ *string) (types.HookJSONOutput, error) {
	output := &types.SyncHookJSONOutput{}
	if event, ok := input.(*types.PreToolUseHookInput); ok && event.ToolName == "WebFetch" {
		output.HookSpecificOutput = &types.PreToolUseHookSpecificOutput{
			PermissionDecision:       types.Ptr(types.HookPermissionDecisionDeny),
			PermissionDecisionReason: types.Ptr("WebFetch needs a network."),
		}
	}
	return output, nil
}

func main() {
	log.SetFlags(0)
	hook := types.HookCallbackMatcher{}
	hook.Hooks = append(hook.Hooks, beforeTool)
	launched := must(types.Launch(&types.QueryOptions{
		CanUseTool: mayRun,
		Hooks:      map[types.HookEvent][]types.HookCallbackMatcher{types.HookEventPreToolUse: {hook}},
	}, ""))
	ctx := context.Background()
	p := must(process.Start(ctx, types.PeerSDK, launched, process.WithProgram(os.Args[1])))
	defer p.Close()
	must(p, p.Write(ctx, types.NewPrompt(os.Args[2])))
	for event, err := range p.All() {
		if message, ok := must(event, err).(*types.SessionMessage); ok {
			if result, ok := message.Message.(*types.ResultMessage); ok {
				log.Print("the turn ended: ", result.Subtype)
				return
			}
		}
	}
}

// must returns a value and exits on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
