package cfamily_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// truth is one definition as clang sees it.
type truth struct {
	file, name, kind string
	start, end       int
}

// clangNode is a declaration or statement of clang's dump that is not closed yet.
type clangNode struct {
	kind, name, tag          string
	implicit, complete, body bool
	inFunction, skip         bool
	functions                int // function children so far
	loc, begin, end          place
}

type place struct {
	file  string
	line  int
	known bool
	macro bool
}

// frame is an open object or array of the dump.
type frame struct {
	key   string
	array bool
	node  *clangNode // of an object in an "inner" array
	place *place     // of a location
}

// astReader reads clang's JSON line by line. The dump of one header is often a hundred times larger
// than the header, so it is never held.
type astReader struct {
	frames []frame
	file   string // the last one named; clang leaves out what did not change
	line   int
	emit   func(truth)
}

// clangDefinitions runs clang over a file that includes what is to be seen.
func clangDefinitions(ctx context.Context, t *testing.T, clang, source string, flags []string, emit func(truth)) error {
	t.Helper()
	args := append([]string{"-fsyntax-only", "-w", "-ferror-limit=0", "-Xclang", "-ast-dump=json"}, flags...)
	cmd := exec.CommandContext(ctx, clang, append(args, source)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r := astReader{emit: emit}
	scanner := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := scanner.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err == bufio.ErrBufferFull { // a literal longer than the buffer
			continue
		}
		require.NoError(t, err)
		r.take(line)
	}
	return cmd.Wait()
}

func (r *astReader) take(line []byte) {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	line = line[i:]
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if len(line) == 0 {
		return
	}
	if len(line) > 1 && line[1] == '}' { // an empty object
		return
	}
	switch line[0] {
	case '{':
		r.push(frame{})
	case '}', ']':
		r.pop()
	case '"':
		r.pair(line)
	}
}

func (r *astReader) pair(line []byte) {
	end := 1
	for end < len(line) && line[end] != '"' {
		end++
	}
	key, value := line[1:end], line[min(end+3, len(line)):]
	if n := len(value); n > 0 && value[n-1] == ',' {
		value = value[:n-1]
	}
	switch {
	case string(value) == "{":
		r.push(frame{key: string(key)})
	case string(value) == "[":
		r.push(frame{key: string(key), array: true})
	default:
		r.scalar(key, value)
	}
}

func (r *astReader) top() *frame { return &r.frames[len(r.frames)-1] }

func (r *astReader) push(f frame) {
	if len(r.frames) > 0 {
		up := r.top()
		switch {
		case f.key == "" && up.array && up.key == "inner":
			f.node = r.child()
		case f.key == "loc" && up.node != nil:
			f.place = &up.node.loc
		case f.key == "range" && up.node != nil:
			f.node = nil
		case (f.key == "begin" || f.key == "end") && up.key == "range" && len(r.frames) > 1:
			if n := r.frames[len(r.frames)-2].node; n != nil {
				f.place = map[string]*place{"begin": &n.begin, "end": &n.end}[f.key]
			}
		case f.key == "expansionLoc":
			f.place = up.place
			if f.place != nil {
				f.place.macro = true
			}
		}
	} else {
		f.node = &clangNode{}
	}
	r.frames = append(r.frames, f)
}

// child makes a node below the innermost open one.
func (r *astReader) child() *clangNode {
	n := &clangNode{}
	for i := len(r.frames) - 1; i >= 0; i-- {
		if up := r.frames[i].node; up != nil {
			n.skip = up.skip
			n.inFunction = up.inFunction || isFunction(up.kind)
			break
		}
	}
	return n
}

func (r *astReader) parent() *clangNode {
	for i := len(r.frames) - 1; i >= 0; i-- {
		if n := r.frames[i].node; n != nil {
			return n
		}
	}
	return nil
}

func isFunction(kind string) bool {
	switch kind {
	case "FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl":
		return true
	}
	return false
}

func isRecord(kind string) bool {
	switch kind {
	case "RecordDecl", "CXXRecordDecl", "ClassTemplateSpecializationDecl", "ClassTemplatePartialSpecializationDecl":
		return true
	}
	return false
}

func (r *astReader) scalar(key, value []byte) {
	f := r.top()
	switch string(key) {
	case "file":
		if f.key != "includedFrom" {
			r.file = unquote(value)
		}
		return
	case "line":
		r.line, _ = strconv.Atoi(string(value))
		return
	case "col", "tokLen": // come last in every location
		if f.place != nil {
			f.place.file, f.place.line, f.place.known = r.file, r.line, true
		}
		return
	}
	n := f.node
	if n == nil {
		return
	}
	switch string(key) {
	case "kind":
		n.kind = unquote(value)
	case "name":
		n.name = unquote(value)
	case "tagUsed":
		n.tag = unquote(value)
	case "isImplicit":
		n.implicit = true
	case "completeDefinition":
		n.complete = true
	}
}

func unquote(value []byte) string {
	s, err := strconv.Unquote(string(value))
	if err != nil {
		return strings.Trim(string(value), `"`)
	}
	return s
}

func (r *astReader) pop() {
	f := r.frames[len(r.frames)-1]
	r.frames = r.frames[:len(r.frames)-1]
	if f.array && f.key == "inner" || f.node == nil {
		return
	}
	n := f.node
	up := r.parent()
	if up == nil {
		return
	}
	if n.kind == "CompoundStmt" || n.kind == "CXXTryStmt" {
		up.body = true
	}
	if n.kind == "EnumConstantDecl" {
		up.complete = true
	}
	r.finish(n, up)
}

// finish gives out a definition.
func (r *astReader) finish(n, up *clangNode) {
	begin := n.begin
	switch up.kind {
	case "FunctionTemplateDecl", "ClassTemplateDecl":
		if isFunction(n.kind) {
			if up.functions++; up.functions > 1 {
				return // an instantiation
			}
		}
		if n.kind == "ClassTemplateSpecializationDecl" {
			return
		}
		begin = up.begin
	}
	if n.implicit || n.inFunction || !n.loc.known || n.loc.macro || n.name == "" || !n.end.known || !begin.known ||
		begin.file != n.loc.file || n.end.file != n.loc.file {
		return
	}
	if r.instantiated() {
		return
	}
	kind := ""
	switch {
	case isFunction(n.kind) && n.body:
		kind = n.kind
	case isRecord(n.kind) && n.complete:
		kind = n.tag
	case n.kind == "EnumDecl" && n.complete:
		kind = "enum"
	case n.kind == "NamespaceDecl":
		kind = "namespace"
	}
	if kind != "" {
		r.emit(truth{n.loc.file, n.name, kind, begin.line, n.end.line})
	}
}

// instantiated tells whether an open node is an instantiation of a class template.
func (r *astReader) instantiated() bool {
	var up *clangNode
	for i := range r.frames {
		n := r.frames[i].node
		if n == nil {
			continue
		}
		if up != nil && up.kind == "ClassTemplateDecl" && n.kind == "ClassTemplateSpecializationDecl" {
			return true
		}
		up = n
	}
	return false
}

// including writes a source file that includes headers.
func including(t *testing.T, ending string, headers ...string) string {
	t.Helper()
	var b strings.Builder
	for _, h := range headers {
		b.WriteString("#include \"" + h + "\"\n")
	}
	name := filepath.Join(t.TempDir(), "all"+ending)
	require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o600))
	return name
}
