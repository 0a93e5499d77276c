package events

import (
	"reflect"
	"strings"
)

// null reads the word, if it comes next.
func (q *quick) null() bool { return q.next() == 'n' && q.word("null") }

func (all *planner) pointer(t reflect.Type) plan {
	read := all.make(t.Elem())
	return func(q *quick, v reflect.Value) bool {
		if q.null() {
			return true
		}
		p := reflect.New(t.Elem())
		if !read(q, p.Elem()) {
			return false
		}
		v.Set(p)
		return true
	}
}

func (all *planner) slice(t reflect.Type) plan {
	read := all.make(t.Elem())
	return func(q *quick, v reflect.Value) bool {
		if q.null() {
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
		if q.null() {
			return true
		}
		if !q.take('{') {
			return false
		}
		v.Set(reflect.MakeMap(t))
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
	index int
	read  plan
}

// maxQuickFields bounds the members of an object: one bit tells of each whether it was read.
const maxQuickFields = 64

// fieldsOf are the members of a struct; false where encoding/json has rules for
// it that are not known here.
func fieldsOf(t reflect.Type) ([]field, bool) {
	var out []field
	names := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
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
		out = append(out, field{name: name, index: i})
	}
	return out, len(out) <= maxQuickFields
}

func (all *planner) object(t reflect.Type, fields []field) plan {
	for i := range fields {
		fields[i].read = all.make(t.Field(fields[i].index).Type)
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
			if f := &fields[next]; !f.read(q, v.Field(f.index)) {
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
