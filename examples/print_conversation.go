// Prints a stored session as a conversation: go run print_conversation.go SESSION.jsonl
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"example.com/agentlines/types"
)

func show(who string, content any) {
	switch content := content.(type) {
	case string:
		fmt.Printf("%s: %s\n", who, content)
	case []types.ContentBlock:
		for _, block := range content {
			switch block.Type {
			case "text":
				fmt.Printf("%s: %s\n", who, block.Text)
			case "tool_use":
				input, _ := json.Marshal(block.Input)
				fmt.Printf("%s calls %s: %s\n", who, block.Name, input)
			case "tool_result":
				if block.IsError != nil && *block.IsError {
					show("  error", block.Content)
				} else {
					show("  result", block.Content)
				}
			default:
				fmt.Printf("%s: (%s)\n", who, block.Type)
			}
		}
	}
}

func main() {
	log.SetFlags(0)
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var conversation types.Conversation[types.TranscriptEntry]
	for entry, err := range types.NewReaderOf(file, types.UnmarshalTranscriptEntry).All() {
		if err != nil {
			log.Print(err)
			continue
		}
		conversation.Add(entry)
	}
	for _, entry := range conversation.History() { // also what was said before the context was compacted
		switch entry := entry.(type) {
		case *types.UserEntry:
			if entry.IsMeta == nil || !*entry.IsMeta {
				show("user", entry.Message.Content)
			}
		case *types.AssistantEntry:
			show("assistant", entry.Message.Content)
		case *types.CompactBoundaryEntry:
			fmt.Println("--- the context was compacted ---")
		}
	}
}
