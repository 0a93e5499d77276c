// Package abandon waits for uninterruptible work, such as a parser, only as
// long as its outcome is needed.
package abandon

import "context"

// WhenDone does work on its own goroutine and gives its outcome, or the error
// of ctx as soon as that ends. Abandoned work goes on to its own end and is
// discarded, so it needs limits of its own and must change nothing that the
// caller continues with. A panic of work is raised in the caller, for whoever
// recovers there; that of abandoned work is dropped.
func WhenDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			out.panicked = recover()
			done <- out
		}()
		out.value, out.err = work()
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case out := <-done:
		if out.panicked != nil {
			panic(out.panicked)
		}
		return out.value, out.err
	}
}
