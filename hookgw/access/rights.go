package access

// Right is what a token allows, and what a route demands.
type Right string

const (
	// RightNone is needed by routes that any process on this machine may use: /status.
	RightNone Right = "none"
	// RightRead allows reading.
	RightRead Right = "read"
	// RightAsk allows asking the user and reading the answers.
	RightAsk Right = "ask"
	// RightHuman acts as the user: it answers, changes and reads everything.
	RightHuman Right = "human"
)

// Covers reports whether r includes what need demands.
func (r Right) Covers(need Right) bool {
	switch need {
	case RightNone:
		return true
	case RightRead, RightAsk:
		return r == need || r == RightHuman
	case RightHuman:
		return r == RightHuman
	}
	return false
}
