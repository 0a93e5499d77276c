package hookclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kinds of a method's parameters.
const (
	// KindText is used as it is.
	KindText = "text"
	// KindJSON is JSON; anything else is treated as a string.
	KindJSON = "json"
	// KindObject is a JSON object.
	KindObject = "object"
	// KindSeconds is a number of seconds.
	KindSeconds = "seconds"
	// KindSequence is a sequence of the log.
	KindSequence = "sequence"
	// KindMicroDollars is a whole number of millionths of a dollar.
	KindMicroDollars = "micro_dollars"
	// KindBool is true or false.
	KindBool = "bool"
)

// Parameter is a parameter of a method.
type Parameter struct {
	Name     string
	Kind     string
	Optional bool
	// Many means that any number of values may follow; only the last parameter may have it.
	Many bool
}

// Method describes a method of the client as data.
type Method struct {
	// Name is the name in Manual Slop, such as "get_mma_status".
	Name string
	// Doc is one sentence.
	Doc string
	// Parameters in order; optional ones are last.
	Parameters []Parameter

	call func(context.Context, *Client, arguments) (any, error)
}

// ErrArguments reports that a method was called with arguments that it does not accept.
var ErrArguments = errors.New("arguments")

// FindMethod returns the method with the given name.
func FindMethod(name string) (Method, bool) {
	all := Methods()
	at := slices.IndexFunc(all, func(m Method) bool { return m.Name == name })
	if at < 0 {
		return Method{}, false
	}
	return all[at], true
}

// Usage returns the method's name and parameters.
func (m Method) Usage() string {
	words := []string{m.Name}
	for _, p := range m.Parameters {
		word := strings.ToUpper(p.Name)
		if p.Many {
			word += "…"
		}
		if p.Optional {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Check validates arguments without sending anything. It returns ErrArguments if they are invalid.
func (m Method) Check(args []string) error {
	if _, err := m.read(args); err != nil {
		return fmt.Errorf("%s: %w: %w", m.Name, ErrArguments, err)
	}
	return nil
}

// Call calls the method with arguments as a user types them and returns its result, or nil if it has none. It returns
// ErrArguments if the arguments are wrong.
func (m Method) Call(ctx context.Context, c *Client, args []string) (any, error) {
	given, err := m.read(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", m.Name, ErrArguments, err)
	}
	return m.call(ctx, c, given)
}

// arguments are the values of a method's parameters, by position.
type arguments []any

func (a arguments) text(i int) string {
	s, _ := a.at(i).(string)
	return s
}

func (a arguments) object(i int) map[string]any {
	o, _ := a.at(i).(map[string]any)
	return o
}

func (a arguments) duration(i int) time.Duration {
	d, _ := a.at(i).(time.Duration)
	return d
}

func (a arguments) sequence(i int) uint64 {
	n, _ := a.at(i).(uint64)
	return n
}

func (a arguments) microDollars(i int) int64 {
	n, _ := a.at(i).(int64)
	return n
}

// specOf converts an object to a Go struct. It returns ErrArguments, with the valid members, if the object has
// others.
func specOf[T any](object map[string]any, takes string) (T, error) {
	var out T
	raw, err := json.Marshal(object)
	if err != nil {
		return out, fmt.Errorf("encode an argument: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&out) != nil {
		return out, fmt.Errorf("%w: send %s", ErrArguments, takes)
	}
	return out, nil
}

func (a arguments) yes(i int) bool {
	b, _ := a.at(i).(bool)
	return b
}

// texts returns the arguments from the i-th on, as strings.
func (a arguments) texts(i int) []string {
	var out []string
	for j := range a.rest(i) {
		out = append(out, a.text(i+j))
	}
	return out
}

// objects returns the arguments from the i-th on, as objects.
func (a arguments) objects(i int) []map[string]any {
	var out []map[string]any
	for j := range a.rest(i) {
		out = append(out, a.object(i+j))
	}
	return out
}

// at returns one argument, or nil if it is optional and was left out.
func (a arguments) at(i int) any {
	if i >= len(a) {
		return nil
	}
	return a[i]
}

// rest returns the arguments from the i-th on.
func (a arguments) rest(i int) []any { return a[min(i, len(a)):] }

func (m Method) read(args []string) (arguments, error) {
	var out arguments
	for i, arg := range args {
		p, ok := m.parameter(i)
		if !ok {
			return nil, fmt.Errorf("it accepts at most %d arguments", len(m.Parameters))
		}
		v, err := p.read(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	for _, p := range m.Parameters[min(len(args), len(m.Parameters)):] {
		if !p.Optional {
			return nil, fmt.Errorf("%s is missing", p.Name)
		}
	}
	return out, nil
}

// parameter returns the parameter of the i-th argument.
func (m Method) parameter(i int) (Parameter, bool) {
	if i < len(m.Parameters) {
		return m.Parameters[i], true
	}
	if n := len(m.Parameters); n > 0 && m.Parameters[n-1].Many {
		return m.Parameters[n-1], true
	}
	return Parameter{}, false
}

func (p Parameter) read(arg string) (any, error) {
	switch p.Kind {
	case KindJSON:
		return jsonOrText(arg), nil
	case KindObject:
		var out map[string]any
		if json.Unmarshal([]byte(arg), &out) != nil || out == nil {
			return nil, fmt.Errorf("%s must be a JSON object", p.Name)
		}
		return out, nil
	case KindSeconds:
		n, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(n >= 0 && n <= 24*3600) {
			return nil, fmt.Errorf("%s must be a number of seconds, at most 86400", p.Name)
		}
		return time.Duration(n * float64(time.Second)), nil
	case KindSequence:
		n, err := strconv.ParseUint(arg, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s must be a sequence number", p.Name)
		}
		return n, nil
	case KindMicroDollars:
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%s must be a whole number of micro-dollars (1000000 per dollar)", p.Name)
		}
		return n, nil
	case KindBool:
		b, err := strconv.ParseBool(arg)
		if err != nil {
			return nil, fmt.Errorf("%s must be true or false", p.Name)
		}
		return b, nil
	}
	return arg, nil
}

func jsonOrText(arg string) any {
	var v any
	if json.Unmarshal([]byte(arg), &v) != nil {
		return arg
	}
	return v
}
