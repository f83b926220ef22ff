// What the readers of types are made of: dispatch, scalars, containers, constants, undeclared members.

//lint:file-ignore U1000 a package uses the helpers that its protocol needs

package polywireruntime

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// --- what tells variants apart ---------------------------------------------------------------------

// find moves to the value of a member of the next object.
func (d *decoder) find(key string) bool {
	if !d.open('{') {
		return false
	}
	for d.next() {
		if d.key == key {
			return !d.bad
		}
		d.skip()
	}
	return false
}

// tag returns the text of a discriminator of the next object, without moving; false if it is absent.
func (d *decoder) tag(key string) (string, bool) {
	at, depth := d.at, d.depth
	tag, found := "", d.find(key)
	if found {
		if d.peek() == '"' {
			tag = d.str()
		} else {
			d.bad = true
		}
	}
	d.at, d.depth, d.fresh = at, depth, false
	return tag, found && !d.bad
}

// flag returns the value of a boolean discriminator of the next object, without moving, and whether it
// is present.
func (d *decoder) flag(key string) (flag, found bool) {
	at, depth := d.at, d.depth
	if found = d.find(key); found {
		readBool(d, &flag)
	}
	d.at, d.depth, d.fresh = at, depth, false
	return flag, found && !d.bad
}

// present reports which of some keys the next object has, a bit each, without moving.
func (d *decoder) present(keys ...string) (found uint64) {
	at, depth := d.at, d.depth
	if d.open('{') {
		for d.next() {
			for i, key := range keys {
				if d.key == key {
					found |= 1 << i
				}
			}
			d.skip()
		}
	}
	d.at, d.depth, d.fresh = at, depth, false
	return found
}

// glob reports whether text matches a pattern in which * stands for any text.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		if at := strings.Index(text, part); ok && at >= 0 {
			text = text[at+len(part):]
		} else {
			ok = false
		}
	}
	return ok && strings.HasSuffix(text, parts[len(parts)-1])
}

// discriminator is where an Unknown holds the text of a discriminator.
type discriminator struct {
	key   string
	value *string
}

// unknown reads an object of unknown type: its text and its discriminators.
func (d *decoder) unknown(raw *json.RawMessage, tags ...discriminator) {
	d.peek()
	start, depth := d.at, d.depth
	if d.open('{') {
		for d.next() {
			at := d.at
			for _, tag := range tags {
				if d.key == tag.key && d.peek() == '"' {
					*tag.value = d.str()
				}
			}
			d.at = at
			d.skip()
		}
	}
	if d.at, d.depth = start, depth; !d.bad {
		*raw = json.RawMessage(slices.Clone(d.raw()))
	}
}

// rawMember returns the member of an Unknown under a key, or the zero value if it is of another type.
func rawMember[T any](raw json.RawMessage, key string, read func(*decoder, *T)) (v T) {
	d := decoder{data: raw}
	if d.find(key) {
		read(&d, &v)
	}
	if d.bad {
		var none T
		return none
	}
	return v
}

// --- readers ---------------------------------------------------------------------------------------

func readText[T ~string](d *decoder, v *T) {
	if d.peek() != '"' {
		d.bad = true
		return
	}
	*v = T(d.str())
}

func readBool[T ~bool](d *decoder, v *T) {
	if d.peek() == 't' {
		*v = T(d.word("true"))
	} else {
		d.word("false")
		*v = false
	}
}

func readFloat(d *decoder, v *float64) {
	text, whole := d.number()
	switch {
	case d.bad:
	case whole && len(text) <= 15:
		n := 0.0
		for _, c := range text {
			if c != '-' {
				n = n*10 + float64(c-'0')
			}
		}
		if text[0] == '-' {
			n = -n
		}
		*v = n
	default:
		*v = d.float(text)
	}
}

func readInt[T ~int | ~int64](d *decoder, v *T) {
	n := d.integer()
	if *v = T(n); int64(*v) != n {
		d.bad = true
	}
}

func readList[T any](d *decoder, v *[]T, read func(*decoder, *T)) {
	if !d.open('[') {
		return
	}
	items := []T{}
	for d.item() {
		if len(items) == cap(items) {
			items = append(items, *new(T))
		} else {
			items = items[:len(items)+1]
		}
		read(d, &items[len(items)-1])
	}
	*v = items
}

func readMap[K ~string, T any](d *decoder, v *map[K]T, read func(*decoder, *T)) {
	if !d.open('{') {
		return
	}
	entries := map[K]T{}
	count := 0
	for d.next() {
		key := K(d.key)
		var entry T
		read(d, &entry)
		entries[key] = entry
		count++
	}
	if count != len(entries) {
		d.bad = true
	}
	*v = entries
}

// readKeyed reads a map whose keys are closed.
func readKeyed[K ~string, T any](d *decoder, v *map[K]T, read func(*decoder, *T), known func(K) bool) {
	readMap(d, v, read)
	for key := range *v {
		if !known(key) {
			d.bad = true
		}
	}
}

// readPointer reads a value that is not null, and allocates it.
func readPointer[T any](d *decoder, v **T, read func(*decoder, *T)) {
	p := new(T)
	read(d, p)
	*v = p
}

// readNullable reads a value that may be null.
func readNullable[T any](d *decoder, v **T, read func(*decoder, *T)) {
	if d.null() {
		*v = nil
		return
	}
	readPointer(d, v, read)
}

// readNil reads a value that may be null, of a type that has a nil.
func readNil[T any](d *decoder, v *T, read func(*decoder, *T)) {
	if !d.null() {
		read(d, v)
	}
}

// constant reads a string that must have a certain value.
func constant[T ~string](d *decoder, v *T, want T) {
	if d.peek() != '"' || T(d.str()) != want {
		d.bad = true
	}
	*v = want
}

func constantBool[T ~bool](d *decoder, v *T, want T) {
	if readBool(d, v); *v != want {
		d.bad = true
	}
}

func constantNumber[T ~int | ~float64](d *decoder, v *T, want T) {
	var f float64
	if readFloat(d, &f); f != float64(want) {
		d.bad = true
	}
	*v = want
}

func readUUID(d *decoder, v *uuid.UUID) {
	var text string
	readText(d, &text)
	*v, _ = parseUUID(text)
}

// readSpelt reads a UUID and remembers its spelling if it would be written otherwise.
func readSpelt(d *decoder, v *uuid.UUID, r *record, key string) {
	var text string
	readText(d, &text)
	var canonical bool
	if *v, canonical = parseUUID(text); !canonical {
		r.spell(key, text, *v)
	}
}

// parseUUID returns the UUID that a text spells, and whether it is written as that text.
func parseUUID(text string) (id uuid.UUID, canonical bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return uuid.UUID{}, false
	}
	canonical = true
	at := 0
	for i := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			at++ // a dash; a dash elsewhere is not a digit
		}
		high, low := nibbles[text[at]], nibbles[text[at+1]]
		if high|low > 0x2F {
			return uuid.UUID{}, false
		}
		canonical = canonical && (high|low)&0x20 == 0
		id[i] = high<<4 | low&0xF
		at += 2
	}
	return id, canonical
}

// nibbles has the value of each hexadecimal digit, plus 0x20 for capitals, and 0x40 for other bytes.
var nibbles = func() (table [256]byte) {
	for i := range table {
		table[i] = 0x40
	}
	for i := range 10 {
		table['0'+i] = byte(i)
	}
	for i := range 6 {
		table['a'+i] = byte(10 + i)
		table['A'+i] = byte(10+i) | 0x20
	}
	return table
}()

// --- what is not declared --------------------------------------------------------------------------

// kept keeps a null of a field that may be absent but not null.
func (d *decoder) kept(r *record, key string) {
	r.add(extraMember{Member: Member{Key: key}})
}

// other keeps an undeclared member.
func (d *decoder) other(r *record) {
	key := d.key
	if r.keeps(key) {
		d.bad = true
		return
	}
	raw := d.raw()
	if d.bad {
		return
	}
	start := d.at - len(raw)
	each := extraMember{Member: Member{Key: key}}
	switch {
	case bytes.ContainsAny(raw, "\n\r"): // white space that may not be part of a line
		d.at = start
		readAny(d, &each.Value)
	case d.text != "":
		each.raw = d.text[start:d.at]
	default:
		each.raw = string(raw)
	}
	r.add(each)
}

// part adds the member at hand to the text of the members of a flattened value.
func (d *decoder) part(text []byte) []byte {
	if text == nil {
		text = append(text, '{')
	} else {
		text = append(text, ',')
	}
	text = append(appendText(text, d.key), ':')
	d.peek()
	start := d.at
	d.skip()
	return append(text, d.data[start:d.at]...)
}

// flattened reads a value from the text that part collected.
func flattened[T any](d *decoder, text []byte, v *T, read func(*decoder, *T)) {
	if text == nil {
		text = []byte("{")
	}
	inner := decoder{data: append(text, '}'), depth: d.depth, validated: d.validated}
	read(&inner, v)
	if inner.bad || inner.at != len(inner.data) {
		d.bad = true
	}
}

// preset puts a value that the protocol fixes into a field.
func preset[T any](text string, want rule, v *T, read func(*decoder, *T)) {
	if err := decode([]byte(text), want, LenientMode, v, read); err != nil {
		panic(err)
	}
}
