package polywireruntime

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// forest is a tree of entries with members of the sample's types.
type forest[E any] struct{ tree[E, forestIDs] }

type forestIDs struct{}

func (forestIDs) ids() *entryIDs { return &idsInForest }

var idsInForest = entryIDs{
	id:       pointerSteps{{"text", "name"}},
	parent:   pointerSteps{{"up"}},
	attached: pointerSteps{{"body", "host"}, {"id"}},
	previous: pointerSteps{{"before"}},
}

var _, _ hasIDs = forestIDs{}, markIDs{}

// marks is a tree of entries with numbers.
type marks[E any] struct{ tree[E, markIDs] }

type markIDs struct{}

func (markIDs) ids() *entryIDs {
	return &entryIDs{id: pointerSteps{{"y"}}, parent: pointerSteps{{"x"}}}
}

// entryWith returns an entry with ids as plain JSON.
func entryWith(ids ...any) map[string]any {
	entry := map[string]any{}
	for i, id := range ids {
		switch i {
		case 0:
			entry["text"] = id
		case 1:
			entry["up"] = id
		case 2:
			entry["host"] = map[string]any{"id": id}
		case 3:
			entry["before"] = id
		}
	}
	return entry
}

// grow returns a tree of entries, each of which has an id.
func grow[E any](t *testing.T, entries ...E) *forest[E] {
	t.Helper()
	tree := new(forest[E])
	for _, each := range entries {
		if !tree.Add(each) {
			t.Errorf("%v was not added", each)
		}
	}
	return tree
}

func textsOf(entries []map[string]any) (texts []any) {
	for _, each := range entries {
		texts = append(texts, each["text"])
	}
	return texts
}

func wantIDs(t *testing.T, entries []map[string]any, want ...any) {
	t.Helper()
	if found := textsOf(entries); !slices.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
}

func same(t *testing.T, found []any, want ...any) {
	t.Helper()
	if len(found) != len(want) || len(want) > 0 && !reflect.DeepEqual(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
}

func readLine(t *testing.T, text string) line {
	t.Helper()
	found, err := unmarshalLine([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDecodedValuesUnknownsAndJSONAreEntriesOfOneTree(t *testing.T) {
	first := &note{Text: Some("a")}
	unknown := readLine(t, `{"kind":"new","text":"b","up":"a"}`)
	if !IsUnknown(unknown) {
		t.Fatalf("%T", unknown)
	}
	plain := map[string]any{"name": "c", "up": "b"}
	raw := json.RawMessage(`{"up": "c", "name" : "d"}`)
	tree := grow[any](t, first, unknown, plain, raw)
	same(t, tree.Path(), first, unknown, plain, raw)
	same(t, tree.Children("a"), unknown)
	same(t, tree.Roots(), first)
	same(t, tree.Leaves(), raw)
}

func TestAStructHasUndeclaredMembersTooAndNullIsNone(t *testing.T) {
	root := &note{Text: Some("a"), Extra: ExtraOf(Member{"before", "z"}, Member{"host", nil}, Member{"up", Null{}})}
	last := &note{Text: Some("b"), Body: map[string]any{"id": "a"}, Extra: ExtraOf(Member{"up", "a"})}
	tree := grow[any](t, entryWith("z"), root, last)
	same(t, tree.Path(), root, last)
	same(t, tree.History(), entryWith("z"), root, last)
	same(t, tree.Leaves(), entryWith("z"), root)
	read := readLine(t, `{"kind":"note","id":"00000000-0000-0000-0000-000000000000","count":1,"text":"c","up":"b","body":null,"host":{"id":"a"}}`)
	tree.Add(read)
	same(t, tree.PathTo("c"), root, last, read)
}

func TestAnEntryCanBeAStructByValueOrEmbedADeclaredOne(t *testing.T) {
	type own struct{ *note }
	entry := note{Text: Some("a")}
	mine := own{&note{Text: Some("b"), Extra: ExtraOf(Member{"up", "a"})}}
	tree := grow[any](t, entry, mine)
	same(t, tree.Path(), entry, mine)
	var none *note
	for _, each := range []any{none, own{}, nil, "a", 1, []any{"a"}, struct{}{}} {
		if tree.Add(each) {
			t.Errorf("%v was added", each)
		}
	}
}

func TestMembersOfFlattenedValuesAndOfFlatStructsAreThoseOfTheEntry(t *testing.T) {
	moved := readLine(t, `{"kind":"event/move","x":1,"y":2}`)
	tree := new(marks[any])
	for _, each := range []any{&spot{X: 0, Y: 1}, moved, &event{Kind: "event/rest", Spot: &spot{X: 2, Y: 3}}} {
		if !tree.Add(each) {
			t.Errorf("%v was not added", each)
		}
	}
	if path := tree.Path(); len(path) != 3 || path[1] != moved {
		t.Error(path)
	}
	for _, each := range []struct{ text, id string }{
		{`{"type":"text","text":"a","up":"z"}`, "a"},
		{`{"type":"call","text":"b","up":"a","input":{}}`, "b"},
		{`{"type":"new","name":"c","up":"b"}`, "c"},
	} {
		var read block
		if err := decodeAs([]byte(each.text), (*ofBlock)(nil), &read, nil); err != nil {
			t.Fatal(err)
		}
		if found := nodeOf(&read, &idsInForest); found.id != each.id || found.parent == nil {
			t.Errorf("%s: %v", each.text, found)
		}
	}
}

func TestMembersOfStructsInsideAreReached(t *testing.T) {
	where := entryIDs{id: pointerSteps{{"back"}, {"back"}, {"text"}}, parent: pointerSteps{{"id"}}, attached: pointerSteps{{"kind"}}}
	entry := &note{Back: &note{Back: readLine(t, `{"kind":"new","text":"a"}`)}}
	found := nodeOf(entry, &where)
	if found != (entryNode{id: "a", parent: "00000000-0000-0000-0000-000000000000", attached: "note"}) {
		t.Error(found)
	}
}

func TestAnythingButAStringOrAnIntegerIsNoID(t *testing.T) {
	values := []any{
		nil, Null{}, true, 1.5, int64(1 << 53), float64(1 << 53), math.NaN(), math.Inf(1), json.Number("1e400"), json.Number("x"),
		[]any{}, map[string]any{}, struct{}{}, json.RawMessage("["), json.RawMessage(""), json.RawMessage("null"), func() {},
	}
	for _, value := range values {
		t.Run(fmt.Sprintf("%T %v", value, value), func(t *testing.T) {
			tree := new(forest[any])
			if tree.Add(entryWith(value)) || tree.Add(value) {
				t.Error("it was added")
			}
			same(t, slices.Concat(tree.Path(), tree.Leaves(), tree.Roots()))
			entry := entryWith("a", value, value, value)
			tree.Add(entry)
			same(t, tree.History(), entry)
			same(t, tree.Roots(), entry)
			same(t, slices.Concat(tree.PathTo(value), tree.HistoryTo(value), tree.Children(value)))
		})
	}
}

func TestOneAndItsDigitsDifferAndOneIsOneHoweverItIsWritten(t *testing.T) {
	tree := grow(t, entryWith(1), entryWith("1"), entryWith(json.Number("2.0"), json.RawMessage("1.00")), entryWith("b", "1"), entryWith(int64(3), 2.0))
	wantIDs(t, tree.Children(1), json.Number("2.0"))
	wantIDs(t, tree.Children("1"), "b")
	wantIDs(t, tree.PathTo(uint8(3)), 1, json.Number("2.0"), int64(3))
	wantIDs(t, tree.PathTo(3.0), 1, json.Number("2.0"), int64(3))
}

func TestAnEntryOfARepeatedIDTakesThePlaceOfTheFirst(t *testing.T) {
	tree := grow(t, entryWith("a"), entryWith("b", "a"), entryWith("c", "a"))
	wantIDs(t, tree.Children("a"), "b", "c")
	tree.Add(entryWith("b"))
	wantIDs(t, tree.Roots(), "a", "b")
	wantIDs(t, tree.Children("a"), "c")
	wantIDs(t, tree.Path(), "a", "c")
}

// results returns everything that a tree has to say.
func results(tree *forest[map[string]any]) (found [][]any) {
	found = [][]any{textsOf(tree.Path()), textsOf(tree.History()), textsOf(tree.Leaves()), textsOf(tree.Roots())}
	for id := range 8 {
		found = append(found, textsOf(tree.PathTo(id)), textsOf(tree.HistoryTo(id)), textsOf(tree.Children(id)))
	}
	return found
}

func TestAfterEachEntryATreeIsLikeANewOne(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 7))
	id := func() any {
		if id := draw.IntN(9); id < 8 {
			return id
		}
		return nil
	}
	for range 300 {
		tree, added := new(forest[map[string]any]), []map[string]any{}
		for range draw.IntN(15) {
			entry := entryWith(id(), id(), id(), id())
			if tree.Add(entry) {
				added = append(added, entry)
			}
			if draw.IntN(10) < 3 { // whether or not anything was asked in between
				continue
			}
			if found, want := results(tree), results(grow(t, added...)); !reflect.DeepEqual(found, want) {
				t.Fatalf("%v: got %v, want %v", added, found, want)
			}
		}
	}
}

func TestLongBranchesAndManyChildrenTakeLinearTime(t *testing.T) {
	const count = 20_000
	chain, late, wide, ring := []map[string]any{}, []map[string]any{}, []map[string]any{entryWith("root")}, []map[string]any{}
	for n := range count {
		chain = append(chain, entryWith(n, n-1))
		late = append(late, entryWith(fmt.Sprint("late ", n), nil, n))
		wide = append(wide, entryWith(n, "root", "root"))
		ring = append(ring, entryWith(n, (n+1)%count))
	}
	if path := grow(t, chain...).Path(); len(path) != count || path[count-1]["text"] != count-1 {
		t.Error(len(path))
	}
	// Each attached entry was added before its host, which makes a search from the host on take quadratic time.
	slices.Reverse(late)
	if path := grow(t, slices.Concat(late, chain)...).Path(); len(path) != 2*count {
		t.Error(len(path))
	}
	if path := grow(t, slices.Concat(chain, late)...).PathTo(count - 1); len(path) != 2*count {
		t.Error(len(path))
	}
	slices.Reverse(chain)
	if path := grow(t, chain...).Path(); len(path) != count || path[0]["text"] != 0 {
		t.Error(len(path))
	}
	tree := grow(t, wide...)
	wantIDs(t, tree.Leaves(), "root")
	if found := len(tree.Children("root")); found != count || len(tree.Path()) != count+1 {
		t.Error(found)
	}
	if tree := grow(t, ring...); len(tree.Path()) != count || len(tree.Leaves()) != 0 {
		t.Error(len(tree.Path()))
	}
}

func TestAddingTakesNoLongerForALargerTree(t *testing.T) {
	small, large := new(forest[map[string]any]), new(forest[map[string]any])
	for n := range 10_000 {
		large.Add(entryWith(n, n/2))
	}
	small.Add(entryWith(0))
	again := entryWith(0, 1)
	one := testing.AllocsPerRun(100, func() { small.Add(again) })
	if found := testing.AllocsPerRun(100, func() { large.Add(again) }); found != one {
		t.Error(found, one)
	}
}
