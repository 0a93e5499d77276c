package sandbox

import (
	"context"
	"os"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	ignoreFile = ".gitignore"
	// maxIgnoreBytes and maxIgnoreRules limit one ignore file; the rest of it is ignored.
	maxIgnoreBytes = 256 << 10
	maxIgnoreRules = 2_000
)

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	pattern matcher // for paths relative to the file's directory
	negate  bool
	dirOnly bool
}

// ignoreRules are the rules of one directory, linked to those of its parents.
type ignoreRules struct {
	dir   string // slash path of the directory relative to its base, "." for the base
	rules []ignoreRule
	up    *ignoreRules
}

// rulesAbove reads the ignore files of the parent directories of p within its base.
func (w *Workspace) rulesAbove(ctx context.Context, p place) *ignoreRules {
	if p.rel == "." {
		return nil
	}
	up := w.parent(p)
	rules := w.rulesAbove(ctx, up)
	if w.names.hitName(up.folded(), ignoreFile) {
		return rules
	}
	return w.rulesOf(ctx, up, nil, rules)
}

// rulesOf adds the ignore file of the directory p, if it can be read. p must not be protected. root is p opened,
// or nil.
func (w *Workspace) rulesOf(ctx context.Context, p place, root *os.Root, up *ignoreRules) *ignoreRules {
	data, _, err := w.content(ctx, p.child(root, ignoreFile), nil)
	if err != nil {
		return up
	}
	rules := parseIgnore(string(data[:min(len(data), maxIgnoreBytes)]))
	if len(rules) == 0 {
		return up
	}
	return &ignoreRules{dir: p.rel, rules: rules, up: up}
}

// ignores reports whether the path, relative to the base, is ignored. The nearest file with a matching rule
// decides, and in it the last rule that matches.
func (r *ignoreRules) ignores(rel string, isDir bool) bool {
	for ; r != nil; r = r.up {
		local := rel
		if r.dir != "." {
			local = strings.TrimPrefix(rel, r.dir+"/")
		}
		for i := len(r.rules) - 1; i >= 0; i-- {
			rule := &r.rules[i]
			if (isDir || !rule.dirOnly) && rule.pattern.match(local) {
				return !rule.negate
			}
		}
	}
	return false
}

func parseIgnore(text string) []ignoreRule {
	var out []ignoreRule
	for line := range strings.Lines(text) {
		if rule, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok && len(out) < maxIgnoreRules {
			out = append(out, rule)
		}
	}
	return out
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	if trimmed := strings.TrimRight(line, " \t"); !strings.HasSuffix(trimmed, `\`) {
		line = trimmed
	}
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	var rule ignoreRule
	if line[0] == '!' {
		rule.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		rule.dirOnly, line = true, strings.TrimRight(line, "/")
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	if !anchored {
		line = path.Join("**", line)
	}
	rule.pattern = newMatcher(line)
	return rule, line != "" && doublestar.ValidatePattern(line)
}
