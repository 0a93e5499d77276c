package qa

// Calls counts the calls that qa remembers.
func (s *State) Calls() int { return len(s.calls) }
