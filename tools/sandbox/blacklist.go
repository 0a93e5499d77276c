package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// protected returns the names that no configuration can open: conversation
// history, configuration, secrets, and the engine's own folder and temporary
// files.
func protected() []string {
	return []string{
		"history.toml", "*_history.toml", "config.toml", "credentials.toml",
		"*.pem", "*.key", ".env", ".env.*", engineFolder, tempPrefix + "*" + tempSuffix,
	}
}

// engineFolder is the engine's own folder in a project.
const engineFolder = ".slop"

// templates are names under .env.* that by convention hold no secret.
func templates() []string {
	return []string{".env.example", ".env.sample", ".env.template"}
}

// blacklist decides by name alone whether a path is protected.
type blacklist struct {
	elements []matcher // patterns for one element, folded
	fixed    []string  // those of them that are no patterns, as they were written
	anchored []matcher // patterns for a path from its base, folded
	engine   []string  // absolute real folders of the engine, folded, slash separated
}

// foldedFolder is a folder whose names are to be looked at. Its path is folded once for all of them.
type foldedFolder struct {
	path string // absolute, with a slash at its end
	base int    // how much of it is the base
}

func foldBase(real string) foldedFolder {
	folded := strings.TrimSuffix(foldPath(filepath.ToSlash(real)), "/") + "/"
	return foldedFolder{folded, len(folded)}
}

// child returns the folder of a folded name in f.
func (f foldedFolder) child(folded string) foldedFolder {
	return foldedFolder{f.path + folded + "/", f.base}
}

// newBlacklist adds patterns to the protected names. A pattern without a slash is matched on
// every element of a path. One with a slash is matched on the path and on its parents: from the
// base when it begins with a slash, else at any depth. A trailing slash is ignored.
func newBlacklist(patterns []string) (*blacklist, error) {
	b := &blacklist{}
	for _, pattern := range append(protected(), patterns...) {
		clean := fold(strings.TrimSuffix(strings.ReplaceAll(pattern, `\`, "/"), "/"))
		clean = strings.TrimPrefix(clean, "./")
		glob, err := ParseGlob(clean)
		if clean == "" || err != nil {
			return nil, fmt.Errorf("blacklist: bad pattern %q: %w", pattern, err)
		}
		switch {
		case !strings.Contains(clean, "/"):
			b.elements = append(b.elements, glob.alternatives...)
			if !strings.ContainsAny(pattern, `*?[{\/`) {
				b.fixed = append(b.fixed, pattern)
			}
		case strings.HasPrefix(clean, "/"):
			for _, one := range glob.alternatives {
				b.anchored = append(b.anchored, newMatcher(strings.TrimPrefix(one.pattern, "/")))
			}
		default:
			for _, one := range glob.alternatives {
				b.anchored = append(b.anchored, newMatcher("**/"+one.pattern))
			}
		}
	}
	return b, nil
}

// hit reports whether the slash path rel, relative to a base, is protected.
func (b *blacklist) hit(base foldedFolder, rel string) bool {
	if rel == "." {
		return false
	}
	in := base
	for element := range strings.SplitSeq(rel, "/") {
		folded := foldElement(element)
		if b.hitElement(folded) || b.hitPath(in, folded) {
			return true
		}
		in = in.child(folded)
	}
	return false
}

// hitName is hit for a name in a folder that is not protected itself.
func (b *blacklist) hitName(in foldedFolder, name string) bool {
	folded := foldElement(name)
	return b.hitElement(folded) || b.hitPath(in, folded)
}

func (b *blacklist) hitElement(folded string) bool {
	for i := range b.elements {
		if m := &b.elements[i]; m.match(folded) && !isTemplate(m.pattern, folded) {
			return true
		}
	}
	return false
}

func isTemplate(pattern, folded string) bool {
	if pattern != fold(".env.*") {
		return false
	}
	for _, name := range templates() {
		if folded == fold(name) {
			return true
		}
	}
	return false
}

// gitSecret tells whether a folded name is that of a file in a folder .git, at any depth, that may hold passwords in
// addresses.
func gitSecret(in foldedFolder, folded string) bool {
	switch folded { // to upper case
	case "CONFIG", "CONFIG.WORKTREE", "CREDENTIALS":
		return strings.Contains("/"+in.path[in.base:], "/.GIT/")
	}
	return false
}

func (b *blacklist) hitPath(in foldedFolder, folded string) bool {
	if gitSecret(in, folded) {
		return true
	}
	if len(b.anchored) > 0 {
		path := in.path[in.base:] + folded
		for i := range b.anchored {
			if b.anchored[i].match(path) {
				return true
			}
		}
	}
	for _, folder := range b.engine {
		if rest, inside := strings.CutPrefix(folder, in.path); inside && rest == folded {
			return true
		}
	}
	return false
}

// foldElement brings all spellings that some file system takes for the same name to one form:
// case, invisible characters, a stream suffix, trailing dots and blanks.
func foldElement(element string) string {
	if at := strings.IndexByte(element, ':'); at > 0 {
		element = element[:at]
	}
	return strings.TrimRight(fold(element), " .")
}

// foldPath folds a slash path element by element.
func foldPath(slashed string) string {
	elements := strings.Split(slashed, "/")
	for i, element := range elements {
		elements[i] = foldElement(element)
	}
	return strings.Join(elements, "/")
}

// fold maps each letter to the first of its case variants and drops format characters.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s) // which come before the lower-case letters
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
