// The engine that encodes values as documents, driven by the tables of the protocol.

package polywireruntime

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// declared writes a value of a declared type, given as a pointer to it.
func (e *encoder) declared(v rule) {
	e.resolved(resolve(v), addressOf(reflect.ValueOf(v)))
}

// resolved writes a value of a declared type, given what its rule resolves to.
func (e *encoder) resolved(of any, p address) {
	switch of := of.(type) {
	case *table:
		e.structure(of.ready().current(p), p)
	case *flat:
		e.flat(nil, of.ready(), p)
	case *unknown:
		e.raw(*bytesAt(at(p, of.ready().raw)))
	case *enum:
		e.fail(CodeWrongType, "expected an object")
	}
}

// current returns the layout of the table that a value was decoded with, which may not be that of its Go
// type.
func (l *layout) current(p address) *layout {
	if !l.isShared {
		return l
	}
	as := extraAt(at(p, l.extraOffset)).as()
	for _, each := range l.table.shared {
		if t := resolve(each).(*table); t == as {
			return t.ready()
		}
	}
	return l
}

// --- values ----------------------------------------------------------------------------------------

func (e *encoder) value(c *codec, p address) {
	switch c.kind {
	case kindText:
		e.text(*textAt(p))
	case kindBool:
		e.buf = strconv.AppendBool(e.buf, *boolAt(p))
	case kindInt:
		e.integer(*intAt(p))
	case kindFloat:
		e.float(*floatAt(p))
	case kindUUID:
		e.uuid(*uuidAt(p))
	case kindAny:
		e.any(*anyAt(p))
	case kindObject:
		e.object(*objectAt(p))
	case kindNull:
		e.null()
	case kindTextEnum:
		if !c.enum.open && !c.enum.hasText(*textAt(p)) {
			e.fail(CodeUnknownValue, quote(*textAt(p))+" is not a value of "+c.enum.name)
			return
		}
		e.text(*textAt(p))
	case kindIntEnum:
		n := *intAt(p)
		if !c.enum.open && !c.enum.hasNumber(float64(n)) {
			e.fail(CodeUnknownValue, strconv.FormatInt(n, 10)+" is not a value of "+c.enum.name)
			return
		}
		e.integer(n)
	case kindList, kindTexts:
		e.list(c, p)
	case kindMap:
		e.mapping(c, p)
	case kindPointer, kindNullable:
		if q := *pointerAt(p); q != nil {
			e.value(c.item, q)
		} else {
			e.value(c.item, newOf(c.item.typ))
		}
	case kindOrNull:
		if valueAt(c.typ, p).IsNil() {
			e.null()
		} else {
			e.value(c.item, p)
		}
	case kindStruct:
		e.structure(c.table.ready().current(p), p)
	case kindVariant:
		e.variant(c, p)
	case kindFlat:
		var of *steps
		if c.union != nil {
			of = c.union.ready()
		}
		e.flat(of, c.flat.ready(), p)
	case kindUnknown:
		e.raw(*bytesAt(at(p, resolve(c.of).(*unknown).ready().raw)))
	case kindChoice:
		e.choice(c, c.held(p))
	case kindTuple:
		e.tuple(c, p)
	case kindLiteral:
		if _, isSame := c.item.isConstant(resolve(c.of).(*literal).value, p); !isSame {
			e.fail(CodeWrongConstant, "expected "+c.text)
			return
		}
		e.buf = append(e.buf, c.text...)
	case kindBounded:
		e.value(c.item, p)
	}
}

func (e *encoder) uuid(id uuid.UUID) {
	e.reserve(38)
	n := len(e.buf)
	e.buf = e.buf[:n+38]
	to := (*[38]byte)(e.buf[n:])
	to[0], to[9], to[14], to[19], to[24], to[37] = '"', '-', '-', '-', '-', '"'
	binary.BigEndian.PutUint64(to[1:], hexadecimal(id[0:]))
	second, third := hexadecimal(id[4:]), hexadecimal(id[8:])
	binary.BigEndian.PutUint32(to[10:], uint32(second>>32))
	binary.BigEndian.PutUint32(to[15:], uint32(second))
	binary.BigEndian.PutUint32(to[20:], uint32(third>>32))
	binary.BigEndian.PutUint32(to[25:], uint32(third))
	binary.BigEndian.PutUint64(to[29:], hexadecimal(id[12:]))
}

// hexadecimal returns the digits of four bytes, each digit a byte.
func hexadecimal(four []byte) uint64 {
	x := uint64(binary.BigEndian.Uint32(four))
	x = (x<<16 | x) & 0x0000FFFF0000FFFF
	x = (x<<8 | x) & 0x00FF00FF00FF00FF
	x = (x<<4 | x) & 0x0F0F0F0F0F0F0F0F
	letters := (x + 6*lows) >> 4 & lows
	return x + '0'*lows + ('a'-'0'-10)*letters
}

func (e *encoder) list(c *codec, p address) {
	if !e.open('[') {
		return
	}
	items := sliceAt(p)
	for i := range items.len {
		if e.value(c.item, at(items.first, uintptr(i)*c.item.size)); e.err != nil {
			e.failed(strconv.Itoa(i))
			return
		}
		e.end()
	}
	e.close(']')
}

func (e *encoder) tuple(c *codec, p address) {
	if !e.open('[') {
		return
	}
	for i := range c.items {
		if e.value(c.items[i].codec, at(p, c.items[i].offset)); e.err != nil {
			e.failed(strconv.Itoa(i))
			return
		}
		e.end()
	}
	e.close(']')
}

func (e *encoder) mapping(c *codec, p address) {
	if !e.open('{') {
		return
	}
	start := len(e.entries)
	if c.isCounts { // the one type of map that is frequent enough to be read without reflection
		for key, count := range *countsAt(p) {
			e.entries = append(e.entries, entry{key: key, at: count})
		}
		e.sorted(start, c.keys, func(_ any, count int64) { e.integer(count) })
		return
	}
	entries := valueAt(c.typ, p)
	count := entries.Len()
	r := c.readers.Get().(*mapReader)
	values := r.values
	if count > few {
		values = reflect.MakeSlice(values.Type(), count, count)
	}
	r.next.Reset(entries)
	for i := 0; r.next.Next(); i++ {
		r.key.SetIterKey(&r.next)
		values.Index(i).SetIterValue(&r.next)
		e.entries = append(e.entries, entry{key: r.key.String(), at: int64(i)})
	}
	e.sorted(start, c.keys, func(_ any, i int64) {
		e.value(c.item, at(addressOf(values), uintptr(i)*c.item.size))
	})
	r.next.Reset(reflect.Value{}) // so that nothing of the map stays alive
	r.key.SetZero()
	for i := range min(count, few) {
		r.values.Index(i).SetZero()
	}
	c.readers.Put(r)
}

// held returns the value in an interface.
func (c *codec) held(p address) any {
	if c.typ.NumMethod() == 0 {
		return *anyAt(p)
	}
	return valueAt(c.typ, p).Interface()
}

// choice writes a value whose alternative follows from its Go type, or else as plain JSON if that is
// valid.
func (e *encoder) choice(c *codec, v any) {
	switch x := v.(type) {
	case nil, Null:
		if slices.ContainsFunc(c.cases, func(each caseCodec) bool { return each.codec.kind == kindNull }) {
			e.null()
		} else {
			e.fail(CodeWrongType, "expected "+c.choice.expected+", got null")
		}
		return
	case string:
		for i := range c.cases {
			if inner := c.cases[i].codec; inner.kind == kindText && inner.typ == textType {
				e.text(x)
				return
			}
		}
	}
	if of, p := c.variantOf(&v); p != nil {
		e.resolved(of, p)
		return
	}
	given := reflect.TypeOf(v)
	for i := range c.cases {
		inner := c.cases[i].codec
		switch {
		case inner.typ == nil:
		case inner.kind == kindVariant:
			if copied := pointerTo(v); copied != nil {
				own := any(copied)
				if of, p := c.variantOf(&own); p != nil {
					e.resolved(of, p)
					return
				}
			}
		case given == inner.typ:
			e.value(inner, placeIn(&v, given))
			return
		case given.Kind() == reflect.Pointer && given.Elem() == inner.typ:
			p := interfaceOf(&v).data
			if p == nil {
				e.fail(CodeWrongType, "expected "+c.choice.expected+", got a nil pointer")
				return
			}
			e.value(inner, p)
			return
		}
	}
	e.loose(c, v)
}

// variantOf returns what a pointer to a variant of one of the alternatives resolves to, and the address
// it points to.
func (c *codec) variantOf(v *any) (any, address) {
	held := interfaceOf(v)
	for i := range c.cases {
		if inner := c.cases[i].codec; inner.kind == kindVariant {
			if of, ok := inner.union.holds().loose[held.word]; ok {
				return of, held.data
			}
		}
	}
	return nil, nil
}

// loose writes a value that has none of the expected Go types as plain JSON, if the type accepts it.
func (e *encoder) loose(c *codec, v any) {
	start := len(e.buf)
	if e.any(v); e.err != nil {
		return
	}
	place := reflect.New(c.typ)
	if err := decode(e.buf[start:], c, addressOf(place), LenientMode, nil); err != nil {
		fault := err.(*DecodeError)
		e.err = fault.ofEncoding()
	}
}

// --- objects ---------------------------------------------------------------------------------------

func (e *encoder) structure(l *layout, p address) {
	start := len(e.buf)
	if !e.open('{') {
		return
	}
	r := extraAt(at(p, l.extraOffset))
	for i := range l.members {
		f := &l.members[i]
		place := at(p, f.offset)
		switch f.writing {
		case fromText:
			e.buf = append(e.buf, f.label...)
			e.text(*textAt(place))
			e.end()
		case fromTable:
			e.buf = append(e.buf, f.whole...)
			continue
		case fromTag:
			if *textAt(place) == *f.want {
				e.buf = append(e.buf, f.whole...)
				continue
			}
			e.member(&l.fields[i], place, r)
		case fromUUID:
			e.buf = append(e.buf, f.label...)
			if r.more == nil {
				e.uuid(*uuidAt(place))
			} else {
				e.spelt(*uuidAt(place), r, l.fields[i].key)
			}
			e.end()
		case fromField:
			e.buf = append(e.buf, f.label...)
			e.value(f.codec, place)
			e.end()
		case fromPointer, fromNullable, fromNilable:
			q := *pointerAt(place)
			switch {
			case q != nil && f.writing == fromNilable:
				e.buf = append(e.buf, f.label...)
				e.value(f.codec, place)
				e.end()
			case q != nil:
				e.buf = append(e.buf, f.label...)
				e.value(f.codec.item, q)
				e.end()
			case f.writing == fromNullable && !*boolAt(at(place, uintptr(f.null))):
				continue
			case f.omitted && r.more == nil:
				continue
			case f.whole != "":
				e.buf = append(e.buf, f.whole...)
				continue
			default:
				e.member(&l.fields[i], place, r)
			}
		default:
			e.member(&l.fields[i], place, r)
		}
		if e.err != nil {
			if f := &l.fields[i]; f.flags&flattened == 0 {
				e.failed(f.key)
			}
			return
		}
	}
	if r.more != nil && len(r.more.extra) > 0 {
		e.extra(l, r, start)
	}
	if e.err == nil {
		e.close('}')
	}
}

// member writes a member with its key and a comma, or nothing if it is absent.
func (e *encoder) member(f *field, p address, r *Extra) {
	switch {
	case f.flags&constant != 0:
		e.constant(f, p)
		return
	case f.flags&flattened != 0:
		e.flattened(f, p)
		return
	case f.held != nil:
		if raw, ok := r.held(f.key); ok {
			e.buf = append(e.buf, f.label...)
			e.held(f.held, raw)
			e.end()
		} else if f.flags&required != 0 {
			e.fail(CodeMissingField, "the struct has no field for this member; set it in the variant")
		}
		return
	}
	switch e.presence(f, p, r) {
	case isAbsent:
		return
	case isNullHere:
		e.buf = append(append(e.buf, f.label...), "null,"...)
		return
	}
	e.buf = append(e.buf, f.label...)
	from := len(e.buf)
	switch c := f.codec; {
	case f.flags&varying != 0:
		e.tag(f, p)
	case c.kind == kindUUID:
		e.spelt(*uuidAt(p), r, f.key)
	case (c.kind == kindPointer || c.kind == kindNullable) && c.item.kind == kindUUID && *pointerAt(p) != nil:
		e.spelt(*uuidAt(*pointerAt(p)), r, f.key)
	default:
		e.value(c, p)
	}
	if f.claimed != nil && e.err == nil {
		d := decoder{data: e.buf[from:]}
		if d.isClaimed(f) && d.fault != nil {
			e.fail(d.fault.Code, d.fault.Message)
		}
	}
	e.end()
}

// held writes a member that was read although the struct has no field for it, in the way a field would be
// written.
func (e *encoder) held(c *codec, raw string) {
	if raw == "null" {
		e.null()
		return
	}
	d := decoder{data: []byte(raw), depth: e.depth}
	place := newOf(c.typ)
	d.value(c, place)
	e.value(c, place)
}

// presence describes the member that a field represents: absent, null or a value.
type presence uint8

const (
	hasValue presence = iota
	isAbsent
	isNullHere
)

func (e *encoder) presence(f *field, p address, r *Extra) presence {
	if f.isNil && f.flags&nullable == 0 && f.codec.kind != kindVariant && f.codec.kind != kindChoice {
		return hasValue // nil is a zero value
	}
	switch f.codec.kind {
	case kindNullable:
		isNull := *boolAt(at(p, f.codec.null))
		switch {
		case *pointerAt(p) != nil:
			return hasValue
		case f.flags&nullable != 0 && (isNull || f.flags&required != 0):
			return isNullHere
		case isNull:
			e.fail(CodeWrongType, "expected "+expected(f.of)+", got null")
			return isAbsent
		case f.flags&required == 0:
			return isAbsent
		}
		return hasValue // zero
	case kindPointer, kindObject:
		if *pointerAt(p) != nil {
			return hasValue
		}
	case kindList, kindTexts:
		if sliceAt(p).first != nil {
			return hasValue
		}
	case kindAny, kindChoice:
		if v := f.codec.held(p); v == (Null{}) && f.flags&nullable != 0 {
			return isNullHere
		} else if v != nil {
			return hasValue
		}
	case kindMap, kindVariant, kindOrNull:
		if !valueAt(f.codec.typ, p).IsZero() {
			return hasValue
		}
	default:
		if f.flags&required != 0 && f.flags&nullable == 0 || !valueAt(f.codec.typ, p).IsZero() {
			return hasValue
		}
	}
	// The field has its zero value.
	if f.isNil && f.flags&nullable != 0 {
		return isNullHere
	}
	if f.isNil {
		return hasValue
	}
	if null, found := r.zero(f.key); found && null {
		return isNullHere
	} else if found || f.flags&required != 0 {
		return hasValue
	}
	if _, found := r.spelt(f.key, uuid.UUID{}); found && f.codec.kind == kindUUID {
		return hasValue
	}
	return isAbsent
}

func (e *encoder) spelt(id uuid.UUID, r *Extra, key string) {
	if text, ok := r.spelt(key, id); ok {
		e.text(text)
		return
	}
	e.uuid(id)
}

// constant writes a member with a constant value. Its field may have its zero value.
func (e *encoder) constant(f *field, p address) {
	c := f.codec
	if c.kind == kindPointer {
		if c, p = c.item, *pointerAt(p); p == nil {
			return
		}
	}
	isZero, isSame := c.isConstant(f.value, p)
	switch {
	case isZero && c == f.codec:
		if f.flags&required == 0 {
			return
		}
	case !isSame:
		e.fail(CodeWrongConstant, "expected "+f.constant)
		return
	}
	e.buf = append(e.buf, f.whole...)
}

// isConstant compares a value with the only valid one; the zero value is accepted as well.
func (c *codec) isConstant(value any, p address) (isZero, isSame bool) {
	switch want := value.(type) {
	case string:
		return *textAt(p) == "", *textAt(p) == want
	case bool:
		return !*boolAt(p), *boolAt(p) == want
	case int64:
		given := *intAt(p)
		return given == 0, given == want
	}
	given := 0.0
	if c.kind == kindInt {
		given = float64(*intAt(p))
	} else {
		given = *floatAt(p)
	}
	return given == 0, given == value
}

func (e *encoder) tag(f *field, p address) {
	c := f.codec
	if c.kind == kindPointer {
		c, p = c.item, *pointerAt(p)
	}
	text, n := "", int64(0)
	if c.kind == kindInt {
		n = *intAt(p)
	} else {
		text = *textAt(p)
	}
	switch fits, _ := f.takes(text, n); {
	case !fits && c.kind == kindInt:
		e.fail(CodeUnknownValue, "expected "+f.expected()+", got "+strconv.FormatInt(n, 10))
	case !fits:
		e.fail(CodeUnknownValue, "expected "+f.expected()+", got "+quote(text))
	case c.kind == kindInt:
		e.integer(n)
	default:
		e.text(text)
	}
}

// flattened writes the members of a value into the current object.
func (e *encoder) flattened(f *field, p address) {
	if f.flags&required == 0 && valueAt(f.codec.typ, p).IsZero() {
		return
	}
	inner := encoder{depth: e.depth - 1}
	if inner.value(f.codec, p); inner.err != nil {
		e.err = inner.err
		return
	}
	if text := inner.buf; len(text) > 2 {
		e.buf = append(append(e.buf, text[1:len(text)-1]...), ',')
	}
}

// extra writes the undeclared members into the object that begins at start, except those whose name has
// already been written. A member with the name of a declared one must be of the declared type.
func (e *encoder) extra(l *layout, r *Extra, start int) {
	var written map[string]bool
	for i := range r.more.extra {
		member := &r.more.extra[i]
		declared := l.find(bytesOf(member.key), len(l.fields))
		if declared >= 0 || l.rest >= 0 {
			if written == nil {
				written = keysOf(e.buf[start+1:])
			}
			if written[member.key] {
				continue
			}
		}
		e.text(member.key)
		e.buf = append(e.buf, ':')
		before := len(e.buf)
		if member.value == nil {
			e.kept(member.raw)
		} else {
			e.any(*member.value)
		}
		if e.err == nil && declared >= 0 {
			e.judge(l, declared, e.buf[before:])
		} else if e.err == nil && l.rest >= 0 {
			e.judgeEntry(l.fields[l.rest].codec, e.buf[before:])
		}
		if e.failed(member.key) {
			return
		}
		e.end()
	}
}

// kept writes the text of a value that was read, possibly at another depth.
func (e *encoder) kept(raw string) {
	if strings.Count(raw, "[")+strings.Count(raw, "{") > maxDepth-e.depth {
		d := decoder{data: bytesOf(raw), depth: e.depth}
		if d.skip(); d.bad {
			e.tooDeep()
			return
		}
	}
	e.buf = append(e.buf, raw...)
}

// judge validates the text of a member that was set although the struct has a field for it.
func (e *encoder) judge(l *layout, i int, text []byte) {
	f := &l.fields[i]
	d := begin(text, LenientMode)
	d.depth = e.depth
	if d.member(f, at(newOf(l.typ), f.offset), new(Extra)); d.bad {
		fault := d.located()
		e.err = fault.ofEncoding()
	}
}

// judgeEntry validates the text of a member that a decoder takes for an entry of the map that is flattened into the object.
func (e *encoder) judgeEntry(c *codec, text []byte) {
	if c.kind != kindMap {
		return
	}
	d := begin(text, LenientMode)
	d.depth = e.depth
	if d.value(c.item, newOf(c.item.typ)); d.bad {
		e.err = d.located().ofEncoding()
	}
}

// keysOf returns the keys of the members of an unfinished object.
func keysOf(members []byte) map[string]bool {
	keys := map[string]bool{}
	for d := (decoder{data: members}); d.at < len(d.data); {
		keys[strings.Clone(d.glance())] = true
		d.at++ // the colon
		d.skip()
		d.at++ // the comma
	}
	return keys
}

// --- variants --------------------------------------------------------------------------------------

// variant writes the value that an interface holds.
func (e *encoder) variant(c *codec, p address) {
	held := interfaceAt(p)
	switch {
	case held.word == nil:
		e.fail(CodeWrongType, "expected object, got null")
	case held.data == nil:
		e.fail(CodeWrongType, "expected object, got a nil pointer")
	default:
		of, ok := c.union.holds().found[held.word]
		if !ok {
			e.fail(CodeWrongType, "expected one of "+c.union.name)
			return
		}
		e.resolved(of, held.data)
	}
}

// flat writes a flat struct as the variant selected by its tags, within one union or any union.
func (e *encoder) flat(of *steps, l *layoutOfFlat, p address) {
	if l.others != nil && e.other(l, p) {
		return
	}
	r := extraAt(at(p, l.extraOffset))
	if raw := r.untouched(); raw != nil && l.isUntouched(r, p) {
		e.raw(raw)
		return
	}
	if leaf := l.current(of, p); leaf != nil {
		e.structure(leaf, p)
		return
	}
	e.fail(CodeUnknownVariant, "no variant of "+l.typ.Name())
	if len(l.keys) > 0 {
		e.failed(l.keys[0].key)
	}
}

// isUntouched reports whether the discriminators of an object of unknown type still have the values they
// were decoded with.
func (l *layoutOfFlat) isUntouched(r *Extra, p address) bool {
	for _, each := range l.keys {
		if *textAt(at(p, each.offset)) != textOf(r.untouched(), each.key) {
			return false
		}
	}
	return true
}

// current returns the layout of a flat struct's variant: the variant it was decoded as, if its tags still
// match; otherwise the one that the union's discriminators select; otherwise the first of any union with
// a field for every field that is set.
func (l *layoutOfFlat) current(of *steps, p address) *layout {
	if as := extraAt(at(p, l.extraOffset)).as(); as != nil {
		if leaf := l.of[as]; leaf != nil && leaf.tagged(p) {
			return leaf
		}
	}
	if of != nil {
		if found := l.follow(of, p); found != nil {
			return found
		}
	}
	var first *layout
	for _, leaf := range l.leaves {
		if !leaf.tagged(p) {
			continue
		}
		if first == nil {
			first = leaf
		}
		if !leaf.lacksAny(l, p) {
			return leaf
		}
	}
	if first == nil && l.others != nil {
		return l.untagged(p)
	}
	return first
}

// follow walks a dispatch by the values of the discriminator fields.
func (l *layoutOfFlat) follow(s *steps, p address) *layout {
	for s != nil {
		i := slices.IndexFunc(l.keys, func(each placed) bool { return each.key == s.key })
		if i < 0 {
			return nil
		}
		text := *textAt(at(p, l.keys[i].offset))
		next, ok := s.texts[text]
		if !ok && text == "" {
			next = s.absent
		}
		for i := 0; next == nil && i < len(s.prefixes); i++ {
			if strings.HasPrefix(text, s.prefixes[i].text) {
				next = s.prefixes[i].then
			}
		}
		if next == nil {
			for _, other := range s.others {
				if glob(other.glob, text) {
					next = other.of
				}
			}
		}
		switch next := next.(type) {
		case *steps:
			s = next
		case resolver:
			return l.of[resolve(next).(*table)]
		default:
			return nil
		}
	}
	return nil
}

// tagged reports whether the tags of a flat struct identify this variant.
func (l *layout) tagged(p address) bool {
	for _, f := range l.tags {
		if !f.isTagged(at(p, f.offset)) {
			return false
		}
	}
	return len(l.tags) > 0
}

func (f *field) isTagged(p address) bool {
	c := f.codec
	if c.kind == kindPointer {
		if c, p = c.item, *pointerAt(p); p == nil {
			return true
		}
	}
	if f.flags&varying == 0 {
		isZero, isSame := c.isConstant(f.value, p)
		_, isText := f.value.(string)
		_, isNumber := f.value.(float64)
		return isSame || isNumber || isText && isZero && f.flags&required == 0
	}
	text, n := "", int64(0)
	if c.kind == kindInt {
		n = *intAt(p)
	} else {
		text = *textAt(p)
	}
	fits, _ := f.takes(text, n)
	return fits
}

// lacksAny reports whether a field is set that belongs to another variant and not to this one.
func (l *layout) lacksAny(flat *layoutOfFlat, p address) bool {
	for _, other := range flat.leaves {
		if other == l || !other.tagged(p) {
			continue
		}
		for i := range other.fields {
			f := &other.fields[i]
			if f.isSet(p) && l.find([]byte(f.key), i) < 0 {
				return true
			}
		}
	}
	return false
}

// --- structs for several kinds of values -----------------------------------------------------------

// other writes the value in the field for one kind, or the text if nothing is set; it returns false for an object.
func (e *encoder) other(l *layoutOfFlat, p address) bool {
	given := l.others[0]
	var set []string
	for _, each := range l.others {
		if !valueAt(each.codec.typ, at(p, each.offset)).IsZero() {
			given, set = each, append(set, each.field)
		}
	}
	if extraAt(at(p, l.extraOffset)).isObject() || l.hasMember(p) {
		if len(set) == 0 {
			return false
		}
		set = append(set, "a member of the object")
	}
	if len(set) > 1 {
		e.fail(CodeWrongType, "expected one kind of value, got "+strings.Join(set, " and "))
	} else {
		e.value(given.codec, at(p, given.offset))
	}
	return true
}

// hasOther reports whether the field for one kind is set.
func (l *layoutOfFlat) hasOther(p address) bool {
	return slices.ContainsFunc(l.others, func(each otherField) bool {
		return !valueAt(each.codec.typ, at(p, each.offset)).IsZero()
	})
}

// hasMember reports whether a field of an object is set.
func (l *layoutOfFlat) hasMember(p address) bool {
	return slices.ContainsFunc(l.leaves, func(leaf *layout) bool {
		return slices.ContainsFunc(leaf.fields, func(f field) bool { return f.isSet(p) })
	})
}

// untagged returns the only variant that has every field that is set, or nil. Its tags are not set.
func (l *layoutOfFlat) untagged(p address) (only *layout) {
	for _, leaf := range l.leaves {
		isStray := func(f field) bool {
			return f.isSet(p) && (leaf.search([]byte(f.key)) < 0 || f.flags&(constant|varying) != 0)
		}
		if slices.ContainsFunc(l.leaves, func(other *layout) bool { return slices.ContainsFunc(other.fields, isStray) }) {
			continue
		}
		if only != nil {
			return nil
		}
		only = leaf
	}
	return only
}

func (f *field) isSet(p address) bool {
	return f.codec != nil && !valueAt(f.codec.typ, at(p, f.offset)).IsZero()
}
