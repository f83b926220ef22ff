// Converts options into a description of how to start a process with them: arguments, environment,
// working directory, requests, functions.
//
// The conversion follows the table of a record, which states how each option is passed. It reads no file,
// no environment and no clock.

package polywireruntime

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Launched describes how a process is started.
type Launched struct {
	// Arguments are the command-line arguments, without the program.
	Arguments   []string
	Environment LaunchEnvironment
	// CWD is the working directory, or "" for the client's own.
	CWD string
	// Program and Script are "" if the options do not name them.
	Program string
	// ProgramArguments are arguments of Program that precede Script.
	ProgramArguments []string
	Script           string
	// Requests maps a control to the payload, as JSON, of the request to send at the start.
	Requests map[string]json.RawMessage
	// Functions are the functions and live objects in the options.
	Functions []LaunchFunction
}

// LaunchFunction is a function in the options, or a live object, and what it is for.
type LaunchFunction struct {
	// Place is the JSON Pointer to it in the options.
	Place    string
	Function any
	// Control is the control whose requests it answers; "" if there is none.
	Control string
	// ID is the id in a request that selects it; "" if it answers all requests of the control.
	ID string
	// Receives is the output of the process that it is called with; "" if there is none.
	Receives string
	// Live reports whether it is an object that no request refers to.
	Live bool

	entry *launchFunction
	row   *launchRow
}

// LaunchEnvironment describes the environment variables of a process.
type LaunchEnvironment struct {
	// Inherit reports whether the process also gets the client's own environment.
	Inherit bool
	Set     map[string]string
	// Defaults are set if the environment has no such variable, or an empty one.
	Defaults map[string]string
	// Unset are the variables to remove from the environment.
	Unset []string
}

// Over returns the complete environment of the process in the form of os.Environ, given the client's own
// environment in that form.
func (e LaunchEnvironment) Over(own []string) []string {
	found := map[string]string{}
	if e.Inherit {
		for _, each := range own {
			// A name may begin with "=", as the drive variables of Windows do.
			if at := strings.IndexByte(each, '='); at == 0 {
				if more := strings.IndexByte(each[1:], '='); more >= 0 {
					found[each[:more+1]] = each[more+2:]
				}
			} else if at > 0 {
				found[each[:at]] = each[at+1:]
			}
		}
	}
	maps.Copy(found, e.Set)
	for name, text := range e.Defaults {
		if found[name] == "" {
			found[name] = text
		}
	}
	for _, name := range e.Unset {
		delete(found, name)
	}
	entries := make([]string, 0, len(found))
	for _, name := range sortedKeys(found) {
		entries = append(entries, name+"="+found[name])
	}
	return entries
}

// LaunchError reports options that are not valid for starting a process; use errors.As.
type LaunchError struct {
	Code LaunchErrorCode
	// Paths are JSON Pointers into the options: to the invalid option, or to both options that conflict.
	Paths   []string
	Message string
}

func (e *LaunchError) Error() string {
	where := strings.Join(e.Paths, " and ")
	if where != "" {
		where = " at " + where
	}
	return "polywireruntime: launch: " + string(e.Code) + where + ": " + e.Message
}

// LaunchErrorCode identifies the kind of a LaunchError.
type LaunchErrorCode string

const (
	// LaunchConflict reports two options of which only one can be given.
	LaunchConflict LaunchErrorCode = "conflict"
	// LaunchCannotTravel reports an option, or a part of one, that cannot be passed to the process.
	LaunchCannotTravel LaunchErrorCode = "cannot_travel"
	// LaunchUnknownRelease reports a release that the package does not describe.
	LaunchUnknownRelease LaunchErrorCode = "unknown_release"
)

// --- the table -------------------------------------------------------------------------------------

type (
	// launchText is the table of a record as JSON text, with its kinds of functions.
	launchText struct {
		text string
		rows []launchRow
		lazy
	}
	// launchRow is a kind of function in options: where it is, and the values in a request that it is called with.
	launchRow struct {
		fields  []string // on the path to it, "" for a key or an index
		request rule     // the request that it answers
		id      []hop    // the path to its id in the request
		params  [][]hop  // the paths to its arguments in the request; an empty one is the request itself
	}
	launchTable struct {
		Releases    []string
		Arguments   []string
		Environment [][2]*string
		Inherit     string
		Control     string
		By          string
		Options     []launchOption
		Conflicts   []launchConflict
		Functions   []launchFunction
	}
	launchOption struct {
		Name  string
		Kept  bool
		Carry []carrier
	}
	launchConflict struct {
		Fields   [2]string
		Equal    bool
		Message  string
		Releases spans
	}
	launchFunction struct {
		Path     []string
		Live     bool
		Control  string
		Receives string
		List     bool
		IDs      []string
		Wrap     string
		Releases spans
		ID       []string
		Result   []string
		None     json.RawMessage // nil if there is none
	}
	// spans are releases, as the numbers of the first and the last of each range; nil for all.
	spans [][2]int
	// carrier is one of the ways in which an option is passed.
	carrier struct {
		To, Name, As string
		From         []string
		Only, Except []expectation
		Omit         []string
		Wrap         string
		When         []launchWhen
		Unless, With *otherOption
		Keep         []string
		Releases     spans
		At           *[]string
		Value        json.RawMessage // nil for the option's own value
		Absent       json.RawMessage // nil for nothing
	}
	// otherOption is an option that has to meet one of the conditions, or to be passed if there are none.
	otherOption struct {
		Option string
		When   []launchWhen
	}
	// expectation is a value required at a location.
	expectation struct {
		at    []string
		value any
	}
	launchWhen struct {
		kind  string
		value any
		all   []expectation
	}
)

func (p *expectation) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[2]any{&p.at, &p.value})
}

func (w *launchWhen) UnmarshalJSON(data []byte) error {
	pair := [2]json.RawMessage{}
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if err := json.Unmarshal(pair[0], &w.kind); err != nil {
		return err
	}
	if w.kind == "at" {
		return json.Unmarshal(pair[1], &w.all)
	}
	return json.Unmarshal(pair[1], &w.value)
}

func (t *launchText) table() *launchTable {
	if made, ok := t.get().(*launchTable); ok {
		return made
	}
	return t.derive(func() any {
		made := &launchTable{}
		if err := json.Unmarshal([]byte(t.text), made); err != nil {
			panic(err)
		}
		return made
	}).(*launchTable)
}

// launch applies the table of a record to its options, given as a pointer.
func launch(by *launchText, options rule, release string) (*Launched, error) {
	if options == nil || isNil(options) {
		return nil, errNil
	}
	line, err := marshal(options)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := decodeAs(line, isObject, &plain, nil); err != nil {
		return nil, err
	}
	table := by.table()
	var functions []launchable
	for i, each := range table.Functions {
		row := &by.rows[i]
		standing(reflect.ValueOf(options), each.Path, row.fields, nil, func(path []any, v reflect.Value) {
			functions = append(functions, launchable{&table.Functions[i], row, path, v})
		})
	}
	return follow(table, plain, functions, release)
}

// launchable is a function, a list of functions or a live object in options.
type launchable struct {
	entry *launchFunction
	row   *launchRow
	path  []any
	value reflect.Value
}

// standing finds the values at the end of a path through structs, in the order of list items and keys.
func standing(v reflect.Value, keys, fields []string, path []any, found func([]any, reflect.Value)) {
	if len(keys) == 0 {
		if !v.IsNil() {
			found(path, v)
		}
		return
	}
	below := func(step any, v reflect.Value) {
		standing(v, keys[1:], fields[1:], append(slices.Clip(path), step), found)
	}
	if fields[0] != "" {
		if held, ok := structIn(v); ok && held.FieldByName(fields[0]).IsValid() {
			below(keys[0], held.FieldByName(fields[0]))
		}
		return
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			below(i, v.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, key := range keys {
			place := reflect.New(v.Type().Elem()).Elem()
			place.Set(v.MapIndex(key))
			below(key.String(), place)
		}
	}
}

// follow applies a table to options that are plain JSON, and inserts the ids of functions.
func follow(table *launchTable, options map[string]any, functions []launchable, release string) (*Launched, error) {
	if release == "" {
		release = table.Releases[len(table.Releases)-1]
	}
	at := slices.Index(table.Releases, release)
	if at < 0 {
		known := strings.Join(table.Releases, ", ")
		return nil, &LaunchError{LaunchUnknownRelease, nil, "there is no release " + strconv.Quote(release) + "; known are " + known}
	}
	l := &launching{
		table: table, options: options, release: at,
		given: map[string]bool{}, carriers: map[string][]*carrier{}, bare: map[string]bool{}, shared: map[sharedFlag]*slot{},
		made: &Launched{
			Arguments: []string{}, Requests: map[string]json.RawMessage{},
			Environment: LaunchEnvironment{Set: map[string]string{}, Defaults: map[string]string{}, Unset: []string{}},
		},
		requests: map[string]any{},
	}
	if err := l.run(functions); err != nil {
		return nil, err
	}
	return l.made, nil
}

// --- values ----------------------------------------------------------------------------------------

// missing represents an absent value.
type missing struct{}

func pointerOf[S any](path []S) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteString("/" + escapeStep(fmt.Sprint(step)))
	}
	return b.String()
}

func partOf(value any, way []string) any {
	for _, key := range way {
		object, _ := value.(map[string]any)
		inner, there := object[key]
		if !there {
			return missing{}
		}
		value = inner
	}
	return value
}

// sameJSON reports whether two JSON values are equal; an absent value equals null.
func sameJSON(value, other any) bool {
	switch v := value.(type) {
	case missing, nil:
		return other == nil
	case []any:
		items, ok := other.([]any)
		return ok && slices.EqualFunc(v, items, sameJSON)
	case map[string]any:
		members, ok := other.(map[string]any)
		return ok && maps.EqualFunc(v, members, sameJSON)
	case float64, json.Number:
		return kindOf(other) == "number" && doubleOf(v) == doubleOf(other)
	}
	return value == other
}

func holdsAll(value any, conditions []expectation) bool {
	for _, each := range conditions {
		if !sameJSON(partOf(value, each.at), each.value) {
			return false
		}
	}
	return true
}

func (w *launchWhen) holds(value any) bool {
	switch w.kind {
	case "is":
		return sameJSON(value, w.value)
	case "kind":
		return kindOf(value) == w.value
	}
	return holdsAll(value, w.all)
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	case float64, json.Number:
		return "number"
	}
	return ""
}

// doubleOf converts a number as ECMAScript does.
func doubleOf(value any) float64 {
	if text, ok := value.(json.Number); ok {
		number, _ := text.Float64()
		return number
	}
	return value.(float64)
}

// spellingOf formats a number as ECMAScript does.
func spellingOf(number float64) string {
	if number == 0 {
		return "0"
	}
	text := string(appendFloat(nil, number))
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !ok {
		return text
	}
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

// isEmpty reports whether a value is omitted because it is empty.
func (c *carrier) isEmpty(value any) bool {
	empty := false
	switch v := value.(type) {
	case nil, bool:
		return false
	case string:
		empty = v == ""
	case []any:
		empty = len(v) == 0
	case map[string]any:
		empty = len(v) == 0
	default:
		return doubleOf(value) == 0 && !slices.Contains(c.Keep, "zero")
	}
	return empty && !slices.Contains(c.Keep, "empty")
}

// chosen returns the items or entries to pass, reduced to the parts that are passed.
func (c *carrier) chosen(value any) any {
	if len(c.Only)+len(c.Except)+len(c.Omit) == 0 {
		return value
	}
	switch v := value.(type) {
	case []any:
		found := []any{}
		for _, item := range v {
			if item, travels := c.left(item); travels {
				found = append(found, item)
			}
		}
		return found
	case map[string]any:
		found := map[string]any{}
		for key, item := range v {
			if item, travels := c.left(item); travels {
				found[key] = item
			}
		}
		return found
	}
	return value
}

// left returns the part of an item or entry that is passed, and whether it is passed at all.
func (c *carrier) left(item any) (any, bool) {
	if !holdsAll(item, c.Only) || len(c.Except) > 0 && holdsAll(item, c.Except) {
		return nil, false
	}
	object, isObject := item.(map[string]any)
	if !isObject || len(c.Omit) == 0 {
		return item, true
	}
	found := maps.Clone(object)
	for _, key := range c.Omit {
		delete(found, key)
	}
	return found, len(found) > 0
}

// putAt returns a copy of an object with a value set at a path.
func putAt(value any, way []string, what any) any {
	if len(way) == 0 {
		return what
	}
	object, _ := value.(map[string]any)
	found := maps.Clone(object)
	if found == nil {
		found = map[string]any{}
	}
	found[way[0]] = putAt(found[way[0]], way[1:], what)
	return found
}

// compactText returns JSON text that is not used as an argument or a variable.
func compactText(value any) (string, error) {
	e := encoder{}
	if e.any(value); e.err != nil {
		return "", e.err
	}
	return string(e.buf), nil
}

// jsonText returns JSON text for an argument or a variable: lone surrogates are escaped, other characters
// are not.
func jsonText(value any, path []any) (string, error) {
	if err := checkFinite(value, path); err != nil {
		return "", err
	}
	return compactText(value)
}

func checkFinite(value any, path []any) error {
	if wrong := notFinite(value, path); wrong != nil {
		return cannotTravel(wrong, "JSON has no spelling for this number")
	}
	return nil
}

// notFinite returns the path of the first number that overflows a double, or nil if there is none.
func notFinite(value any, path []any) []any {
	switch v := value.(type) {
	case float64, json.Number:
		if !isFinite(doubleOf(v)) {
			return path
		}
	case []any:
		for n, item := range v {
			if found := notFinite(item, append(slices.Clip(path), n)); found != nil {
				return found
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if found := notFinite(v[key], append(slices.Clip(path), key)); found != nil {
				return found
			}
		}
	}
	return nil
}

func isFinite(number float64) bool { return !math.IsNaN(number) && !math.IsInf(number, 0) }

// wrapText wraps a text in the given delimiters.
func wrapText(wrap, text string) string {
	if wrap == "" {
		return text
	}
	return strings.Replace(wrap, "*", text, 1)
}

// canBeWrapped reports whether a text can be delimited unambiguously, also in a list with commas.
func canBeWrapped(wrap, text string) bool {
	before, after, _ := strings.Cut(wrap, "*")
	_, last := utf8.DecodeLastRuneInString(before)
	_, first := utf8.DecodeRuneInString(after)
	marks := "," + before[len(before)-last:] + after[:first]
	return text != "" && text[0] != ' ' && text[len(text)-1] != ' ' &&
		!strings.ContainsFunc(text, func(each rune) bool { return each < ' ' || strings.ContainsRune(marks, each) })
}

// flagged returns a flag and its value; a value that looks like a flag itself goes into the same
// argument.
func flagged(flag, text string) []string {
	if len(text) > 1 && text[0] == '-' {
		return []string{flag + "=" + text}
	}
	return []string{flag, text}
}

func cannotTravel(path []any, message string) error {
	return &LaunchError{LaunchCannotTravel, []string{pointerOf(path)}, message}
}

func wrongKind(expected string, value any, path []any) error {
	return cannotTravel(path, "a "+expected+" was expected, this is of kind "+kindOf(value))
}

// mapIn returns a value that must be a map.
func mapIn(value any, path []any) (map[string]any, error) {
	if entries, ok := value.(map[string]any); ok {
		return entries, nil
	}
	return nil, wrongKind("map", value, path)
}

// argumentText returns a value as the text of an argument or a variable.
func argumentText(value any, path []any) (string, error) {
	text := ""
	switch v := value.(type) {
	case string:
		text = v
	case bool:
		return strconv.FormatBool(v), nil
	case float64, json.Number:
		if number := doubleOf(v); isFinite(number) {
			return spellingOf(number), nil
		}
		return "", cannotTravel(path, "this number overflows a double")
	default:
		return "", wrongKind("text", value, path)
	}
	if strings.Contains(text, "\x00") {
		return "", cannotTravel(path, "an argument or variable cannot contain U+0000")
	}
	if !utf8.ValidString(text) {
		return "", cannotTravel(path, "an argument cannot contain a lone surrogate")
	}
	return text, nil
}

// --- the run ---------------------------------------------------------------------------------------

type (
	launching struct {
		table    *launchTable
		options  map[string]any
		release  int
		given    map[string]bool // options that are functions
		ids      int
		carriers map[string][]*carrier
		slots    []*slot
		late     []string
		bare     map[string]bool
		shared   map[sharedFlag]*slot
		requests map[string]any
		made     *Launched
	}
	sharedFlag struct {
		flag   string
		joined bool
	}
	// slot is an argument with its flag; several carriers may contribute to it.
	slot struct {
		ready   []string // the final arguments, if already known
		flag    string
		path    []any
		items   []string // joined with commas, unless nil
		whole   any
		members []sharedPlace
	}
	// sharedPlace is a path in the whole, the value there, and the option that set it.
	sharedPlace struct {
		at    []string
		value any
		path  []any
	}
)

func (l *launching) isThere(releases spans) bool {
	return releases == nil || slices.ContainsFunc(releases, func(each [2]int) bool {
		return each[0] <= l.release && l.release <= each[1]
	})
}

func (l *launching) run(functions []launchable) error {
	for _, each := range l.table.Arguments {
		l.slots = append(l.slots, &slot{ready: []string{each}})
	}
	for i := range l.table.Options {
		option := &l.table.Options[i]
		for j := range option.Carry {
			if c := &option.Carry[j]; l.isThere(c.Releases) {
				l.carriers[option.Name] = append(l.carriers[option.Name], c)
			}
		}
	}
	for _, each := range functions {
		if err := l.giveIDs(each); err != nil {
			return err
		}
	}
	if err := l.checkKnown(); err != nil {
		return err
	}
	if err := l.checkConflicts(); err != nil {
		return err
	}
	if l.table.Control != "" {
		l.request(l.table.Control)
	}
	for i := range l.table.Options {
		name := l.table.Options[i].Name
		for _, c := range l.carriers[name] {
			value, err := l.value(name, c)
			if err != nil {
				return err
			}
			if _, absent := value.(missing); absent {
				continue
			}
			blocked, err := l.isBlocked(c)
			if err != nil {
				return err
			}
			if blocked {
				continue
			}
			if err := l.carry(c, value, []any{name}); err != nil {
				return err
			}
		}
	}
	return l.finish()
}

// giveIDs lists functions, and inserts their ids into the options.
func (l *launching) giveIDs(each launchable) error {
	entry := each.entry
	if len(each.path) == 1 {
		l.given[each.path[0].(string)] = true
	}
	hasIDs := len(entry.IDs) > 0 && l.isThere(entry.Releases)
	ids := []any{}
	add := func(path []any, function reflect.Value) {
		found := LaunchFunction{
			Place: pointerOf(path), Function: function.Interface(), Receives: entry.Receives, Live: entry.Live,
			entry: entry, row: each.row,
		}
		if hasIDs || len(entry.IDs) == 0 {
			found.Control = entry.Control
		}
		if hasIDs {
			found.ID = wrapText(entry.Wrap, strconv.Itoa(l.ids))
			ids = append(ids, found.ID)
			l.ids++
		} else if len(entry.ID) > 0 {
			found.ID = each.lastKey()
		}
		l.made.Functions = append(l.made.Functions, found)
	}
	if entry.List {
		for i := range each.value.Len() {
			add(append(slices.Clip(each.path), i), each.value.Index(i))
		}
	} else {
		add(each.path, each.value)
	}
	if !hasIDs {
		return nil
	}
	var at any = l.options
	for _, step := range each.path[:len(each.path)-1] {
		switch step := step.(type) {
		case int:
			items, _ := at.([]any)
			if at = nil; step < len(items) {
				at = items[step]
			}
		case string:
			at = partOf(at, []string{step})
		}
	}
	object, ok := at.(map[string]any)
	if !ok {
		return cannotTravel(each.path, "the function belongs to a value that is no object")
	}
	maps.Copy(object, putAt(object, entry.IDs, ids).(map[string]any))
	return nil
}

// lastKey returns the last key of a map on the path, or "".
func (f *launchable) lastKey() string {
	for i, step := range slices.Backward(f.path) {
		if key, ok := step.(string); ok && f.row.fields[i] == "" {
			return key
		}
	}
	return ""
}

// checkKnown returns an error for the first option, in the order of the record, that cannot be passed.
func (l *launching) checkKnown() error {
	lost := maps.Clone(l.options)
	for _, each := range l.table.Options {
		if len(l.carriers[each.Name]) > 0 || each.Kept {
			delete(lost, each.Name)
		} else if _, there := lost[each.Name]; there {
			return notCarried(each.Name)
		}
	}
	for _, name := range sortedKeys(lost) {
		return notCarried(name)
	}
	return nil
}

func notCarried(name string) error {
	return cannotTravel([]any{name}, "nothing carries this option at that release")
}

func (l *launching) checkConflicts() error {
	for _, each := range l.table.Conflicts {
		first, second := each.Fields[0], each.Fields[1]
		if !l.isThere(each.Releases) {
			continue
		}
		for _, name := range each.Fields {
			travels, err := l.travels(name)
			if err != nil {
				return err
			}
			if !travels {
				first = ""
			}
		}
		if first == "" {
			continue
		}
		if !each.Equal || sameJSON(partOf(l.options, []string{first}), partOf(l.options, []string{second})) {
			return &LaunchError{LaunchConflict, []string{pointerOf([]any{first}), pointerOf([]any{second})}, each.Message}
		}
	}
	return nil
}

// travels reports whether an option is given and would be passed.
func (l *launching) travels(name string) (bool, error) {
	if _, there := l.options[name]; !there && !l.given[name] {
		return false, nil
	}
	for _, c := range l.carriers[name] {
		value, err := l.value(name, c)
		if err != nil {
			return false, err
		}
		if _, absent := value.(missing); !absent {
			return true, nil
		}
	}
	return false, nil
}

func (l *launching) isBlocked(c *carrier) (bool, error) {
	if c.Unless != nil {
		if meets, err := l.meets(c.Unless); meets || err != nil {
			return true, err
		}
	}
	if c.With == nil {
		return false, nil
	}
	meets, err := l.meets(c.With)
	return !meets, err
}

func (l *launching) meets(other *otherOption) (bool, error) {
	if other.When == nil {
		return l.travels(other.Option)
	}
	value := l.options[other.Option]
	return slices.ContainsFunc(other.When, func(each launchWhen) bool { return each.holds(value) }), nil
}

// value returns the part of an option that a carrier passes, or missing if the carrier does not apply.
func (l *launching) value(name string, c *carrier) (any, error) {
	value, there := l.options[name]
	fixed := json.RawMessage(nil)
	switch {
	case there:
		isHeld := func(each launchWhen) bool { return each.holds(value) }
		if c.When != nil && !slices.ContainsFunc(c.When, isHeld) || c.As == "bare" && c.When == nil && value == false {
			return missing{}, nil
		}
		if c.As != "join" && c.As != "repeat" && c.As != "keys" {
			value = partOf(value, c.From)
		}
		if _, absent := value.(missing); absent {
			return value, nil
		}
		fixed = c.Value
	case l.given[name]:
		value, fixed = missing{}, c.Value
	default:
		value, fixed = missing{}, c.Absent
	}
	if fixed != nil {
		if err := decodeAs(fixed, isJSON, &value, nil); err != nil {
			return nil, err
		}
	}
	if _, absent := value.(missing); absent || c.As == "bare" && len(c.Only)+len(c.Except) == 0 {
		return value, nil
	}
	if value = c.chosen(value); c.isEmpty(value) {
		return missing{}, nil
	}
	return value, nil
}

func (l *launching) carry(c *carrier, value any, path []any) error {
	switch c.To {
	case "flag":
		return l.flag(c, value, path)
	case "env":
		text, err := l.formed(c, value, path)
		if err != nil {
			return err
		}
		l.made.Environment.Set[c.Name], err = argumentText(text, path)
		return err
	case "process":
		return l.process(c.Name, value, path)
	}
	return l.place(c, value, path)
}

func (l *launching) formed(c *carrier, value any, path []any) (string, error) {
	switch c.As {
	case "join", "keys":
		items, err := l.items(c, value, path)
		return strings.Join(items, ","), err
	case "json":
		return jsonText(value, path)
	}
	return c.wrapped(value, path)
}

// items returns the parts of a value as texts.
func (l *launching) items(c *carrier, value any, path []any) (found []string, err error) {
	if c.As == "keys" {
		object, err := mapIn(value, path)
		if err != nil {
			return nil, err
		}
		for _, key := range sortedKeys(object) {
			text, err := argumentText(key, append(slices.Clip(path), key))
			if err != nil {
				return nil, err
			}
			found = append(found, text)
		}
		return found, nil
	}
	items, isList := value.([]any)
	if !isList {
		items = []any{value}
	}
	for n, item := range items {
		part := partOf(item, c.From)
		if _, absent := part.(missing); absent {
			continue
		}
		text, err := c.wrapped(part, append(slices.Clip(path), n))
		if err != nil {
			return nil, err
		}
		found = append(found, text)
	}
	return found, nil
}

func (c *carrier) wrapped(value any, path []any) (string, error) {
	text, err := argumentText(value, path)
	if err == nil && c.Wrap != "" && !canBeWrapped(c.Wrap, text) {
		err = cannotTravel(path, "this cannot be part of "+c.Wrap+
			": it is empty, starts or ends with a space, or contains a separator")
	}
	return wrapText(c.Wrap, text), err
}

// --- flags -----------------------------------------------------------------------------------------

func (l *launching) flag(c *carrier, value any, path []any) error {
	switch {
	case c.As == "bare":
		if !l.bare[c.Name] {
			l.slots = append(l.slots, &slot{ready: []string{c.Name}})
		}
		l.bare[c.Name] = true
		return nil
	case c.As == "pairs":
		return l.pairs(c.Name, value, path)
	case c.As == "json" && c.At != nil:
		return l.member(c.Name, *c.At, value, path)
	case c.As == "join" || c.As == "keys" || c.As == "repeat":
		items, err := l.items(c, value, path)
		if err != nil {
			return err
		}
		if c.As == "repeat" {
			for _, item := range items {
				l.slots = append(l.slots, &slot{ready: flagged(c.Name, item)})
			}
			return nil
		}
		l.slot(c.Name, path, true).join(items)
		return nil
	}
	text, err := l.formed(c, value, path)
	if err != nil {
		return err
	}
	if text, err = argumentText(text, path); err == nil {
		l.slots = append(l.slots, &slot{ready: flagged(c.Name, text)})
	}
	return err
}

// slot returns the existing argument of a flag, or a new one.
func (l *launching) slot(flag string, path []any, joined bool) *slot {
	key := sharedFlag{flag, joined}
	if l.shared[key] == nil {
		l.shared[key] = &slot{flag: flag, path: path, whole: missing{}}
		if joined {
			l.shared[key].items = []string{}
		}
		l.slots = append(l.slots, l.shared[key])
	}
	return l.shared[key]
}

// join adds the items that no other carrier has added.
func (s *slot) join(items []string) {
	there := map[string]bool{}
	for _, each := range s.items {
		there[each] = true
	}
	for _, each := range items {
		if !there[each] {
			s.items = append(s.items, each)
		}
	}
}

func (l *launching) member(flag string, at []string, value any, path []any) error {
	s := l.slot(flag, path, false)
	if len(at) > 0 {
		s.members = append(s.members, sharedPlace{at, value, path})
		return nil
	}
	if _, absent := s.whole.(missing); !absent {
		return &LaunchError{LaunchConflict, []string{pointerOf(s.path), pointerOf(path)}, "both give the whole of " + flag}
	}
	s.whole, s.path = value, path
	return nil
}

// pairs turns each entry into a flag of its own.
func (l *launching) pairs(flag string, value any, path []any) error {
	objects := map[string]bool{}
	for _, own := range l.carriers {
		for _, c := range own {
			if c.To == "flag" && c.At != nil {
				objects[c.Name] = true
			}
		}
	}
	entries, err := mapIn(value, path)
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(entries) {
		here := append(slices.Clip(path), key)
		text, err := argumentText(key, here)
		if err != nil {
			return err
		}
		name := flag + text
		switch {
		case entries[key] == nil:
			l.late = append(l.late, name)
		case objects[name]:
			err = l.member(name, nil, entries[key], here)
		default:
			if text, err = argumentText(entries[key], here); err == nil {
				l.late = append(l.late, flagged(name, text)...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *slot) arguments() ([]string, error) {
	if s.ready != nil {
		return s.ready, nil
	}
	if s.items != nil {
		return flagged(s.flag, strings.Join(s.items, ",")), nil
	}
	whole := s.whole
	if text, ok := whole.(string); ok {
		if len(s.members) == 0 {
			text, err := argumentText(text, s.path)
			return flagged(s.flag, text), err
		}
		object, ok := objectIn(text)
		if !ok {
			return nil, cannotTravel(s.path, "other options have a place in this, so it must be the text of a JSON object")
		}
		whole = object
	}
	found := whole
	for _, each := range s.members {
		if _, free := partOf(whole, each.at).(missing); !free {
			return nil, &LaunchError{
				LaunchConflict, []string{pointerOf(s.path), pointerOf(each.path)},
				"both give " + pointerOf(each.at) + " of " + s.flag,
			}
		}
		found = putAt(found, each.at, each.value)
	}
	if err := checkFinite(whole, s.path); err != nil {
		return nil, err
	}
	for _, each := range s.members {
		if err := checkFinite(each.value, each.path); err != nil {
			return nil, err
		}
	}
	text, err := compactText(found)
	return flagged(s.flag, text), err
}

// objectIn parses a text as a JSON object; lone surrogates are accepted in the form that texts use.
func objectIn(text string) (map[string]any, bool) {
	read := decoder{data: []byte(text)}
	if read.checkDocument(); read.bad {
		return nil, false
	}
	once, _ := withoutDuplicates(read.data)
	d := begin(once, LenientMode)
	object, ok := d.any().(map[string]any)
	return object, ok && !d.bad && notFinite(object, nil) == nil
}

// --- environment, process, requests ----------------------------------------------------------------

func (l *launching) process(part string, value any, path []any) (err error) {
	made := l.made
	switch part {
	case "environment":
		entries, err := mapIn(value, path)
		if err != nil {
			return err
		}
		for _, name := range sortedKeys(entries) {
			here := append(slices.Clip(path), name)
			if _, err := argumentText(name, here); err != nil {
				return err
			}
			if name == "" || strings.Contains(name, "=") {
				return cannotTravel(here, "this cannot be the name of a variable")
			}
			if made.Environment.Set[name], err = argumentText(entries[name], here); err != nil {
				return err
			}
		}
		return nil
	case "program_arguments":
		items, isList := value.([]any)
		if !isList {
			return wrongKind("list", value, path)
		}
		made.ProgramArguments = make([]string, len(items))
		for n, item := range items {
			if made.ProgramArguments[n], err = argumentText(item, append(slices.Clip(path), n)); err != nil {
				return err
			}
		}
		return nil
	}
	parts := map[string]*string{"cwd": &made.CWD, "program": &made.Program, "script": &made.Script}
	*parts[part], err = argumentText(value, path)
	return err
}

func (l *launching) request(control string) any {
	if l.requests[control] == nil {
		l.requests[control] = map[string]any{}
		if l.table.By != "" {
			l.requests[control] = map[string]any{l.table.By: control}
		}
	}
	return l.requests[control]
}

func (l *launching) place(c *carrier, value any, path []any) error {
	switch c.As {
	case "list":
		if _, ok := value.([]any); !ok {
			value = []any{value}
		}
	case "keys":
		keys := []any{}
		object, err := mapIn(value, path)
		if err != nil {
			return err
		}
		for _, key := range sortedKeys(object) {
			keys = append(keys, key)
		}
		value = keys
	case "join":
		items, err := l.items(c, value, path)
		if err != nil {
			return err
		}
		value = strings.Join(items, ",")
	}
	l.requests[c.Name] = putAt(l.request(c.Name), *c.At, value)
	return nil
}

// finish writes the values to which several carriers contribute.
func (l *launching) finish() error {
	made := l.made
	for _, s := range l.slots {
		arguments, err := s.arguments()
		if err != nil {
			return err
		}
		made.Arguments = append(made.Arguments, arguments...)
	}
	made.Arguments = append(made.Arguments, l.late...)
	for control, payload := range l.requests {
		text, err := compactText(payload)
		if err != nil {
			return err
		}
		made.Requests[control] = json.RawMessage(text)
	}
	environment, given := &made.Environment, false
	for name := range l.options {
		given = given || slices.ContainsFunc(l.carriers[name], func(c *carrier) bool {
			return c.To == "process" && c.Name == "environment"
		})
	}
	environment.Inherit = l.table.Inherit == "always" || l.table.Inherit == "unless_given" && !given
	for _, each := range l.table.Environment {
		name := *each[0]
		if each[1] == nil {
			environment.Unset = append(environment.Unset, name)
			delete(environment.Set, name)
		} else if environment.Set[name] == "" {
			environment.Defaults[name] = *each[1]
		}
	}
	return nil
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](entries map[string]V) []string {
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
