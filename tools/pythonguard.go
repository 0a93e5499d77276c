package tools

import (
	"path"
	"strings"

	"manualslop/tools/python/grammar"
)

// refuseBroken rejects a change that turns Python source that parses (or is empty) into source that does not. It
// accepts other files, and files that did not parse before.
func refuseBroken(name, before, after string) error {
	if !pythonName(name) || before == after {
		return nil
	}
	found := grammar.Check(after, 1)
	if len(found) == 0 || before != "" && len(grammar.Check(before, 1)) > 0 {
		return nil
	}
	e := found[0]
	return Refuse("the result would not parse as Python: %s line %d, column %d: %s: %s; nothing was written, correct "+
		"the new text",
		name, e.Line, e.Column, e.Kind, e.Text)
}

// pythonName reports whether a file is Python by its name.
func pythonName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".py", ".pyw", ".pyi":
		return true
	}
	return false
}
