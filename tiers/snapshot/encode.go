package snapshot

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"manualslop/events"
)

// maxDepth limits the nesting depth of values.
const maxDepth = 10_000

// shareFrom is the minimum length in bytes of strings that are written only once if they share
// memory.
const shareFrom = 16

// Marks before a pointer, map, slice or long string.
const (
	isNil  = 0
	isNew  = 1
	isSeen = 2
)

// Encode encodes the state that a pointer points to. It returns ErrShape for a
// state that Decode could not restore.
func Encode(state any) ([]byte, error) {
	e := encoder{ids: map[place]uint64{}, longest: map[place]reflect.Value{}}
	return e.encode(state)
}

// Digest returns a digest of a state's value: two states have the same digest
// if they differ only in their memory addresses and sharing.
func Digest(state any) (string, error) {
	e := encoder{ids: map[place]uint64{}, byValue: true}
	b, err := e.encode(state)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// place is an address and the type of the value at it; for the bytes of a string, nil and the
// length.
type place struct {
	at  unsafe.Pointer
	typ reflect.Type
	n   int
}

func placeOf(v reflect.Value) place { return place{at: v.UnsafePointer(), typ: v.Type()} }

type encoder struct {
	out     []byte
	ids     map[place]uint64
	next    uint64
	byValue bool

	longest map[place]reflect.Value // of the slices that start at an address
	arrays  []span                  // memory of the slices found
	targets []span                  // memory of the targets of pointers
}

// span is a range of memory.
type span struct{ from, to uintptr }

func spanOf(at unsafe.Pointer, size uintptr) span { return span{uintptr(at), uintptr(at) + size} }

func (e *encoder) encode(state any) ([]byte, error) {
	v := reflect.ValueOf(state)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, fmt.Errorf("%w: %T is not a pointer to one", ErrShape, state)
	}
	if err := e.measure(v.Elem(), map[place]bool{}, 0); err != nil {
		return nil, err
	}
	if err := e.inside(); err != nil {
		return nil, err
	}
	e.value(v.Elem())
	return e.out, nil
}

// measure walks the state once to find the length of shared slices and anything that cannot be
// stored.
func (e *encoder) measure(v reflect.Value, seen map[place]bool, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: it is more than %d levels deep", ErrShape, maxDepth)
	}
	switch v.Kind() {
	case reflect.Pointer:
		at := placeOf(v)
		if v.IsNil() || seen[at] {
			return nil
		}
		seen[at] = true
		e.targets = append(e.targets, spanOf(at.at, v.Type().Elem().Size()))
		return e.measure(v.Elem(), seen, depth+1)
	case reflect.Slice:
		return e.measureSlice(v, seen, depth)
	case reflect.Map:
		at := placeOf(v)
		if v.IsNil() || seen[at] {
			return nil
		}
		seen[at] = true
		for each := open(v).MapRange(); each.Next(); {
			if err := e.measure(addressable(each.Value()), seen, depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return e.measureStruct(v, seen, depth)
	case reflect.Array:
		for i := range v.Len() {
			if err := e.measure(v.Index(i), seen, depth+1); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		if p, ok := open(v).Interface().(events.Payload); ok {
			if _, known := payloadName(p); known {
				return e.measure(addressable(open(v).Elem()), seen, depth+1)
			}
		}
		return fmt.Errorf("%w: it contains a %s", ErrShape, v.Elem().Type())
	}
	return nil
}

func (e *encoder) measureStruct(v reflect.Value, seen map[place]bool, depth int) error {
	if v.Type() == timeType {
		if _, err := open(v).Interface().(time.Time).MarshalBinary(); err != nil {
			return fmt.Errorf("%w: %w", ErrShape, err)
		}
		return nil
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("snapshot") == leftOut {
			continue
		}
		if err := e.measure(v.Field(i), seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) measureSlice(v reflect.Value, seen map[place]bool, depth int) error {
	if v.Len() == 0 {
		return nil
	}
	size := v.Type().Elem().Size()
	if size == 0 {
		return fmt.Errorf("%w: a %s has elements of size zero", ErrShape, v.Type())
	}
	from := 0
	if e.longest != nil {
		at := placeOf(v)
		if before, met := e.longest[at]; met {
			from = before.Len()
		}
		if v.Len() <= from {
			return nil
		}
		e.longest[at] = v
	}
	e.arrays = append(e.arrays, spanOf(v.UnsafePointer(), uintptr(v.Len())*size))
	if isPlain(v.Type().Elem().Kind()) {
		return nil
	}
	for i := from; i < v.Len(); i++ {
		if err := e.measure(v.Index(i), seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// inside returns an error if a pointer points into a slice, or into the target of another pointer,
// because decoding would give two separate values.
func (e *encoder) inside() error {
	byPlace := func(a, b span) int { return cmp.Compare(a.from, b.from) }
	slices.SortFunc(e.arrays, byPlace)
	all := e.targets
	for _, a := range e.arrays { // slices may overlap
		if n := len(all); n > len(e.targets) && a.from < all[n-1].to {
			all[n-1].to = max(all[n-1].to, a.to)
		} else {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, byPlace)
	for i := range all[:max(len(all)-1, 0)] {
		if all[i+1].from < all[i].to {
			return fmt.Errorf("%w: it has a pointer into another of its values", ErrShape)
		}
	}
	return nil
}

func isPlain(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// open makes an unexported field accessible.
func open(v reflect.Value) reflect.Value {
	if v.CanInterface() {
		return v
	}
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// addressable returns an addressable copy of a value.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

func (e *encoder) uint(n uint64) { e.out = binary.AppendUvarint(e.out, n) }

// value writes a value.
func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			e.out = append(e.out, 1)
		} else {
			e.out = append(e.out, 0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.out = binary.AppendVarint(e.out, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(v.Float()))
	case reflect.String:
		e.str(v.String())
	case reflect.Pointer:
		if !v.IsNil() && e.first(placeOf(v)) {
			e.value(v.Elem())
		} else if v.IsNil() {
			e.uint(isNil)
		}
	case reflect.Slice:
		e.slice(v)
	case reflect.Map:
		e.mapping(v)
	case reflect.Array:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Struct:
		e.structure(v)
	case reflect.Interface:
		e.payload(v)
	}
}

// first reports whether a value is seen for the first time; otherwise it writes the value's
// number.
func (e *encoder) first(at place) bool {
	if id, seen := e.ids[at]; seen {
		e.uint(isSeen)
		e.uint(id)
		return false
	}
	e.ids[at] = e.next
	e.next++
	e.uint(isNew)
	return true
}

// str writes a string: its length and, if it is long, whether it was seen before.
func (e *encoder) str(s string) {
	e.uint(uint64(len(s)))
	if len(s) >= shareFrom && !e.byValue {
		if !e.first(place{at: unsafe.Pointer(unsafe.StringData(s)), n: len(s)}) {
			return
		}
	}
	e.out = append(e.out, s...)
}

// slice writes a slice: whether it is nil and, if seen for the first time, the elements of the
// longest slice that starts at the same element.
func (e *encoder) slice(v reflect.Value) {
	if v.IsNil() {
		e.uint(0)
		return
	}
	e.uint(uint64(v.Len()) + 1)
	if v.Len() == 0 {
		return
	}
	if !e.byValue {
		at := placeOf(v)
		if !e.first(at) {
			return
		}
		v = e.longest[at]
		e.uint(uint64(v.Len()))
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		e.out = append(e.out, v.Bytes()...)
		return
	}
	for i := range v.Len() {
		e.value(v.Index(i))
	}
}

// mapping writes a map, sorted by the bytes of its keys.
func (e *encoder) mapping(v reflect.Value) {
	if v.IsNil() {
		e.uint(isNil)
		return
	}
	if !e.first(placeOf(v)) {
		return
	}
	type entry struct {
		key   []byte
		value reflect.Value
	}
	var all []entry
	for each := open(v).MapRange(); each.Next(); {
		k := encoder{byValue: true}
		k.value(addressable(each.Key()))
		all = append(all, entry{k.out, each.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	e.uint(uint64(len(all)))
	for _, x := range all {
		e.out = append(e.out, x.key...)
		e.value(addressable(x.value))
	}
}

func (e *encoder) structure(v reflect.Value) {
	if v.Type() == timeType {
		b, _ := open(v).Interface().(time.Time).MarshalBinary() // checked by measure
		e.uint(uint64(len(b)))
		e.out = append(e.out, b...)
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("snapshot") != leftOut {
			e.value(v.Field(i))
		}
	}
}

func (e *encoder) payload(v reflect.Value) {
	if v.IsNil() {
		e.uint(isNil)
		return
	}
	e.uint(isNew)
	held := open(v).Elem()
	name, _ := payloadName(open(v).Interface().(events.Payload))
	e.uint(uint64(len(name)))
	e.out = append(e.out, name...)
	e.value(addressable(held))
}
