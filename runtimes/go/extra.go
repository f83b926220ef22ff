// What a struct remembers in addition to its fields: undeclared members, and details of the wire format
// that the fields do not represent.

package polywireruntime

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Member is a member of an object that its type does not declare, or the null of a field that may be
// absent but not null. Value is untouched JSON: nil, bool, string, float64, json.Number for an integer
// that a float64 would change, []any, or map[string]any.
type Member struct {
	Key   string
	Value any
}

// Extra is the part of an object that its type does not declare: undeclared members, and details of the
// wire format that no field represents, such as the spelling of a UUID. It is the zero value unless there
// is something to remember, so that decoded values and literals compare equal.
//
// It is not comparable with ==, for which the compiler would generate a function per struct: use Equal.
type Extra struct {
	_    [0]func()
	more *more
}

// more is data that few objects have.
type more struct {
	extra []extraMember
	keys  map[string]bool // of extra, from many members on
	rare  *rare
}

// rare is data that hardly any object has.
type rare struct {
	spelt []spelling
	zeros []zeroMember
	// as is the table of the object if neither its Go type nor its tags identify it.
	as *table
	// held are members for which the struct has no field.
	held []heldMember
	// raw is an object that is not a declared variant, and unknown its type.
	raw     json.RawMessage
	unknown *unknown
	// isObject marks an object, in a struct for several kinds of values, that sets none of its fields.
	isObject bool
}

// many is the number of members from which a lookup by key is faster than a linear search.
const many = 32

// extraMember is an undeclared member: the text that was read, or a value.
type extraMember struct {
	key, raw string
	value    *any
}

// spelling is the original text of a field whose value would be written differently.
type spelling struct {
	key, text string
	value     uuid.UUID
}

// zeroMember is a member whose field has its zero value: it was null, or zero itself.
type zeroMember struct {
	key  string
	null bool
}

// heldMember is a member that the struct has no field for.
type heldMember struct{ key, raw string }

// ExtraOf returns an Extra with the given members.
func ExtraOf(members ...Member) (r Extra) {
	r.Set(members...)
	return r
}

// Members returns the members that the type does not declare, in the order of the document.
func (r Extra) Members() []Member {
	if r.more == nil {
		return nil
	}
	members := make([]Member, len(r.more.extra))
	for i, each := range r.more.extra {
		members[i] = Member{each.key, each.content()}
	}
	return members
}

// Get returns the value of a member that the type does not declare; ok reports whether there is one.
func (r Extra) Get(key string) (value any, ok bool) {
	if !r.keeps(key) {
		return nil, false
	}
	at := slices.IndexFunc(r.more.extra, func(each extraMember) bool { return each.key == key })
	return r.more.extra[at].content(), true
}

// Set replaces the members that the type does not declare. A member with the name of a declared field is
// not written while the field is set.
func (r *Extra) Set(members ...Member) {
	var next more
	if r.more != nil {
		next.rare = r.more.rare
	}
	for _, member := range members {
		next.extra = append(next.extra, extraMember{key: member.Key, value: &member.Value})
	}
	if r.more = &next; next.extra == nil && next.rare == nil {
		r.more = nil // the zero value, as reflect.DeepEqual compares
	}
}

// Equal reports whether two values remember the same. The order of members is ignored.
func (r Extra) Equal(other Extra) bool { return equalExtras(r, other) }

// String shows the members, for people.
func (r Extra) String() string {
	shown := make([]string, 0, 4)
	for _, each := range r.Members() {
		shown = append(shown, fmt.Sprintf("%q: %#v", each.Key, each.Value))
	}
	return "{" + strings.Join(shown, ", ") + "}"
}

// content returns the value of a member as untouched JSON.
func (m *extraMember) content() any {
	if m.value != nil {
		return *m.value
	}
	d := decoder{data: []byte(m.raw)}
	return d.any()
}

// remember returns what there is to remember, to be added to. Only a decoder calls it, on a new value.
func (r *Extra) remember() *more {
	if r.more == nil {
		r.more = &more{}
	}
	return r.more
}

// rarely is like remember for data that hardly any object has.
func (r *Extra) rarely() *rare {
	m := r.remember()
	if m.rare == nil {
		m.rare = &rare{}
	}
	return m.rare
}

// seldom returns the data that hardly any object has, or nil.
func (r *Extra) seldom() *rare {
	if r.more == nil {
		return nil
	}
	return r.more.rare
}

// add keeps an undeclared member and reports whether its key is new.
func (r *Extra) add(member extraMember) bool {
	if r.keeps(member.key) {
		return false
	}
	m := r.remember()
	m.extra = append(m.extra, member)
	if len(m.extra) < many {
		return true
	}
	if m.keys == nil {
		m.keys = map[string]bool{}
		for _, each := range m.extra {
			m.keys[each.key] = true
		}
	}
	m.keys[member.key] = true
	return true
}

// keeps reports whether a member with that name was kept: an undeclared one, or the null of a field.
func (r *Extra) keeps(key string) bool {
	if r.more == nil {
		return false
	}
	if r.more.keys != nil {
		return r.more.keys[key]
	}
	return slices.ContainsFunc(r.more.extra, func(each extraMember) bool { return each.key == key })
}

// spelt returns the text that a field was decoded from, if the field still has that value.
func (r *Extra) spelt(key string, value uuid.UUID) (string, bool) {
	if rare := r.seldom(); rare != nil {
		for _, each := range rare.spelt {
			if each.key == key && each.value == value {
				return each.text, true
			}
		}
	}
	return "", false
}

// zero returns what is remembered about a field with its zero value.
func (r *Extra) zero(key string) (null, found bool) {
	if rare := r.seldom(); rare != nil {
		for _, each := range rare.zeros {
			if each.key == key {
				return each.null, true
			}
		}
	}
	return false, false
}

// held returns the text of a member for which the struct has no field.
func (r *Extra) held(key string) (string, bool) {
	if rare := r.seldom(); rare != nil {
		for _, each := range rare.held {
			if each.key == key {
				return each.raw, true
			}
		}
	}
	return "", false
}

// as returns the table that a value remembers, or nil.
func (r *Extra) as() *table {
	if rare := r.seldom(); rare != nil {
		return rare.as
	}
	return nil
}

// untouched returns the text of an object that is not a declared variant.
func (r *Extra) untouched() json.RawMessage {
	if rare := r.seldom(); rare != nil {
		return rare.raw
	}
	return nil
}

// ofVariant returns the part of a flat struct's memory that also applies to a variant.
func (r *Extra) ofVariant() *more {
	seldom := r.seldom()
	if seldom == nil || seldom.held == nil && seldom.as == nil {
		return r.more
	}
	next, rest := *r.more, *seldom
	rest.held, rest.as = nil, nil
	next.rare = &rest
	return &next
}

// IsUnknown reports whether v is an Unknown, or a struct that holds one: an object of a type that the
// protocol does not declare.
func IsUnknown(v any) bool {
	unknown, ok := v.(interface{ isUnknown() bool })
	return ok && !isNil(v) && unknown.isUnknown()
}

// isObject reports whether the value is an object, although none of its fields may be set, rather than an empty text.
func (r *Extra) isObject() bool {
	return r.more != nil && (len(r.more.extra) > 0 || r.more.rare != nil && (r.more.rare.isObject || r.more.rare.raw != nil))
}
