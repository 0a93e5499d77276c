package contributor

// Waits counts the calls and requests whose answers the contributor looks out for.
func (s *State) Waits() int { return len(s.calls) + len(s.requests) }
