package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"example.com/agentlines/types"
)

func main() {
	log.SetFlags(0)
	for item, err := range types.NewReader(os.Stdin).All() {
		var bad *types.BadLine
		switch {
		case errors.As(err, &bad):
			log.Printf("line %d: %v", bad.Line, bad.Err)
			continue
		case err != nil:
			log.Fatal(err)
		}
		switch m := item.(type) {
		case *types.AssistantMessage:
			for _, block := range m.Message.Content {
				fmt.Println(block.Text)
			}
		case *types.ResultMessage:
			fmt.Println(m.Result)
		case *types.UnknownMessage:
			log.Printf("newer than this package: %s", m.Raw)
		}
	}
}
