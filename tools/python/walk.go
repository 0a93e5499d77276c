package python

import "iter"

// Statements gives every statement of the file at any depth, in source order.
func (f *File) Statements() iter.Seq[*Statement] {
	return func(yield func(*Statement) bool) {
		type level struct {
			body []*Statement
		}
		levels := []level{{f.Body}}
		for len(levels) > 0 {
			top := &levels[len(levels)-1]
			if len(top.body) == 0 {
				levels = levels[:len(levels)-1]
				continue
			}
			s := top.body[0]
			top.body = top.body[1:]
			if !yield(s) {
				return
			}
			if len(s.Body) > 0 {
				levels = append(levels, level{s.Body})
			}
		}
	}
}
