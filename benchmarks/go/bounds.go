package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"runtime/coverage"
	"strconv"
	"strings"

	"example.com/agentlines/types"
)

// count is what it takes to decode a line in one mode, or to encode what it is decoded as.
type count struct {
	Mode string `json:"mode"`
	// Bytes is all that was allocated, as Go does not count how much of it is in use at once.
	Bytes uint64 `json:"bytes"`
	Steps uint64 `json:"steps"`
}

var modes = []struct {
	name string
	run  func(line []byte, message types.WireMessage)
}{
	{"lenient", func(line []byte, _ types.WireMessage) { keep(types.UnmarshalWireMessage(line, types.LenientMode)) }},
	{"strict", func(line []byte, _ types.WireMessage) { keep(types.UnmarshalWireMessage(line, types.StrictMode)) }},
	{"examine", func(line []byte, _ types.WireMessage) { keep(types.Examine("WireMessage", line, types.LenientMode)) }},
	{"encode", func(_ []byte, message types.WireMessage) {
		if message != nil { // a line that is not decoded has nothing to encode
			keep(types.Encode(message))
		}
	}},
}

func keep[T any](value T, err error) {
	runtime.KeepAlive(value)
	runtime.KeepAlive(err)
}

// bounds decodes each line in each mode, and encodes the message.
func bounds(lines [][]byte) ([]count, error) {
	var found []count
	for _, line := range lines {
		message, err := types.UnmarshalWireMessage(line, types.LenientMode)
		if err != nil {
			message = nil
		}
		for _, mode := range modes {
			var before, after runtime.MemStats
			if err := coverage.ClearCounters(); err != nil {
				return nil, err
			}
			runtime.ReadMemStats(&before)
			mode.run(line, message)
			runtime.ReadMemStats(&after)
			steps, err := steps()
			if err != nil {
				return nil, err
			}
			found = append(found, count{mode.name, after.TotalAlloc - before.TotalAlloc, steps})
		}
	}
	return found, nil
}

// steps returns how many blocks of code have run since the counters were cleared: the sum of all counters of coverage.
func steps() (uint64, error) {
	folder, err := os.MkdirTemp("", "bounds")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	if err := coverage.WriteMetaDir(folder); err != nil {
		return 0, err
	}
	if err := coverage.WriteCountersDir(folder); err != nil {
		return 0, err
	}
	profile, err := exec.Command("go", "tool", "covdata", "textfmt", "-i", folder, "-o", "/dev/stdout").Output()
	if err != nil {
		return 0, err
	}
	var sum uint64
	for lines := bufio.NewScanner(bytes.NewReader(profile)); lines.Scan(); {
		line := lines.Text()
		if n, err := strconv.ParseUint(line[strings.LastIndexByte(line, ' ')+1:], 10, 64); err == nil {
			sum += n
		}
	}
	return sum, nil
}
