// Readers that return only some types of messages: the choice of the lines that are skipped without being
// decoded.
//
// The choice is that of the engine's dispatch: a line is followed to the struct that its discriminators
// select, and skipped if that is not wanted. Most lines are skipped before that, because they do not contain
// the tag of a wanted type.

package polywireruntime

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Only makes a reader skip the lines of all other types. Their members are not decoded, so that faults in
// them are not reported, and most of these lines are not even parsed: a line that contains neither the tag of
// a wanted type, as a string, nor an escape such as \u0041 is skipped whatever it is. All other lines are
// parsed, and those that are not valid JSON, or have no valid tag, are reported as usual.
//
// Each argument is a pointer to a struct of the package, such as new(T), or the Unmarshal function of a union,
// which stands for all structs of the union and its Unknown:
//
//	NewReaderOf(from, UnmarshalA, Only(new(B), UnmarshalC))
//
// A reader skips no line unread if an Unknown of its own union is wanted. Several options add up. A reader
// panics when it is created if it does not read a union, if there is no argument, or if one of them is not
// among the types that it reads.
//
// A session needs every message, so do not read the messages of one with it.
func Only(wanted ...any) Option {
	return func(o *options) {
		o.only = append(o.only, wanting{"Only", func(f *filter) {
			for _, each := range wanted {
				f.want(each)
			}
		}})
	}
}

// OnlyAs is like Only for types by the names that the protocol declares, and for Unknowns by their names in
// this package. Using it links every type of the protocol into the program.
func OnlyAs(names ...string) Option {
	return func(o *options) {
		o.only = append(o.only, wanting{"OnlyAs", func(f *filter) {
			for _, name := range names {
				f.wantNamed(name)
			}
		}})
	}
}

// wanting is an option that adds what is wanted to a filter.
type wanting struct {
	name string
	add  func(*filter)
}

// filter decides which lines of a union are skipped.
type filter struct {
	union  *union
	by     *steps
	keys   []string    // that the choice depends on
	found  map[any]any // what the dispatch can select, see selectable
	wanted map[any]bool
	marks  []mark // of lines that are read; nil if all are
	option string // that is being followed, for messages
	count  int    // of skipped lines

	run      int      // the length of the lines that were skipped unread since the last one that was read
	pieces   int      // that had been fed when the marks were found
	places   [][2]int // of the values of keys in the current line
	chosenBy []byte   // an object with these members
}

// mark is a text in lines that are read.
type mark struct {
	text []byte
	left int // no line before the last so many bytes of the current piece contains it
}

// someUnknown identifies the Unknown of a union by the union's name, as unions can share the type.
type someUnknown string

// newFilter returns a filter for a decoder, given its error in the mode describing.
func newFilter(answer error, only []wanting) *filter {
	f := &filter{union: describedUnion(answer), found: map[any]any{}, wanted: map[any]bool{}, option: only[0].name}
	if f.union == nil {
		f.refuse("the reader does not read a union")
	}
	f.by = f.union.ready()
	selectable(f.by, nil, func(key, of any) { f.found[key] = of })
	f.keys = discriminatorsOf(f.by, nil)
	f.places = make([][2]int, len(f.keys))
	for _, each := range only {
		f.option = each.name
		each.add(f)
	}
	if len(f.wanted) == 0 {
		f.refuse("expected at least one type")
	}
	if tags := f.tagsOf(); tags != nil {
		for _, text := range append(tags, []byte(`\u`)) {
			f.marks = append(f.marks, mark{text: text})
		}
	}
	return f
}

// selectable visits what steps can select: each *table, and a someUnknown with its *unknown. open are the steps
// of the outermost open union so far.
func selectable(next any, open *steps, visit func(key, of any)) {
	switch next := next.(type) {
	case *steps:
		if open == nil && next.open {
			open = next
		}
		if open != nil {
			visit(someUnknown(open.union), resolve(open.unknown))
		}
		for _, each := range next.leads() {
			selectable(each, open, visit)
		}
	case resolver:
		visit(resolve(next), resolve(next))
	}
}

// discriminatorsOf adds the keys that steps look for to a list, each once.
func discriminatorsOf(next any, keys []string) []string {
	s, ok := next.(*steps)
	if !ok {
		return keys
	}
	own := s.keys
	if s.byKeys == nil {
		own = []string{s.key}
	}
	for _, key := range own {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, each := range s.leads() {
		keys = discriminatorsOf(each, keys)
	}
	return keys
}

// want adds a type that is given as a pointer to a struct, or as a function that decodes a union.
func (f *filter) want(given any) {
	if u := functionUnion(given); u != nil {
		f.wantUnion(u)
		return
	}
	of, ok := given.(resolver)
	if !ok {
		f.refuse("expected " + expectedOfOnly + ", got " + typeName(given))
	}
	f.wantRule(typeName(given), of)
}

// functionUnion returns the union that a function decodes, or nil.
func functionUnion(given any) *union {
	function := reflect.ValueOf(given)
	typ := reflect.TypeFor[Decoder[any]]()
	if function.Kind() != reflect.Func || function.Type().NumIn() != 2 || function.Type().NumOut() != 2 ||
		!function.Type().IsVariadic() || function.Type().In(0) != typ.In(0) || function.Type().In(1) != typ.In(1) {
		return nil
	}
	results := function.Call([]reflect.Value{reflect.Zero(typ.In(0)), reflect.ValueOf(describing)})
	err, _ := results[1].Interface().(error)
	return describedUnion(err)
}

// describedUnion returns the union in the error of a decoder in the mode describing, or nil.
func describedUnion(answer error) *union {
	var found *description
	if !errors.As(answer, &found) {
		return nil
	}
	u, _ := resolve(found.of).(*union)
	return u
}

// wantRule adds the structs of a type. Tables with the same Go type cannot be told apart.
func (f *filter) wantRule(name string, of rule) {
	switch of := resolve(of).(type) {
	case *table:
		f.wantWhere(of.name, func(found any) bool {
			t, ok := found.(*table)
			return ok && reflect.TypeOf(t.typ) == reflect.TypeOf(of.typ)
		})
	case *unknown:
		f.wantWhere(reflect.TypeOf(of.typ).Elem().Name(), func(found any) bool { return found == of })
	case *flat:
		for _, union := range of.unions[:min(1, len(of.unions))] {
			f.wantRule(name, union)
		}
	case *union:
		f.wantUnion(of)
	default:
		f.lacks(name)
	}
}

// wantWhere adds what the dispatch can select and a condition applies to.
func (f *filter) wantWhere(name string, applies func(found any) bool) {
	isThere := false
	for key, found := range f.found {
		if applies(found) {
			f.wanted[key], isThere = true, true
		}
	}
	if !isThere {
		f.lacks(name)
	}
}

func (f *filter) lacks(name string) { f.refuse(f.union.name + " has no " + name) }

// refuse reports wrong use of an option.
func (f *filter) refuse(message string) { panic("polywireruntime: " + f.option + ": " + message) }

const expectedOfOnly = "a pointer to a struct of this package, or the Unmarshal function of a union"

// wantUnion adds the structs of a union. Its Unknown is not among what the dispatch of an enclosing open union
// selects.
func (f *filter) wantUnion(u *union) {
	selectable(u.ready(), nil, func(key, of any) {
		if f.found[key] != nil {
			f.wanted[key] = true
		} else if t, ok := of.(*table); ok {
			f.lacks(t.name)
		}
	})
}

func (f *filter) wantNamed(name string) {
	if declared := typeNamed(name); declared.of != nil {
		if t, ok := resolve(declared.of).(*table); ok {
			f.wantWhere(name, func(found any) bool { return found == t })
			return
		}
		f.wantRule(name, declared.of)
		return
	}
	f.wantWhere(name, func(found any) bool {
		u, ok := found.(*unknown)
		return ok && reflect.TypeOf(u.typ).Elem().Name() == name
	})
}

// wants reports whether steps can select something that is wanted.
func (f *filter) wants(next any, open *steps) (found bool) {
	selectable(next, open, func(key, _ any) { found = found || f.wanted[key] })
	return found
}

// tagsOf returns the JSON of the outermost tags under which something wanted is selected; nil if it can also
// be selected in another way.
func (f *filter) tagsOf() (tags [][]byte) {
	s, open := f.by, (*steps)(nil)
	if s.open {
		if open = s; f.wanted[someUnknown(s.union)] {
			return nil
		}
	}
	for _, each := range s.otherLeads() {
		if f.wants(each, open) {
			return nil
		}
	}
	for text, then := range s.texts {
		if !f.wants(then, open) {
			continue
		}
		if strings.ContainsFunc(text, canBeEscaped) {
			return nil
		}
		tags = append(tags, appendText(nil, text))
	}
	return tags
}

// canBeEscaped reports whether JSON can escape a character in another way than by its code.
func canBeEscaped(r rune) bool { return r == '"' || r == '\\' || r == '/' || unicode.IsControl(r) }

// skipsUnread reports whether a line contains no wanted tag, and nothing that could be another spelling of one.
func (f *filter) skipsUnread(line []byte, lines *splitter) bool {
	if f.marks == nil {
		return false
	}
	if f.pieces != lines.pieces {
		f.pieces = lines.pieces
		for i := range f.marks {
			f.marks[i].left = math.MaxInt
		}
	}
	for i := range f.marks {
		m := &f.marks[i]
		if m.left > len(lines.rest) && bytes.Contains(line, m.text) {
			f.marks[0], *m = *m, f.marks[0] // the next line is likely to have the same tag
			f.run = 0
			return false
		}
	}
	f.run += len(line)
	f.lookAhead(lines.rest)
	return true
}

// lookAhead searches the next lines for marks all at once, which is faster than line by line. The more has been
// skipped, the farther it looks.
func (f *filter) lookAhead(rest []byte) {
	near := rest[:min(len(rest), f.run)]
	for i := range f.marks {
		m := &f.marks[i]
		if m.left <= len(rest) {
			continue
		}
		at := bytes.Index(near, m.text)
		if at < 0 {
			at = len(near)
		}
		m.left = len(rest) - at
	}
}

// verdict is what a filter decides about a line before it is decoded.
type verdict uint8

const (
	isWanted verdict = iota
	isSkipped
	isWantedIfKnown   // a pattern selected its struct, which is wanted, unlike the Unknown that it may turn out to be
	isWantedIfUnknown // the other way
)

// judge decides about a line. A line with a fault that is to be reported counts as wanted.
func (f *filter) judge(line []byte, lines *splitter, mode Mode) verdict {
	if f.skipsUnread(line, lines) {
		return isSkipped
	}
	return f.judgeRead(line, mode)
}

// judgeRead decides about a line by the choice of the dispatch.
func (f *filter) judgeRead(line []byte, mode Mode) verdict {
	if !f.collect(line) {
		return isWanted
	}
	d, w := begin(f.chosenBy, mode), way{}
	of := d.follow(f.by, &w)
	if d.bad {
		return isWanted
	}
	known, unknown := of != nil && f.wanted[resolve(of)], false
	if of == nil || w.doubt {
		unknown = f.wanted[someUnknown(w.open.union)]
	}
	switch {
	case !known && !unknown:
		if utf8.Valid(line) {
			return isSkipped
		}
		return isWanted
	case !w.doubt || known && unknown:
		return isWanted
	case known:
		return isWantedIfKnown
	}
	return isWantedIfUnknown
}

// collect collects what the choice depends on: an object with the discriminators of a line. The last of
// duplicate keys counts. It reports whether the line is a valid object.
func (f *filter) collect(line []byte) bool {
	clear(f.places)
	d := decoder{data: line, lax: true} // faults of members are not reported
	for d.open('{'); d.next(); {
		i := slices.Index(f.keys, viewOf(d.name))
		d.peek()
		start := d.at
		if d.skip(); i >= 0 {
			f.places[i] = [2]int{start, d.at}
		}
	}
	if d.bad || d.peek() != 0 || d.at < len(line) {
		return false
	}
	b := append(f.chosenBy[:0], '{')
	for i, each := range f.places {
		if each[1] == 0 {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendText(b, f.keys[i]), ':')
		b = append(b, line[each[0]:each[1]]...)
	}
	f.chosenBy = append(b, '}')
	return true
}

// excludes reports whether a decoded line is not wanted after all.
func (v verdict) excludes(message any) bool {
	return v == isWantedIfKnown && IsUnknown(message) || v == isWantedIfUnknown && !IsUnknown(message)
}
