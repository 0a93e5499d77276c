package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

const (
	// maxConfigBytes is the largest configuration file that is read.
	maxConfigBytes = 256 << 10
	// maxConfigKeys is the most keys and headers of a file. The decoder compares each key of a
	// table with all before it, so this bounds the time that a file can take.
	maxConfigKeys = 4096
)

// document is one TOML file: its text, and the position of each key in it.
type document struct {
	file    string
	text    []byte
	entries []entry
}

// entry is one key, or one table header, of a document.
type entry struct {
	path   []string // elements of a list of tables are numbered: rules 0 tool
	line   int
	kind   unstable.Kind // kind of the value; Table or ArrayTable for a header
	inside []unstable.Kind
	text   string // of a scalar
	all    bool   // it is in tiers.all, and path is the tier that it is copied to
}

// key returns the dotted path as a user would write it.
func (e entry) key() string { return strings.Join(e.path, ".") }

// written returns the dotted path as it is in the file.
func (e entry) written() string {
	if e.all {
		return writtenForAll(e.key())
	}
	return e.key()
}

// readFile reads a regular file of at most maxConfigBytes. If it does not exist, errors.Is(err, os.ErrNotExist).
func readFile(path string) ([]byte, error) {
	unreadable := func(problem string, cause error) error {
		return &Error{Kind: ConfigUnreadable, File: path, Problem: problem, cause: cause}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable("cannot be read: "+reasonOf(err), err)
	}
	if !info.Mode().IsRegular() {
		return nil, unreadable("is not a regular file", nil)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable("cannot be read: "+reasonOf(err), err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfigBytes+1))
	if err != nil {
		return nil, unreadable("cannot be read: "+reasonOf(err), err)
	}
	if len(text) > maxConfigBytes {
		return nil, unreadable(fmt.Sprintf("is larger than %d bytes", maxConfigBytes), nil)
	}
	return text, nil
}

// reasonOf returns the error of the operating system without the path, which the message already contains.
func reasonOf(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// parseDocument finds the keys of a document without using a schema.
func parseDocument(file string, text []byte) (*document, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	walk := documentWalk{doc: &document{file: file, text: text}, counts: map[string]int{}, starts: lineStarts(text)}
	walk.parser.Reset(text)
	for walk.parser.NextExpression() {
		walk.expression(walk.parser.Expression())
		if len(walk.doc.entries) > maxConfigKeys {
			return nil, &Error{Kind: ConfigInvalid, File: file, Problem: fmt.Sprintf("has more than %d keys", maxConfigKeys)}
		}
	}
	var broken *unstable.ParserError
	if err := walk.parser.Error(); errors.As(err, &broken) {
		line := walk.lineAt(walk.parser.Range(broken.Highlight))
		return nil, &Error{Kind: ConfigSyntax, File: file, Line: line, Problem: broken.Message}
	}
	return walk.doc, nil
}

// decodeError converts an error of the decoder to ours, with its line if it has one. The decoder's text is dropped,
// because it quotes its surroundings, which may contain a key.
func decodeError(file string, err error) error {
	mine := &Error{Kind: ConfigSyntax, File: file, Problem: strings.TrimPrefix(err.Error(), "toml: ")}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		mine.Line, _ = at.Position()
		mine.Key = strings.Join(at.Key(), ".")
	}
	return mine
}

// documentWalk collects the entries of a document from its expressions.
type documentWalk struct {
	parser unstable.Parser
	doc    *document
	starts []int          // offset of each line
	table  []string       // the table that the last header opened
	counts map[string]int // elements seen of each list of tables
}

func (w *documentWalk) expression(node *unstable.Node) {
	switch node.Kind {
	case unstable.Table:
		w.table = w.resolve(keyParts(node))
		w.add(entry{path: w.table, line: w.line(node), kind: unstable.Table})
	case unstable.ArrayTable:
		parts := keyParts(node)
		path := append(w.resolve(parts[:len(parts)-1]), parts[len(parts)-1])
		w.add(entry{path: path, line: w.line(node), kind: unstable.ArrayTable})
		n := w.counts[listKey(path)]
		w.counts[listKey(path)] = n + 1
		w.table = append(append([]string{}, path...), strconv.Itoa(n))
		w.add(entry{path: w.table, line: w.line(node), kind: unstable.Table})
	case unstable.KeyValue:
		w.keyValue(w.table, node)
	}
}

func (w *documentWalk) keyValue(prefix []string, node *unstable.Node) {
	path := append(append([]string{}, prefix...), keyParts(node)...)
	w.value(path, w.line(node), node.Value())
}

func (w *documentWalk) value(path []string, line int, value *unstable.Node) {
	entry := entry{path: path, line: line, kind: value.Kind, text: string(value.Data)}
	for it := value.Children(); value.Kind == unstable.Array && it.Next(); {
		if it.Node().Kind != unstable.Comment {
			entry.inside = append(entry.inside, it.Node().Kind)
		}
	}
	w.add(entry)
	n := 0
	for it := value.Children(); it.Next(); {
		switch child := it.Node(); {
		case value.Kind == unstable.InlineTable && child.Kind == unstable.KeyValue:
			w.keyValue(path, child)
		case value.Kind == unstable.Array && child.Kind == unstable.InlineTable:
			w.value(append(append([]string{}, path...), strconv.Itoa(n)), line, child)
			n++
		}
	}
}

func (w *documentWalk) add(entry entry) { w.doc.entries = append(w.doc.entries, entry) }

// resolve inserts the number of the newest element after each list of tables on a path.
func (w *documentWalk) resolve(parts []string) []string {
	var path []string
	for _, part := range parts {
		path = append(path, part)
		if n := w.counts[listKey(path)]; n > 0 {
			path = append(path, strconv.Itoa(n-1))
		}
	}
	return path
}

// listKey returns a map key for a path; keys cannot contain the separator, so paths do not collide.
func listKey(path []string) string { return strings.Join(path, "\x00") }

// line returns the line of the first part of the key of a node.
func (w *documentWalk) line(node *unstable.Node) int {
	it := node.Key()
	if !it.Next() {
		return 0
	}
	return w.lineAt(it.Node().Raw)
}

func (w *documentWalk) lineAt(place unstable.Range) int {
	line, _ := slices.BinarySearch(w.starts, int(place.Offset)+1)
	return line
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func keyParts(node *unstable.Node) []string {
	var parts []string
	for it := node.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}

// lineOf returns the line of a key, or of the first key in it, or of the nearest table around it; 0 if there is none.
func (doc *document) lineOf(key string) int {
	for ; key != ""; key = parentKey(key) {
		for _, fits := range []func(string) bool{
			func(k string) bool { return k == key }, func(k string) bool { return strings.HasPrefix(k, key+".") },
		} {
			if i := slices.IndexFunc(doc.entries, func(e entry) bool { return fits(e.key()) }); i >= 0 {
				return doc.entries[i].line
			}
		}
	}
	return 0
}

// placed adds file and line to mistakes and joins them.
func (doc *document) placed(found []*Error) error {
	for _, e := range found {
		e.File, e.Line = doc.file, doc.lineOf(e.Key)
	}
	return joinErrors(firstPerKey(found))
}
