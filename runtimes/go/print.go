// Printing: short descriptions of values, for logs and test failures.

package polywireruntime

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxShown is the length, in bytes, at which a description is cut off.
	maxShown = 2000
	// maxShownText and maxShownItems are the numbers of runes of a text, and of items of a list or map.
	maxShownText  = 80
	maxShownItems = 8
)

// show implements String for declared types, given as a pointer: the fields that are set, without pointers and without
// names of types that follow from the field.
func show(v rule) string { return shown(reflect.ValueOf(v)) }

func shown(v reflect.Value) string {
	p := printer{}
	p.value(v, true)
	return p.String()
}

// printer collects a description.
type printer struct {
	strings.Builder
	depth int
}

// item is a field, an item of a list or an entry of a map, with what is printed before its value.
type item struct {
	label string
	value reflect.Value
}

// value prints a value; named is whether to print the name of its type.
func (p *printer) value(v reflect.Value, named bool) {
	if p.depth++; p.Len() > maxShown || p.depth > maxDepth {
		p.WriteString("…")
		return
	}
	switch typ, kind := v.Type(), v.Kind(); {
	case typ == uuidType || typ == extraType:
		fmt.Fprint(p, v.Interface())
	case typ == reflect.TypeFor[json.RawMessage]():
		p.WriteString(shortened(string(v.Bytes())))
	case typ == reflect.TypeFor[Null]():
		p.WriteString("null")
	case kind == reflect.Struct && isNullable(typ) && v.Field(0).IsNil():
		p.WriteString("null")
	case kind == reflect.Struct && isNullable(typ):
		p.value(v.Field(0), named)
	case kind == reflect.Struct && isOwn(typ):
		if named {
			p.WriteString(typ.Name())
		}
		p.items("{", fieldsOf(v), "}")
	case kind == reflect.Interface || kind == reflect.Pointer:
		if v.IsNil() {
			p.WriteString("nil")
		} else {
			p.value(v.Elem(), named || kind == reflect.Interface)
		}
	case kind == reflect.String:
		p.WriteString(strconv.Quote(shortened(v.String())))
	case kind == reflect.Slice:
		var items []item
		for i := range min(v.Len(), maxShownItems) {
			items = append(items, item{"", v.Index(i)})
		}
		p.items("[", items, omitted(v.Len())+"]")
	case kind == reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
		var items []item
		for _, key := range keys[:min(len(keys), maxShownItems)] {
			items = append(items, item{strconv.Quote(key.String()), v.MapIndex(key)})
		}
		p.items("{", items, omitted(v.Len())+"}")
	case kind == reflect.Func:
		p.WriteString("func")
	default:
		fmt.Fprint(p, v.Interface())
	}
	p.depth--
}

func (p *printer) items(start string, items []item, end string) {
	p.WriteString(start)
	for i, each := range items {
		if i > 0 {
			p.WriteString(", ")
		}
		if each.label != "" {
			p.WriteString(each.label + ": ")
		}
		p.value(each.value, false)
	}
	p.WriteString(end)
}

// fieldsOf returns the fields of a struct that are set, including those of embedded structs.
func fieldsOf(v reflect.Value) []item {
	var set []item
	for i := range v.NumField() {
		switch field := v.Type().Field(i); {
		case field.Type == extraType && len(v.Field(i).Interface().(Extra).Members()) == 0:
		case field.Anonymous:
			set = append(set, fieldsOf(v.Field(i))...)
		case !v.Field(i).IsZero():
			set = append(set, item{field.Name, v.Field(i)})
		}
	}
	return set
}

// omitted says how many of some items are not printed.
func omitted(count int) string {
	if count <= maxShownItems {
		return ""
	}
	return fmt.Sprintf(", … %d more", count-maxShownItems)
}

func shortened(text string) string {
	count := 0
	for at := range text {
		if count++; count > maxShownText {
			return text[:at] + "…"
		}
	}
	return text
}
