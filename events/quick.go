package events

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Unmarshal is like json.Unmarshal into a zero value, but several times faster for JSON that was
// marshalled from a value of the same type.
func Unmarshal(b []byte, v any) error {
	if Quick(b, v) {
		return nil
	}
	return json.Unmarshal(b, v)
}

// Quick decodes b into the value that v points to, as json.Unmarshal does, if every member of the
// JSON is a member of the type, with exactly its name and at most once. If it returns false, the
// text may still be valid, and v is the zero value.
func Quick(b []byte, v any) bool {
	target := reflect.ValueOf(v).Elem()
	read := plans.of(target.Type())
	if read == nil || !utf8.Valid(b) {
		return false
	}
	q := quicks.Get().(*quick)
	q.in, q.at = b, 0
	ok := read(q, target) && q.end()
	q.in = nil
	quicks.Put(q)
	if !ok {
		target.SetZero()
	}
	return ok
}

var quicks = sync.Pool{New: func() any { return &quick{} }}

// plan decodes a value of one type.
type plan func(q *quick, into reflect.Value) bool

// plans are built when a type is decoded for the first time.
var plans planner

type planner struct {
	made sync.Map // reflect.Type to plan
	mu   sync.Mutex
	open map[reflect.Type]bool // types whose plan is being built
}

func (all *planner) of(t reflect.Type) plan {
	if p, ok := all.made.Load(t); ok {
		return p.(plan)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.make(t)
}

// make returns the plan of a type; mu must be held. Recursive types are left to encoding/json.
func (all *planner) make(t reflect.Type) plan {
	if p, ok := all.made.Load(t); ok {
		return p.(plan)
	}
	if all.open[t] {
		return readOther
	}
	if all.open == nil {
		all.open = map[reflect.Type]bool{}
	}
	all.open[t] = true
	p := all.kind(t)
	delete(all.open, t)
	all.made.Store(t, p)
	return p
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	timeType        = reflect.TypeFor[time.Time]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textType        = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (all *planner) kind(t reflect.Type) plan {
	switch {
	case t == rawType:
		return readRaw
	case t == timeType:
		return readTime
	case reflect.PointerTo(t).Implements(unmarshalerType), reflect.PointerTo(t).Implements(textType):
		return readOther
	}
	switch t.Kind() {
	case reflect.String:
		return readString
	case reflect.Bool:
		return readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return readInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return readUint
	case reflect.Float64:
		return readFloat
	case reflect.Pointer:
		return all.pointer(t)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return all.slice(t)
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !reflect.PointerTo(t.Key()).Implements(textType) {
			return all.mapOf(t)
		}
	case reflect.Struct:
		if fields, ok := fieldsOf(t); ok {
			return all.object(t, fields)
		}
	}
	return readOther
}

// readOther decodes a value with its own UnmarshalJSON or with encoding/json.
func readOther(q *quick, v reflect.Value) bool {
	raw, ok := q.value()
	if own, has := v.Addr().Interface().(json.Unmarshaler); has {
		return ok && own.UnmarshalJSON(raw) == nil
	}
	return ok && json.Unmarshal(raw, v.Addr().Interface()) == nil
}

func readRaw(q *quick, v reflect.Value) bool {
	raw, ok := q.value()
	if ok {
		v.SetBytes(append([]byte{}, raw...))
	}
	return ok
}

func readTime(q *quick, v reflect.Value) bool {
	raw, ok := q.value()
	return ok && v.Addr().Interface().(*time.Time).UnmarshalJSON(raw) == nil
}

func readString(q *quick, v reflect.Value) bool {
	s, ok := q.str()
	if ok {
		v.SetString(s)
	}
	return ok
}

func readBool(q *quick, v reflect.Value) bool {
	switch q.next() {
	case 't':
		v.SetBool(true)
		return q.word("true")
	case 'f':
		v.SetBool(false)
		return q.word("false")
	}
	return false
}

func readInt(q *quick, v reflect.Value) bool {
	n, ok := q.whole(v.Type().Bits())
	if ok {
		v.SetInt(n)
	}
	return ok
}

func readUint(q *quick, v reflect.Value) bool {
	raw, whole, ok := q.number()
	if !ok || !whole {
		return false
	}
	n, err := strconv.ParseUint(string(raw), 10, v.Type().Bits())
	v.SetUint(n)
	return err == nil
}

func readFloat(q *quick, v reflect.Value) bool {
	raw, _, ok := q.number()
	if !ok {
		return false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	v.SetFloat(n)
	return err == nil
}

// null consumes the literal null, if it is next, and sets v to zero.
func (q *quick) null(v reflect.Value) bool {
	if q.next() != 'n' || !q.word("null") {
		return false
	}
	v.SetZero()
	return true
}

func (all *planner) pointer(t reflect.Type) plan {
	read := all.make(t.Elem())
	return func(q *quick, v reflect.Value) bool {
		if q.null(v) {
			return true
		}
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		return read(q, v.Elem())
	}
}

func (all *planner) slice(t reflect.Type) plan {
	read := all.make(t.Elem())
	return func(q *quick, v reflect.Value) bool {
		if q.null(v) {
			return true
		}
		if !q.take('[') {
			return false
		}
		if q.take(']') {
			v.Set(reflect.MakeSlice(t, 0, 0))
			return true
		}
		for n := 0; ; n++ {
			if n == v.Cap() {
				v.Grow(1)
			}
			v.SetLen(n + 1)
			if !read(q, v.Index(n)) {
				return false
			}
			if q.take(']') {
				return true
			}
			if !q.take(',') {
				return false
			}
		}
	}
}

func (all *planner) mapOf(t reflect.Type) plan {
	read := all.make(t.Elem())
	return func(q *quick, v reflect.Value) bool {
		if q.null(v) {
			return true
		}
		if !q.take('{') {
			return false
		}
		if v.IsNil() {
			v.Set(reflect.MakeMap(t))
		}
		if q.take('}') {
			return true
		}
		for {
			name, ok := q.str()
			member := reflect.New(t.Elem()).Elem()
			if !ok || !q.take(':') || !read(q, member) {
				return false
			}
			v.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), member)
			if q.take('}') {
				return true
			}
			if !q.take(',') {
				return false
			}
		}
	}
}

// field is a member of a JSON object.
type field struct {
	name  string
	index []int
	read  plan
}

// maxQuickFields limits the members of an object, because one bit per member records whether it
// was read.
const maxQuickFields = 64

// fieldsOf returns the members of a struct, including those of embedded structs. It returns false
// if encoding/json has rules for the struct that are not implemented here.
func fieldsOf(t reflect.Type) ([]field, bool) {
	var out []field
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			continue // its members are listed separately
		case f.Anonymous, strings.Contains(options, "string"), name == "-" && options != "":
			return nil, false
		case !f.IsExported(), tag == "-":
			continue
		case name == "":
			name = f.Name
		}
		if names[name] || !ValidToken(name) {
			return nil, false
		}
		names[name] = true
		out = append(out, field{name: name, index: f.Index})
	}
	return out, len(out) <= maxQuickFields
}

func (all *planner) object(t reflect.Type, fields []field) plan {
	for i := range fields {
		fields[i].read = all.make(t.FieldByIndex(fields[i].index).Type)
	}
	return func(q *quick, v reflect.Value) bool {
		if !q.take('{') {
			return false
		}
		if q.take('}') {
			return true
		}
		var seen uint64
		for next := 0; ; next++ {
			name, escaped, ok := q.text()
			if next = find(fields, name, next); !ok || escaped || next < 0 || seen&(1<<next) != 0 || !q.take(':') {
				return false
			}
			seen |= 1 << next
			if f := &fields[next]; !f.read(q, v.FieldByIndex(f.index)) {
				return false
			}
			if q.take('}') {
				return true
			}
			if !q.take(',') {
				return false
			}
		}
	}
}

// find returns the index of the member with that name, or -1. It tries next first, because members
// are usually in order.
func find(fields []field, name []byte, next int) int {
	for i := range fields {
		if i += next; i >= len(fields) {
			i -= len(fields)
		}
		if fields[i].name == string(name) {
			return i
		}
	}
	return -1
}
