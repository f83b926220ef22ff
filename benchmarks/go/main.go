// Command bench times the generated package and the listing on the same lines in turn, and counts what the package
// allocates and does.
//
//	bench ratio PAIR FILE    the lines that both accept → {"lines": …, "accepted": …, "ratios": [ours / the peer's, …]}
//	bench reject FILE        one line of faults each → {"CODE": count, …}; fails on a line that is accepted
//	bench bounds FILE        each line in each mode → [{"mode": …, "bytes": …, "steps": …}, …]; needs `go build -cover`
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"bench/pairs"

	"example.com/agentlines/types"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 2 {
		return errors.New("expected: bench ratio PAIR FILE, bench reject FILE, or bench bounds FILE")
	}
	data, err := os.ReadFile(arguments[len(arguments)-1])
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	var report any
	switch {
	case arguments[0] == "ratio" && len(arguments) == 3:
		report, err = pairs.Ratio(arguments[1], lines)
	case arguments[0] == "reject" && len(arguments) == 2:
		report, err = codes(lines)
	case arguments[0] == "bounds" && len(arguments) == 2:
		report, err = bounds(lines)
	default:
		err = fmt.Errorf("unknown arguments: %q", arguments)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

// codes counts the errors that lines meet by their code.
func codes(lines [][]byte) (map[string]int, error) {
	counts := map[string]int{}
	for _, line := range lines {
		_, err := types.UnmarshalWireMessage(line)
		var fault *types.DecodeError
		if !errors.As(err, &fault) {
			return nil, fmt.Errorf("accepted, or failed without a code (%v): %s", err, line)
		}
		counts[string(fault.Code)]++
	}
	return counts, nil
}
