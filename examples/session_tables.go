// Prints the rows of a table as JSON arrays: go run session_tables.go TABLES.json TABLE FILE...
//
// TABLES.json is the description of the tables of any protocol, with all that a reader needs. docs/tables.md has its
// format, and the rules. Only the table of problems is left out: what does not fit has no row, or is null.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxLine    = 64 << 20  // bytes
	maxDepth   = 128       // levels of arrays and objects
	maxDigits  = 4300      // of an integer in a line
	maxInteger = 1<<53 - 1 // of a tag or a column
)

// --- JSON in the order of the text ---

// A value is compact JSON with its data: nil, a bool, a string, a float64, a []value or an object. A lone surrogate in a
// string is the byte FF, which UTF-8 does not have, and four digits. The text of a number that overflows is not JSON.
type value struct {
	text string
	data any
}

type object struct {
	keys   []string
	values map[string]value
}

type parser struct {
	*json.Decoder
	line   []byte
	failed bool
}

// parse returns false if a line is not JSON, or if it exceeds a limit.
func parse(line []byte) (value, bool) {
	if len(line) > maxLine || !utf8.Valid(line) || !json.Valid(line) {
		return value{}, false
	}
	p := parser{Decoder: json.NewDecoder(bytes.NewReader(line)), line: line}
	p.UseNumber()
	found := p.value(0)
	return found, !p.failed
}

func (p *parser) value(depth int) value {
	start := p.InputOffset()
	token, _ := p.Token() // without an error, because the line is valid
	switch token := token.(type) {
	case nil:
		return value{"null", nil}
	case string:
		text := p.unquote(start)
		return value{quote(text), text}
	case json.Number:
		return p.number(token.String())
	case json.Delim:
		p.failed = p.failed || depth == maxDepth
		defer p.Token() // the closing bracket
		if token == '{' {
			return p.object(depth + 1)
		}
		items, texts := []value{}, []string{}
		for p.More() {
			item := p.value(depth + 1)
			items, texts = append(items, item), append(texts, item.text)
		}
		return value{"[" + strings.Join(texts, ",") + "]", items}
	}
	return value{fmt.Sprint(token), token}
}

func (p *parser) object(depth int) value {
	found := object{values: map[string]value{}}
	for p.More() {
		start := p.InputOffset()
		p.Token()
		key := p.unquote(start)
		if _, ok := found.values[key]; !ok {
			found.keys = append(found.keys, key)
		}
		found.values[key] = p.value(depth)
	}
	texts := make([]string, len(found.keys))
	for i, key := range found.keys {
		texts[i] = quote(key) + ":" + found.values[key].text
	}
	return value{"{" + strings.Join(texts, ",") + "}", found}
}

func (p *parser) number(text string) value {
	number, _ := strconv.ParseFloat(text, 64) // infinite if it overflows
	if strings.ContainsAny(text, ".eE") {
		return value{format(number), number}
	}
	p.failed = p.failed || len(strings.TrimPrefix(text, "-")) > maxDigits
	if text == "-0" {
		return value{"0", 0.0}
	}
	return value{text, number}
}

func format(number float64) string {
	size := math.Abs(number)
	if size >= 1e16 || size < 1e-4 && size != 0 {
		return strconv.FormatFloat(number, 'e', -1, 64)
	}
	text := strconv.FormatFloat(number, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

var escapes = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.`)

// unquote returns the string of the last token, in which the decoder has replaced lone surrogates.
func (p *parser) unquote(start int64) string {
	quoted := bytes.TrimLeft(p.line[start:p.InputOffset()], " \t\r\n,:")
	return string(escapes.ReplaceAllFunc(quoted[1:len(quoted)-1], func(escape []byte) []byte {
		digits := bytes.ToLower(escape[2:])
		if len(digits) == 4 && string(digits) >= "d800" && string(digits) < "e000" {
			return append([]byte{0xFF}, digits...)
		}
		var text string
		json.Unmarshal(slices.Concat([]byte{'"'}, escape, []byte{'"'}), &text)
		return []byte(text)
	}))
}

var escaper = func() *strings.Replacer {
	pairs := []string{`"`, `\"`, `\`, `\\`, "\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\xFF", `\u`}
	for control := range 0x20 {
		pairs = append(pairs, string(rune(control)), fmt.Sprintf(`\u%04x`, control))
	}
	return strings.NewReplacer(pairs...) // of two pairs for a character, the first counts
}()

func quote(text string) string { return `"` + escaper.Replace(text) + `"` }

// member returns a member of an object. Its data is nil if it is null or absent, and its text is empty if it is absent.
func (v value) member(name string) value {
	found, _ := v.data.(object)
	return found.values[name]
}

func (v value) list() []value {
	found, _ := v.data.([]value)
	return found
}

func (v value) string() string {
	found, _ := v.data.(string)
	return found
}

// --- what an object is ---

// typeOf returns the type of an object by a decision, "" for an Unknown, or false if the tags are invalid.
func typeOf(decision, found value) (string, bool) {
	if name, ok := decision.data.(string); ok {
		return name, true
	}
	then, ok := next(decision, found)
	if ok && then.data != nil {
		return typeOf(then, found)
	}
	return "", ok && decision.member("otherwise").data == nil
}

// next returns the next decision, or no data if no case applies.
func next(decision, found value) (value, bool) {
	has := func(key value) bool { return found.member(key.string()).text != "" }
	lacks := func(key value) bool { return !has(key) }
	for _, each := range decision.member("keys").list() {
		if !slices.ContainsFunc(each.member("has").list(), lacks) && !slices.ContainsFunc(each.member("lacks").list(), has) {
			return each.member("then"), true
		}
	}
	if decision.member("keys").data != nil {
		return value{}, true
	}
	absent, base := decision.member("absent"), decision.member("base").string()
	if !has(decision.member("by")) {
		return absent, absent.data != nil
	}
	tag := found.member(decision.member("by").string())
	text := tag.convert(base)
	if text == "null" {
		return value{}, false
	}
	for _, each := range decision.member("cases").list() {
		if each.list()[0].text == text {
			return each.list()[1], true
		}
	}
	for _, each := range decision.member("prefixes").list() {
		if strings.HasPrefix(tag.string(), each.list()[0].string()) {
			return each.list()[1], true
		}
	}
	for _, each := range decision.member("patterns").list() {
		if base == "integer" || matches(each.list()[0].string(), tag.string()) {
			return each.list()[1], true
		}
	}
	if base == "boolean" {
		return absent, true
	}
	return value{}, true
}

func matches(pattern, text string) bool {
	pattern = strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("(?s)^" + pattern + "$").MatchString(text)
}

// isOneOf reports whether an object is of one of some types, which are the names of types, or "" for an Unknown.
func isOneOf(types []value, decision, found value) bool {
	name, ok := typeOf(decision, found)
	_, isObject := found.data.(object)
	return ok && isObject && slices.ContainsFunc(types, func(each value) bool { return each.data == name })
}

// --- rows ---

// follow returns the first of the members of a step that is neither absent nor null.
func (v value) follow(step value) value {
	for _, name := range step.list() {
		if found := v.member(name.string()); found.data != nil {
			return found
		}
	}
	return value{}
}

// visit calls a function for the value of each row, with the key or index at the last `*`.
func (v value) visit(steps []value, key value, call func(row, key value)) {
	for i, step := range steps {
		if step.data != "*" {
			v = v.follow(step)
			continue
		}
		for index, item := range v.list() {
			item.visit(steps[i+1:], value{strconv.Itoa(index), float64(index)}, call)
		}
		if found, ok := v.data.(object); ok {
			for _, name := range found.keys {
				found.values[name].visit(steps[i+1:], value{quote(name), name}, call)
			}
		}
		return
	}
	if v.data != nil {
		call(v, key)
	}
}

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// convert returns the JSON of a value in a column, which is null if the value does not fit.
func (v value) convert(kind string) string {
	text, isText := v.data.(string)
	number, isNumber := v.data.(float64)
	_, isBoolean := v.data.(bool)
	switch {
	case kind == "string" && isText:
		parts := strings.Split(text, "\xFF")
		for i := range parts[1:] {
			parts[i+1] = "\uFFFD" + parts[i+1][len("d800"):]
		}
		return quote(strings.Join(parts, ""))
	case kind == "boolean" && isBoolean:
		return v.text
	case kind == "integer" && isNumber && number == math.Trunc(number) && math.Abs(number) <= maxInteger:
		return strconv.FormatInt(int64(number), 10)
	case kind == "number" && isNumber && !math.IsInf(number, 0):
		return format(number)
	case kind == "timestamp" && timestamp.MatchString(text):
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return strconv.FormatInt(at.UnixMicro(), 10)
		}
	case kind == "json" && v.data != nil && json.Valid([]byte(v.text)):
		return quote(v.text)
	}
	return "null"
}

func read(column, line, row, key value) string {
	found := map[string]value{"line": line, "row": row, "key": key}[column.member("of").string()]
	for _, step := range column.member("at").list() {
		found = found.follow(step)
	}
	kind := column.member("type").string()
	if column.member("list").data != true {
		return found.convert(kind)
	}
	items, ok := found.data.([]value)
	if !ok {
		return "null"
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.convert(kind)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// printRows writes the rows of a line.
func printRows(out io.Writer, description, table value, file string, number int, raw []byte) {
	line, ok := parse(raw)
	types := table.member("lines").list()
	if table.member("unknowns").data == true {
		types = append(slices.Clip(types), value{data: ""})
	}
	if !ok || !isOneOf(types, description.member("roots").member(table.member("root").string()), line) {
		return
	}
	line.text = string(raw) // as JSON, the line itself is its original text
	is, count := table.member("is"), 0
	line.visit(table.member("rows").list(), value{}, func(row, key value) {
		isType := func(name value) bool {
			return isOneOf(is.member("types").list(), description.member("values").member(name.string()), row)
		}
		if is.data != nil && !slices.ContainsFunc(is.member("values").list(), isType) {
			return
		}
		fmt.Fprintf(out, "[%s,%d,%d", quote(file), number, count)
		columns, _ := table.member("columns").data.(object)
		for _, name := range columns.keys {
			fmt.Fprint(out, ",", read(columns.values[name], line, row, key))
		}
		fmt.Fprintln(out, "]")
		count++
	})
}

// --- files ---

// scan calls a function for each line that is neither blank nor too long.
func scan(file io.Reader, call func(number int, line []byte)) error {
	reader := bufio.NewReaderSize(file, maxLine+len("\r\n"))
	for number := 1; ; number++ {
		line, err := reader.ReadSlice('\n')
		isLong := err == bufio.ErrBufferFull
		for err == bufio.ErrBufferFull {
			_, err = reader.ReadSlice('\n')
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if !isLong && len(bytes.Trim(line, " \t\r")) > 0 {
			call(number, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: session_tables TABLES.json TABLE FILE...")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	description, _ := parse(data)
	table := description.member("tables").member(os.Args[2])
	if description.member("layout").data != 1.0 || table.data == nil {
		log.Fatalf("%s has no table %s, or is of another layout than 1", os.Args[1], os.Args[2])
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, path := range os.Args[3:] {
		file, err := os.Open(path)
		if err == nil {
			name := string([]rune(path)) // with U+FFFD for each byte that is not UTF-8
			err = scan(file, func(number int, line []byte) { printRows(out, description, table, name, number, line) })
			file.Close()
		}
		if err != nil {
			log.Print(err)
		}
	}
}
