package lead

// Reviews counts the reviews that are on the way.
func (s *State) Reviews() int { return len(s.reviews) + len(s.waiting) }
