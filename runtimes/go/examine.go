// The locations of everything that lenient mode accepted in a document, as linked steps that are rendered
// on demand.

package polywireruntime

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// noted collects locations. A nil *noted collects nothing.
type noted struct {
	frames []frame
	places []*frame
	chosen string // the innermost variant of the root
}

// frame is a step from one location to the next: an index, or a key with the index -1.
type frame struct {
	key   string
	index int
	from  *frame
	kept  *frame // a copy of this frame that outlives the decoder's stack
}

func (n *noted) enter(key string, index int) {
	n.frames = append(n.frames, frame{key: key, index: index})
}

func (n *noted) leave() { n.frames = n.frames[:len(n.frames)-1] }

// add records the current location.
func (n *noted) add() {
	var from *frame
	for i := range n.frames {
		f := &n.frames[i]
		if f.kept == nil {
			f.kept = &frame{key: f.key, index: f.index, from: from}
		}
		from = f.kept
	}
	n.places = append(n.places, from)
}

// notedMark is a position in the notes to return to.
type notedMark struct{ frames, places int }

func (n *noted) mark() notedMark {
	if n == nil {
		return notedMark{}
	}
	return notedMark{len(n.frames), len(n.places)}
}

func (n *noted) reset(to notedMark) {
	if n != nil {
		n.frames, n.places = n.frames[:to.frames], n.places[:to.places]
	}
}

// again discards everything for a second reading.
func (n *noted) again() *noted {
	if n != nil {
		*n = noted{}
	}
	return n
}

func (n *noted) variant(name string) {
	if n != nil {
		n.chosen = name
	}
}

// pointers renders the locations, sorted and without duplicates.
func (n *noted) pointers() []string {
	pointers := make([]string, len(n.places))
	for i, place := range n.places {
		var steps []string
		for ; place != nil; place = place.from {
			if place.index < 0 {
				steps = append(steps, escapeStep(place.key))
			} else {
				steps = append(steps, strconv.Itoa(place.index))
			}
		}
		if len(steps) > 0 {
			slices.Reverse(steps)
			pointers[i] = "/" + strings.Join(steps, "/")
		}
	}
	sort.Strings(pointers)
	return slices.Compact(pointers)
}
