// Reads a session on standard input, and answers its permission requests on standard output.
//
// Reading files is allowed, everything else is denied. Progress is logged to standard error.
package main

import (
	"cmp"
	"errors"
	"log"
	"os"

	"example.com/agentlines/types"
)

// verdict decides whether the tool may run. Known tools have typed inputs.
func verdict(asked *types.PermissionRequest) (*types.PermissionResult, error) {
	input, err := types.ToolInput(asked.ToolName, asked.Input)
	if err != nil {
		return nil, err
	}
	switch input := input.(type) {
	case *types.FileReadInput:
		return types.NewPermissionAllow(asked.Input), nil
	case *types.BashInput:
		return types.NewPermissionDeny("No commands here: " + input.Command), nil
	default:
		return types.NewPermissionDeny("No " + asked.ToolName + " here."), nil
	}
}

func main() {
	log.SetFlags(0)
	answers := types.NewWriter(os.Stdout)
	for item, err := range types.NewReader(os.Stdin).All() {
		var bad *types.BadLine
		var fault *types.DecodeError
		switch {
		case errors.As(err, &bad) && errors.As(err, &fault):
			log.Printf("line %d: %s at %s", bad.Line, fault.Code, cmp.Or(fault.Path, "the top"))
			continue
		case err != nil:
			log.Fatal(err)
		}
		switch m := item.(type) {
		case *types.SystemInitMessage:
			log.Printf("session with %s and %d tools", m.Model, len(m.Tools))
		case *types.AssistantMessage:
			for _, block := range m.Message.Content {
				switch block.Type {
				case "text":
					log.Printf("assistant: %s", block.Text)
				case "tool_use":
					log.Printf("call of %s", block.Name)
				}
			}
		case *types.ControlRequest:
			asked, ok := m.Request.AsCanUseTool()
			if !ok {
				continue
			}
			result, err := verdict(&asked)
			if err != nil {
				log.Fatal(err)
			}
			answer, err := types.WrapResponse(m.RequestID, &asked, *result)
			if err != nil {
				log.Fatal(err)
			}
			if err := answers.Write(answer); err != nil {
				log.Fatal(err)
			}
			log.Printf("%s: %s", asked.ToolName, result.Behavior)
		case *types.ResultMessage:
			if m.Subtype == "success" {
				log.Printf("done: %s", m.Result)
			}
		case *types.UnknownMessage:
			log.Printf("newer than this client: %s", m.Type)
		}
	}
}
