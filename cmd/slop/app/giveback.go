package app

import (
	"runtime/debug"
	"time"
)

// giveBackAfter is how long behind its start a process gives back what only the
// start needed.
const giveBackAfter = time.Second

// giveBack returns to the system, once, what only the start needed: pages of
// the heap, and pages of the program file that are mapped here. Each of several
// hundred packages is initialized by code and tables of its own, and what was
// touched of them stays resident though nothing touches it again. What is
// needed after all is mapped again from the system's cache when it is touched.
func (e *engine) giveBack() {
	e.group.Go(func() error {
		rest(e.ctx, giveBackAfter)
		if e.ctx.Err() != nil {
			return nil
		}
		debug.FreeOSMemory()
		if err := unmapProgram(); err != nil {
			e.logger.Info("pages of the program that only the start needed stay mapped", "error", err)
		}
		return nil
	})
}
