package tools

import "context"

// longWork is the size of a text, in bytes, from which work on it is worth interrupting.
const longWork = 256 << 10

// within does work on a text of that size that cannot be interrupted, and returns at once when the
// context ends; the work then ends by itself. It must touch nothing that the caller goes on with.
func within[T any](ctx context.Context, size int, work func() T) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if size < longWork {
		return work(), nil
	}
	type outcome struct {
		value    T
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			out.panicked = recover()
			done <- out
		}()
		out.value = work()
	}()
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case out := <-done:
		if out.panicked != nil {
			panic(out.panicked) // for Run to report
		}
		return out.value, nil
	}
}
