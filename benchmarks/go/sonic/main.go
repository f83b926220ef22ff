// Command sonic times the generated package and the listing, which it gives the functions of sonic.
//
//	sonic ratio PAIR FILE    as `bench` does
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"bench/listing"
	"bench/pairs"

	"github.com/bytedance/sonic"
)

func main() {
	if len(os.Args) != 4 || os.Args[1] != "ratio" {
		fmt.Fprintln(os.Stderr, "sonic: expected: sonic ratio PAIR FILE")
		os.Exit(1)
	}
	if err := run(os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "sonic:", err)
		os.Exit(1)
	}
}

func run(pair, file string) error {
	listing.Marshal, listing.Unmarshal = sonic.Marshal, sonic.Unmarshal
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	report, err := pairs.Ratio(pair, bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}
