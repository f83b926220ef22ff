package polywireruntime

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// starting is a record of options that start a process.
type starting struct {
	Extra Extra
	Name  *string
	Level *float64
	Items []string
	Env   map[string]string
	More  map[string]*string
	Body  any
	Rooms map[string][]room
	Ask   func() bool
}

// room has functions, which are replaced by ids.
type room struct {
	Extra Extra
	IDs   []string
	Rings []func() int
}

func (*starting) resolve() any { return &tableStarting }
func (*room) resolve() any     { return &tableRoom }

var tableStarting = table{name: "Starting", typ: (*starting)(nil), rows: []row{
	{"name", "Name", 0, isString},
	{"level", "Level", 0, isNumber},
	{"items", "Items", 0, &list{isString, 0, -1}},
	{"env", "Env", 0, &mapping{isString, nil}},
	{"more", "More", 0, &mapping{&orNull{isString}, nil}},
	{"body", "Body", 0, isJSON},
	{"rooms", "Rooms", 0, &mapping{&list{(*room)(nil), 0, -1}, nil}},
}}

var tableRoom = table{name: "Room", typ: (*room)(nil), rows: []row{{"ids", "IDs", 0, &list{isString, 0, -1}}}}

// tableOfStarting passes an option in each of the possible forms.
func tableOfStarting() *launchText {
	return &launchText{
		rows: []launchRow{{fields: []string{"Ask"}}, {fields: []string{"Rooms", "", "", "Rings"}}},
		text: `{"releases":["1","2"],"arguments":["run"],"environment":[["KIND","x"],["GONE",null]],
		"inherit":"unless_given","control":"start","by":"kind",
		"options":[
		{"name":"name","carry":[{"to":"flag","name":"--name","as":"value","keep":["zero"]}]},
		{"name":"level","carry":[{"to":"flag","name":"--level","as":"value","releases":[[1,1]],"keep":["zero"]},
			{"to":"control","name":"start","as":"value","at":["a","level"],"keep":["empty","zero"],"absent":7}]},
		{"name":"items","carry":[{"to":"flag","name":"--item","as":"repeat","wrap":"<*>"},{"to":"flag","name":"--items","as":"join"}]},
		{"name":"env","carry":[{"to":"process","name":"environment","as":"value","keep":["empty"]}]},
		{"name":"body","carry":[{"to":"flag","name":"--body","as":"json","at":["body"]},{"to":"flag","name":"--on","as":"bare",
			"except":[[["off"],true]],"with":{"option":"level","when":[["is",null],["is",7]]},"releases":[[0,0]]}]},
		{"name":"more","carry":[{"to":"flag","name":"--","as":"pairs"}]},
		{"name":"rooms","carry":[{"to":"control","name":"start","as":"value","at":["rooms"],"keep":["empty"]}]},
		{"name":"ask","carry":[{"to":"flag","name":"--ask","as":"bare","value":"x"}]}],
		"conflicts":[{"fields":["name","ask"],"message":"one of both"}],
		"functions":[{"path":["ask"],"control":"answer"},{"path":["rooms","*","*","rings"],"control":"ring","list":true,"ids":["ids"],"wrap":"ring-*","releases":[[1,1]]}]}`,
	}
}

func launchedBy(t *testing.T, options *starting, release string) *Launched {
	t.Helper()
	made, err := launch(tableOfStarting(), options, release)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestOptionsBecomeArgumentsAndRequests(t *testing.T) {
	made := launchedBy(t, &starting{
		Name: Ptr("--x"), Level: Ptr(1e-7), Items: []string{"a", "b"},
		More: map[string]*string{"z": nil, "body": Ptr(`{"k":1}`), "n": Ptr("")}, Body: map[string]any{"<": 1.5},
	}, "")
	want := []string{
		"run", "--name=--x", "--level", "1e-7", "--item", "<a>", "--item", "<b>", "--items", "a,b",
		"--body", `{"body":{"<":1.5},"k":1}`, "--n", "", "--z",
	}
	if !slices.Equal(made.Arguments, want) {
		t.Errorf("%q", made.Arguments)
	}
	if request := string(made.Requests["start"]); request != `{"a":{"level":1e-07},"kind":"start"}` {
		t.Error(request)
	}
	older := launchedBy(t, &starting{}, "1")
	if request := string(older.Requests["start"]); !slices.Equal(older.Arguments, []string{"run"}) || request != `{"a":{"level":7},"kind":"start"}` {
		t.Error(older.Arguments, request)
	}
}

func TestAnOptionDependsOnTheValueOfAnotherAndAFlagOnWhatIsLeft(t *testing.T) {
	off, on := map[string]any{"off": true}, map[string]any{"off": false}
	for _, each := range []struct {
		level *float64
		body  map[string]any
		want  bool
	}{
		{nil, map[string]any{"a": off, "b": on}, true},
		{nil, map[string]any{"a": off}, false},
		{Ptr(7.0), map[string]any{"b": on}, true},
		{Ptr(8.0), map[string]any{"b": on}, false},
	} {
		made, err := launch(tableOfStarting(), &starting{Level: each.level, Body: each.body}, "1")
		if err != nil || slices.Contains(made.Arguments, "--on") != each.want {
			t.Error(each, made, err)
		}
	}
}

func TestFunctionsBecomeIDsInTheOrderOfKeys(t *testing.T) {
	number := func(n int) func() int { return func() int { return n } }
	options := &starting{
		Ask:   func() bool { return true },
		Rooms: map[string][]room{"b": {{Rings: []func() int{number(2)}}}, "a": {{}, {Rings: []func() int{number(0), number(1)}}}},
	}
	made := launchedBy(t, options, "2")
	if request := string(made.Requests["start"]); request != `{"a":{"level":7},"kind":"start","rooms":{"a":[{},{"ids":["ring-0","ring-1"]}],"b":[{"ids":["ring-2"]}]}}` {
		t.Error(request)
	}
	if ask := made.Functions[0]; !ask.Function.(func() bool)() || ask.Place != "/ask" || ask.Control != "answer" || ask.ID != "" {
		t.Errorf("%+v", ask)
	}
	for n, place := range []string{"/rooms/a/1/rings/0", "/rooms/a/1/rings/1", "/rooms/b/0/rings/0"} {
		ring := made.Functions[n+1]
		if ring.Function.(func() int)() != n || ring.Place != place || ring.Control != "ring" || ring.ID != fmt.Sprint("ring-", n) {
			t.Errorf("%+v", ring)
		}
	}
	older := launchedBy(t, options, "1")
	if ring := older.Functions[3]; ring.Control != "" || ring.ID != "" || options.Rooms["b"][0].IDs != nil {
		t.Errorf("%+v", ring)
	}
}

func TestTheEnvironmentIsTheClientsOwnUnlessGiven(t *testing.T) {
	own := []string{"A=1", "GONE=1", "KIND=", "=C:=D", "odd"}
	if found := launchedBy(t, &starting{}, "").Environment.Over(own); !slices.Equal(found, []string{"=C:=D", "A=1", "KIND=x"}) {
		t.Errorf("%q", found)
	}
	given := launchedBy(t, &starting{Env: map[string]string{"B": "2", "GONE": "1"}}, "").Environment
	if found := given.Over(own); !slices.Equal(found, []string{"B=2", "KIND=x"}) {
		t.Errorf("%q", found)
	}
}

// nullAt returns a record with a null that lenient mode keeps.
func nullAt(key string) *starting {
	made := &starting{}
	made.Extra.Set(Member{key, nil})
	return made
}

// deep returns JSON text nested to the given depth.
func deep(levels int) string {
	return `{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + "}"
}

func TestOptionsShareTheJSONOfAFlag(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1e400,"a":1}`:        `{"a":1,"body":true}`,
		"{\"a\":\"\xed\xa0\x80\"}": `{"a":"\ud800","body":true}`,
		deep(128):                  deep(128)[:len(deep(128))-1] + `,"body":true}`,
	} {
		made := launchedBy(t, &starting{More: map[string]*string{"body": Ptr(text)}, Body: true}, "")
		if found := made.Arguments[len(made.Arguments)-1]; found != want {
			t.Errorf("%.60s", found)
		}
	}
}

func TestATextKeepsWithinWhatIsPutAroundIt(t *testing.T) {
	for _, text := range []string{"", " ", " a", "a ", "a,b", "a>", "<a", "a\nb", "a>,<b"} {
		_, err := launch(tableOfStarting(), &starting{Items: []string{"b", text}}, "")
		var refused *LaunchError
		if !errors.As(err, &refused) || refused.Code != LaunchCannotTravel || !slices.Equal(refused.Paths, []string{"/items/1"}) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if made := launchedBy(t, &starting{Items: []string{"b \uFFFD)"}}, ""); made.Arguments[2] != "<b \uFFFD)>" {
		t.Error(made.Arguments)
	}
}

func TestEntriesTravelWithoutWhatIsLeftOut(t *testing.T) {
	c := &carrier{Omit: []string{"kind"}, Except: []expectation{{[]string{"off"}, []any{}}}}
	found := c.chosen(map[string]any{
		"a": map[string]any{"kind": "own", "at": 1.0, "off": []any{0.0}}, "b": map[string]any{"kind": "own", "off": nil},
		"c": map[string]any{"kind": "own", "off": []any{}}, "d": map[string]any{}, "e": 1.0, "f": map[string]any{"kind": 1.0},
	})
	want := map[string]any{"a": map[string]any{"at": 1.0, "off": []any{0.0}}, "b": map[string]any{"off": nil}, "e": 1.0}
	if !reflect.DeepEqual(found, want) {
		t.Error(found)
	}
	all := &carrier{Except: []expectation{{nil, []any{}}}}
	if found := all.chosen([]any{[]any{}, []any{1.0}, nil, map[string]any{}}); !reflect.DeepEqual(found, []any{[]any{1.0}, nil, map[string]any{}}) {
		t.Error(found)
	}
}

func TestEqualJSONIsOfOneKind(t *testing.T) {
	for _, each := range []struct {
		one, other any
		same       bool
	}{
		{missing{}, nil, true},
		{nil, nil, true},
		{1.0, json.Number("1"), true},
		{1.0, true, false},
		{"1", 1.0, false},
		{[]any{map[string]any{"a": 1.0}}, []any{map[string]any{"a": json.Number("1")}}, true},
		{[]any{}, map[string]any{}, false},
		{map[string]any{"a": nil}, map[string]any{}, false},
	} {
		if sameJSON(each.one, each.other) != each.same {
			t.Error(each)
		}
	}
}

func TestWhatCannotTravelIsAnError(t *testing.T) {
	more := &starting{Name: Ptr("n")}
	more.Extra.Set(Member{"a/b", 1})
	for _, each := range []struct {
		options *starting
		release string
		code    LaunchErrorCode
		paths   []string
	}{
		{&starting{}, "3", LaunchUnknownRelease, nil},
		{&starting{Name: Ptr("n"), Ask: func() bool { return true }}, "", LaunchConflict, []string{"/name", "/ask"}},
		{more, "", LaunchCannotTravel, []string{"/a~1b"}},
		{&starting{Items: []string{"a", "\x00"}}, "", LaunchCannotTravel, []string{"/items/1"}},
		{&starting{Name: Ptr("\xed\xa0\x80")}, "", LaunchCannotTravel, []string{"/name"}},
		{&starting{Env: map[string]string{"A=B": ""}}, "", LaunchCannotTravel, []string{"/env/A=B"}},
		{&starting{Env: map[string]string{"": ""}}, "", LaunchCannotTravel, []string{"/env/"}},
		{&starting{More: map[string]*string{"body": Ptr(`{"body":null}`)}, Body: true}, "", LaunchConflict, []string{"/more/body", "/body"}},
		{&starting{Body: []any{json.Number("1" + strings.Repeat("0", 400))}}, "", LaunchCannotTravel, []string{"/body/0"}},
		{nullAt("env"), "", LaunchCannotTravel, []string{"/env"}},
		{nullAt("more"), "", LaunchCannotTravel, []string{"/more"}},
	} {
		_, err := launch(tableOfStarting(), each.options, each.release)
		var refused *LaunchError
		if !errors.As(err, &refused) || refused.Code != each.code || !reflect.DeepEqual(refused.Paths, each.paths) {
			t.Errorf("%v", err)
		}
	}
	for _, text := range []string{"no JSON", "[]", `{"a":1e400}`, `{"a":1` + strings.Repeat("0", 400) + "}", `{"a":NaN}`, "{}x", deep(129)} {
		_, err := launch(tableOfStarting(), &starting{More: map[string]*string{"body": Ptr(text)}, Body: true}, "")
		var refused *LaunchError
		if !errors.As(err, &refused) || refused.Code != LaunchCannotTravel || !slices.Equal(refused.Paths, []string{"/more/body"}) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	if _, err := launch(tableOfStarting(), (*starting)(nil), ""); err == nil {
		t.Error("nil passed for options")
	}
	var wrong *EncodeError
	if _, err := launch(tableOfStarting(), &starting{Body: func() {}}, ""); !errors.As(err, &wrong) {
		t.Error(err)
	}
}
