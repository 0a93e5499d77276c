package repomap

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"manualslop/tools/abandon"
	"manualslop/tools/cfamily"
	"manualslop/tools/python"
	"manualslop/tools/syntax"
)

// maxRead limits the time of a reader for one file. Reading 256 KiB takes a fifth of it on a busy machine.
const maxRead = time.Second

// Reads reports whether a file of this name is searched for definitions.
func Reads(name string) bool {
	return slices.Contains([]string{".py", ".pyi", ".go", ".rs", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".java", ".cs",
		".rb", ".php", ".lua", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"}, strings.ToLower(path.Ext(name)))
}

// Read finds the definitions and the words of a file. trees limits the time of readers that build whole trees,
// which are those of all languages except Python, C and C++. If trees is not positive, these readers are not
// used.
func Read(ctx context.Context, name, text string, trees time.Duration) File {
	return read(ctx, name, text, trees, defined)
}

// reader returns the names that a text defines.
type reader func(ctx context.Context, name, text string) ([]string, error)

func read(ctx context.Context, name, text string, trees time.Duration, find reader) File {
	limit := maxRead
	if !quick(name) {
		limit = min(limit, trees)
	}
	names, err := within(ctx, limit, func(ctx context.Context) ([]string, error) { return find(ctx, name, text) })
	if err != nil {
		names = byWords(text)
	}
	f := File{Path: name, Words: words(text)}
	seen := map[string]bool{}
	for _, title := range names {
		if n := lastWord(title); len(n) >= shortest && !seen[n] && len(f.Names) < MaxDefinitions {
			seen[n] = true
			f.Names = append(f.Names, strings.Clone(n)) // clone, so that the text can be freed
		}
	}
	return f
}

// within runs a reader for at most limit. A panic becomes an error.
func within(ctx context.Context, limit time.Duration, find func(context.Context) ([]string, error)) (names []string,
	err error) {
	if limit <= 0 {
		return nil, context.DeadlineExceeded
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("repomap: panic: %v", r)
		}
	}()
	return abandon.WhenDone(ctx, func() ([]string, error) { return find(ctx) })
}

// quick reports whether the reader for a file is faster than a search for words.
func quick(name string) bool {
	return cfamily.Belongs(name) || strings.HasPrefix(strings.ToLower(path.Ext(name)), ".py")
}

// defined returns the titles of a text's definitions.
func defined(ctx context.Context, name, text string) ([]string, error) {
	var out []string
	switch {
	case cfamily.Belongs(name):
		for _, s := range cfamily.Read(text, cfamily.LanguageOf(name, text, cfamily.C), cfamily.Macros{}).Symbols {
			if !s.Declaration && says(s.Symbol) {
				out = append(out, s.Title)
			}
		}
		return out, nil
	case quick(name):
		for _, s := range python.Parse(text).Symbols {
			out = append(out, s.Name)
		}
		return out, nil
	}
	language, _ := syntax.ByPath(name)
	found, err := syntax.Outline(ctx, language, []byte(text))
	for _, s := range found.Symbols {
		if says(s) {
			out = append(out, s.Title)
		}
	}
	return out, err
}

// says reports whether the name of a definition is significant by itself. For example, "value" as a field of one
// class is a word in every other file.
func says(s syntax.Symbol) bool {
	switch s.Kind {
	case "constructor", "destructor", "operator", "impl", "given":
		return false
	case "field", "property", "variable", "value", "event", "indexer", "subscript":
		return s.Depth == 0
	}
	return true
}

var byWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?m)^[ \t]*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|async|pub(?:\([a-z]+\))?|unsafe|open|override|sealed|data|partial|local|typedef) +)*` +
			`(?:def|defp|defmodule|class|func|fn|function|type|struct|enum|union|interface|trait|module|record|object|fun|protocol|namespace|mod|const|#define)[ \t]+(?:\([^)\n]*\)[ \t]*)?([A-Za-z_]\w*)`)
})

// byWords returns the names after keywords that begin definitions.
func byWords(text string) []string {
	var out []string
	for _, m := range byWord().FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// lastWord returns the word at the end of a title: "Do" for "Server.Do". It returns "" if the title does not end
// in an ASCII word.
func lastWord(title string) string {
	from := len(title)
	for from > 0 && isWord(title[from-1]) {
		from--
	}
	word := title[from:]
	if word == "" || word[0] >= '0' && word[0] <= '9' || from > 0 && title[from-1] >= 0x80 {
		return ""
	}
	return word
}

// words returns the digests of the words in a text that may be names.
func words(text string) []uint64 {
	var out []uint64
	from := -1
	for i := range len(text) + 1 {
		if i < len(text) && isWord(text[i]) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 && i-from >= shortest {
			out = append(out, digest(text[from:i]))
		}
		from = -1
	}
	slices.Sort(out)
	return slices.Clone(slices.Compact(out))
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// digest returns the 64-bit FNV-1a digest. A collision only raises a rank.
func digest(word string) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(word) {
		sum = (sum ^ uint64(word[i])) * 1099511628211
	}
	return sum
}
