// Command listingreader does with the listing what reader does with the package.
package main

import (
	"bufio"
	"fmt"
	"os"

	"bench/listing"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		message, err := listing.UnmarshalSDKMessage(lines.Bytes())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		fmt.Printf("%T\n", message)
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
