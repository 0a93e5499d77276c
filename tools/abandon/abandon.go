// Package abandon waits for uninterruptible work, such as a parser, only as long as its result is needed.
package abandon

import "context"

// WhenDone runs work on its own goroutine and returns its result, or the error of ctx as soon as ctx ends.
// Abandoned work continues to its end and its result is discarded, so work needs its own limits and must not
// change anything that the caller continues to use. A panic of work is raised in the caller; a panic of abandoned
// work is dropped.
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
