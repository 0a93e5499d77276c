package tools

import (
	"errors"
	"fmt"
	"strings"
)

// Effect is the set of side effects that a call may have. Zero is invalid.
type Effect uint8

const (
	// Reads means that it reads files of the workspace.
	Reads Effect = 1 << iota
	// Writes means that it changes files of the workspace after a plan, or something outside the workspace.
	Writes
	// Executes means that it starts programs, whose effects cannot be predicted.
	Executes
	// Network means that it communicates with other machines.
	Network
	// Wide is combined with Reads or Writes. It means that the call reads or changes files that its arguments do
	// not name, so a rule about paths cannot apply to it.
	Wide

	allEffects = Reads | Writes | Executes | Network | Wide
)

// effectNames returns the names used in JSON, in bit order.
func effectNames() []string { return []string{"reads", "writes", "executes", "network", "wide"} }

// Has reports whether e contains all effects of other.
func (e Effect) Has(other Effect) bool { return other != 0 && e&other == other }

// Valid reports whether e is a set of known effects that is not empty and is more than Wide.
func (e Effect) Valid() bool { return e&^Wide != 0 && e&^allEffects == 0 }

// String returns the names joined by "|", such as "reads|network".
func (e Effect) String() string {
	if !e.Valid() {
		return fmt.Sprintf("invalid(%d)", uint8(e))
	}
	var parts []string
	for i, name := range effectNames() {
		if e.Has(1 << i) {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, "|")
}

// MarshalText returns String. An invalid set is an error.
func (e Effect) MarshalText() ([]byte, error) {
	if !e.Valid() {
		return nil, errors.New("tools: invalid effect")
	}
	return []byte(e.String()), nil
}

// UnmarshalText parses the output of MarshalText, with the names in any order.
func (e *Effect) UnmarshalText(text []byte) error {
	var set Effect
	for part := range strings.SplitSeq(string(text), "|") {
		bit, ok := effectBit(part)
		if !ok {
			return fmt.Errorf("tools: unknown effect %q", part)
		}
		set |= bit
	}
	*e = set
	return nil
}

func effectBit(name string) (Effect, bool) {
	for i, known := range effectNames() {
		if name == known {
			return 1 << i, true
		}
	}
	return 0, false
}
