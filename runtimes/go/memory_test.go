package polywireruntime

import "testing"

// typed is a struct with an accessor for each field instead of offsets.
type typed struct{ A, B, C, D, E, F, G, H string }

var accessors = []func(any) *string{
	func(v any) *string { return &v.(*typed).A }, func(v any) *string { return &v.(*typed).B },
	func(v any) *string { return &v.(*typed).C }, func(v any) *string { return &v.(*typed).D },
	func(v any) *string { return &v.(*typed).E }, func(v any) *string { return &v.(*typed).F },
	func(v any) *string { return &v.(*typed).G }, func(v any) *string { return &v.(*typed).H },
}

// BenchmarkPlaces compares access to a field by its offset and by an accessor with Go types.
func BenchmarkPlaces(b *testing.B) {
	texts := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	b.Run("offset", func(b *testing.B) {
		var v typed
		offsets := make([]uintptr, len(texts))
		for i := range offsets {
			offsets[i] = uintptr(i) * 16
		}
		for b.Loop() {
			p := address(&v)
			for i, offset := range offsets {
				*textAt(at(p, offset)) = texts[i]
			}
		}
	})
	b.Run("accessor", func(b *testing.B) {
		var v any = new(typed)
		for b.Loop() {
			for i, place := range accessors {
				*place(v) = texts[i]
			}
		}
	})
}
