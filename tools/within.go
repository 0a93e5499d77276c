package tools

import (
	"context"

	"manualslop/tools/abandon"
)

// longWork is the size of a text, in bytes, from which work on it should be interruptible.
const longWork = 256 << 10

// Within does uninterruptible work on a text of the given size. For a large text it returns as soon as the
// context ends; the work then ends by itself. The work must not change anything that the caller continues to use.
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
