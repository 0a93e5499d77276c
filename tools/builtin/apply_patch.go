package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"manualslop/tools"
	"manualslop/tools/document"
)

// maxPatch limits a patch in bytes.
const maxPatch = 100 << 10

// ApplyPatch returns the engine's internal tool that applies a patch proposed
// by tier 4 and approved by a user. It is not offered to models.
func ApplyPatch() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "apply_patch", Summary: "Apply a unified diff to the files it names: all of it, or nothing.",
		Effect: tools.Writes,
	}, planPatch)
}

type patchArgs struct {
	Patch string `json:"patch" doc:"a unified diff" min:"1"`
}

func planPatch(ctx context.Context, env tools.Env, in patchArgs) (tools.Plan, error) {
	if len(in.Patch) > maxPatch {
		return tools.Plan{}, tools.Refuse("the patch has %d bytes, more than the limit of %d", len(in.Patch), maxPatch)
	}
	files, err := parsePatch(in.Patch)
	if err != nil {
		return tools.Plan{}, err
	}
	plan := tools.Plan{}
	named := map[string]bool{}
	for _, f := range files {
		change, err := patched(ctx, env, f)
		if err != nil {
			return tools.Plan{}, err
		}
		name := path.Clean(change.Path)
		if named[name] {
			return tools.Plan{}, tools.Refuse("the patch names %s twice; all hunks of a file belong under one pair of --- and "+
				"+++ lines", name)
		}
		named[name] = true
		plan.Changes = append(plan.Changes, change)
	}
	plan.Summary = "apply_patch: " + tools.FileCount(len(files))
	return plan, nil
}

// beyond returns the beginnings of lines that mean more than a change of text.
func beyond() []string {
	return []string{"rename from ", "copy from ", "GIT binary patch", "Binary files ", "new mode "}
}

// parsePatch reads a unified diff. Models miscount the lines of hunks, so the
// counts are recomputed first.
func parsePatch(text string) ([]*gitdiff.File, error) {
	for line := range strings.Lines(text) {
		for _, word := range beyond() {
			if strings.HasPrefix(line, word) {
				return nil, tools.Refuse("the patch contains %q; only text changes, new files and deleted files can be applied",
					strings.TrimSpace(word))
			}
		}
	}
	if old, now, renamed := otherName(strings.SplitAfter(text, "\n")); renamed {
		return nil, tools.Refuse("the patch renames %s to %s; only text changes, new files and deleted files can be applied", old, now)
	}
	clean, err := recounted(text)
	if err != nil {
		return nil, err
	}
	files, _, err := gitdiff.Parse(strings.NewReader(clean))
	if err != nil {
		return nil, tools.Refuse("the patch must be a unified diff: %s", strings.TrimPrefix(err.Error(), "gitdiff: "))
	}
	if len(files) == 0 {
		return nil, tools.Refuse("the patch names no file; it needs --- and +++ lines and at least one @@ hunk")
	}
	return files, nil
}

// otherName finds a file that a patch names differently before and after.
func otherName(lines []string) (old, now string, found bool) {
	for i := range lines {
		if !namesFile(lines, i) {
			continue
		}
		old, now = strings.TrimPrefix(strings.TrimSpace(lines[i][4:]), "a/"),
			strings.TrimPrefix(strings.TrimSpace(lines[i+1][4:]), "b/")
		if old, _, _ = strings.Cut(old, "\t"); old == "/dev/null" {
			continue
		}
		if now, _, _ = strings.Cut(now, "\t"); now != "/dev/null" && now != old {
			return old, now, true
		}
	}
	return "", "", false
}

// patched returns the change to one file.
func patched(ctx context.Context, env tools.Env, f *gitdiff.File) (tools.Change, error) {
	name := f.NewName
	if f.IsDelete {
		name = f.OldName
	}
	if ofGit(name) {
		return tools.Change{}, tools.Refuse("the patch changes %s, which belongs to git", name)
	}
	file, err := env.ReadFile(ctx, name)
	switch {
	case f.IsNew && errors.Is(err, fs.ErrNotExist):
		return textual(tools.Create(name, []byte(newText(f)), 0))
	case err != nil:
		return tools.Change{}, err
	case f.IsNew:
		return tools.Change{}, tools.Refuse("the patch creates %s, which already exists", name)
	}
	after, err := applyHunks(name, string(file.Data), f.TextFragments)
	if err != nil {
		return tools.Change{}, err
	}
	if f.IsDelete {
		if after != "" {
			return tools.Change{}, tools.Refuse("the patch deletes %s but does not list all of its lines", name)
		}
		return tools.Delete(file), nil
	}
	before := string(file.Data)
	if err := tools.RefuseReplacement(name, before, document.Between(before, after)); err != nil {
		return tools.Change{}, err
	}
	return textual(tools.Edit(file, []byte(after)))
}

// textual rejects changes that a preview could not show. A byte that is not text, in the file or in the patch,
// would hide all changes from the user who approves them.
func textual(c tools.Change) (tools.Change, error) {
	for _, side := range [][]byte{c.Before, c.After} {
		if doc, _ := tools.DecodeFile(c.Path, side); doc.Encoding == "" {
			return tools.Change{}, tools.Refuse("%s is not text before or after the patch; only text changes can be "+
				"applied", c.Path)
		}
	}
	return c, nil
}

// ofGit reports whether a path is inside a .git folder, whose files decide which programs run.
func ofGit(name string) bool {
	elements := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.ContainsFunc(elements, func(e string) bool { return strings.EqualFold(e, ".git") })
}

func newText(f *gitdiff.File) string {
	var b strings.Builder
	for _, hunk := range f.TextFragments {
		_, after := sides(hunk, false)
		b.WriteString(after)
	}
	return b.String()
}

// applyHunks applies all hunks. Each replaces the lines that it names, at the occurrence nearest to its line number.
func applyHunks(name, text string, hunks []*gitdiff.TextFragment) (string, error) {
	crlf := strings.Contains(text, "\r\n")
	var b strings.Builder
	done := 0
	for i, hunk := range hunks {
		before, after := sides(hunk, crlf)
		at := placeOf(text, before, done, hunk.OldPosition)
		if at < 0 {
			return "", tools.Refuse("hunk %d of %s does not fit: its lines are not in the file", i+1, name)
		}
		b.WriteString(text[done:at])
		b.WriteString(after)
		done = at + len(before)
		if done < len(text) && after != "" && !strings.HasSuffix(after, "\n") {
			return "", tools.Refuse("hunk %d of %s does not fit: it ends without a newline, but the file continues", i+1, name)
		}
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// sides returns the lines that a hunk removes and those that it adds.
func sides(hunk *gitdiff.TextFragment, crlf bool) (before, after string) {
	var old, now bytes.Buffer
	for _, line := range hunk.Lines {
		text := line.Line
		if crlf && strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\r\n") {
			text = strings.TrimSuffix(text, "\n") + "\r\n"
		}
		if line.Op != gitdiff.OpAdd {
			old.WriteString(text)
		}
		if line.Op != gitdiff.OpDelete {
			now.WriteString(text)
		}
	}
	return old.String(), now.String()
}

// lineOffset returns the offset of a 1-based line.
func lineOffset(text string, line int64) int {
	at := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	return at
}

// placeOf returns the offset, at or after from, where want occurs as whole lines, nearest to a line. It returns
// -1 if there is none. from must be the beginning of a line. A hunk that removes nothing is inserted after the
// line.
func placeOf(text, want string, from int, line int64) int {
	if want == "" {
		at := lineOffset(text, line+1)
		if at < from || at > 0 && text[at-1] != '\n' { // before the end of the previous hunk, or inside the last line
			return -1
		}
		return at
	}
	if !strings.HasSuffix(want, "\n") { // it can only match at the end of the file
		if at := len(text) - len(want); at >= from && strings.HasSuffix(text, want) && (at == 0 || text[at-1] == '\n') {
			return at
		}
		return -1
	}
	wanted := max(from, lineOffset(text, line))
	before := lastLines(text[from:min(len(text), wanted+len(want)-1)], want)
	behind := firstLines(text[wanted:], want)
	switch {
	case before >= 0 && (behind < 0 || wanted-(from+before) <= behind):
		return from + before
	case behind >= 0:
		return wanted + behind
	}
	return -1
}

// firstLines returns the first occurrence of want in text that begins a line, or -1.
func firstLines(text, want string) int {
	if strings.HasPrefix(text, want) {
		return 0
	}
	if at := strings.Index(text, "\n"+want); at >= 0 {
		return at + 1
	}
	return -1
}

// lastLines returns the last occurrence of want in text that begins a line, or -1.
func lastLines(text, want string) int {
	if at := strings.LastIndex(text, "\n"+want); at >= 0 {
		return at + 1
	}
	if strings.HasPrefix(text, want) {
		return 0
	}
	return -1
}

// recounted returns a patch with corrected line counts in the hunk headers and without the text around its files
// and hunks. A hunk that is not below the two lines with its file's name would be attributed to the file above
// it.
func recounted(text string) (string, error) {
	lines := strings.SplitAfter(strings.TrimRight(text, "\r\n\t ")+"\n", "\n")
	var b strings.Builder
	named := false
	for i := 0; i < len(lines); i++ {
		head, ok := hunkHead(lines[i])
		switch {
		case ok && !named:
			return "", tools.Refuse("a hunk of the patch has no --- and +++ lines with its file's name right above it")
		case ok:
			end := hunkEnd(lines, i+1)
			writeHunk(&b, head, lines[i+1:end])
			i = end - 1
		case namesFile(lines, i):
			b.WriteString("--- " + strings.TrimPrefix(lines[i][4:], "a/") + "+++ " + strings.TrimPrefix(lines[i+1][4:], "b/"))
			named = true
			i++
		case beginsFile(lines[i]):
			named = false
		}
	}
	return b.String(), nil
}

// beginsFile reports whether a line outside hunks begins the part for another file.
func beginsFile(line string) bool {
	return slices.ContainsFunc([]string{"diff ", "Index: ", "--- ", "+++ "},
		func(head string) bool { return strings.HasPrefix(line, head) })
}

// hunkEnd returns the index after the last line of a hunk whose lines begin at from.
func hunkEnd(lines []string, from int) int {
	end := from
	for end < len(lines) && inHunk(lines, end) {
		end++
	}
	for end > from && strings.TrimSpace(lines[end-1]) == "" && lines[end-1][0] != ' ' {
		end-- // blank lines between two hunks belong to neither
	}
	return end
}

// writeHunk writes a hunk with a header that counts its lines.
func writeHunk(b *strings.Builder, head [2]int, lines []string) {
	before, after := 0, 0
	for i, line := range lines {
		switch line[0] {
		case '+':
			after++
		case '-':
			before++
		case ' ', '\n', '\r':
			before, after = before+1, after+1
		}
		if line == "\n" || line == "\r\n" {
			lines[i] = " " + line // an empty context line that lost its leading blank
		}
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n%s", head[0], before, head[1], after, strings.Join(lines, ""))
}

// hunkHead reads the positions of a hunk from its header. The text after the second @@ is a line of the file and
// may also contain numbers.
func hunkHead(line string) (at [2]int, ok bool) {
	rest, ok := strings.CutPrefix(line, "@@")
	if !ok {
		return at, false
	}
	places, _, _ := strings.Cut(rest, "@@")
	for _, field := range strings.Fields(strings.Trim(places, "@ \r\n")) {
		side := strings.IndexByte("-+", field[0])
		if side >= 0 {
			_, _ = fmt.Sscanf(field[1:], "%d", &at[side]) // anything but a number stays 0
		}
	}
	return at, true
}

// namesFile reports whether lines i and i+1 begin the part for a file.
func namesFile(lines []string, i int) bool {
	return strings.HasPrefix(lines[i], "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ")
}

// inHunk reports whether line i still belongs to the hunk above it.
func inHunk(lines []string, i int) bool {
	line := lines[i]
	switch {
	case line == "", strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff "):
		return false
	case namesFile(lines, i):
		return false
	}
	return strings.IndexByte(" +-\\\n\r", line[0]) >= 0
}
