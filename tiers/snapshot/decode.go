package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"
)

// ErrBytes means that bytes are not a state of the expected shape.
var ErrBytes = errors.New("snapshot: the bytes do not match the shape of the state")

// Decode decodes the output of Encode into the state that a pointer points to.
// After an error the state must not be used.
func Decode(b []byte, state any) (err error) {
	v := reflect.ValueOf(state)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("%w: %T is not a pointer to one", ErrShape, state)
	}
	defer func() {
		if stop := recover(); stop != nil {
			err = fmt.Errorf("%w: %v", ErrBytes, stop)
		}
	}()
	d := decoder{in: b}
	d.value(v.Elem())
	if len(d.in) > 0 {
		return fmt.Errorf("%w: %d bytes are left over", ErrBytes, len(d.in))
	}
	return nil
}

// malformed is the panic value that ends decoding; Decode recovers it.
type malformed string

type decoder struct {
	in    []byte
	met   []reflect.Value // in the order of their numbers
	depth int
}

func (d *decoder) fail(why string) { panic(malformed(why)) }

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.in)
	if size <= 0 {
		d.fail("a number is cut off")
	}
	d.in = d.in[size:]
	return n
}

// length reads a number of elements, each of which takes at least one byte.
func (d *decoder) length() int {
	n := d.uint()
	if n > uint64(len(d.in)) {
		d.fail("a length exceeds the remaining bytes")
	}
	return int(n)
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.in) {
		d.fail("a string is cut off")
	}
	b := d.in[:n:n]
	d.in = d.in[n:]
	return b
}

// seen returns the value that a reference refers to, after checking its type. It returns false if
// a new value follows, which the caller must add to d.met.
func (d *decoder) seen(t reflect.Type) (v reflect.Value, isOld, isNothing bool) {
	switch d.uint() {
	case isNil:
		return v, false, true
	case isNew:
		return v, false, false
	case isSeen:
		id := d.uint()
		if id >= uint64(len(d.met)) || d.met[id].Type() != t {
			d.fail("a reference has the wrong type")
		}
		return d.met[id], true, false
	}
	d.fail("a mark is unknown")
	return v, false, true
}

// value reads a value into v, which must be addressable.
func (d *decoder) value(v reflect.Value) {
	v = open(v)
	if d.depth++; d.depth > maxDepth {
		d.fail("it is nested too deep")
	}
	defer func() { d.depth-- }()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.bytes(1)[0] != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(d.in)
		if size <= 0 || v.OverflowInt(n) {
			d.fail("a number is out of range")
		}
		d.in = d.in[size:]
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := d.uint()
		if v.OverflowUint(n) {
			d.fail("a number is out of range")
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(d.bytes(8))))
	case reflect.String:
		v.SetString(d.str())
	case reflect.Pointer:
		d.pointer(v)
	case reflect.Slice:
		d.slice(v)
	case reflect.Map:
		d.mapping(v)
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Struct:
		d.structure(v)
	case reflect.Interface:
		d.payload(v)
	default:
		d.fail("a part cannot be stored")
	}
}

func (d *decoder) str() string {
	n := d.uint()
	if n < shareFrom {
		return string(d.bytes(int(n)))
	}
	old, isOld, isNothing := d.seen(reflect.TypeFor[string]())
	if isOld && uint64(old.Len()) == n {
		return old.String()
	}
	if isOld || isNothing || n > uint64(len(d.in)) {
		d.fail("a string is cut off")
	}
	s := string(d.bytes(int(n)))
	d.met = append(d.met, reflect.ValueOf(s))
	return s
}

func (d *decoder) pointer(v reflect.Value) {
	old, isOld, isNothing := d.seen(v.Type())
	switch {
	case isNothing:
	case isOld:
		v.Set(old)
	default:
		p := reflect.New(v.Type().Elem())
		if p.Type() != v.Type() {
			p = p.Convert(v.Type())
		}
		d.met = append(d.met, p)
		v.Set(p)
		d.value(p.Elem())
	}
}

func (d *decoder) slice(v reflect.Value) {
	n := d.uint()
	if n == 0 {
		return
	}
	n--
	if n == 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return
	}
	all, isOld, isNothing := d.seen(v.Type())
	if isNothing {
		d.fail("a slice is missing")
	}
	if !isOld {
		all = d.elements(v.Type())
	}
	if n > uint64(all.Len()) {
		d.fail("a slice is too long")
	}
	v.Set(all.Slice3(0, int(n), int(n)))
}

// elements reads a new slice.
func (d *decoder) elements(t reflect.Type) reflect.Value {
	length := d.length()
	if length > len(d.in)/least(t.Elem()) {
		d.fail("a length exceeds the remaining bytes")
	}
	all := reflect.MakeSlice(t, length, length)
	d.met = append(d.met, all)
	if t.Elem().Kind() == reflect.Uint8 {
		reflect.Copy(all, reflect.ValueOf(d.bytes(length)).Convert(reflect.SliceOf(t.Elem())))
		return all
	}
	for i := range length {
		d.value(all.Index(i))
	}
	return all
}

// least returns the minimum number of bytes of a value of a type.
func least(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return 8
	case reflect.Array:
		return max(t.Len()*least(t.Elem()), 1)
	case reflect.Struct:
		n := 0
		for i := range t.NumField() {
			if t != timeType && t.Field(i).Tag.Get("snapshot") != leftOut {
				n += least(t.Field(i).Type)
			}
		}
		return max(n, 1)
	}
	return 1
}

func (d *decoder) mapping(v reflect.Value) {
	old, isOld, isNothing := d.seen(v.Type())
	if isNothing {
		return
	}
	if isOld {
		v.Set(old)
		return
	}
	m := reflect.MakeMap(v.Type())
	d.met = append(d.met, m)
	v.Set(m)
	for range d.length() {
		k, x := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.key(k)
		d.value(x)
		m.SetMapIndex(k, x)
	}
}

// key reads a map's key, which contains no references.
func (d *decoder) key(v reflect.Value) {
	v = open(v)
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(d.bytes(d.length())))
	case reflect.Struct:
		for i := range v.NumField() {
			d.key(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			d.key(v.Index(i))
		}
	default:
		d.value(v)
	}
}

func (d *decoder) structure(v reflect.Value) {
	if v.Type() == timeType {
		var t time.Time
		if err := t.UnmarshalBinary(d.bytes(d.length())); err != nil {
			d.fail("a time cannot be read")
		}
		v.Set(reflect.ValueOf(t))
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("snapshot") != leftOut {
			d.value(v.Field(i))
		}
	}
}

func (d *decoder) payload(v reflect.Value) {
	switch d.uint() {
	case isNil:
		return
	case isNew:
	default:
		d.fail("a mark is unknown")
	}
	t := payloads()[string(d.bytes(d.length()))]
	if t == nil || !t.Implements(v.Type()) {
		d.fail("a payload has an unknown type")
	}
	held := reflect.New(t).Elem()
	d.value(held)
	v.Set(held)
}
