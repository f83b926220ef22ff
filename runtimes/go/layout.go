// Converts tables and Go types to the structures that the engine uses: where each field is, and what it
// holds.
//
// A layout is derived when the first value of its table is decoded or encoded.

package polywireruntime

import (
	"cmp"
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// kind classifies variables in memory for the engine.
type kind uint8

const (
	kindText kind = iota
	kindBool
	kindInt
	kindFloat
	kindUUID
	kindAny
	kindObject
	kindNull
	kindTextEnum
	kindIntEnum
	kindList
	kindTexts // a list of plain strings
	kindMap
	kindPointer
	kindOrNull
	kindNullable
	kindStruct
	kindVariant // an interface
	kindFlat
	kindUnknown
	kindChoice
	kindTuple
	kindLiteral
	kindBounded
)

// codec describes how a Go type represents a rule. The fields used for every value are in one cache line.
type codec struct {
	kind     kind
	form     scalar // of a text: isString, isUUID or isTimestamp
	size     uintptr
	item     *codec
	table    *table
	union    *union
	enum     *enum
	typ      reflect.Type
	of       rule
	key      reflect.Type
	readers  *sync.Pool // of a map
	isCounts bool       // whether a map is a map[string]int64
	list     *list
	keys     *enum
	flat     *flat
	choice   *choice
	cases    []caseCodec
	items    []itemCodec // of a tuple
	text     string      // the JSON of a literal
	null     uintptr     // the offset of the flag with which a Nullable represents null
}

// mapReader has what it takes to read a map of any type. It is used again, which saves its allocations.
type mapReader struct {
	next   reflect.MapIter
	key    reflect.Value
	values reflect.Value // room for a few values, in a list
}

// itemCodec is an item of a tuple, with its offset.
type itemCodec struct {
	codec  *codec
	offset uintptr
}

type caseCodec struct {
	begins string
	codec  *codec
}

// layout is a table as represented by a Go type.
type layout struct {
	table       *table
	typ         reflect.Type
	fields      []field
	members     []member // of the fields, close together
	tags        []*field // the fields whose values select a variant
	index       []int32  // of fields by their keys, see place
	required    []uint64
	extraOffset uintptr
	rest        int // the index of the flattened field, or -1
	marked      bool
	idle        []string // for a variant of a flat struct, see idleFields
	isShared    bool     // another table may be meant, see current
	extra       *codec
}

// member is what an encoder needs of a field for every value: one cache line.
type member struct {
	label   string // the quoted key and the colon
	whole   string // the label, the value if it is constant, or null if nil means null, and a comma
	codec   *codec // nil of a constant, and of a member that the Go type has no field for
	offset  uintptr
	want    *string // the value if it is always the same text
	null    uint32  // of a Nullable: the offset of the flag with which it represents null
	writing writing
	// omitted means that nil represents an absent member unless the Extra states otherwise.
	omitted bool
}

// field is a member of an object with all that is known about it.
type field struct {
	member
	// isValue means that an optional member is in a field that cannot be nil, so that its zero value
	// means absent unless the Extra states otherwise.
	isValue bool
	// isNil means that nil represents null.
	isNil bool
	*row
	constant string // the value if that is always the same
	held     *codec // of a member that the Go type has no field for
	size     uintptr
	value    any   // of a constant; of a varying tag, what its other values are like
	enum     *enum // of a varying tag
	claimed  []any // values that belong to sibling variants
	repair   *repaired
}

// writing is the way in which an encoder obtains the value of a member. All but the first are shortcuts.
type writing uint8

const (
	byPresence   writing = iota
	fromText             // from a field of text that is always there
	fromField            // from another field that is always there
	fromPointer          // from what a field points to, unless that is nil
	fromNullable         // the same, from a field that can be null
	fromNilable          // from another field that begins with a pointer, unless that is nil
	fromUUID             // from a field of a UUID that is always there
	fromTag              // from a field that holds the same text in every object, or is empty
	fromTable            // it is the same in every object, without a field
)

func (t *table) ready() *layout {
	if made, ok := t.layout.get().(*layout); ok {
		return made
	}
	return t.layout.derive(func() any { return layoutOf(t, reflect.TypeOf(t.typ).Elem()) }).(*layout)
}

// layoutOf derives the layout of a table for a struct, which need not have a field for every member.
func layoutOf(t *table, typ reflect.Type) *layout {
	made := &layout{table: t, typ: typ, rest: -1, extraOffset: extraOffset(typ), marked: t.marked}
	made.isShared = t.shared != nil
	made.fields = make([]field, len(t.rows))
	made.required = make([]uint64, (len(t.rows)+63)/64)
	for i := range t.rows {
		r := &t.rows[i]
		f := &made.fields[i]
		f.row, f.label = r, string(appendText(nil, r.key))+":"
		f.unwrap(r.of)
		if r.flags&flattened != 0 {
			made.rest = i
		} else if r.flags&required != 0 {
			made.required[i/64] |= 1 << (i % 64)
		}
		if r.flags&constant != 0 {
			f.constant = constantText(f.value)
			f.whole = f.label + f.constant + ","
		}
		if found, ok := typ.FieldByName(r.field); ok && fits(r, t, found.Type) {
			f.offset, f.size = offsetOf(typ, found.Index), found.Type.Size()
			f.describe(found.Type)
			if r.flags&(constant|varying) != 0 {
				made.tags = append(made.tags, f)
			}
		} else if r.flags&constant == 0 {
			f.held = codecOf(r.of, fieldOf(reflect.TypeOf(t.typ).Elem(), r.field))
		} else {
			f.writing = fromTable
		}
	}
	made.joinLabels()
	made.enter()
	if t.extra != nil {
		made.extra = codecOf(t.extra, plainType(t.extra))
	}
	return made
}

// unwrap evaluates the parts of a rule that concern the member rather than its type.
func (f *field) unwrap(of rule) {
	switch of := of.(type) {
	case *claiming:
		f.claimed = of.values
		f.unwrap(of.of)
	case *repaired:
		f.repair = of
	case *varied:
		f.value = of.others
	case *literal:
		if f.flags&constant != 0 {
			f.value = of.value
		}
	}
}

// fits reports whether a field of a struct other than the table's own can hold a member: it has the same
// type, or is a pointer to it.
func fits(r *row, t *table, typ reflect.Type) bool {
	own := fieldOf(reflect.TypeOf(t.typ).Elem(), r.field)
	return own == typ || typ.Kind() == reflect.Pointer && typ.Elem() == own
}

func fieldOf(typ reflect.Type, name string) reflect.Type {
	found, _ := typ.FieldByName(name)
	return found.Type
}

func offsetOf(typ reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		f := typ.Field(i)
		offset, typ = offset+f.Offset, f.Type
	}
	return offset
}

func extraOffset(typ reflect.Type) uintptr {
	found, _ := typ.FieldByName("Extra")
	return offsetOf(typ, found.Index)
}

func (f *field) describe(typ reflect.Type) {
	switch {
	case f.flags&constant != 0:
		f.codec = codecs{}.constant(f.value, typ)
		if text, ok := f.value.(string); ok {
			f.want, f.writing = &text, fromTag
		}
	case f.flags&varying != 0:
		f.enum, _ = resolve(f.of).(*enum)
		if f.codec = codecOf(isString, typ); f.enum != nil && f.enum.numbers != nil {
			f.codec = codecOf(isInteger, typ)
		}
	default:
		f.codec = codecOf(f.of, typ)
		kind := typ.Kind()
		hasNil := kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map || kind == reflect.Interface
		f.isValue = f.flags&required == 0 && !hasNil && f.codec.kind != kindNullable
		f.isNil = f.flags&required != 0 && hasNil
		if f.claimed == nil {
			f.writing, f.null = f.codec.writing(f.flags), uint32(f.codec.null)
		}
		f.omitted = hasNil && f.flags&required == 0
		if f.isNil && f.flags&nullable != 0 {
			f.whole = f.label + "null,"
		}
	}
}

// takes reports whether a varying tag accepts a text or an integer, and whether that value is declared.
func (f *field) takes(text string, n int64) (fits, declared bool) {
	pattern, _ := f.value.(string)
	switch begins, ok := f.value.(prefix); {
	case ok:
		fits = strings.HasPrefix(text, string(begins))
		return fits, fits
	case f.enum.numbers != nil:
		declared = f.enum.hasNumber(float64(n))
		return declared || pattern != "", declared
	}
	declared = f.enum.hasText(text)
	return declared || pattern != "" && glob(pattern, text), declared
}

// expected describes the valid values of a varying tag, for messages.
func (f *field) expected() string {
	if begins, ok := f.value.(prefix); ok {
		return quote(string(begins) + "…")
	}
	shown := make([]string, 0, len(f.enum.texts)+len(f.enum.numbers))
	for _, each := range f.enum.texts {
		shown = append(shown, quote(each))
	}
	for _, each := range f.enum.numbers {
		shown = append(shown, constantText(each))
	}
	return oneOf(shown)
}

func (c *codec) writing(of flags) writing {
	switch c.kind {
	case kindText:
		if of == required {
			return fromText
		}
	case kindUUID:
		if of == required {
			return fromUUID
		}
	case kindBool, kindInt, kindFloat, kindTextEnum, kindIntEnum, kindStruct, kindFlat, kindTuple, kindLiteral,
		kindBounded:
		if of == required {
			return fromField
		}
	case kindPointer, kindNullable:
		switch {
		case c.item.kind == kindUUID || of&flattened != 0:
		case c.kind == kindPointer || of&required != 0:
			return fromPointer
		default:
			return fromNullable
		}
	case kindAny, kindObject, kindList, kindTexts, kindMap, kindVariant, kindOrNull:
		if of&flattened == 0 {
			return fromNilable
		}
	case kindChoice:
		if of&(flattened|nullable) == 0 {
			return fromNilable
		}
	}
	return byPresence
}

func constantText(value any) string {
	switch value := value.(type) {
	case string:
		return string(appendText(nil, value))
	case bool:
		return strconv.FormatBool(value)
	case int64:
		return strconv.FormatInt(value, 10)
	}
	return string(appendFloat(nil, value.(float64)))
}

// joinLabels stores what an encoder needs next to each other, in order: the texts that it copies, and the
// members.
func (l *layout) joinLabels() {
	var all strings.Builder
	for i := range l.fields {
		all.WriteString(cmp.Or(l.fields[i].whole, l.fields[i].label))
	}
	rest := all.String()
	for i := range l.fields {
		f := &l.fields[i]
		n := len(cmp.Or(f.whole, f.label))
		f.label = rest[:len(f.label)]
		if f.whole != "" {
			f.whole = rest[:n]
		}
		rest = rest[n:]
	}
	l.members = make([]member, len(l.fields))
	for i := range l.fields {
		l.members[i] = l.fields[i].member
	}
}

// enter builds the index of the fields: a table with linear probing, twice as large as the number of
// fields.
func (l *layout) enter() {
	size := 2
	for size < 2*len(l.fields) {
		size *= 2
	}
	l.index = make([]int32, size)
	for i := range l.fields {
		if i == l.rest {
			continue
		}
		at := l.place([]byte(l.fields[i].key))
		for l.index[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		l.index[at] = int32(i + 1)
	}
}

// place returns where to look for a key in the index. The fields of a table mostly differ in their
// length, or in their first or last bytes.
func (l *layout) place(key []byte) int {
	n := len(key)
	if n == 0 {
		return 0
	}
	return (n + 7*int(key[0]) + 31*int(key[n/2]) + 127*int(key[n-1])) & (len(l.index) - 1)
}

// find returns the index of the member with a key, or -1. Members mostly arrive in order.
func (l *layout) find(key []byte, next int) int {
	if next < len(l.fields) && l.fields[next].key == string(key) && next != l.rest {
		return next
	}
	return l.search(key)
}

func (l *layout) search(key []byte) int {
	for at := l.place(key); l.index[at] != 0; at = (at + 1) & (len(l.index) - 1) {
		if i := int(l.index[at]) - 1; l.fields[i].key == string(key) {
			return i
		}
	}
	return -1
}

// lacks returns the index of a required member that was not seen, or -1.
func (l *layout) lacks(seen []uint64) int {
	for word, want := range l.required {
		if missing := want &^ seen[word]; missing != 0 {
			return word*64 + bits.TrailingZeros64(missing)
		}
	}
	return -1
}

var (
	uuidType   = reflect.TypeFor[uuid.UUID]()
	anyType    = reflect.TypeFor[any]()
	objectType = reflect.TypeFor[map[string]any]()
	textType   = reflect.TypeFor[string]()
	countsType = reflect.TypeFor[map[string]int64]()
)

// codecOf derives how a Go type represents a rule.
func codecOf(of rule, typ reflect.Type) *codec { return codecs{}.of(of, typ) }

// codecs are those of the aliases that are being derived, as a recursive type has a recursive codec.
type codecs map[heldAlias]*codec

type heldAlias struct {
	alias *alias
	typ   reflect.Type
}

// constant derives the codec of a constant.
func (open codecs) constant(value any, typ reflect.Type) *codec {
	of := scalarOf(value)
	if of == isNumber && typ.Kind() == reflect.Int64 {
		of = isInteger
	}
	return open.of(of, typ)
}

func (open codecs) of(of rule, typ reflect.Type) *codec {
	if _, ok := of.(scalar); ok {
		if made, ok := scalars.Load(heldRule{of, typ}); ok {
			return made.(*codec)
		}
		made, _ := scalars.LoadOrStore(heldRule{of, typ}, open.derive(of, typ))
		return made.(*codec)
	}
	return open.derive(of, typ)
}

// scalars has the codecs of scalars, which many fields share: the fewer there are, the more of them stay in
// the cache.
var scalars sync.Map

type heldRule struct {
	of  rule
	typ reflect.Type
}

func (open codecs) derive(of rule, typ reflect.Type) *codec {
	c := &codec{of: of, typ: typ, size: typ.Size()}
	if isNullable(typ) {
		null, _ := typ.FieldByName("Null")
		c.kind, c.null = kindNullable, null.Offset
		c.item = open.of(of, typ.Field(0).Type.Elem())
		return c
	}
	resolved := resolve(of)
	for {
		again, ok := resolved.(*alias)
		if !ok {
			break
		}
		if found := open[heldAlias{again, typ}]; found != nil {
			return found
		}
		open[heldAlias{again, typ}] = c
		resolved = resolve(again.of)
	}
	if or, ok := resolved.(*orNull); ok {
		c.kind, c.item = kindOrNull, open.of(or.of, typ)
		return c
	}
	if typ.Kind() == reflect.Pointer {
		c.kind, c.item = kindPointer, open.of(of, typ.Elem())
		return c
	}
	switch of := resolved.(type) {
	case scalar:
		c.scalar(of)
	case *list:
		c.kind, c.list, c.item = kindList, of, open.of(of.item, typ.Elem())
		if typ.Elem() == textType && c.item.kind == kindText && c.item.form == isString {
			c.kind = kindTexts
		}
	case *mapping:
		c.kind, c.item, c.key, c.keys = kindMap, open.of(of.value, typ.Elem()), typ.Key(), of.keys
		c.isCounts = typ == countsType && c.item.kind == kindInt
		c.readers = &sync.Pool{New: func() any {
			return &mapReader{key: reflect.New(typ.Key()).Elem(), values: reflect.MakeSlice(reflect.SliceOf(typ.Elem()), few, few)}
		}}
	case *tuple:
		c.kind = kindTuple
		for i, item := range of.items {
			f := typ.Field(i)
			c.items = append(c.items, itemCodec{open.of(item, f.Type), f.Offset})
		}
	case *literal:
		c.kind, c.of, c.text, c.item = kindLiteral, of, constantText(of.value), open.constant(of.value, typ)
	case *bounded:
		c.kind, c.of, c.item = kindBounded, of, open.of(of.of, typ)
	case *choice:
		c.kind, c.choice = kindChoice, of
		for _, each := range of.cases {
			var inner *codec
			if each.typ == nil {
				inner = &codec{kind: kindNull, of: isNull}
			} else {
				inner = open.of(each.of, reflect.TypeOf(each.typ).Elem())
			}
			c.cases = append(c.cases, caseCodec{each.begins, inner})
		}
	case *enum:
		if c.kind, c.enum = kindTextEnum, of; of.numbers != nil {
			c.kind = kindIntEnum
		}
	case *table:
		c.kind, c.table = kindStruct, of
	case *union:
		if c.kind, c.union, c.flat = kindVariant, of, of.flat; of.flat != nil {
			c.kind = kindFlat
		}
	case *flat:
		if c.kind, c.flat = kindFlat, of; len(of.unions) > 0 {
			c.union = resolve(of.unions[0]).(*union)
		}
	case *unknown:
		c.kind = kindUnknown
	}
	return c
}

func (c *codec) scalar(of scalar) {
	switch of {
	case isBool:
		c.kind = kindBool
	case isNumber:
		c.kind = kindFloat
	case isInteger:
		c.kind = kindInt
	case isJSON:
		c.kind = kindAny
	case isObject:
		c.kind = kindObject
	case isNull:
		c.kind = kindNull
	default:
		if c.kind, c.form = kindText, of; c.typ == uuidType {
			c.kind = kindUUID
		}
	}
}

// orNull is a type or null.
type orNull struct{ of rule }

func (of *orNull) resolve() any { return of }

// plainType returns a Go type for a rule whose values are checked but not stored.
func plainType(of rule) reflect.Type {
	switch of := resolve(of).(type) {
	case scalar:
		return map[scalar]reflect.Type{
			isBool: reflect.TypeFor[bool](), isNumber: reflect.TypeFor[float64](), isInteger: reflect.TypeFor[int64](),
			isJSON: anyType, isObject: objectType, isNull: anyType,
			isString: textType, isUUID: textType, isTimestamp: textType,
		}[of]
	case *list:
		return reflect.SliceOf(plainType(of.item))
	case *mapping:
		return reflect.MapOf(textType, plainType(of.value))
	case *tuple:
		fields := make([]reflect.StructField, len(of.items))
		for i, item := range of.items {
			fields[i] = reflect.StructField{Name: "V" + strconv.Itoa(i), Type: plainType(item)}
		}
		return reflect.StructOf(fields)
	case *literal:
		return plainType(scalarOf(of.value))
	case *bounded:
		return plainType(of.of)
	case *orNull:
		return reflect.PointerTo(plainType(of.of))
	case *choice:
		return anyType
	case *enum:
		if of.numbers != nil {
			return reflect.TypeFor[int64]()
		}
		return textType
	case *table:
		return reflect.TypeOf(of.typ).Elem()
	case *union:
		return reflect.TypeOf(of.typ).Elem()
	case *flat:
		return reflect.TypeOf(of.typ).Elem()
	case *alias:
		return reflect.TypeOf(of.typ).Elem()
	}
	return anyType
}

// --- unions ----------------------------------------------------------------------------------------

// steps is a dispatch in executable form. A step leads to a rule, further *steps or nil.
type steps struct {
	*dispatch
	flat     *flat
	base     scalar // of the discriminator
	texts    map[string]any
	flags    map[bool]any
	numbers  map[int64]any
	prefixes []dispatchPrefix
	absent   any
	byKeys   []keysStep
	keys     []string // that byKeys looks for
	shown    string   // its values, for messages
}

type keysStep struct {
	has, lacks []string
	then       any
}

func (u *union) ready() *steps {
	if made, ok := u.read.get().(*steps); ok {
		return made
	}
	return u.read.derive(func() any { return stepsOf(u.by) }).(*steps)
}

func stepsOf(by *dispatch) *steps {
	s := &steps{dispatch: by, texts: map[string]any{}, flags: map[bool]any{}, numbers: map[int64]any{}}
	if by.flat != nil {
		s.flat = resolve(by.flat).(*flat)
	}
	var shown []string
	for _, each := range by.cases {
		s.base = scalarOf(each.value)
		shown = append(shown, constantText(each.value))
		switch value := each.value.(type) {
		case string:
			s.texts[value] = thenOf(each.then)
		case bool:
			s.flags[value] = thenOf(each.then)
		case int64:
			s.numbers[value] = thenOf(each.then)
		}
	}
	for _, each := range by.prefixes {
		s.prefixes = append(s.prefixes, dispatchPrefix{each.text, thenOf(each.then)})
		shown = append(shown, quote(each.text+"…"))
	}
	s.shown = oneOf(shown)
	s.absent = thenOf(by.absent)
	for _, each := range by.byKeys {
		s.byKeys = append(s.byKeys, keysStep{each.has, each.lacks, thenOf(each.then)})
		s.keys = append(append(s.keys, each.has...), each.lacks...)
	}
	return s
}

func thenOf(then any) any {
	switch then := then.(type) {
	case *dispatch:
		return stepsOf(then)
	case resolver:
		if u, ok := resolve(then).(*union); ok {
			return u.ready()
		}
	}
	return then
}

// leads returns everything that the steps lead to.
func (s *steps) leads() []any {
	return slices.AppendSeq(s.otherLeads(), maps.Values(s.texts))
}

// otherLeads is leads without what a text leads to that is given as a whole.
func (s *steps) otherLeads() (found []any) {
	found = slices.AppendSeq(found, maps.Values(s.flags))
	found = slices.AppendSeq(found, maps.Values(s.numbers))
	for _, each := range s.prefixes {
		found = append(found, each.then)
	}
	for _, each := range s.byKeys {
		found = append(found, each.then)
	}
	for _, each := range s.others {
		found = append(found, each.of)
	}
	return append(found, s.absent)
}

// heldTypes describes how an interface holds the variants of its union: what a decoder stores for each,
// and what an encoder finds.
type heldTypes struct {
	words map[any]address // of a *table, *flat or *unknown
	found map[address]any // the other way
	loose map[address]any // the same for an interface without methods
}

func (u *union) holds() *heldTypes {
	if made, ok := u.held.get().(*heldTypes); ok {
		return made
	}
	return u.held.derive(func() any {
		made := &heldTypes{map[any]address{}, map[address]any{}, map[address]any{}}
		made.add(u.ready(), reflect.TypeOf(u.typ).Elem(), false, false)
		return made
	}).(*heldTypes)
}

// add records the targets of steps. isOpen means that an enclosing union has an Unknown, isFlat that it
// has a flat struct.
func (h *heldTypes) add(next any, inter reflect.Type, isOpen, isFlat bool) {
	switch next := next.(type) {
	case *steps:
		if next.unknown != nil && !isOpen {
			u := resolve(next.unknown).(*unknown)
			h.enter(u, u.typ, inter)
		}
		if next.flat != nil && !isFlat {
			h.enter(next.flat, next.flat.typ, inter)
		}
		isOpen, isFlat = isOpen || next.unknown != nil, isFlat || next.flat != nil
		for _, each := range next.leads() {
			h.add(each, inter, isOpen, isFlat)
		}
	case resolver:
		if t, ok := resolve(next).(*table); ok && !isFlat {
			h.enter(t, t.typ, inter)
		}
	}
}

func (h *heldTypes) enter(of, typ any, inter reflect.Type) {
	word := wordOf(inter, reflect.TypeOf(typ))
	h.words[of] = word
	if _, ok := h.found[word]; !ok {
		h.found[word] = of
		h.loose[wordOf(anyType, reflect.TypeOf(typ))] = of
	}
}

// placed is the field that holds the text of a discriminator.
type placed struct {
	key    string
	offset uintptr
}

func placedIn(typ reflect.Type, places []place) (found []placed) {
	for _, each := range places {
		f, _ := typ.FieldByName(each.field)
		found = append(found, placed{each.key, offsetOf(typ, f.Index)})
	}
	return found
}

// layoutOfFlat describes how a flat struct holds each variant.
type layoutOfFlat struct {
	flat        *flat
	typ         reflect.Type
	extraOffset uintptr
	keys        []placed
	of          map[*table]*layout
	leaves      []*layout // in the order of the variants
	unions      []*steps
	others      []otherField
}

// otherField is the field of a flat struct for the values of one JSON kind.
type otherField struct {
	*other
	codec  *codec
	offset uintptr
}

func (f *flat) ready() *layoutOfFlat {
	if made, ok := f.layout.get().(*layoutOfFlat); ok {
		return made
	}
	return f.layout.derive(func() any {
		typ := reflect.TypeOf(f.typ).Elem()
		made := &layoutOfFlat{
			flat: f, typ: typ, extraOffset: extraOffset(typ), keys: placedIn(typ, f.keys), of: map[*table]*layout{},
		}
		for _, each := range f.leaves {
			t := resolve(each.of).(*table)
			l := layoutOf(t, typ)
			l.marked, l.idle = each.marked, idleFields(t, typ)
			made.of[t], made.leaves = l, append(made.leaves, l)
		}
		for _, each := range f.unions {
			made.unions = append(made.unions, resolve(each).(*union).ready())
		}
		for i := range f.others {
			field, _ := typ.FieldByName(f.others[i].field)
			made.others = append(made.others, otherField{&f.others[i], codecOf(f.others[i].of, field.Type), field.Offset})
		}
		return made
	}).(*layoutOfFlat)
}

// idleFields returns the fields of a variant that are never sent and that its flat struct has too.
func idleFields(t *table, flat reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(t.typ).Elem()) {
		other, isShared := flat.FieldByName(field.Name)
		isSent := slices.ContainsFunc(t.rows, func(r row) bool { return r.field == field.Name })
		if isShared && !isSent && field.IsExported() && !field.Anonymous && field.Type != extraType && other.Type == field.Type {
			names = append(names, field.Name)
		}
	}
	return names
}

// layoutOfUnknown describes an Unknown.
type layoutOfUnknown struct {
	keys []placed
	raw  uintptr
}

func (u *unknown) ready() *layoutOfUnknown {
	if made, ok := u.layout.get().(*layoutOfUnknown); ok {
		return made
	}
	return u.layout.derive(func() any {
		typ := reflect.TypeOf(u.typ).Elem()
		raw, _ := typ.FieldByName("Raw")
		return &layoutOfUnknown{placedIn(typ, u.keys), raw.Offset}
	}).(*layoutOfUnknown)
}
