// What the sessions in a folder cost, and how often each tool was called.
//
// usage FOLDER
package main

import (
	"encoding/json"
	"errors"
	"log"
	"os"
	"path/filepath"

	"example.com/agentlines/types"
)

// usage is the sum of all files.
type usage struct {
	Files    int            `json:"files"`
	Messages int            `json:"messages"`
	Bad      int            `json:"bad"`
	Cost     float64        `json:"cost"`
	Tools    map[string]int `json:"tools"`
}

// add counts the messages of a file.
func (u *usage) add(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	u.Files++
	for message, err := range types.NewReader(file).All() {
		var bad *types.BadLine
		switch {
		case errors.As(err, &bad):
			u.Bad++
			continue
		case err != nil:
			return err
		}
		u.Messages++
		switch message := message.(type) {
		case *types.ResultMessage:
			u.Cost += message.TotalCostUSD
		case *types.AssistantMessage:
			for _, block := range message.Message.Content {
				if use, ok := block.AsToolUse(); ok {
					u.Tools[use.Name]++
				}
			}
		}
	}
	return nil
}

func main() {
	paths, err := filepath.Glob(filepath.Join(os.Args[1], "*.ndjson"))
	if err != nil {
		log.Fatal(err)
	}
	sum := usage{Tools: map[string]int{}}
	for _, path := range paths {
		if err := sum.add(path); err != nil {
			log.Fatal(err)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(sum); err != nil {
		log.Fatal(err)
	}
}
