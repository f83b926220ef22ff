package testee

import (
	"encoding/json"
	"reflect"
	"strings"

	types "example.com/agentlines/types"
)

// grown is a tree of entries of any kind.
type grown interface {
	Add(entry any) bool
	Path() []any
	PathTo(id any) []any
	History() []any
	HistoryTo(id any) []any
	Leaves() []any
	Roots() []any
	Children(id any) []any
}

// trees are the trees of the package, by name; run.py writes a file that registers them.
var trees = map[string]func() grown{}

func init() { ops["tree"] = entered }

// spelt returns the name by which the package calls a tree, perhaps in another case and with a suffix; "" if it has none.
func spelt(name string) (found string) {
	folded := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	for each := range trees {
		if each == name {
			return name
		}
		if strings.HasPrefix(folded(each), folded(name)) && (found == "" || len(each) < len(found)) {
			found = each
		}
	}
	return found
}

// entered answers with what a tree has after each entry, which is reported as its number.
func entered(line []byte) answer {
	asked := struct {
		Tree, Type string
		Entries    []struct{ Line, JSON *string }
		IDs        []any
	}{}
	if err := json.Unmarshal(line, &asked); err != nil {
		return problem("%v", err)
	}
	name := spelt(asked.Tree)
	if name == "" {
		return problem("no tree %s", asked.Tree)
	}
	tree, numbers, steps := trees[name](), map[uintptr]int{}, []answer{}
	reported := func(entries []any) []int {
		found := []int{}
		for _, each := range entries {
			found = append(found, numbers[reflect.ValueOf(each).Pointer()])
		}
		return found
	}
	byID := func(get func(id any) []any) [][]int {
		found := [][]int{}
		for _, id := range asked.IDs {
			found = append(found, reported(get(id)))
		}
		return found
	}
	for number, each := range asked.Entries {
		entry := plain(each.JSON)
		if each.Line != nil {
			var err error
			if entry, err = types.DecodeAs(asked.Type, []byte(*each.Line)); err != nil {
				return problem("entry %d: %v", number, err)
			}
		}
		added := tree.Add(entry)
		if added {
			numbers[reflect.ValueOf(entry).Pointer()] = number
		}
		steps = append(steps, answer{
			"added": added, "path": reported(tree.Path()), "history": reported(tree.History()),
			"leaves": reported(tree.Leaves()), "roots": reported(tree.Roots()), "children": byID(tree.Children),
			"paths": byID(tree.PathTo), "histories": byID(tree.HistoryTo),
		})
	}
	return answer{"ok": true, "steps": steps}
}
