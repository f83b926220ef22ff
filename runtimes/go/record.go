// What a struct remembers beside its fields: undeclared members, presence, spelling.

//lint:file-ignore U1000 a package uses the helpers that its protocol needs

package polywireruntime

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// Member is a member of an object that its type does not declare, or the null of a field that may be
// absent but not null. Value is untouched JSON: nil, bool, string, float64, json.Number for an integer
// that a float64 would change, []any, or map[string]any.
type Member struct {
	Key   string
	Value any
}

// record holds what an object on the wire has beyond the fields of its struct.
type record struct {
	bits uint64 // fields that hold a zero value because they were zero or null on the wire
	more *more
}

type more struct {
	extra []extraMember
	keys  map[string]bool // of extra, from many members on
	spelt []spelling
}

// many is the number of members from which a lookup by key is faster than a search.
const many = 32

// extraMember is an undeclared member. Until its value is asked for it is the text that was read.
type extraMember struct {
	Member
	raw string
}

// spelling is the text of a field whose value would be written otherwise.
type spelling struct {
	key, text string
	value     uuid.UUID
}

// Extra returns the members that the type does not declare, in the order of the document.
func (r record) Extra() []Member {
	if r.more == nil {
		return nil
	}
	members := make([]Member, len(r.more.extra))
	for i, each := range r.more.extra {
		members[i] = each.Member
		if each.raw != "" {
			d := decoder{data: []byte(each.raw)}
			readAny(&d, &members[i].Value)
		}
	}
	return members
}

// SetExtra sets the members that the type does not declare. A member with the name of a declared field
// is not written while the field is set.
func (r *record) SetExtra(members ...Member) {
	next := more{extra: make([]extraMember, len(members))}
	for i, member := range members {
		next.extra[i].Member = member
	}
	if r.more != nil {
		next.spelt = r.more.spelt
	}
	r.more = &next
}

func (r *record) add(member extraMember) {
	if r.more == nil {
		r.more = &more{}
	}
	r.more.extra = append(r.more.extra, member)
	if len(r.more.extra) < many {
		return
	}
	if r.more.keys == nil {
		r.more.keys = map[string]bool{}
		for _, each := range r.more.extra {
			r.more.keys[each.Key] = true
		}
	}
	r.more.keys[member.Key] = true
}

// keeps reports whether a member of that name was kept: an undeclared one, or the null of a field.
func (r *record) keeps(key string) bool {
	if r.more == nil {
		return false
	}
	if r.more.keys != nil {
		return r.more.keys[key]
	}
	return slices.ContainsFunc(r.more.extra, func(each extraMember) bool { return each.Key == key })
}

func (r *record) spell(key, text string, value uuid.UUID) {
	if r.more == nil {
		r.more = &more{}
	}
	r.more.spelt = append(r.more.spelt, spelling{key, text, value})
}

// spelt returns the text that a field was decoded from, as long as it holds that value.
func (r *record) spelt(key string, value uuid.UUID) (string, bool) {
	if r.more != nil {
		for _, each := range r.more.spelt {
			if each.key == key && each.value == value {
				return each.text, true
			}
		}
	}
	return "", false
}

func (r *record) isSpelt(key string, value uuid.UUID) bool {
	_, ok := r.spelt(key, value)
	return ok
}

func (r *record) has(bit uint) bool { return r.bits>>bit&1 != 0 }

func (r *record) set(bit uint) { r.bits |= 1 << bit }

// IsUnknown reports whether v is an Unknown, or a struct that holds one: an object of a type that the
// protocol does not declare.
func IsUnknown(v any) bool {
	unknown, ok := v.(interface{ isUnknown() bool })
	return ok && unknown.isUnknown()
}

// rawObject reports whether raw is the text of one JSON object and nothing else.
func rawObject(raw json.RawMessage, depth int) bool {
	d := decoder{data: raw, depth: depth}
	if d.peek() != '{' {
		return false
	}
	d.skip()
	return !d.bad && d.peek() == 0 && d.at == len(raw)
}
