// Access to values by memory address. This is the only file that uses unsafe.
//
// The engine accesses the fields of structs by their offsets, as protobuf-go does. Accessor functions
// with Go types, one per field, would need no unsafe code, but take more than 1.3 times as long
// (BenchmarkPlaces in memory_test.go) and add a function per field to every program.
//
// An address always comes from a reflect.Value or a pointer to a declared type, and stays within the same
// allocation: the tests run with the checks of -d=checkptr.

package polywireruntime

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/google/uuid"
)

type address = unsafe.Pointer

func at(p address, offset uintptr) address { return unsafe.Add(p, offset) }

func textAt(p address) *string             { return (*string)(p) }
func boolAt(p address) *bool               { return (*bool)(p) }
func floatAt(p address) *float64           { return (*float64)(p) }
func intAt(p address) *int64               { return (*int64)(p) }
func uuidAt(p address) *uuid.UUID          { return (*uuid.UUID)(p) }
func anyAt(p address) *any                 { return (*any)(p) }
func textsAt(p address) *[]string          { return (*[]string)(p) }
func extraAt(p address) *Extra             { return (*Extra)(p) }
func pointerAt(p address) *address         { return (*address)(p) }
func sliceAt(p address) *sliceHeader       { return (*sliceHeader)(p) }
func bytesAt(p address) *[]byte            { return (*[]byte)(p) }
func objectAt(p address) *map[string]any   { return (*map[string]any)(p) }
func countsAt(p address) *map[string]int64 { return (*map[string]int64)(p) }

// sliceHeader is a slice of any type.
type sliceHeader struct {
	first    address
	len, cap int
}

// interfaceAt is an interface with methods: a word that represents its type, and a pointer.
func interfaceAt(p address) *interfaceHeader { return (*interfaceHeader)(p) }

type interfaceHeader struct{ word, data address }

// interfaceOf returns the same view of an interface without methods, if it holds a pointer.
func interfaceOf(v *any) *interfaceHeader { return (*interfaceHeader)(unsafe.Pointer(v)) }

// placeIn returns the address of the value that an interface without methods holds. The value must not be
// changed through it.
func placeIn(v *any, held reflect.Type) address {
	switch held.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Struct, reflect.Array:
		if held.Size() > unsafe.Sizeof(v) {
			break
		}
		place := reflect.New(held) // the interface may hold the value instead of its address
		place.Elem().Set(reflect.ValueOf(*v))
		return addressOf(place)
	}
	return interfaceOf(v).data
}

// wordOf returns the word with which an interface type marks that it holds the given pointer type.
func wordOf(inter, pointer reflect.Type) address {
	place := reflect.New(inter)
	place.Elem().Set(reflect.Zero(pointer))
	return interfaceAt(place.UnsafePointer()).word
}

// asAny returns a pointer to a value of the given type as an interface without methods.
func asAny(t reflect.Type, p address) any { return reflect.NewAt(t, p).Interface() }

// bytesOf returns the bytes of a text. They must not be modified.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// viewOf returns a text that consists of the given bytes. They must not be modified as long as it is used.
func viewOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// startOfText and startOf return the address of the first byte of a text, or of a slice's array.
func startOfText(text string) address { return address(unsafe.StringData(text)) }
func startOf(b []byte) address        { return address(unsafe.SliceData(b)) }

func byteAt(p address) *byte { return (*byte)(p) }

// wordAt returns eight bytes as a number, the first byte as its lowest.
func wordAt(p address) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(p)[:]) }

// setWord and setPair store numbers in the same form.
func setWord(p address, x uint64) { binary.LittleEndian.PutUint64((*[8]byte)(p)[:], x) }
func setPair(p address, x uint16) { binary.LittleEndian.PutUint16((*[2]byte)(p)[:], x) }

// newText and its siblings allocate values of common types; newOf allocates one of any type.
func newText() address  { return address(new(string)) }
func newBool() address  { return address(new(bool)) }
func newFloat() address { return address(new(float64)) }

func newOf(t reflect.Type) address { return reflect.New(t).UnsafePointer() }

// valueAt returns the value of the given type at an address.
func valueAt(t reflect.Type, p address) reflect.Value { return reflect.NewAt(t, p).Elem() }

// addressOf returns the address that v, a pointer, points to.
func addressOf(v reflect.Value) address { return v.UnsafePointer() }
