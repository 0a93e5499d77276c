package access

// Right is what a token allows, and what a route demands.
type Right string

const (
	// RightNone is demanded where anybody on this machine may ask: /status.
	RightNone Right = "none"
	// RightRead looks at things.
	RightRead Right = "read"
	// RightAsk puts questions to the person and learns their answers.
	RightAsk Right = "ask"
	// RightHuman speaks for the person: it answers, changes and reads everything.
	RightHuman Right = "human"
)

// covers tells whether who holds r may do what demands need.
func (r Right) covers(need Right) bool {
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
