package engine

import "time"

// giveBackAfter is how long behind its start a process gives back what only the
// start needed.
const giveBackAfter = time.Second

// GiveBack returns memory that only the start needed, once.
func (e *Engine) GiveBack() {
	e.Group.Go(func() error {
		if rest(e.Ctx, giveBackAfter); e.Ctx.Err() == nil {
			returnMemory(e.Logger)
		}
		return nil
	})
}
