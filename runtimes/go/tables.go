// The tables of a protocol, which the slow pass decodes by. The generated plan.go fills them.

package polywireruntime

import (
	"fmt"
	"slices"
	"strings"
)

const (
	required = 1 << iota
	nullable
	flatten
)

// A rule is a type: scalar, named, *listOf, *mapOf or *oneKind.
type (
	rule   any
	scalar string
	named  string
	listOf struct {
		item      rule
		low, high int // high is -1 without a bound
	}
	mapOf struct {
		value rule
		key   string // the enum of its keys
	}
	oneKind struct {
		kinds   []string
		members map[string]rule
	}
)

// A dispatch finds the variant of a union: leaf, *bySwitch or *byKeys.
type (
	dispatch any
	leaf     string
	bySwitch struct {
		union, key string
		cases      []caseRow
		others     []otherRow
		absent     dispatch
	}
	caseRow struct {
		value any
		then  dispatch
	}
	otherRow struct{ pattern, name string }
	byKeys   struct {
		union string
		cases []keysRow
	}
	keysRow struct {
		has, lacks []string
		then       dispatch
	}
)

// The rows of plan, one for each declaration: *enumRow, *aliasRow, *structRow and *unionRow.
type (
	enumRow struct {
		numbers, open bool
		values        []any
	}
	aliasRow  struct{ of rule }
	structRow struct {
		tags   []tagRow
		consts []constRow
		fields []fieldRow
		extra  rule
	}
	tagRow struct {
		key      string
		optional bool
		constant any
		values   []any
		enum     string
		others   string
	}
	constRow struct {
		key   string
		value any
	}
	fieldRow struct {
		key     string
		of      rule
		flags   int
		claimed []any
	}
	unionRow struct {
		open bool
		by   dispatch
	}
)

func (row *enumRow) has(tree any) bool {
	return slices.ContainsFunc(row.values, func(value any) bool { return same(tree, value) })
}

func (row *enumRow) hasKey(key string) bool {
	return slices.ContainsFunc(row.values, func(value any) bool {
		x, isNumber := value.(number)
		return value == any(key) || isNumber && string(x) == key
	})
}

func (row *structRow) declares(key string) bool {
	return slices.ContainsFunc(row.tags, func(each tagRow) bool { return each.key == key }) ||
		slices.ContainsFunc(row.consts, func(each constRow) bool { return each.key == key }) ||
		slices.ContainsFunc(row.fields, func(each fieldRow) bool { return each.key == key && each.flags&flatten == 0 })
}

func (tag *tagRow) known() []any {
	if tag.enum != "" {
		return plan()[tag.enum].(*enumRow).values
	}
	return tag.values
}

func (want *listOf) bounds() string {
	if want.high >= 0 {
		return fmt.Sprintf("%d to %d items", want.low, want.high)
	}
	return fmt.Sprintf("at least %d items", want.low)
}

func (want *oneKind) expected() string { return strings.Join(want.kinds, " or ") }

// expected is the JSON kind of a type.
func expected(want rule) string {
	switch want := want.(type) {
	case scalar:
		if _, form := forms[string(want)]; form {
			return "string"
		}
		return string(want)
	case *listOf:
		return "array"
	case *oneKind:
		return want.expected()
	case named:
		switch row := plan()[string(want)].(type) {
		case *aliasRow:
			return expected(row.of)
		case *enumRow:
			if row.numbers {
				return "integer"
			}
			return "string"
		}
	}
	return "object"
}
