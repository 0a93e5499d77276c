package tools

import (
	"context"

	"manualslop/tools/abandon"
)

// longWork is the size of a text, in bytes, from which work on it is worth interrupting.
const longWork = 256 << 10

// Within does work on a text of that size that cannot be interrupted, and
// returns at once when the context ends; the work then ends by itself. It must
// touch nothing that the caller continues with.
func Within[T any](ctx context.Context, size int, work func() T) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if size < longWork {
		return work(), nil
	}
	return abandon.WhenDone(ctx, func() (T, error) { return work(), nil })
}
