package planning

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"manualslop/tiers"
)

// ErrNoArray means that a reply holds no JSON array of objects.
var ErrNoArray = errors.New("the reply contains no JSON array of objects")

// found is a plan that was found in a reply.
type found[T any] struct {
	items  []T
	fenced bool
}

// Read extracts the plan from a model's reply: a complete JSON array of objects, or the list under
// key in an object, that decodes and passes check. It ignores text and code fences around the
// plan, and everything that is part of the model's thinking or a quotation. If there are several
// different plans, the last one in a code fence counts; if none is in a fence, that is an error.
// If no candidate passes, the error is that of the longest one. If one passes and a later one does
// not, the error is that of the later one.
func Read[T any](reply, key string, check func([]T) error) ([]T, error) {
	worst, size := ErrNoArray, 0
	note := func(err error, n int) {
		if n > size {
			worst, size = err, n
		}
	}
	var plans []found[T]
	var behind error // error of a candidate after the last plan
	scan(tiers.WithoutThoughts(reply), func(c candidate) {
		if c.open {
			note(fmt.Errorf("%w: an array begins at byte %d and is never closed", ErrNoArray, c.at), len(c.text))
			return
		}
		items, is, err := decode[T](c.text, key)
		if !is {
			return
		}
		if err == nil {
			err = check(items)
		}
		switch {
		case err == nil:
			plans, behind = append(plans, found[T]{items, c.fenced}), nil
			return
		case len(plans) > 0 && len(items) > 0:
			behind = err
		}
		note(err, len(c.text))
	})
	switch {
	case behind != nil:
		return nil, behind
	case len(plans) == 0:
		return nil, worst
	}
	return choose(plans)
}

// choose selects one of several plans in a reply.
func choose[T any](plans []found[T]) ([]T, error) {
	last := plans[len(plans)-1].items
	if !slices.ContainsFunc(plans, func(p found[T]) bool { return !reflect.DeepEqual(p.items, last) }) {
		return last, nil
	}
	for _, p := range slices.Backward(plans) {
		if p.fenced {
			return p.items, nil
		}
	}
	return nil, fmt.Errorf("it holds %d that differ; write the one that counts once, without drafts or examples",
		len(plans))
}

// decode parses an array, or the list under key in an object. Found is false for an object without
// the key, which is not a plan.
func decode[T any](text, key string) (items []T, found bool, err error) {
	array, wrong := read(text)
	if text[0] == '{' {
		if array, found = array.member(key); wrong != "" || !found {
			return nil, false, nil
		}
	}
	switch {
	case wrong != "":
		return nil, true, errors.New("it is not a valid JSON array" + wrong)
	case array.kind == isNull:
		return nil, true, nil
	case array.kind != isList:
		return nil, true, errors.New("it is not a valid JSON array")
	}
	items = make([]T, len(array.list))
	for i, v := range array.list {
		if err := fill(v, reflect.ValueOf(&items[i]).Elem()); err != nil {
			return items, true, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return items, true, nil
}

// errForm means that an item of a plan is not an object.
var errForm = errors.New("it does not have the form that was asked for")

// fill sets the fields of a struct from the members of an object with the same names: strings,
// booleans and lists of strings. Other members are ignored, and null counts as missing.
func fill(v value, into reflect.Value) error {
	if v.kind == isNull {
		return nil
	}
	if v.kind != isObject {
		return errForm
	}
	for i := range into.NumField() {
		name, _, _ := strings.Cut(into.Type().Field(i).Tag.Get("json"), ",")
		member, has := v.member(name)
		if !has || member.kind == isNull {
			continue
		}
		if must := put(member, into.Field(i)); must != "" {
			return fmt.Errorf("field \"%s\" must be %s", name, must)
		}
	}
	return nil
}

// put sets one field, or returns what the value must be.
func put(v value, into reflect.Value) (must string) {
	switch into.Kind() {
	case reflect.String:
		if v.kind != isText {
			return "a string"
		}
		into.SetString(v.text)
	case reflect.Bool:
		if v.kind != isBool {
			return "true or false"
		}
		into.SetBool(v.text == "true")
	case reflect.Slice:
		if v.kind != isList {
			return "a list"
		}
		list := make([]string, len(v.list))
		for i, entry := range v.list {
			switch entry.kind {
			case isText:
				list[i] = entry.text
			case isNull:
			default:
				return "a list of strings"
			}
		}
		into.Set(reflect.ValueOf(list))
	default:
		panic("planning: a plan has texts, flags and lists of texts, not " + into.Type().String())
	}
	return ""
}
