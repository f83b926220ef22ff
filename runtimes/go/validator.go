// The slow pass, part two: a tree to a verdict, by the tables of the protocol.
//
// It decides what the fast pass gave up at, locates the first fault, and lists what lenient mode let
// pass.

package polywireruntime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// path is a place in a document: the last step, and the place that it is taken from.
type path struct {
	from *path
	step string
}

func (p *path) String() string {
	if p == nil {
		return ""
	}
	return p.from.String() + "/" + escapeStep(p.step)
}

func (p *path) to(step string) *path { return &path{p, step} }

// verdict is what validate found.
type verdict struct {
	variant string
	unknown []string // pointers, sorted, each once
}

type validator struct {
	strict  bool
	variant string
	passed  []string
}

// validate checks a tree against a type, and returns its variant or its first fault.
func validate(want rule, tree any, strict bool) (found verdict, fault *DecodeError) {
	v := &validator{strict: strict}
	defer func() {
		if x := recover(); x != nil {
			var is bool
			if fault, is = x.(*DecodeError); !is {
				panic(x)
			}
		}
	}()
	v.check(want, tree, nil)
	if name, ok := want.(named); ok {
		found.variant = string(name)
	}
	if isUnion(want) {
		found.variant = v.variant
	}
	slices.Sort(v.passed)
	found.unknown = slices.Compact(v.passed)
	return found, nil
}

func isUnion(want rule) bool {
	for {
		name, ok := want.(named)
		if !ok {
			return false
		}
		switch row := plan()[string(name)].(type) {
		case *aliasRow:
			want = row.of
		case *unionRow:
			return true
		default:
			return false
		}
	}
}

func raise(code Code, at *path, format string, values ...any) {
	panic(&DecodeError{code, at.String(), fmt.Sprintf(format, values...)})
}

func wrongType(expected string, tree any, at *path) {
	raise(CodeWrongType, at, "expected %s, got %s", expected, kindOf(tree))
}

func missing(key string, at *path) {
	raise(CodeMissingField, at.to(key), "expected member %s, got none", show(key))
}

// pass notes what lenient mode tolerates and strict mode refuses.
func (v *validator) pass(code Code, at *path, format string, values ...any) {
	if v.strict {
		raise(code, at, format, values...)
	}
	v.passed = append(v.passed, at.String())
}

// worse runs a check and raises a fault: that of the check if it is at the same place and takes
// precedence.
func worse(fault *DecodeError, check func()) {
	func() {
		defer func() {
			x := recover()
			other, is := x.(*DecodeError)
			if x != nil && !is || is && other.Path == fault.Path && precedence(other) < precedence(fault) {
				panic(x)
			}
		}()
		check()
	}()
	panic(fault)
}

func precedence(fault *DecodeError) int { return slices.Index(codes, fault.Code) }

// show writes a scalar as JSON, cut to a length that suits a message.
func show(tree any) string {
	switch kindOf(tree) {
	case "array", "object":
		return kindOf(tree)
	}
	shown := string(text(nil, tree))
	if len(shown) > 60 {
		shown = strings.ToValidUTF8(shown[:56], "") + ` …"`
	}
	return shown
}

func oneOf(values []any) string {
	var shown []string
	for i, value := range values {
		if i == 8 {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, show(value))
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return "one of " + strings.Join(shown, ", ")
}

func sorted(keys []string) []string { return slices.Sorted(slices.Values(keys)) }

func (v *validator) check(want rule, tree any, at *path) {
	switch want := want.(type) {
	case scalar:
		v.scalar(string(want), tree, at)
	case named:
		v.declared(string(want), tree, at)
	case *listOf:
		v.list(want, tree, at)
	case *mapOf:
		v.mapping(want, tree, at)
	case *oneKind:
		member, ok := want.members[wideKind(tree)]
		if !ok {
			wrongType(want.expected(), tree, at)
		}
		v.check(member, tree, at)
	}
}

func (v *validator) scalar(want string, tree any, at *path) {
	kind := kindOf(tree)
	switch want {
	case "json":
		untouched(tree, at)
	case "object":
		if kind != want {
			wrongType(want, tree, at)
		}
		untouched(tree, at)
	case "number":
		if kind != "number" && kind != "integer" {
			wrongType(want, tree, at)
		}
		finite(tree.(number), at)
	case "integer":
		if kind != "number" && kind != "integer" {
			wrongType(want, tree, at)
		}
		wholeNumber(tree.(number), at)
	case "uuid", "timestamp":
		if kind != "string" {
			wrongType("string", tree, at)
		}
		if !forms[want](tree.(string)) {
			v.pass(CodeBadFormat, at, "expected a %s, got %s", want, show(tree))
		}
	default:
		if kind != want {
			wrongType(want, tree, at)
		}
	}
}

func finite(x number, at *path) {
	if _, ok := x.double(); !ok {
		raise(CodeOutOfRange, at, "expected a finite number, got one that overflows a double")
	}
}

func wholeNumber(x number, at *path) {
	if _, ok := integerOf(string(x)); !ok {
		raise(CodeOutOfRange, at, "expected an integer within ±%d, got %s", int64(maxInteger), show(x))
	}
}

// untouched checks a value that is kept as it is: its numbers must be integers or fit a double.
func untouched(tree any, at *path) {
	switch x := tree.(type) {
	case number:
		if kindOf(x) == "number" {
			finite(x, at)
		}
	case []any:
		for i, item := range x {
			untouched(item, at.to(strconv.Itoa(i)))
		}
	case *object:
		for _, key := range sorted(x.keys) {
			untouched(x.members[key], at.to(key))
		}
	}
}

func (v *validator) list(want *listOf, tree any, at *path) {
	items, ok := tree.([]any)
	if !ok {
		wrongType("array", tree, at)
	}
	if len(items) < want.low || want.high >= 0 && len(items) > want.high {
		v.pass(CodeOutOfBounds, at, "expected %s, got %d", want.bounds(), len(items))
	}
	for i, item := range items {
		v.check(want.item, item, at.to(strconv.Itoa(i)))
	}
}

func (v *validator) mapping(want *mapOf, tree any, at *path) {
	entries, ok := tree.(*object)
	if !ok {
		wrongType("object", tree, at)
	}
	for _, key := range sorted(entries.keys) {
		entry, place := entries.members[key], at.to(key)
		if want.key != "" {
			enum := plan()[want.key].(*enumRow)
			if !enum.hasKey(key) {
				fault := &DecodeError{CodeUnknownValue, place.String(), show(key) + " is no value of " + want.key}
				if v.strict || !enum.open {
					worse(fault, func() { v.check(want.value, entry, place) })
				}
				v.passed = append(v.passed, fault.Path)
			}
		}
		v.check(want.value, entry, place)
	}
}

func (v *validator) declared(name string, tree any, at *path) {
	switch row := plan()[name].(type) {
	case *aliasRow:
		v.check(row.of, tree, at)
	case *enumRow:
		v.enum(name, row, tree, at)
	case *structRow:
		v.structure(name, row, tree, at)
	case *unionRow:
		v.union(row, tree, at)
	}
}

func (v *validator) enum(name string, row *enumRow, tree any, at *path) {
	if row.numbers != (wideKind(tree) == "number") || !row.numbers && wideKind(tree) != "string" {
		expected := "string"
		if row.numbers {
			expected = "integer"
		}
		wrongType(expected, tree, at)
	}
	if row.has(tree) {
		return
	}
	if !row.open {
		raise(CodeUnknownValue, at, "%s is no value of %s", show(tree), name)
	}
	v.pass(CodeUnknownValue, at, "%s is no value of %s", show(tree), name)
	if row.numbers {
		wholeNumber(tree.(number), at)
	}
}

// --- objects ---------------------------------------------------------------------------------------

func (v *validator) structure(name string, row *structRow, tree any, at *path) {
	o, ok := tree.(*object)
	if !ok {
		wrongType("object", tree, at)
	}
	for i := range row.tags {
		v.tag(&row.tags[i], o, at)
	}
	for i := range row.consts {
		v.constant(&row.consts[i], o, at)
	}
	var flat *fieldRow
	for i := range row.fields {
		field := &row.fields[i]
		if field.flags&flatten != 0 {
			flat = field
			v.flat(row, field, o, at)
			continue
		}
		v.field(field, o, at)
	}
	if flat != nil {
		return // undeclared members belong to the flattened value
	}
	for _, key := range sorted(o.keys) {
		if !row.declares(key) {
			v.extra(name, row, key, o.members[key], at.to(key))
		}
	}
}

func (v *validator) tag(tag *tagRow, o *object, at *path) {
	value, ok := o.members[tag.key]
	if !ok {
		if !tag.optional {
			missing(tag.key, at)
		}
		return
	}
	at = at.to(tag.key)
	sample := any("")
	if tag.constant != nil {
		sample = tag.constant
	}
	if kindOf(value) != kindOf(sample) {
		wrongType(kindOf(sample), value, at)
	}
	if tag.constant != nil {
		if value != tag.constant {
			raise(CodeWrongConstant, at, "expected %s, got %s", show(tag.constant), show(value))
		}
		return
	}
	values := tag.known()
	if slices.Contains(values, value) {
		return
	}
	if tag.others == "" || !glob(tag.others, value.(string)) {
		raise(CodeUnknownValue, at, "expected %s, got %s", oneOf(values), show(value))
	}
	v.pass(CodeUnknownValue, at, "expected %s, got %s", oneOf(values), show(value))
}

func (v *validator) constant(row *constRow, o *object, at *path) {
	value, ok := o.members[row.key]
	if !ok {
		missing(row.key, at)
	}
	at = at.to(row.key)
	if wideKind(value) != wideKind(row.value) {
		wrongType(wideKind(row.value), value, at)
	}
	if !same(value, row.value) {
		raise(CodeWrongConstant, at, "expected %s, got %s", show(row.value), show(value))
	}
}

// same reports whether two scalars are the same JSON value.
func same(one, other any) bool {
	x, isNumber := one.(number)
	if y, both := other.(number); isNumber && both {
		f, ok := x.double()
		g, _ := y.double()
		return ok && f == g
	}
	return one == other
}

func (v *validator) field(field *fieldRow, o *object, at *path) {
	value, ok := o.members[field.key]
	if !ok {
		if field.flags&required != 0 {
			missing(field.key, at)
		}
		return
	}
	at = at.to(field.key)
	if value == nil {
		if field.flags&nullable != 0 {
			return
		}
		if field.flags&required == 0 {
			v.pass(CodeWrongType, at, "expected %s, got null", expected(field.of))
			return
		}
	}
	if slices.ContainsFunc(field.claimed, func(claimed any) bool { return claimed == value }) {
		raise(CodeWrongConstant, at, "%s belongs to another variant", show(value))
	}
	v.check(field.of, value, at)
}

func (v *validator) flat(row *structRow, field *fieldRow, o *object, at *path) {
	rest := &object{members: map[string]any{}}
	for _, key := range o.keys {
		if !row.declares(key) {
			rest.keys = append(rest.keys, key)
			rest.members[key] = o.members[key]
		}
	}
	if len(rest.keys) > 0 || field.flags&required != 0 {
		v.check(field.of, rest, at)
	}
}

func (v *validator) extra(name string, row *structRow, key string, value any, at *path) {
	if row.extra != nil {
		v.check(row.extra, value, at)
		return
	}
	fault := &DecodeError{CodeUnknownField, at.String(), show(key) + " is no field of " + name}
	if v.strict {
		worse(fault, func() { untouched(value, at) })
	}
	v.passed = append(v.passed, fault.Path)
	untouched(value, at)
}

// --- unions ----------------------------------------------------------------------------------------

// choice is an object on its way through the dispatch of a union and of the unions nested in it.
type choice struct {
	*validator
	o    *object
	at   *path
	open bool // one of the unions so far is open
	// doubt is the place to note as unknown if the struct does not fit.
	doubt *path
}

func (v *validator) union(row *unionRow, tree any, at *path) {
	o, ok := tree.(*object)
	if !ok {
		wrongType("object", tree, at)
	}
	c := &choice{validator: v, o: o, at: at}
	name := c.follow(row.by)
	if name != "" && c.doubt != nil && !v.fits(name, tree, at) {
		v.passed = append(v.passed, c.doubt.String())
		name = ""
	}
	if name == "" {
		untouched(tree, at)
		v.variant = "Unknown"
		return
	}
	if c.doubt == nil {
		v.declared(name, tree, at)
	}
	v.variant = name
}

// fits reports whether an object is a valid struct. If not, it undoes what the attempt noted.
func (v *validator) fits(name string, tree any, at *path) (ok bool) {
	mark := len(v.passed)
	defer func() {
		if x := recover(); x != nil {
			if _, is := x.(*DecodeError); !is {
				panic(x)
			}
			v.passed = v.passed[:mark]
			ok = false
		}
	}()
	v.declared(name, tree, at)
	return true
}

// follow returns the struct that the discriminators select; "" if they select none and the union is
// open.
func (c *choice) follow(next dispatch) string {
	switch next := next.(type) {
	case leaf:
		return string(next)
	case *bySwitch:
		c.open = c.open || plan()[next.union].(*unionRow).open
		return c.bySwitch(next)
	case *byKeys:
		c.open = c.open || plan()[next.union].(*unionRow).open
		for _, each := range next.cases {
			if c.all(each.has, true) && c.all(each.lacks, false) {
				return c.follow(each.then)
			}
		}
		c.unanswered(next.union, CodeNoVariant, c.at, "no variant of "+next.union+" has these members")
	}
	return ""
}

func (c *choice) all(keys []string, there bool) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return c.o.has(key) != there })
}

func (c *choice) bySwitch(next *bySwitch) string {
	tag, ok := c.o.members[next.key]
	if !ok {
		if next.absent == nil {
			missing(next.key, c.at)
		}
		return c.follow(next.absent)
	}
	place := c.at.to(next.key)
	var kinds []string
	var values []any
	for _, each := range next.cases {
		values = append(values, each.value)
		if kind := kindOf(each.value); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		kinds = []string{"string"}
	}
	if !slices.Contains(kinds, kindOf(tag)) {
		wrongType(strings.Join(kinds, " or "), tag, place)
	}
	for _, each := range next.cases {
		if each.value == tag {
			return c.follow(each.then)
		}
	}
	message := "expected " + oneOf(values) + ", got " + show(tag)
	for _, other := range next.others {
		if value, is := tag.(string); is && glob(other.pattern, value) {
			if c.strict {
				raise(CodeUnknownValue, place, "%s", message)
			}
			if c.open {
				c.doubt = place
			}
			return other.name
		}
	}
	if _, is := tag.(bool); is && next.absent != nil {
		return c.follow(next.absent)
	}
	c.unanswered(next.union, CodeUnknownVariant, place, message)
	return ""
}

func (c *choice) unanswered(union string, code Code, place *path, message string) {
	if !plan()[union].(*unionRow).open {
		raise(code, place, "%s", message)
	}
	c.pass(code, place, "%s", message)
}

// --- forms -----------------------------------------------------------------------------------------

var forms = map[string]func(string) bool{
	"uuid":      func(text string) bool { return formed(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh") },
	"timestamp": isTimestamp,
}

// formed reports whether text has a form, in which h is a hexadecimal digit, d a digit, and any other
// byte itself.
func formed(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		switch form[i] {
		case 'h':
			if nibbles[c] == 0x40 {
				return false
			}
		case 'd':
			if c < '0' || c > '9' {
				return false
			}
		default:
			if c != form[i] {
				return false
			}
		}
	}
	return true
}

func isTimestamp(text string) bool {
	const second = "dddd-dd-ddTdd:dd:dd"
	if len(text) < len(second) || !formed(text[:len(second)], second) {
		return false
	}
	zone := text[len(second):]
	if strings.HasPrefix(zone, ".") {
		fraction := strings.TrimLeft(zone[1:], "0123456789")
		if len(fraction) == len(zone)-1 {
			return false
		}
		zone = fraction
	}
	return zone == "Z" || formed(zone, "+dd:dd") || formed(zone, "-dd:dd")
}
