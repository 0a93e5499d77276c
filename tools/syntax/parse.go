package syntax

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	sitter "github.com/smacker/go-tree-sitter"

	"manualslop/tools/abandon"
)

// MaxSize is the size, in bytes, of the largest text that is parsed.
const MaxSize = 8 << 20

// operationLimit returns the time limit for a text of the given size. Real texts take a fifth of a second per
// megabyte, but on some short texts a grammar does not terminate.
func operationLimit(size int) time.Duration {
	return 2*time.Second + time.Duration(size)*time.Second>>20
}

// chunk is the number of bytes that the parser is given at a time. Error recovery can take it a millisecond and a
// megabyte of memory for each byte.
const chunk = 256

// Sentinels for errors.Is.
var (
	// ErrTooLarge means that a text is longer than MaxSize.
	ErrTooLarge = errors.New("syntax: the text is too large to parse")
	// ErrTooHard means that a parse exceeded its time limit.
	ErrTooHard = errors.New("syntax: parsing took too long")
	// ErrNoLanguage means that the language is the zero value.
	ErrNoLanguage = errors.New("syntax: no language")
)

// slots limits the parses that run at a time in the process. Each one keeps a processor busy and needs about ten
// times the size of its text in memory.
var slots = make(chan struct{}, max(runtime.GOMAXPROCS(0), 1))

// withTree parses src and passes the root to read, which must not retain any node. It returns when read has
// returned or ctx is done. In the second case the parse continues in the background, within its limits, and its
// result is dropped.
func withTree[T any](ctx context.Context, language Language, src []byte, read func(root *sitter.Node) T) (T, error) {
	var none T
	switch {
	case ctx.Err() != nil:
		return none, ctx.Err()
	case language.grammar == nil:
		return none, ErrNoLanguage
	case len(src) > MaxSize:
		return none, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(src), MaxSize)
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	}
	return abandon.WhenDone(ctx, func() (T, error) {
		defer func() { <-slots }()
		return parse(language, src, operationLimit(len(src)), read)
	})
}

// parse runs in its own goroutine, so a panic must not escape. It does not use the context, because the binding
// would leave a parser unusable if its context ends just after the parse.
func parse[T any](
	language Language, src []byte, limit time.Duration, read func(root *sitter.Node) T,
) (value T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("syntax: %s: panic: %v\n%s", language.Name(), r, debug.Stack())
		}
	}()
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(language.grammar.load())
	parser.SetOperationLimit(int(limit.Microseconds()))
	// The parser checks its limit between its own steps, and a step of error recovery can take as long as the
	// whole parse. It requests text in each of them, so past the limit the text ends.
	deadline, late := time.Now().Add(limit), false
	tree, err := parser.ParseInputCtx(context.Background(), nil, sitter.Input{Encoding: sitter.InputEncodingUTF8,
		Read: func(offset uint32, _ sitter.Point) []byte {
			if late = late || time.Now().After(deadline); late || int(offset) >= len(src) {
				return nil
			}
			return src[offset:min(int(offset)+chunk, len(src))]
		}})
	if err == nil {
		defer tree.Close()
	}
	if late || errors.Is(err, sitter.ErrOperationLimit) {
		return value, ErrTooHard
	}
	if err != nil {
		return value, fmt.Errorf("syntax: %s: %w", language.Name(), err)
	}
	return read(tree.RootNode()), nil
}
