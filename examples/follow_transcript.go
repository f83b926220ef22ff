// Prints the entries of a stored session while the CLI writes it: go run follow_transcript.go SESSION.jsonl
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"example.com/agentlines/types"
)

// follower reads a file that grows: where it ends, it waits.
type follower struct{ file *os.File }

func (f follower) Read(into []byte) (int, error) {
	for {
		n, err := f.file.Read(into)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func main() {
	log.SetFlags(0)
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// The reader keeps an incomplete line until the rest of it is there.
	for item, err := range types.NewReaderOf(follower{file}, types.UnmarshalTranscriptEntry).All() {
		if bad := (*types.BadLine)(nil); errors.As(err, &bad) {
			log.Printf("line %d: %v", bad.Line, bad.Err)
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		switch entry := item.(type) {
		case *types.LastPromptEntry:
			prompt, _ := entry.LastPrompt.Get()
			fmt.Println("prompt:", prompt)
		case *types.AssistantEntry:
			for _, block := range entry.Message.Content {
				fmt.Println("assistant:", block.Type)
			}
		case *types.UnknownEntry:
			log.Printf("newer than this package: %s", entry.Raw)
		default:
			fmt.Println(entry.GetType())
		}
	}
}
