// The engine that decodes documents into values, driven by the tables of the protocol.
//
// There is one pass; strict mode and the notes of Examine are conditions in it. The path of a fault is
// assembled as the fault is returned up the call stack.

package polywireruntime

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// decode decodes a document into a variable that a codec describes.
func decode(data []byte, c *codec, p address, mode Mode, noted *noted) error {
	if utf8.Valid(data) {
		d := begin(data, mode)
		d.noted = noted
		d.value(c, p)
		if d.peek() != 0 || d.at < len(d.data) {
			d.bad = true
		}
		if !d.bad {
			return nil
		}
		valueAt(c.typ, p).SetZero()
		if fault := syntaxFault(data); fault != nil {
			return fault
		}
		if once, found := withoutDuplicates(data); found { // the fault may be in a value that is overwritten
			return decode(once, c, p, mode, noted.again())
		}
		return d.located()
	}
	return syntaxFault(data)
}

// located returns the fault that stopped decoding, with its path.
func (d *decoder) located() *DecodeError {
	var path strings.Builder
	for _, step := range slices.Backward(d.steps) {
		path.WriteByte('/')
		path.WriteString(escapeStep(step))
	}
	d.fault.Path = path.String()
	return d.fault
}

// wrongType stops decoding at a value of the wrong kind.
func (d *decoder) wrongType(expected string) {
	if kind := d.kind(); kind != "" {
		d.fail(CodeWrongType, "expected "+expected+", got "+kind)
		return
	}
	d.bad = true
}

// kind returns the JSON kind of the next value, or "" if there is none.
func (d *decoder) kind() string {
	switch c := d.peek(); c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		if c != '-' && c-'0' > 9 {
			return ""
		}
		start := d.at
		_, whole := d.literal()
		if d.at = start; whole {
			return "integer"
		}
		return "number"
	}
}

func (d *decoder) isNumber() bool {
	c := d.peek()
	return c == '-' || c-'0' <= 9
}

// pass notes what lenient mode tolerates; in strict mode, it stops decoding with a fault.
func (d *decoder) pass(code Code, message func() string) {
	if d.strict {
		d.fail(code, message())
	} else if d.noted != nil {
		d.noted.add()
	}
}

// --- values ----------------------------------------------------------------------------------------

// value decodes the next value into a variable that has its zero value.
func (d *decoder) value(c *codec, p address) {
	switch c.kind {
	case kindText:
		d.string(c, p)
	case kindBool:
		if b := d.peek(); b != 't' && b != 'f' {
			d.wrongType("boolean")
			return
		}
		*boolAt(p) = d.boolean()
	case kindInt:
		d.whole(p)
	case kindFloat:
		if !d.isNumber() {
			d.wrongType("number")
			return
		}
		*floatAt(p) = d.float()
	case kindUUID:
		d.uuid(p, new(Extra), "")
	case kindAny:
		*anyAt(p) = d.any()
	case kindObject:
		if d.peek() != '{' {
			d.wrongType("object")
			return
		}
		*objectAt(p) = d.object()
	case kindNull:
		if !d.null() && !d.bad {
			d.wrongType("null")
		}
	case kindTextEnum:
		d.textEnum(c.enum, p)
	case kindIntEnum:
		d.intEnum(c, p)
	case kindList, kindTexts:
		d.list(c, p)
	case kindMap:
		d.mapping(c, p)
	case kindPointer:
		q := newPlace(c.item)
		*pointerAt(p) = q
		d.value(c.item, q)
	case kindOrNull:
		if !d.null() {
			d.value(c.item, p)
		}
	case kindNullable:
		q := newPlace(c.item)
		*pointerAt(p) = q
		d.value(c.item, q)
	case kindStruct:
		d.structure(c.table.ready(), p)
	case kindVariant:
		d.variant(c, p, false)
	case kindFlat:
		if c.flat.others != nil {
			d.mixed(c, p)
		} else {
			d.variant(c, p, false)
		}
	case kindUnknown:
		d.untouched(resolve(c.of).(*unknown), p)
	case kindChoice:
		d.choice(c, p)
	case kindTuple:
		d.tuple(c, p)
	case kindLiteral:
		d.constant(resolve(c.of).(*literal).value, c.text, c.item, p)
	case kindBounded:
		d.bounded(c, p)
	}
}

// newPlace allocates a variable for a value.
func newPlace(c *codec) address {
	switch c.kind {
	case kindText:
		if c.typ == textType {
			return newText()
		}
	case kindBool:
		return newBool()
	case kindFloat:
		return newFloat()
	}
	return newOf(c.typ)
}

func (d *decoder) string(c *codec, p address) {
	if d.peek() != '"' {
		d.wrongType("string")
		return
	}
	text := d.str()
	*textAt(p) = text
	if c.form != isString && !d.bad && (d.strict || d.noted != nil) && !c.form.matches(text) {
		d.badForm(c.form, text)
	}
}

func (d *decoder) badForm(form scalar, text string) {
	d.pass(CodeBadFormat, func() string { return "expected a " + formNames[form] + ", got " + quote(text) })
}

// uuid decodes a UUID, and remembers its spelling if it is not the canonical one.
func (d *decoder) uuid(p address, r *Extra, key string) {
	if d.peek() != '"' {
		d.wrongType("string")
		return
	}
	text := d.glance()
	if d.bad {
		return
	}
	id, canonical := parseUUID(text)
	*uuidAt(p) = id
	if !canonical {
		text = strings.Clone(text)
		m := r.rarely()
		m.spelt = append(m.spelt, spelling{key, text, id})
		if !isUUID.matches(text) {
			d.badForm(isUUID, text)
		}
	}
}

func (d *decoder) whole(p address) {
	if !d.isNumber() {
		d.wrongType("integer")
		return
	}
	*intAt(p) = d.integer()
}

func (d *decoder) textEnum(e *enum, p address) {
	if d.peek() != '"' {
		d.wrongType("string")
		return
	}
	text := d.str()
	*textAt(p) = text
	if d.bad || e.open && !d.strict && d.noted == nil || e.hasText(text) {
		return
	}
	d.unknownValue(e, quote(text))
}

func (d *decoder) unknownValue(e *enum, shown string) {
	message := func() string { return shown + " is not a value of " + e.name }
	if !e.open {
		d.fail(CodeUnknownValue, message())
		return
	}
	d.pass(CodeUnknownValue, message)
}

func (d *decoder) intEnum(c *codec, p address) {
	if !d.isNumber() {
		d.wrongType("integer")
		return
	}
	start := d.at
	text, _ := d.number()
	if d.bad {
		return
	}
	if x, err := parseFloat(string(text)); err != nil || !c.enum.hasNumber(x) {
		if d.unknownValue(c.enum, cut(string(text))); d.bad {
			return
		}
	}
	d.at = start
	d.whole(p)
}

func (d *decoder) list(c *codec, p address) {
	if d.peek() != '[' {
		d.wrongType("array")
		return
	}
	skipping := d.skipping
	d.skipping = nil
	if !d.open('[') {
		return
	}
	n := 0
	if c.kind == kindTexts && skipping == nil {
		n = d.texts(c, textsAt(p))
	} else {
		n = d.items(c, p, skipping)
	}
	if !d.bad && (n < c.list.low || c.list.high >= 0 && n > c.list.high) {
		d.pass(CodeOutOfBounds, func() string { return "expected " + c.list.bounds() + ", got " + strconv.Itoa(n) })
	}
}

func (d *decoder) tuple(c *codec, p address) {
	if d.peek() != '[' {
		d.wrongType("array")
		return
	}
	if !d.open('[') {
		return
	}
	n := 0
	for d.item() {
		if n == len(c.items) {
			d.fail(CodeOutOfBounds, tupleSize(n, n+1))
			return
		}
		if d.noted != nil {
			d.noted.enter("", n)
		}
		if d.value(c.items[n].codec, at(p, c.items[n].offset)); d.bad {
			d.stepIndex(n)
			return
		}
		if d.noted != nil {
			d.noted.leave()
		}
		n++
	}
	if !d.bad && n < len(c.items) {
		d.fail(CodeOutOfBounds, tupleSize(len(c.items), n))
	}
}

// bounded decodes a scalar and, where required, checks its size.
func (d *decoder) bounded(c *codec, p address) {
	if d.value(c.item, p); d.bad || !d.strict && d.noted == nil {
		return
	}
	size := 0.0
	switch c.item.kind {
	case kindText:
		size = float64(codePoints(*textAt(p)))
	case kindInt:
		size = float64(*intAt(p))
	default:
		size = *floatAt(p)
	}
	if violation := resolve(c.of).(*bounded).violation(size); violation != "" {
		d.pass(CodeOutOfBounds, func() string { return violation })
	}
}

// codePoints counts the runes of a text; a lone surrogate counts as one.
func codePoints(text string) (n int) {
	for i := range len(text) {
		if text[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

func (d *decoder) texts(c *codec, p *[]string) int {
	items := []string{}
	for d.item() {
		if d.peek() != '"' {
			d.wrongType("string")
		} else {
			items = append(items, d.str())
		}
		if d.bad {
			d.stepIndex(len(items))
			break
		}
	}
	*p = items
	return len(items)
}

// large is the item size from which a list is allocated at once, after its items are counted.
const large = 64

// items decodes the items of a list and returns their number, including skipped ones.
func (d *decoder) items(c *codec, p address, skipping *fitting) (count int) {
	room, n := 0, 0
	if c.item.size >= large {
		room = d.count()
	}
	items := reflect.MakeSlice(c.typ, room, room)
	for ; d.item(); count++ {
		if n == room {
			room = max(4, 2*room)
			more := reflect.MakeSlice(c.typ, room, room)
			reflect.Copy(more, items)
			items = more
		}
		if d.noted != nil {
			d.noted.enter("", count)
		}
		place := at(addressOf(items), uintptr(n)*c.item.size)
		if skipping == nil {
			d.value(c.item, place)
			n++
		} else if start := d.at; d.fitting(c.item, place) {
			skipping.items = append(skipping.items, [2]int{start, d.at})
			n++
		}
		if d.bad {
			d.stepIndex(count)
			return count
		}
		if d.noted != nil {
			d.noted.leave()
		}
	}
	*sliceAt(p) = sliceHeader{addressOf(items), n, room}
	return count
}

// fitting decodes a value, or skips one that is invalid but can be kept.
func (d *decoder) fitting(c *codec, p address) bool {
	before, marks := *d, d.noted.mark()
	if d.value(c, p); !d.bad {
		return true
	}
	if d.pardon(before, marks) {
		valueAt(c.typ, p).SetZero()
	}
	return false
}

// count returns the number of items in the current array without moving the cursor.
func (d *decoder) count() (n int) {
	ahead := decoder{data: d.data, at: d.at, depth: d.depth, fresh: d.fresh}
	for ahead.item() {
		ahead.skip()
		n++
	}
	return n
}

func (d *decoder) mapping(c *codec, p address) {
	if d.peek() != '{' {
		d.wrongType("object")
		return
	}
	if !d.open('{') {
		return
	}
	entries := reflect.MakeMap(c.typ)
	count := 0
	for d.next() {
		key := d.key()
		if d.noted != nil {
			d.noted.enter(key, -1)
		}
		entry := reflect.New(c.item.typ)
		d.entry(c, key, addressOf(entry))
		if d.bad {
			d.step(key)
			return
		}
		if d.noted != nil {
			d.noted.leave()
		}
		entries.SetMapIndex(reflect.ValueOf(key).Convert(c.key), entry.Elem())
		if count++; entries.Len() != count {
			d.repeated() // notes about the first entry do not count
			return
		}
	}
	valueAt(c.typ, p).Set(entries)
}

// entry decodes an entry of a map, whose key need not be a value of the enum of keys.
func (d *decoder) entry(c *codec, key string, p address) {
	if c.keys == nil || c.keys.open && !d.strict && d.noted == nil || c.keys.hasKey(key) {
		d.value(c.item, p)
		return
	}
	refused := d.strict || !c.keys.open
	if !refused {
		d.noted.add()
	}
	before := len(d.steps)
	d.value(c.item, p)
	if !refused || d.bad && (d.fault == nil || len(d.steps) > before) {
		return
	}
	if !d.bad || precedence(d.fault.Code) > precedence(CodeUnknownValue) {
		d.bad = true
		d.fault = &DecodeError{Code: CodeUnknownValue, Message: quote(key) + " is not a value of " + c.keys.name}
	}
}

func precedence(code Code) int { return slices.Index(codes, code) }

// choice decodes a value whose kind selects the alternative.
func (d *decoder) choice(c *codec, p address) {
	if c.typ.NumMethod() == 0 {
		d.alternative(c, p)
		return
	}
	var held any
	if d.alternative(c, address(&held)); held != nil {
		valueAt(c.typ, p).Set(reflect.ValueOf(held))
	}
}

// alternative decodes a value into an interface without methods.
func (d *decoder) alternative(c *codec, p address) {
	first := d.peek()
	for i := range c.cases {
		each := &c.cases[i]
		if strings.IndexByte(each.begins, first) < 0 || first == 0 {
			continue
		}
		switch kind := each.codec.kind; {
		case kind == kindText && each.codec.typ == textType:
			text := ""
			d.string(each.codec, address(&text))
			*anyAt(p) = text
		case kind == kindNull:
			d.word("null")
		case kind == kindVariant:
			d.variant(each.codec, p, true)
		case kind == kindStruct || kind == kindFlat:
			q := newOf(each.codec.typ)
			d.value(each.codec, q)
			*anyAt(p) = asAny(each.codec.typ, q)
		default:
			q := reflect.New(each.codec.typ)
			d.value(each.codec, addressOf(q))
			*anyAt(p) = q.Elem().Interface()
		}
		return
	}
	d.wrongType(c.choice.expected)
}

// --- objects ---------------------------------------------------------------------------------------

// structure decodes an object into a struct.
func (d *decoder) structure(l *layout, p address) {
	if d.peek() != '{' {
		d.wrongType("object")
		return
	}
	if !d.open('{') {
		return
	}
	var room [2]uint64 // enough for most structs
	seen := room[:]
	if len(l.required) > len(room) {
		seen = make([]uint64, len(l.required))
	}
	r := extraAt(at(p, l.extraOffset))
	if l.marked {
		r.rarely().as = l.table
	}
	var rest []byte
	next := 0
	for d.next() {
		i := l.find(d.name, next)
		if i < 0 {
			if l.rest >= 0 {
				rest = d.part(rest)
			} else {
				d.undeclared(l, r)
			}
			continue
		}
		next = i + 1
		f := &l.fields[i]
		if seen[i/64]>>(i%64)&1 != 0 {
			d.repeated()
			return
		}
		seen[i/64] |= 1 << (i % 64)
		if d.noted != nil {
			d.noted.enter(f.key, -1)
		}
		d.member(f, at(p, f.offset), r)
		if d.bad {
			d.step(f.key)
			return
		}
		if d.noted != nil {
			d.noted.leave()
		}
	}
	if d.bad {
		return
	}
	if i := l.lacks(seen); i >= 0 {
		d.failAt(l.fields[i].key, CodeMissingField, "expected member "+quote(l.fields[i].key)+", got none")
		return
	}
	if l.rest >= 0 {
		d.flattened(&l.fields[l.rest], p, rest)
	}
}

func (d *decoder) member(f *field, p address, r *Extra) {
	switch {
	case f.flags&constant != 0:
		d.constant(f.value, f.constant, f.codec, p)
	case f.flags&varying != 0 && f.held == nil:
		d.tag(f, p)
	case d.peek() == 'n' && d.isNull(f, p, r):
	case f.claimed != nil && d.isClaimed(f):
	case f.repair != nil && !d.strict:
		d.tolerant(f, p, r)
	default:
		d.field(f, p, r)
	}
}

// field decodes a member that is not null.
func (d *decoder) field(f *field, p address, r *Extra) {
	switch {
	case f.held != nil:
		d.hold(f, r)
		return
	case f.codec.kind == kindUUID:
		d.uuid(p, r, f.key)
	case f.codec.kind == kindPointer && f.codec.item.kind == kindUUID:
		q := newOf(uuidType)
		*pointerAt(p) = q
		d.uuid(q, r, f.key)
	case f.codec.kind == kindNullable && f.codec.item.kind == kindUUID:
		q := newOf(uuidType)
		*pointerAt(p) = q
		d.uuid(q, r, f.key)
	default:
		d.value(f.codec, p)
	}
	if f.isValue && !d.bad && valueAt(f.codec.typ, p).IsZero() {
		m := r.rarely()
		m.zeros = append(m.zeros, zeroMember{f.key, false})
	}
}

// hold decodes a member for which the struct has no field.
func (d *decoder) hold(f *field, r *Extra) {
	start, skipping := d.at, d.skipping
	if d.value(f.held, newOf(f.held.typ)); d.bad {
		return
	}
	raw := string(d.data[start:d.at])
	if skipping != nil {
		raw = skipping.text(d.data)
	}
	m := r.rarely()
	m.held = append(m.held, heldMember{f.key, raw})
}

// fitting records the items to keep of a list from which invalid items are dropped.
type fitting struct{ items [][2]int }

// text returns the text of the list without the dropped items.
func (s *fitting) text(data []byte) string {
	b := []byte{'['}
	for i, each := range s.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, data[each[0]:each[1]]...)
	}
	return string(append(b, ']'))
}

// tolerant decodes a member and repairs its value if it is invalid but can be kept.
func (d *decoder) tolerant(f *field, p address, r *Extra) {
	start, before, marks := d.at, *d, d.noted.mark()
	if f.repair.skip {
		d.skipping = &fitting{}
	}
	d.field(f, p, r)
	d.skipping = nil
	if !d.bad || !f.repair.absent && f.repair.value == "" {
		return
	}
	if !d.pardon(before, marks) {
		return
	}
	if f.held == nil {
		valueAt(f.codec.typ, p).SetZero()
	}
	if f.repair.absent {
		if !r.add(extraMember{key: f.key, raw: d.kept(start)}) {
			d.repeated()
		}
		return
	}
	inner := begin([]byte(f.repair.value), LenientMode)
	if inner.peek() != 'n' || !inner.isNull(f, p, r) {
		inner.field(f, p, r)
	}
}

// pardon skips and notes the value at which decoding has stopped, if the value can be kept. It stops at
// duplicate keys, as the fault may be in a member that is overwritten.
func (d *decoder) pardon(before decoder, marks notedMark) bool {
	if d.fault == nil || d.firm {
		return false
	}
	after := *d
	d.reset(&before)
	d.noted.reset(marks)
	if d.raw(); d.bad {
		if d.fault != nil {
			d.reset(&after)
			d.firm = true
		}
		return false
	}
	if d.noted != nil {
		d.noted.add()
	}
	return true
}

// kept returns the text of a value that was read, on one line.
func (d *decoder) kept(start int) string {
	raw := d.data[start:d.at]
	if hasBreaks(raw) {
		return string(compact(raw))
	}
	return d.stored(raw)
}

// isNull decodes a null; it returns false if the member's type decides about null.
func (d *decoder) isNull(f *field, p address, r *Extra) bool {
	if f.flags&nullable == 0 {
		if f.flags&required != 0 {
			return false
		}
		if d.word("null") {
			d.pass(CodeWrongType, func() string { return "expected " + expected(f.of) + ", got null" })
			if !r.add(extraMember{key: f.key, raw: "null"}) {
				d.repeated()
			}
		}
		return true
	}
	switch {
	case !d.word("null") || f.isNil:
	case f.held != nil:
		m := r.rarely()
		m.held = append(m.held, heldMember{f.key, "null"})
	case f.codec.kind == kindNullable:
		*boolAt(at(p, f.codec.null)) = true
	case f.codec.kind == kindAny || f.codec.kind == kindChoice:
		*anyAt(p) = Null{}
	default:
		m := r.rarely()
		m.zeros = append(m.zeros, zeroMember{f.key, true})
	}
	return true
}

// tag decodes a member that identifies the struct by one of several values.
func (d *decoder) tag(f *field, p address) {
	c, p := f.codec.room(p)
	text, n, shown := "", int64(0), ""
	if c.kind == kindInt {
		d.whole(p)
		n = *intAt(p)
		shown = strconv.FormatInt(n, 10)
	} else if d.peek() != '"' {
		d.wrongType("string")
	} else {
		text = d.glance()
		if own := f.enum.own(text); own != "" {
			*textAt(p) = own
		} else {
			*textAt(p) = d.stored(bytesOf(text))
		}
	}
	if d.bad {
		return
	}
	fits, declared := f.takes(text, n)
	if declared {
		return
	}
	message := func() string {
		if c.kind != kindInt {
			shown = quote(text)
		}
		return "expected " + f.expected() + ", got " + shown
	}
	if !fits {
		d.fail(CodeUnknownValue, message())
		return
	}
	d.pass(CodeUnknownValue, message)
}

// room returns where a value is stored and its codec there, if the variable may be a pointer.
func (c *codec) room(p address) (*codec, address) {
	if c.kind != kindPointer {
		return c, p
	}
	q := newPlace(c.item)
	*pointerAt(p) = q
	return c.item, q
}

// constant decodes a constant, whose JSON is text, and stores it if there is a codec for it.
func (d *decoder) constant(value any, text string, c *codec, p address) {
	if c != nil {
		c, p = c.room(p)
	}
	start := d.peek()
	from := d.at
	switch want := value.(type) {
	case string:
		if start != '"' {
			d.wrongType("string")
			return
		}
		if d.at++; !bytes.HasPrefix(d.data[d.at:], []byte(want)) || len(d.data) <= d.at+len(want) ||
			d.data[d.at+len(want)] != '"' || len(text) != len(want)+2 {
			if d.at = from; d.glance() != want && !d.bad {
				d.wrongConstant(text, from)
			}
		} else {
			d.at += len(want) + 1
		}
		if c != nil {
			*textAt(p) = want
		}
	case bool:
		if start != 't' && start != 'f' {
			d.wrongType("boolean")
			return
		}
		if d.boolean() != want && !d.bad {
			d.wrongConstant(text, from)
		}
		if c != nil {
			*boolAt(p) = want
		}
	case int64:
		if !d.isNumber() {
			d.wrongType("integer")
			return
		}
		if d.integer() != want && !d.bad {
			d.wrongConstant(text, from)
		}
		if c != nil {
			*intAt(p) = want
		}
	case float64:
		if !d.isNumber() {
			d.wrongType("number")
			return
		}
		given, _ := d.number()
		if x, err := parseFloat(string(given)); !d.bad && (err != nil || x != want) {
			d.wrongConstant(text, from)
		}
		switch {
		case c == nil:
		case c.kind == kindInt:
			*intAt(p) = int64(want)
		default:
			*floatAt(p) = want
		}
	}
}

func (d *decoder) wrongConstant(text string, from int) {
	d.fail(CodeWrongConstant, "expected "+text+", got "+cut(string(d.data[from:d.at])))
}

// isClaimed stops decoding at a value that belongs to a sibling variant.
func (d *decoder) isClaimed(f *field) bool {
	start := d.at
	var value any
	switch d.peek() {
	case '"':
		value = d.glance()
	case 't', 'f':
		value = d.boolean()
	default:
		if d.isNumber() {
			text, _ := d.number()
			value, _ = parseFloat(string(text))
		}
	}
	belongs := func(claimed any) bool {
		begins, ok := claimed.(prefix)
		text, _ := value.(string)
		return claimed == value || ok && strings.HasPrefix(text, string(begins))
	}
	if value != nil && !d.bad && slices.ContainsFunc(f.claimed, belongs) {
		d.fail(CodeWrongConstant, cut(string(d.data[start:d.at]))+" belongs to another variant")
		return true
	}
	d.at = start
	return d.bad
}

// undeclared keeps a member that the struct does not declare.
func (d *decoder) undeclared(l *layout, r *Extra) {
	key := d.key()
	if r.keeps(key) {
		d.repeated()
		return
	}
	if d.noted != nil {
		d.noted.enter(key, -1)
		defer d.noted.leave()
	}
	d.peek()
	start := d.at
	if l.extra != nil && l.extra.kind == kindAny {
		d.raw()
	} else if l.extra != nil {
		if d.value(l.extra, newOf(l.extra.typ)); !d.bad {
			d.at = start
			d.raw()
		}
	} else if d.raw(); !d.bad {
		d.pass(CodeUnknownField, func() string { return quote(key) + " is not a field of " + l.table.name })
	}
	if d.bad {
		d.step(key)
		return
	}
	r.add(extraMember{key: key, raw: d.kept(start)})
}

// part adds the current member to the text of the members of a flattened value.
func (d *decoder) part(text []byte) []byte {
	if text == nil {
		text = append(text, '{')
	} else {
		text = append(text, ',')
	}
	key := d.key()
	text = append(appendText(text, key), ':')
	d.peek()
	start := d.at
	d.lax = true // the member's type decides about numbers
	if d.skip(); d.bad {
		d.step(key)
	}
	d.lax = false
	return append(text, d.data[start:d.at]...)
}

// flattened decodes a value from the text that part collected.
func (d *decoder) flattened(f *field, p address, text []byte) {
	if text == nil {
		if f.flags&required == 0 {
			return
		}
		text = []byte("{")
	}
	inner := decoder{data: append(text, '}'), depth: d.depth, strict: d.strict, noted: d.noted}
	inner.value(f.codec, at(p, f.offset))
	d.bad, d.fault, d.steps = inner.bad, inner.fault, inner.steps
}

// --- variants --------------------------------------------------------------------------------------

// way is the state of following a dispatch.
type way struct {
	open    *steps // of the outermost open union
	flat    *flat
	doubt   bool // the variant was selected by a pattern
	doubted string
}

// variant decodes an object into an interface or a flat struct; loose means an interface without methods.
func (d *decoder) variant(c *codec, p address, loose bool) {
	if d.peek() != '{' {
		d.wrongType("object")
		return
	}
	w := way{}
	if c.flat != nil && c.flat.others != nil {
		w.flat = c.flat
	}
	of := d.follow(c.union.ready(), &w)
	if d.bad {
		return
	}
	if of != nil && w.doubt {
		before, marks := *d, d.noted.mark()
		if d.leaf(c, of, &w, p, loose); d.bad && d.fault != nil {
			d.reset(&before)
			d.noted.reset(marks)
			if !loose {
				valueAt(c.typ, p).SetZero()
			}
			if d.noted != nil {
				d.noted.enter(w.doubted, -1)
				d.noted.add()
				d.noted.leave()
			}
			d.stray(c, &w, p, loose)
		}
		return
	}
	if of == nil {
		d.stray(c, &w, p, loose)
		return
	}
	d.leaf(c, of, &w, p, loose)
}

// leaf decodes the variant that was selected.
func (d *decoder) leaf(c *codec, of rule, w *way, p address, loose bool) {
	t := resolve(of).(*table)
	switch {
	case w.flat == nil:
		l := t.ready()
		q := newOf(l.typ)
		if d.structure(l, q); !d.bad {
			c.store(p, t, l.typ, q, loose)
		}
	case c.kind == kindFlat:
		d.structure(w.flat.ready().of[t], p)
	default:
		l := w.flat.ready()
		q := newOf(l.typ)
		if d.structure(l.of[t], q); !d.bad {
			c.store(p, w.flat, l.typ, q, loose)
		}
	}
	d.noted.variant(t.name)
}

// store stores a pointer to a variant in the interface at p.
func (c *codec) store(p address, of any, typ reflect.Type, q address, loose bool) {
	if loose {
		*anyAt(p) = asAny(typ, q)
		return
	}
	*interfaceAt(p) = interfaceHeader{c.union.holds().words[of], q}
}

// stray decodes an object that is not a declared variant.
func (d *decoder) stray(c *codec, w *way, p address, loose bool) {
	u := resolve(w.open.unknown).(*unknown)
	if c.kind == kindFlat {
		l := w.flat.ready()
		raw := d.untouchedObject()
		for _, each := range l.keys {
			*textAt(at(p, each.offset)) = textOf(raw, each.key)
		}
		m := extraAt(at(p, l.extraOffset)).rarely()
		m.raw, m.unknown = raw, u
	} else {
		typ := reflect.TypeOf(u.typ).Elem()
		q := newOf(typ)
		if d.untouched(u, q); !d.bad {
			c.store(p, u, typ, q, loose)
		}
	}
	d.noted.variant("Unknown")
}

// untouched decodes an Unknown.
func (d *decoder) untouched(u *unknown, p address) {
	l := u.ready()
	raw := d.untouchedObject()
	*bytesAt(at(p, l.raw)) = raw
	for _, each := range l.keys {
		*textAt(at(p, each.offset)) = textOf(raw, each.key)
	}
}

func (d *decoder) untouchedObject() []byte {
	if d.peek() != '{' {
		d.wrongType("object")
		return nil
	}
	return slices.Clone(d.raw())
}

// textOf returns the text of a member of an object, or "" if there is no such text.
func textOf(raw []byte, key string) string {
	d := decoder{data: raw}
	if d.find(key) && d.peek() == '"' {
		return strings.Clone(d.glance())
	}
	return ""
}

// find moves to the value of a member of the next object.
func (d *decoder) find(key string) bool {
	if !d.open('{') {
		return false
	}
	d.lax = true // faults of other members have lower precedence
	defer func() { d.lax = false }()
	for d.next() {
		if string(d.name) == key {
			return !d.bad
		}
		d.overMember(false)
	}
	return false
}

// follow returns the struct that the discriminators select, or nil if they select none and the union is
// open.
func (d *decoder) follow(s *steps, w *way) rule {
	for {
		if s.open && w.open == nil {
			w.open = s
		}
		if s.flat != nil && w.flat == nil {
			w.flat = s.flat
		}
		switch next := d.choose(s, w).(type) {
		case *steps:
			s = next
		case resolver:
			return next
		default:
			return nil
		}
	}
}

// choose takes one step: it returns a rule, further steps, or nil if the object is not a declared
// variant.
func (d *decoder) choose(s *steps, w *way) any {
	if s.byKeys != nil {
		return d.byKeys(s)
	}
	at, depth := d.at, d.depth
	found := d.find(s.key)
	then, shown := any(nil), ""
	switch c := d.peek(); {
	case d.bad:
	case !found:
		if then = s.absent; then == nil {
			d.failAt(s.key, CodeMissingField, "expected member "+quote(s.key)+", got none")
		}
	case c == '"' && s.base == isString:
		then, shown = d.byText(s, w)
	case s.base == isInteger && d.isNumber():
		then, shown = d.byNumber(s, w)
	case (c == 't' || c == 'f') && s.base == isBool:
		flag := d.boolean()
		if then = s.flags[flag]; then == nil {
			then, shown = s.absent, strconv.FormatBool(flag)
		}
	default:
		if d.wrongType(scalarKinds[s.base]); d.fault != nil {
			d.step(s.key)
		}
	}
	if d.at, d.depth, d.fresh = at, depth, false; then == nil && !d.bad {
		d.noVariant(s, CodeUnknownVariant, s.key, "expected "+s.shown+", got "+shown)
	}
	return then
}

// byText follows the text of a discriminator; if there is no match, it returns how to show the text.
func (d *decoder) byText(s *steps, w *way) (then any, shown string) {
	text := d.glance()
	if then, ok := s.texts[text]; ok || d.bad {
		return then, ""
	}
	for _, each := range s.prefixes {
		if strings.HasPrefix(text, each.text) {
			return each.then, ""
		}
	}
	for _, other := range s.others {
		if glob(other.glob, text) {
			return d.guess(s, w, other.of, quote(text)), ""
		}
	}
	return nil, quote(text)
}

// byNumber is like byText for an integer; a pattern matches any integer.
func (d *decoder) byNumber(s *steps, w *way) (then any, shown string) {
	n := d.integer()
	if d.bad {
		if d.fault != nil {
			d.step(s.key)
		}
		return nil, ""
	}
	shown = strconv.FormatInt(n, 10)
	if then, ok := s.numbers[n]; ok {
		return then, ""
	}
	if len(s.others) > 0 {
		return d.guess(s, w, s.others[0].of, shown), ""
	}
	return nil, shown
}

// guess selects the variant of a pattern, although the object may turn out not to be one.
func (d *decoder) guess(s *steps, w *way, of rule, shown string) any {
	if d.strict {
		d.failAt(s.key, CodeUnknownValue, "expected "+s.shown+", got "+shown)
		return nil
	}
	w.doubt, w.doubted = w.open != nil, s.key
	return of
}

// byKeys selects the variant by the keys that the object has.
func (d *decoder) byKeys(s *steps) any {
	ahead := decoder{data: d.data, at: d.at, depth: d.depth, lax: true}
	there := make([]bool, len(s.keys))
	ahead.open('{')
	for ahead.next() {
		if i := slices.Index(s.keys, string(ahead.name)); i >= 0 {
			there[i] = true
		}
		ahead.overMember(false)
	}
	if ahead.bad {
		d.bad = true
		return nil
	}
	has := func(key string) bool { return there[slices.Index(s.keys, key)] }
	for _, each := range s.byKeys {
		if !slices.ContainsFunc(each.lacks, has) && all(each.has, has) {
			return each.then
		}
	}
	d.noVariant(s, CodeNoVariant, "", "no variant of "+s.union+" has these members")
	return nil
}

func all(keys []string, is func(string) bool) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !is(key) })
}

// noVariant reports that no variant was found, at a member or at the object itself.
func (d *decoder) noVariant(s *steps, code Code, key, message string) {
	if !s.open || d.strict {
		if d.fail(code, message); key != "" {
			d.step(key)
		}
		return
	}
	if d.noted == nil {
		return
	}
	if key == "" {
		d.noted.add()
		return
	}
	d.noted.enter(key, -1)
	d.noted.add()
	d.noted.leave()
}

// --- structs for several kinds of values -----------------------------------------------------------

// mixed decodes a value into the field for its kind, or an object into the other fields.
func (d *decoder) mixed(c *codec, p address) {
	l, first := c.flat.ready(), d.peek()
	for i := range l.others {
		if each := &l.others[i]; first != 0 && strings.IndexByte(each.begins, first) >= 0 {
			d.value(each.codec, at(p, each.offset))
			return
		}
	}
	switch {
	case first != '{' || len(l.leaves) == 0:
		d.wrongType(c.flat.expected)
		return
	case c.union == nil:
		d.structure(l.leaves[0], p)
	default:
		d.variant(c, p, false)
	}
	if !d.bad && !l.hasMember(p) {
		extraAt(at(p, l.extraOffset)).rarely().isObject = true
	}
}

// --- forms -----------------------------------------------------------------------------------------

var formNames = [...]string{isUUID: "uuid", isTimestamp: "timestamp"}

// matches reports whether text has a form.
func (of scalar) matches(text string) bool {
	if of == isUUID {
		return formed(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
	}
	return isTimestampText(text)
}

// formed reports whether text has a form, in which h stands for a hexadecimal digit, d for a digit, and
// any other byte for itself.
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

func isTimestampText(text string) bool {
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

// parseUUID parses a UUID and reports whether the text is its canonical form.
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

// --- for messages ----------------------------------------------------------------------------------

// quote writes a text as JSON, shortened for messages.
func quote(text string) string { return cut(string(appendText(nil, text))) }

func cut(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:56], "") + ` …`
	}
	return text
}

func oneOf(shown []string) string {
	switch {
	case len(shown) == 1:
		return shown[0]
	case len(shown) > 8:
		shown = append(slices.Clone(shown[:8]), "…")
	}
	return "one of " + strings.Join(shown, ", ")
}
