package app

import "time"

// giveBackAfter is how long behind its start a process gives back what only the
// start needed.
const giveBackAfter = time.Second

// giveBack returns memory that only the start needed, once.
func (e *engine) giveBack() {
	e.group.Go(func() error {
		if rest(e.ctx, giveBackAfter); e.ctx.Err() == nil {
			returnMemory(e.logger)
		}
		return nil
	})
}
