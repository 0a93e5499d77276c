package events

// Basis is what decisions follow from beside the events and the settings: how
// each decider decides, and the texts that prompts are made of. A session keeps
// the one that it was opened with, whatever program works on it, until a person
// gives it another one with [DecisionsUpgraded].
type Basis struct {
	// Program is the version of the program that wrote it, for people.
	Program string `json:"program,omitempty"`
	// Decisions are the numbers of the decision versions by decider; a decider
	// that is not named has number 1.
	Decisions map[string]int `json:"decisions,omitempty"`
	// Texts are what prompts are made of word for word, by name. Their bytes stand
	// in the blob store.
	Texts []PromptText `json:"texts,omitempty"`
}

// PromptText is a text that prompts are made of.
type PromptText struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Tokens int64  `json:"tokens"` // that it has at most, for budgets
}

// Decision is the number of the version in which a decider decides.
func (b Basis) Decision(decider string) int { return max(b.Decisions[decider], 1) }

// Text finds a text by its name; false where the session has none.
func (b Basis) Text(name string) (PromptText, bool) {
	for _, t := range b.Texts {
		if t.Name == name {
			return t, true
		}
	}
	return PromptText{}, false
}

// Changed is the basis behind an event with payload p, and whether the event
// gave another one. Every decider that keeps a Basis folds it so.
func (b Basis) Changed(p Payload) (Basis, bool) {
	switch x := p.(type) {
	case SessionOpened:
		return x.Basis, true
	case DecisionsUpgraded:
		return x.Basis, true
	}
	return b, false
}

// DecisionsUpgraded puts another basis in the place of the one that a session
// has: every decision behind it, and every request to a model, follows from that
// one. What was decided before stays.
type DecisionsUpgraded struct {
	Basis Basis `json:"basis"`
}

// EventType is the identity on the wire.
func (DecisionsUpgraded) EventType() Type { return Type{"DecisionsUpgraded", 1} }

func basisDefs() []Def {
	return []Def{
		Define(Command, "person", "Decisions and prompts follow from a newer program from here on.", DecisionsUpgraded{Basis{
			Program: "v1.3.0", Decisions: map[string]int{ActorContributor: 1, ActorQA: 1},
			Texts: []PromptText{{Name: "contributor", SHA256: "ab", Size: 2200, Tokens: 900}}}}),
		Define(Notice, "any decider", "A decider that had stopped goes on.", SessionResumed{"conductor", "01J"}),
	}
}

// SessionResumed says that a decider goes on behind the event before which it
// had stopped: a program that can decide it reads the session.
type SessionResumed struct {
	Decider string `json:"decider"`
	At      string `json:"at"` // id of the event that it had stopped before
}

// EventType is the identity on the wire.
func (SessionResumed) EventType() Type { return Type{"SessionResumed", 1} }
