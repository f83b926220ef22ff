// Command answer_permission reads what the CLI says, answers each request for a permission, and begins with a prompt.
//
//	go run answer_permission.go "Make a folder." < lines-from-the-cli > lines-for-the-cli
//
// Connected to a CLI in both directions, this is a whole client: it lets tools that only read run, refuses the others,
// and says on standard error what it did.
package main

import (
	"errors"
	"log"
	"os"

	"example.com/agentlines/types"
)

// answer is the verdict on one call of a tool, by the typed form of its input.
func answer(asked types.PermissionRequest) *types.PermissionResult {
	input, err := types.ToolInput(asked.ToolName, asked.Input)
	if err != nil {
		return types.NewPermissionDeny(err.Error())
	}
	switch input := input.(type) {
	case *types.BashInput:
		if input.Command == "ls" || input.Command == "pwd" {
			return types.NewPermissionAllow(asked.Input)
		}
		return types.NewPermissionDeny("Not without a person: " + input.Command)
	case *types.FileReadInput, *types.GlobInput, *types.GrepInput:
		return types.NewPermissionAllow(asked.Input)
	}
	return types.NewPermissionDeny(asked.ToolName + " is not allowed here.")
}

// handle answers a request, if it is one for a permission.
func handle(request *types.ControlRequest, toCLI *types.Writer) error {
	asked, ok := request.Request.AsCanUseTool()
	if !ok {
		return nil
	}
	verdict := answer(asked)
	reply, err := types.Reply(request, asked, *verdict)
	if err != nil {
		return err
	}
	log.Printf("%s: %s", verdict.Behavior, asked.ToolName)
	return toCLI.Write(reply)
}

func main() {
	log.SetFlags(0)
	prompt := "Hello."
	if len(os.Args) > 1 {
		prompt = os.Args[1]
	}
	toCLI := types.NewWriter(os.Stdout)
	if err := toCLI.Write(types.NewPrompt(prompt)); err != nil {
		log.Fatal(err)
	}
	for item, err := range types.NewReaderOf(os.Stdin, types.UnmarshalStdoutMessage).All() {
		var bad *types.BadLine
		if errors.As(err, &bad) {
			log.Printf("line %d: %v", bad.Line, bad.Err)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		switch m := item.(type) {
		case *types.ControlRequest:
			if err := handle(m, toCLI); err != nil {
				log.Fatal(err)
			}
		case *types.ResultMessage:
			log.Printf("the turn ended: %s", m.Subtype)
		}
	}
}
