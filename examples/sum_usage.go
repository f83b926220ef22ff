// Sums the tokens and the cost of all stored sessions by day and model: go run sum_usage.go FOLDER
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"example.com/agentlines/types"
)

var sums = map[string][3]float64{}           // input, output and cost, by day and model
var counted = map[string]types.BetaMessage{} // by ID: forks and resumed sessions repeat entries

func add(day string, m types.BetaMessage, sign int64, cost float64) {
	read, _ := m.Usage.CacheReadInputTokens.Get()
	written, _ := m.Usage.CacheCreationInputTokens.Get()
	key, input := fmt.Sprintf("%-10s %-32s", day, m.Model), float64(sign*(m.Usage.InputTokens+read+written))
	sums[key] = [3]float64{sums[key][0] + input, sums[key][1] + float64(sign*m.Usage.OutputTokens), sums[key][2] + cost}
}

func addFile(path string, _ fs.DirEntry, err error) error {
	if err != nil || filepath.Ext(path) != ".jsonl" {
		return err
	}
	data, err := os.ReadFile(path)
	day, spent := "unknown", map[string]float64{} // what the session has cost so far, by model
	only := types.Only((*types.AssistantEntry)(nil), (*types.CostStateEntry)(nil))
	for item, bad := range types.NewReaderOf(bytes.NewReader(data), types.UnmarshalTranscriptEntry, only).All() {
		switch entry := item.(type) {
		case *types.AssistantEntry:
			if at := entry.Timestamp; at != nil {
				day = (*at)[:min(10, len(*at))]
			}
			// Each block of a message has an entry, with the usage so far: the last one counts.
			if before, ok := counted[entry.Message.ID]; ok {
				add(day, before, -1, 0)
			}
			add(day, entry.Message, 1, 0)
			counted[entry.Message.ID] = entry.Message
		case *types.CostStateEntry:
			for model, usage := range entry.ModelUsage {
				if usage.CostUSD != nil {
					add(day, types.BetaMessage{Model: model}, 0, max(0, *usage.CostUSD-spent[model]))
					spent[model] = *usage.CostUSD
				}
			}
		case nil:
			log.Printf("%s: %v", path, bad)
		}
	}
	return err
}

func main() {
	if err := filepath.WalkDir(os.Args[1], addFile); err != nil {
		log.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		fmt.Printf("%s %12.0f %12.0f %10.4f\n", key, sums[key][0], sums[key][1], sums[key][2])
	}
}
