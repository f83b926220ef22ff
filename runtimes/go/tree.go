// Trees of entries that refer to their parents: the active path, branches and children.

package polywireruntime

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
)

type (
	// pointerSteps are the keys on the way to an id, each with the names that the member had in earlier releases.
	pointerSteps [][]string
	// entryIDs says where an entry has its id, and the ids of its parent, attached and previous entries.
	entryIDs struct{ id, parent, attached, previous pointerSteps }
	// hasIDs is a type argument with which a tree gets its entryIDs.
	hasIDs interface{ ids() *entryIDs }
)

// tree has the methods of the tree whose ids T returns. Its zero value is an empty tree. Methods that only read
// also update an index, so goroutines that share a tree need a lock.
type tree[E any, T hasIDs] struct {
	entries []E
	graph   branches
}

// Add adds an entry; one with the id of an earlier entry replaces it, at its position. It returns false, and
// adds nothing, if the entry has no id.
func (t *tree[E, T]) Add(entry E) bool {
	var of T
	at, ok := t.graph.add(nodeOf(entry, of.ids()))
	switch {
	case !ok:
		return false
	case at == len(t.entries):
		t.entries = append(t.entries, entry)
	default:
		t.entries[at] = entry
	}
	return true
}

// Path returns the entries from the root to the active leaf: the end of the branch of the last entry. Entries
// that are attached to one of them are in it too, although they are on other branches.
func (t *tree[E, T]) Path() []E { return t.pick(t.graph.path(t.graph.active(), false)) }

// PathTo returns the path to the entry with an id instead; it is empty if there is no such entry. An id is a
// string, an integer, or another value that is encoded as one of these, such as a UUID.
func (t *tree[E, T]) PathTo(id any) []E { return t.pick(t.graph.path(t.graph.find(id), false)) }

// History returns what Path returns, with the entries before the root if that names a previous entry.
func (t *tree[E, T]) History() []E { return t.pick(t.graph.path(t.graph.active(), true)) }

// HistoryTo returns what PathTo returns, with the entries before the root if that names a previous entry.
func (t *tree[E, T]) HistoryTo(id any) []E { return t.pick(t.graph.path(t.graph.find(id), true)) }

// Leaves returns the ends of all branches, in order of adding, without attached entries that have no children.
func (t *tree[E, T]) Leaves() []E { return t.pick(t.graph.leaves()) }

// Roots returns the entries whose parent is absent or unknown, in order of adding.
func (t *tree[E, T]) Roots() []E { return t.pick(t.graph.roots()) }

// Children returns the children of the entry with an id, in order of adding. See PathTo for ids.
func (t *tree[E, T]) Children(id any) []E { return t.pick(t.graph.childrenOf(t.graph.find(id))) }

func (t *tree[E, T]) pick(places []int) []E {
	found := make([]E, len(places))
	for i, at := range places {
		found[i] = t.entries[at]
	}
	return found
}

// --- branches --------------------------------------------------------------------------------------

type (
	// entryID is a string or an int64; nil is no id.
	entryID = any
	// entryNode has the ids of an entry.
	entryNode struct{ id, parent, attached, previous entryID }
	// branches relates entries, which it knows by their positions. It is not generic, so that no code is
	// compiled for each type of entries.
	branches struct {
		nodes    []entryNode
		byID     map[entryID]int
		children map[entryID][]int
		// linked is how many entries are in children.
		linked int
		// hasAttached is whether an entry was ever attached.
		hasAttached bool
	}
)

// none is the position of no entry.
const none = -1

// add returns the position of an entry; ok is false if it has no id.
func (b *branches) add(node entryNode) (at int, ok bool) {
	if node.id == nil {
		return none, false
	}
	b.hasAttached = b.hasAttached || node.attached != nil
	at, isKnown := b.byID[node.id]
	if isKnown {
		b.nodes[at] = node
		if at < b.linked { // its former parent lists it
			b.linked = 0
		}
		return at, true
	}
	if b.byID == nil {
		b.byID, b.children = map[entryID]int{}, map[entryID][]int{}
	}
	at = len(b.nodes)
	b.nodes, b.byID[node.id] = append(b.nodes, node), at
	return at, true
}

// find returns the position of the entry with an id, which is given as a value of any type.
func (b *branches) find(id any) int { return b.position(idOf(id)) }

func (b *branches) position(id entryID) int {
	if at, ok := b.byID[id]; ok {
		return at
	}
	return none
}

// link lists the children of the entries that were added since the last call, or of all if one was replaced.
func (b *branches) link() {
	if b.linked == 0 {
		clear(b.children)
	}
	for ; b.linked < len(b.nodes); b.linked++ {
		if parent := b.nodes[b.linked].parent; parent != nil {
			b.children[parent] = append(b.children[parent], b.linked)
		}
	}
}

// childrenOf returns the children of an entry, which may be none.
func (b *branches) childrenOf(at int) []int {
	if at == none {
		return nil
	}
	b.link()
	return b.children[b.nodes[at].id]
}

// host returns the entry that an entry is attached to.
func (b *branches) host(at int) int {
	if node := &b.nodes[at]; node.attached != node.id {
		return b.position(node.attached)
	}
	return none
}

// isAside reports whether an entry is attached and has no children, so that no branch goes through it.
func (b *branches) isAside(at int) bool { return len(b.childrenOf(at)) == 0 && b.host(at) != none }

// goesOn reports whether a branch goes through an entry.
func (b *branches) goesOn(at int) bool { return !b.isAside(at) }

// roots returns the entries without a known parent.
func (b *branches) roots() (found []int) {
	for at := range b.nodes {
		if b.position(b.nodes[at].parent) == none {
			found = append(found, at)
		}
	}
	return found
}

// leaves returns the ends of all branches.
func (b *branches) leaves() (found []int) {
	for at := range b.nodes {
		if b.goesOn(at) && !slices.ContainsFunc(b.childrenOf(at), b.goesOn) {
			found = append(found, at)
		}
	}
	return found
}

// active returns the active leaf: the end of the branch of the last entry, by the last child each time.
func (b *branches) active() int {
	start := len(b.nodes) - 1
	if start != none && b.isAside(start) {
		start = b.host(start)
	}
	for at := start; at != none; {
		child := none
		for _, each := range slices.Backward(b.childrenOf(at)) {
			if b.goesOn(each) {
				child = each
				break
			}
		}
		switch child {
		case none:
			return at
		case start: // only the first entry can come again: an entry has one parent
			return start
		}
		at = child
	}
	return none
}

// path returns the entries from the root to a leaf, with attached entries in their places.
func (b *branches) path(leaf int, history bool) (path []int) {
	passed := map[int]bool{}
	for at := leaf; at != none && !passed[at]; {
		passed[at], path = true, append(path, at)
		next := b.position(b.nodes[at].parent)
		if next == none && history {
			next = b.position(b.nodes[at].previous)
		}
		at = next
	}
	slices.Reverse(path)
	return b.withAttached(path)
}

// withAttached inserts the entries that are attached to those of a path.
//
// An attached entry belongs before the first entry behind its host that was added after it. Entries are looked at
// in order of adding, so those of the path that are already passed were added before it: behind leads from such
// an entry to the next one that was not yet passed, and forgets the entries between.
func (b *branches) withAttached(path []int) []int {
	if !b.hasAttached {
		return path
	}
	place := make(map[int]int, len(path))
	behind := make([]int, len(path)+1)
	for i, at := range path {
		place[at], behind[i] = i, i
	}
	behind[len(path)] = len(path)
	before := make([][]int, len(path)+1)
	for at := range b.nodes {
		if i, ok := place[at]; ok {
			behind[i] = i + 1
			continue
		}
		i, ok := place[b.host(at)]
		if !ok {
			continue
		}
		for i++; behind[i] != i; i = behind[i] {
			behind[i] = behind[behind[i]]
		}
		before[i] = append(before[i], at)
	}
	whole := make([]int, 0, len(path))
	for i, attached := range before {
		whole = append(whole, attached...)
		if i < len(path) {
			whole = append(whole, path[i])
		}
	}
	return whole
}

// --- ids -------------------------------------------------------------------------------------------

// nodeOf reads the ids of an entry.
func nodeOf(entry any, where *entryIDs) entryNode {
	return entryNode{
		where.id.read(entry), where.parent.read(entry), where.attached.read(entry), where.previous.read(entry),
	}
}

// read returns the id that an entry has at a pointer.
func (steps pointerSteps) read(entry any) entryID {
	if len(steps) == 0 {
		return nil // the tree has no such ids
	}
	value := entry
	for _, names := range steps {
		var found any
		for i := 0; i < len(names) && found == nil; i++ {
			found = memberIn(value, names[i])
		}
		value = found
	}
	return idOf(value)
}

// largestID is the largest integer that is an id.
const largestID = 1<<53 - 1

// idOf returns a value as an id: a string, or an integer, however it is written; nil for anything else.
func idOf(value any) entryID {
	var text []byte
	switch value := value.(type) {
	case string:
		return value
	case nil, map[string]any, []any:
		return nil
	case json.RawMessage:
		text = value
	default:
		e := encoder{}
		if e.any(value); e.err != nil {
			return nil
		}
		text = e.buf
	}
	d := decoder{data: text}
	if c := d.peek(); c != '"' && c != '-' && (c < '0' || c > '9') {
		return nil
	}
	found := d.any()
	if text, ok := found.(string); ok && !d.bad {
		return strings.Clone(text) // which does not keep the entry alive
	}
	if number, ok := found.(float64); ok && !d.bad && math.Abs(number) <= largestID && number == math.Trunc(number) {
		return int64(number)
	}
	return nil
}

// memberIn returns a member of an object: a declared value as a pointer, or JSON as text or as a plain value. It
// returns nil if the member is absent or null, or if the value is not an object.
func memberIn(value any, key string) any {
	switch value := value.(type) {
	case nil:
		return nil
	case map[string]any:
		if found := value[key]; found != any(Null{}) {
			return found
		}
		return nil
	case json.RawMessage:
		return orNoMember(memberText(value, key))
	}
	own := asDeclared(value)
	if own == nil {
		return nil
	}
	p := addressOf(reflect.ValueOf(own))
	switch of := resolve(own).(type) {
	case *table:
		return of.ready().current(p).memberIn(p, key)
	case *unknown:
		return memberIn(json.RawMessage(*bytesAt(at(p, of.ready().raw))), key)
	case *flat:
		return of.ready().memberIn(p, key)
	}
	return nil
}

func (l *layoutOfFlat) memberIn(p address, key string) any {
	r := extraAt(at(p, l.extraOffset))
	switch raw := r.untouched(); {
	case l.others != nil && l.hasOther(p):
		return nil
	case raw != nil && l.isUntouched(r, p):
		return memberIn(raw, key)
	}
	if leaf := l.current(nil, p); leaf != nil {
		return leaf.memberIn(p, key)
	}
	return nil
}

// memberIn finds a member among the fields, the members of the flattened value, and those that are not declared.
func (l *layout) memberIn(p address, key string) any {
	r := extraAt(at(p, l.extraOffset))
	var found any
	if i := l.search(bytesOf(key)); i >= 0 {
		found = l.fields[i].content(at(p, l.fields[i].offset), r)
	} else if l.rest >= 0 {
		found = memberIn(l.fields[l.rest].content(at(p, l.fields[l.rest].offset), r), key)
	}
	if found != nil || !r.keeps(key) {
		return found
	}
	value, _ := r.Get(key)
	return memberIn(map[string]any{key: value}, key)
}

// content returns the value of a member: a struct as a pointer, and anything else as the text of its JSON.
func (f *field) content(p address, r *Extra) any {
	if f.codec != nil {
		if v, ok := structIn(valueAt(f.codec.typ, p)); ok {
			if own := asDeclared(v.Addr().Interface()); own != nil {
				return own
			}
		}
	}
	e := encoder{}
	switch {
	case f.flags&flattened != 0:
		if e.value(f.codec, p); e.err == nil {
			return orNoMember(e.buf)
		}
		return nil
	case f.writing == fromTable:
		e.buf = []byte(f.whole)
	default:
		e.member(f, p, r)
	}
	if e.err != nil || len(e.buf) == 0 {
		return nil
	}
	return orNoMember(e.buf[len(f.label) : len(e.buf)-1])
}

// orNoMember returns the text of a member as JSON, or nil if it is absent or null.
func orNoMember(text []byte) any {
	if d := (decoder{data: text}); len(text) == 0 || d.peek() == 'n' {
		return nil
	}
	return json.RawMessage(text)
}
