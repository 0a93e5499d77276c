package syntax

import (
	"bytes"
	"context"

	sitter "github.com/smacker/go-tree-sitter"
)

// maxDamage limits the damage that is listed.
const maxDamage = 100

// Damage is a range of text that the parser could not parse, or a place where something is missing.
type Damage struct {
	Start, End int    // byte offsets
	Line       int    // line of Start, 1-based
	Missing    string // what is missing, such as ";" or "}"; empty for a range that does not parse
}

// DamageOf lists the damage of a text in order, at most 100 items. A text without damage need not be valid.
// Errors are the same as for Outline.
func DamageOf(ctx context.Context, language Language, src []byte) ([]Damage, error) {
	if language.grammar != nil && language.grammar.read != nil {
		found, err := scanned(ctx, language, src)
		return found.Damage, err
	}
	return withTree(ctx, language, src, func(root *sitter.Node) []Damage { return damageOf(root, src, newLines(src)) })
}

// damageOf lists the damage of a tree. A grammar may end its tree before the text does; the rest is damage, too.
func damageOf(root *sitter.Node, src []byte, lines lines) []Damage {
	out := markedDamage(root, lines)
	end, rest := min(int(root.EndByte()), len(src)), len(bytes.TrimRight(src, " \t\r\n\f\x00\x1a"))
	if len(out) == 0 && root.HasError() {
		end = int(root.StartByte())
	}
	if end < rest && (len(out) == 0 || out[len(out)-1].End < rest) && len(out) < maxDamage {
		end += len(src[end:]) - len(bytes.TrimLeft(src[end:], " \t\r\n\f"))
		out = append(out, Damage{Start: end, End: rest, Line: lines.number(end)})
	}
	return out
}

// markedDamage lists the errors in a tree. It visits only nodes with errors, without recursion.
func markedDamage(root *sitter.Node, lines lines) []Damage {
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
