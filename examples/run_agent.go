// Command run_agent runs a CLI with a tool of its own, the only one that it may use, and prints the agent's messages.
//
//	go run run_agent.go cli "How long is this sentence?"
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"unicode/utf8"

	"example.com/agentlines/types"
	"example.com/agentlines/types/process"
)

type object = map[string]any

var about = object{"protocolVersion": "2025-06-18", "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "own", "version": "1"}}
var schema = object{"type": "object", "properties": object{"text": object{"type": "string"}}, "required": []any{"text"}}
var tool = object{"name": "count", "description": "Counts the characters of a text.", "inputSchema": schema}

// serve is the MCP server with the tool.
func serve(_ context.Context, message types.JSONRPCMessage) (types.JSONRPCMessage, error) {
	call, ok := message.(*types.JSONRPCRequest)
	if !ok {
		return nil, nil // a notification
	}
	results := map[string]object{"initialize": about, "tools/list": {"tools": []any{tool}}}
	if arguments, ok := call.Params["arguments"].(object); ok {
		count := utf8.RuneCountInString(fmt.Sprint(arguments["text"]))
		results["tools/call"] = object{"content": []any{object{"type": "text", "text": fmt.Sprint(count)}}}
	}
	if results[call.Method] == nil {
		return nil, fmt.Errorf("this server does not handle %s with these parameters", call.Method)
	}
	return &types.JSONRPCResponse{ID: call.ID, Result: results[call.Method]}, nil
}

func main() {
	log.SetFlags(0)
	launched := must(types.Launch(&types.QueryOptions{
		McpServers:   map[string]types.McpServerConfig{"counter": {Type: "sdk", Name: "counter", Instance: serve}},
		AllowedTools: []string{"mcp__counter__count"},
	}, ""))
	ctx := context.Background()
	p := must(process.Start(ctx, types.PeerSDK, launched, process.WithProgram(os.Args[1])))
	defer p.Close()
	must(p, p.Write(ctx, types.NewPrompt(os.Args[2])))
	for event, err := range p.All() {
		if message, ok := must(event, err).(*types.SessionMessage); ok {
			switch m := message.Message.(type) {
			case *types.AssistantMessage:
				for _, block := range m.Message.Content {
					fmt.Println(block.Text)
				}
			case *types.ResultMessage:
				log.Print("the turn ended: ", m.Subtype)
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
