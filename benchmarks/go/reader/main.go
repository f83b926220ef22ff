// Command reader is what a client has at least: it reads a stream with the package and tells what comes.
package main

import (
	"fmt"
	"os"

	"example.com/agentlines/types"
)

func main() {
	for message, err := range types.NewReader(os.Stdin).All() {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		fmt.Printf("%T\n", message)
	}
}
