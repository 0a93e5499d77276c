package retrieval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"manualslop/tools/sandbox"
)

// Limits of what is searched.
const (
	// passageBytes is about 400 tokens, some 40 lines of code: a function with its comment. Longer
	// passages have vague vectors, shorter ones lack what explains them.
	passageBytes = 1_500
	// overlapBytes is how much of a passage the next one repeats, so that what stands at a border is
	// whole in one of them.
	overlapBytes = 250
	// MaxText limits a text to embed in bytes: a passage, its path, and room for masks that are longer
	// than the secrets that they replace.
	MaxText = 1_900
	// maxPath limits the part of a path that is embedded, in bytes.
	maxPath = 200
	// MaxFileBytes limits the size of a file. Larger files are left out, because they are data or generated.
	MaxFileBytes = 256 << 10
	// MaxPassages limits the passages of a workspace. That many contain about 30 MB of text, their vectors take
	// 60 MB of disk at 768 dimensions, and embedding them costs about 0.20 to 1.50 dollars once.
	MaxPassages = 20_000
)

// Passage is a part of a file.
type Passage struct {
	Path        string
	First, Last int // lines, from 1
	Text        string
	Score       float64 // only comparable within one result

	// File is the digest and FileSize the size of the whole file.
	File     string
	FileSize int64
}

// toEmbed returns the text whose vector represents the passage. The path says much about its contents.
func (p Passage) toEmbed() string {
	path := p.Path
	if len(path) > maxPath {
		path = strings.ToValidUTF8(path[len(path)-maxPath:], "")
	}
	return clip(path+"\n"+p.Text, MaxText)
}

// key returns the key of a text in the store.
func key(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }

// clip cuts a text to at most n bytes of whole characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Seen counts what a search saw of the workspace.
type Seen struct {
	Files, Passages int
	// LeftOut counts files that were skipped because the limit on passages was reached, and Large those
	// that are too large.
	LeftOut, Large int
}

// private reports whether a file is left out because of its name: hidden files, where programs keep
// their keys and settings (.netrc, .npmrc, .git-credentials), and those that hold keys by convention.
// A tool reads such a file only in a call of its own, under the user's rules; here all would go at once.
func private(name string) bool {
	if strings.HasPrefix(name, ".") {
		return true
	}
	for _, pattern := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
		"_netrc", "*.p12", "*.pfx", "*.p8", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.tfstate", "*.tfstate.backup",
		"*.tfvars", "credentials", "credentials.json", "secrets.*"} {
		if is, err := path.Match(pattern, strings.ToLower(name)); is || err != nil {
			return true
		}
	}
	return false
}

// passages returns the passages of the files below folders, in the order of their names. With a hash
// of each file, callers can tell which content they saw.
func passages(ctx context.Context, ws *sandbox.Workspace, mask func([]byte) []byte) ([]Passage, Seen, error) {
	folders := []string{"."}
	if ws.Check(".") != nil { // only the folders of tracked files are accessible
		folders = ws.Directories()
	}
	var out []Passage
	var seen Seen
	for _, folder := range folders {
		_, err := ws.Walk(ctx, folder, sandbox.WalkOptions{Gitignore: true}, func(e sandbox.Entry) error {
			switch {
			case e.Kind == sandbox.KindDirectory && strings.HasPrefix(path.Base(e.Path), "."):
				return fs.SkipDir
			case e.Kind != sandbox.KindFile || e.Size == 0 || private(path.Base(e.Path)):
				return nil
			case e.Size > MaxFileBytes:
				seen.Large++
				return nil
			case len(out) >= MaxPassages:
				seen.LeftOut++
				return nil
			}
			file, err := ws.ReadFile(ctx, e.Path)
			if err != nil {
				return ctx.Err() // it is gone, or may not be read
			}
			if !utf8.Valid(file.Data) || bytes.IndexByte(file.Data, 0) >= 0 {
				return nil
			}
			own := cut(string(mask(file.Data)))
			if len(own) > MaxPassages-len(out) { // a part of a file would mislead
				seen.LeftOut++
				return nil
			}
			for _, p := range own {
				p.Path, p.File, p.FileSize = e.Path, file.SHA256, int64(len(file.Data))
				out = append(out, p)
			}
			seen.Files++
			return nil
		})
		if err != nil {
			return nil, seen, err
		}
	}
	seen.Passages = len(out)
	return out, seen, nil
}

// cut cuts a text into passages at ends of lines, if possible at a blank line: then a line that is added
// above moves few borders. Passages of nothing but space are left out.
func cut(text string) []Passage {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []Passage
	for from := 0; from < len(lines); {
		to := end(lines, from)
		part := strings.Join(lines[from:to], "")
		if strings.TrimSpace(part) != "" {
			for len(part) > passageBytes { // a single long line
				head := clip(part, passageBytes)
				out = append(out, Passage{First: from + 1, Last: to, Text: head})
				part = part[len(head):]
			}
			out = append(out, Passage{First: from + 1, Last: to, Text: part})
		}
		if to == len(lines) {
			break
		}
		from = next(lines, from, to)
	}
	return out
}

// end returns the line behind the passage that begins at line from.
func end(lines []string, from int) int {
	size, to, blank := len(lines[from]), from+1, 0
	for to < len(lines) && size+len(lines[to]) <= passageBytes {
		if size > passageBytes/2 && strings.TrimSpace(lines[to]) == "" {
			blank = to
		}
		size += len(lines[to])
		to++
	}
	if to < len(lines) && blank > 0 {
		return blank
	}
	return to
}

// next returns where the passage behind lines from to to begins.
func next(lines []string, from, to int) int {
	size := 0
	for at := to; at > from+1; at-- {
		if size += len(lines[at-1]); size > overlapBytes {
			return at
		}
	}
	return to
}
