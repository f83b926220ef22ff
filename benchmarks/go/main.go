// Command bench times the generated package's decode and the listing's on the same lines, one after the other.
//
//	bench ratio FILE ROUNDS    the lines that both accept → {"lines": …, "accepted": …, "ratios": [ours / the listing's, …]}
//	bench reject FILE          one line of faults each → {"CODE": count, …}; fails on a line that is accepted
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"bench/listing"

	"github.com/agentproto/agentproto-go/types"
)

// portion is how many lines one of the two decodes before the other has its turn.
const portion = 2000

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 2 {
		return errors.New("expected: bench ratio FILE ROUNDS, or bench reject FILE")
	}
	data, err := os.ReadFile(arguments[1])
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	var report any
	switch {
	case arguments[0] == "ratio" && len(arguments) == 3:
		rounds, err := strconv.Atoi(arguments[2])
		if err != nil {
			return err
		}
		accepted := acceptedByBoth(lines)
		report = map[string]any{"lines": len(lines), "accepted": len(accepted), "ratios": ratios(accepted, rounds)}
	case arguments[0] == "reject" && len(arguments) == 2:
		if report, err = codes(lines); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown arguments: %q", arguments)
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func ours(line []byte) error {
	message, err := types.UnmarshalSDKMessage(line)
	runtime.KeepAlive(message)
	return err
}

func theirs(line []byte) error {
	message, err := listing.UnmarshalSDKMessage(line)
	runtime.KeepAlive(message)
	return err
}

func acceptedByBoth(lines [][]byte) [][]byte {
	var accepted [][]byte
	for _, line := range lines {
		if ours(line) == nil && theirs(line) == nil {
			accepted = append(accepted, line)
		}
	}
	return accepted
}

// ratios times both on each portion, now one first, now the other; the first round only warms up.
func ratios(lines [][]byte, rounds int) []float64 {
	both := [2]func([]byte) error{ours, theirs}
	var found []float64
	for round := 0; round <= rounds; round++ {
		var spent [2]time.Duration
		for at := 0; at < len(lines); at += portion {
			part := lines[at:min(at+portion, len(lines))]
			first := (round + at/portion) % 2
			for _, which := range [2]int{first, 1 - first} {
				runtime.GC() // so that neither pays for what the other left
				start := time.Now()
				for _, line := range part {
					if err := both[which](line); err != nil {
						panic(err) // it was accepted before
					}
				}
				spent[which] += time.Since(start)
			}
		}
		if round > 0 {
			found = append(found, float64(spent[0])/float64(spent[1]))
		}
	}
	return found
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
