package syntax

import "context"

// OutlineAnew is Outline without kept structures.
func OutlineAnew(ctx context.Context, language Language, src []byte) (Structure, error) {
	if language.grammar.read != nil {
		return scanned(ctx, language, src)
	}
	return parsed(ctx, language, src)
}

// Kept returns the number of kept structures and of what is in them.
func Kept() (texts, size int) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	return len(kept.found), kept.size
}
