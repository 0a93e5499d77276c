package events

import (
	"reflect"
	"strings"
)

// null reads the word, if it comes next, and empties v then.
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

// field is a member of an object.
type field struct {
	name  string
	index []int
	read  plan
}

// maxQuickFields bounds the members of an object: one bit tells of each whether it was read.
const maxQuickFields = 64

// fieldsOf are the members of a struct, with those of the structs that it
// embeds; false where encoding/json has rules for it that are not known here.
func fieldsOf(t reflect.Type) ([]field, bool) {
	var out []field
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			continue // its members follow
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

// find is where a member of that name stands, at or behind next before others:
// members mostly come in their order. -1: there is none.
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
