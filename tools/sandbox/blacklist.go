package sandbox

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// protected are the names that no configuration can open: conversation history, configuration,
// secrets, and the engine's own folder and temporary files.
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
	elements []string // patterns for one element, folded
	fixed    []string // those of them that are no patterns, as they were written
	anchored []string // patterns for a path from its base, folded
	engine   []string // absolute real folders of the engine, folded, slash separated
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
				b.anchored = append(b.anchored, strings.TrimPrefix(one, "/"))
			}
		default:
			for _, one := range glob.alternatives {
				b.anchored = append(b.anchored, "**/"+one)
			}
		}
	}
	return b, nil
}

// hit tells whether the slash path rel, relative to the real folder base, is protected.
func (b *blacklist) hit(base, rel string) bool {
	if rel == "." {
		return false
	}
	elements := strings.Split(rel, "/")
	folded := make([]string, len(elements))
	for i, element := range elements {
		folded[i] = foldElement(element)
		if b.hitElement(folded[i]) {
			return true
		}
	}
	for i := range folded {
		if b.hitPath(base, strings.Join(folded[:i+1], "/")) {
			return true
		}
	}
	return false
}

// hitChild is hit for a name in a folder that is not protected itself.
func (b *blacklist) hitChild(base, dir, name string) bool {
	if b.hitElement(foldElement(name)) {
		return true
	}
	return len(b.anchored)+len(b.engine) > 0 && b.hitPath(base, foldPath(path.Join(dir, name)))
}

func (b *blacklist) hitElement(folded string) bool {
	for _, pattern := range b.elements {
		if doublestar.MatchUnvalidated(pattern, folded) && !isTemplate(pattern, folded) {
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

func (b *blacklist) hitPath(base, folded string) bool {
	for _, pattern := range b.anchored {
		if doublestar.MatchUnvalidated(pattern, folded) {
			return true
		}
	}
	if len(b.engine) == 0 {
		return false
	}
	absolute := strings.TrimSuffix(foldPath(base), "/") + "/" + folded
	for _, folder := range b.engine {
		if absolute == folder {
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
