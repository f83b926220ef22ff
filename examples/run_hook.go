// Command run_hook is a hook: it reads the event from standard input and writes its decision.
//
//	echo '{"hook_event_name":"PreToolUse",…}' | go run run_hook.go
//
// It denies commands that remove files, lets a session stop only once, and makes no decision on other events.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"example.com/agentlines/types"
)

// verdict returns the answer to an event.
func verdict(event types.HookInput) *types.SyncHookJSONOutput {
	switch event := event.(type) {
	case *types.PreToolUseHookInput:
		given, _ := event.ToolInput.(map[string]any)
		input, err := types.ToolInput(event.ToolName, given)
		if bash, ok := input.(*types.BashInput); err == nil && ok && strings.HasPrefix(bash.Command, "rm ") {
			return &types.SyncHookJSONOutput{HookSpecificOutput: &types.PreToolUseHookSpecificOutput{
				PermissionDecision:       types.Ptr(types.HookPermissionDecisionDeny),
				PermissionDecisionReason: types.Ptr("No files are removed here."),
			}}
		}
	case *types.StopHookInput:
		if !event.StopHookActive {
			return &types.SyncHookJSONOutput{
				Decision: types.Ptr(types.HookDecisionBlock), Reason: types.Ptr("Run the tests first."),
			}
		}
	}
	return &types.SyncHookJSONOutput{Continue: types.Ptr(true)}
}

func main() {
	log.SetFlags(0)
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	event, err := types.UnmarshalHookInput(text)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%s in session %s", event.GetHookEventName(), event.GetSessionID())
	line, err := types.Encode(verdict(event))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}
