package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"manualslop/events"
)

// ErrShape means that a state has a part that cannot be stored in a snapshot.
var ErrShape = errors.New("snapshot: the state cannot be stored")

// leftOut is the tag of a field that is left out.
const leftOut = "-"

var (
	timeType    = reflect.TypeFor[time.Time]()
	payloadType = reflect.TypeFor[events.Payload]()
)

// payloads returns the possible types of an events.Payload, by name.
var payloads = sync.OnceValue(func() map[string]reflect.Type {
	out := map[string]reflect.Type{
		"events.Unknown": reflect.TypeFor[events.Unknown](), "events.Malformed": reflect.TypeFor[events.Malformed](),
	}
	for _, d := range events.Catalogue().Defs() {
		out[d.Type.Name] = reflect.TypeOf(d.Sample)
	}
	return out
})

// payloadName returns the name under which a payload's type is stored; false if the type is not
// registered.
func payloadName(p events.Payload) (string, bool) {
	name := p.EventType().Name
	switch p.(type) {
	case events.Unknown:
		name = "events.Unknown"
	case events.Malformed:
		name = "events.Malformed"
	}
	return name, payloads()[name] == reflect.TypeOf(p)
}

// Shape returns the digest of the structure of the state that a pointer points to: names, kinds
// and order of everything in it, and of every payload. It returns ErrShape if a state of this type
// cannot be stored.
func Shape(state any) (string, error) {
	t := reflect.TypeOf(state)
	if t == nil || t.Kind() != reflect.Pointer {
		return "", fmt.Errorf("%w: %T is not a pointer", ErrShape, state)
	}
	if shape, known := shapes.Load(t); known {
		return shape.(string), nil
	}
	s := shaper{seen: map[reflect.Type]bool{}}
	if err := s.describe(t.Elem()); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(s.text.String()))
	shape := hex.EncodeToString(sum[:16])
	shapes.Store(t, shape)
	return shape, nil
}

// shapes caches the computed digests by type, because the structure of a type never changes while
// a program runs.
var shapes sync.Map

// shaper describes the structure of types, each once.
type shaper struct {
	seen map[reflect.Type]bool
	text strings.Builder
}

func (s *shaper) describe(t reflect.Type) error {
	fmt.Fprintf(&s.text, "%s.%s %s;", t.PkgPath(), t, t.Kind())
	if s.seen[t] || t == timeType {
		return nil
	}
	s.seen[t] = true
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return nil
	case reflect.Pointer, reflect.Slice:
		return s.describe(t.Elem())
	case reflect.Array:
		fmt.Fprintf(&s.text, "%d;", t.Len())
		return s.describe(t.Elem())
	case reflect.Map:
		if !plainKey(t.Key()) {
			return fmt.Errorf("%w: %s has keys of the type %s", ErrShape, t, t.Key())
		}
		return errors.Join(s.describe(t.Key()), s.describe(t.Elem()))
	case reflect.Struct:
		return s.fields(t)
	case reflect.Interface:
		if t == payloadType {
			return s.payloads()
		}
	}
	return fmt.Errorf("%w: it has a %s", ErrShape, t)
}

func (s *shaper) fields(t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("snapshot") == leftOut {
			continue
		}
		fmt.Fprintf(&s.text, "%s ", f.Name)
		if err := s.describe(f.Type); err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
	}
	return nil
}

func (s *shaper) payloads() error {
	for _, d := range events.Catalogue().Defs() {
		if err := s.describe(reflect.TypeOf(d.Sample)); err != nil {
			return fmt.Errorf("%s: %w", d.Type.Name, err)
		}
	}
	return errors.Join(s.describe(reflect.TypeFor[events.Unknown]()), s.describe(reflect.TypeFor[events.Malformed]()))
}

// plainKey reports whether a map's keys are values without pointers.
func plainKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Array:
		return plainKey(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plainKey(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return false
}
