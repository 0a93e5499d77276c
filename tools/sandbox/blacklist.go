package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// protected returns the names that no configuration can allow: conversation history, configuration, secrets, and
// the engine's own folder and temporary files.
func protected() []string {
	return []string{
		"history.toml", "*_history.toml", "config.toml", "credentials.toml",
		"*.pem", "*.key", ".env", ".env.*", engineFolder, tempPrefix + "*" + tempSuffix,
	}
}

// engineFolder is the engine's own folder in a project.
const engineFolder = ".slop"

// templates returns the names that match .env.* but by convention hold no secret.
func templates() []string {
	return []string{".env.example", ".env.sample", ".env.template"}
}

// blacklist decides from its name alone whether a path is protected.
type blacklist struct {
	elements []matcher // patterns for a single path element, folded
	fixed    []string  // the elements without wildcards, as written
	anchored []matcher // patterns for a path relative to its base, folded
	engine   []string  // absolute real paths of the engine's folders, folded, slash separated
}

// foldedFolder is a folder whose entries are checked. Its path is folded once for all its entries.
type foldedFolder struct {
	path string // absolute, with a trailing slash
	base int    // length of the base's part of path
}

func foldBase(real string) foldedFolder {
	folded := strings.TrimSuffix(foldPath(filepath.ToSlash(real)), "/") + "/"
	return foldedFolder{folded, len(folded)}
}

// child returns the subfolder of f with the given folded name.
func (f foldedFolder) child(folded string) foldedFolder {
	return foldedFolder{f.path + folded + "/", f.base}
}

// newBlacklist adds patterns to the protected names. A pattern without a slash is matched against every element
// of a path. A pattern with a slash is matched against the path and its parents: from the base if it begins with
// a slash, otherwise at any depth. A trailing slash is ignored.
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

// hitName is like hit for a name in a folder that is not itself protected.
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

func (b *blacklist) hitPath(in foldedFolder, folded string) bool {
	if isGitSecret(folded) && strings.Contains("/"+in.path[in.base:], "/.GIT/") {
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

// foldElement maps all spellings that some file system treats as the same name to one form. It normalises case,
// invisible characters, a stream suffix, and trailing dots and blanks.
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
		return strings.ToUpper(s) // upper-case letters sort before lower-case ones
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
