package syntax

import (
	"context"

	sitter "github.com/smacker/go-tree-sitter"
)

// maxDamage bounds the pieces that are listed.
const maxDamage = 100

// Damage is a piece of text that the parser could not make sense of, or a place where something is
// missing.
type Damage struct {
	Start, End int    // bytes
	Line       int    // of Start, counted from 1
	Missing    string // what is missing, such as ";" or "}"; empty for a piece that does not fit
}

// DamageOf lists the damage of a text in its order, at most 100 pieces. None does not mean that the
// text is valid. Errors are those of Outline.
func DamageOf(ctx context.Context, language Language, src []byte) ([]Damage, error) {
	if language.grammar != nil && language.grammar.read != nil {
		found, err := scanned(ctx, language, src)
		return found.Damage, err
	}
	return withTree(ctx, language, src, func(root *sitter.Node) []Damage { return damageOf(root, newLines(src)) })
}

// damageOf walks only where errors are, without recursion.
func damageOf(root *sitter.Node, lines lines) []Damage {
	out := []Damage{}
	if !root.HasError() {
		return out
	}
	cursor := sitter.NewTreeCursor(root)
	defer cursor.Close()
	for len(out) < maxDamage {
		node := cursor.CurrentNode()
		inside := node.HasError() && !node.IsError() && !node.IsMissing()
		if node.IsError() || node.IsMissing() {
			d := Damage{Start: int(node.StartByte()), End: int(node.EndByte())}
			d.Line = lines.number(d.Start)
			if node.IsMissing() {
				d.Missing = node.Type()
			}
			out = append(out, d)
		}
		if inside && cursor.GoToFirstChild() {
			continue
		}
		for !cursor.GoToNextSibling() {
			if !cursor.GoToParent() {
				return out
			}
		}
	}
	return out
}
