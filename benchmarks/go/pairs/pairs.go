// Package pairs times two functions on the same lines in turn, most of them one of the generated package and one of the
// listing.
package pairs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"time"

	"bench/listing"

	"example.com/agentlines/types"
)

// portion is how many lines one of the two takes before it is the other's turn; the first portion only warms up.
const portion = 500

// round is how many portions' times add up to one ratio.
const round = 4

// item is a line with the message that each of the two makes of it.
type item struct {
	line   []byte
	ours   types.SDKMessage
	theirs listing.SDKMessage
	copied json.RawMessage // what ours is written as
}

// pair is two functions to compare, and the mode in which our package has to accept a line. If they read streams, an
// item is not a line but all lines of a portion.
type pair struct {
	mode       types.Mode
	ours, peer func(*item) (any, error)
	streams    bool
}

func decode(mode types.Mode) func(*item) (any, error) {
	return func(it *item) (any, error) { return types.UnmarshalSDKMessage(it.line, mode) }
}

var known = map[string]pair{
	"decode": {
		mode: types.LenientMode,
		ours: func(it *item) (any, error) { return types.UnmarshalSDKMessage(it.line) },
		peer: func(it *item) (any, error) { return listing.UnmarshalSDKMessage(it.line) },
	},
	"encode": {
		mode: types.LenientMode,
		ours: func(it *item) (any, error) { return types.Encode(it.ours) },
		peer: func(it *item) (any, error) { return listing.Marshal(it.theirs) },
	},
	"marshal": {
		mode: types.LenientMode,
		ours: func(it *item) (any, error) { return json.Marshal(it.ours) },
		peer: func(it *item) (any, error) { return listing.Marshal(it.theirs) },
	},
	"copied": {
		mode: types.LenientMode,
		ours: func(it *item) (any, error) { return json.Marshal(it.ours) },
		peer: func(it *item) (any, error) { return json.Marshal(it.copied) },
	},
	"strict": {mode: types.StrictMode, ours: decode(types.StrictMode), peer: decode(types.LenientMode)},
	"only": {
		mode:    types.LenientMode,
		ours:    func(it *item) (any, error) { return read(it.line, types.Only(new(types.ResultMessage))) },
		peer:    func(it *item) (any, error) { return read(it.line) },
		streams: true,
	},
}

// writing are the pairs that need the messages of lines.
var writing = []string{"encode", "marshal", "copied"}

// read reads a stream to its end and returns the last message.
func read(text []byte, options ...types.Option) (last any, err error) {
	for message, err := range types.NewReaderOf(bytes.NewReader(text), types.UnmarshalSDKMessage, options...).All() {
		if err != nil {
			return nil, err
		}
		last = message
	}
	return last, nil
}

// Ratio measures one of the pairs: {"lines": …, "accepted": …, "ratios": [the first's time / the second's, …]}.
func Ratio(name string, lines [][]byte) (any, error) {
	chosen, ok := known[name]
	if !ok {
		return nil, fmt.Errorf("there is no pair %s", name)
	}
	var accepted []*item
	for _, line := range lines {
		ours, err := types.UnmarshalSDKMessage(line, chosen.mode)
		if err != nil {
			continue
		}
		theirs, err := listing.UnmarshalSDKMessage(line)
		if err != nil {
			continue
		}
		written, err := types.Encode(ours)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(writing, name) {
			ours, theirs = nil, nil // or the collector would go through them while it is timed
		}
		accepted = append(accepted, &item{line, ours, theirs, written})
	}
	count, size := len(accepted), portion
	if chosen.streams {
		accepted, size = joined(accepted), 1
	}
	ratios, err := inTurn(accepted, chosen, size)
	return map[string]any{"lines": len(lines), "accepted": count, "ratios": ratios}, err
}

// joined returns items that each have all lines of a portion.
func joined(items []*item) (streams []*item) {
	for part := range slices.Chunk(items, portion) {
		var text []byte
		for _, it := range part {
			text = append(append(text, it.line...), '\n')
		}
		streams = append(streams, &item{line: text})
	}
	return streams
}

// inTurn times both functions, each item once, so many items at a time. What writes is timed per byte, since the listing
// drops what it does not know.
func inTurn(items []*item, chosen pair, portion int) ([]float64, error) {
	runtime.LockOSThread() // whose time is taken
	defer runtime.UnlockOSThread()
	both := [2]func(*item) (any, error){chosen.ours, chosen.peer}
	var found []float64
	var spent [2]time.Duration
	written := [2]int{1, 1}
	for number := 0; (number+1)*portion <= len(items); number++ {
		part := items[number*portion : (number+1)*portion]
		for _, which := range [2]int{number % 2, 1 - number%2} {
			runtime.GC() // so that neither pays for what the other left
			start := threadTime()
			for _, it := range part {
				made, err := both[which](it)
				if err != nil {
					return nil, err
				}
				if text, ok := made.([]byte); ok {
					written[which] += len(text)
				}
				runtime.KeepAlive(made)
			}
			spent[which] += threadTime() - start
		}
		if number%round == 0 {
			if number > 0 {
				found = append(found, float64(spent[0])*float64(written[1])/float64(spent[1])/float64(written[0]))
			}
			spent, written = [2]time.Duration{}, [2]int{1, 1}
		}
	}
	return found, nil
}
