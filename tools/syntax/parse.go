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

// MaxSize is the largest text, in bytes, that is parsed.
const MaxSize = 8 << 20

// operationLimit bounds one parse of a text of so many bytes. Real texts take a fifth of a second a
// megabyte; there are short ones on which a grammar does not come to an end.
func operationLimit(size int) time.Duration {
	return 2*time.Second + time.Duration(size)*time.Second>>20
}

// chunk is how many bytes the parser is given at a time. Mending errors can take it a millisecond and a
// megabyte of memory for each byte.
const chunk = 256

// Sentinels for errors.Is.
var (
	// ErrTooLarge says that a text is longer than MaxSize.
	ErrTooLarge = errors.New("syntax: the text is too large to parse")
	// ErrTooHard says that a parse was given up after some seconds.
	ErrTooHard = errors.New("syntax: parsing took too long")
	// ErrNoLanguage says that the language is the zero value.
	ErrNoLanguage = errors.New("syntax: no language")
)

// slots bounds the parses that run at a time, in the whole process: each one keeps a processor busy
// and holds about ten times the size of its text.
var slots = make(chan struct{}, max(runtime.GOMAXPROCS(0), 1))

// withTree parses src and hands the root to read, which must not keep any node. It returns when
// read has returned or ctx is done; in the second case the parse goes on alone, within its limits,
// and its result is dropped.
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

// parse runs in a goroutine of its own, so a panic must not leave it. The context stays outside:
// the binding would spoil a parser whose context ends just after the parse.
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
	// The parser looks at its limit between its own steps, and a step that mends errors can take as long as
	// the whole parse. It asks for text in each of them, so past the limit the text ends.
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
