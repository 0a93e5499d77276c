package events

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// Unmarshal is json.Unmarshal into the zero value that v points to, several times
// faster for texts that a marshaller wrote from a value of that type.
func Unmarshal(b []byte, v any) error {
	if Quick(b, v) {
		return nil
	}
	return json.Unmarshal(b, v)
}

// Quick reads b into the value that v points to, as json.Unmarshal does, if
// every member is one that the type has, by its exact name and once. False gives
// no verdict on the text; v is the zero value then.
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

// plan reads a value of one type.
type plan func(q *quick, into reflect.Value) bool

// plans are made when a type is first read.
var plans planner

type planner struct {
	made sync.Map // reflect.Type to plan
	mu   sync.Mutex
	open map[reflect.Type]bool // types whose plan is being made
}

func (all *planner) of(t reflect.Type) plan {
	if p, ok := all.made.Load(t); ok {
		return p.(plan)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.make(t)
}

// make is the plan of a type; mu is held. A type that holds itself is left to
// encoding/json there.
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

// readOther leaves a value to its own reader, or to encoding/json.
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
