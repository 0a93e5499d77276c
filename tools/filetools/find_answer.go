package filetools

import (
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/textsearch"
)

// maxFoundFiles limits the files in an answer.
const maxFoundFiles = 2_000

// findData is the structured result of find_text. The counts cover everything that was searched.
type findData struct {
	Path          string     `json:"path"`
	Pattern       string     `json:"pattern"`
	Files         []findFile `json:"files"` // with matches, in order
	MatchingLines int        `json:"matching_lines"`
	MatchingFiles int        `json:"matching_files"`
	Searched      int        `json:"searched"`  // number of files
	Binary        int        `json:"binary"`    // number of files not searched
	TooLarge      int        `json:"too_large"` // number of files not searched
	Unread        int        `json:"unread"`    // number of files and folders that could not be read
	Ignored       int        `json:"ignored"`   // number of entries that .gitignore excludes
	Truncated     bool       `json:"truncated"` // some matching lines or files are not in Files
}

// findFile is one file with matches.
type findFile struct {
	Path          string     `json:"path"`
	Encoding      string     `json:"encoding"`
	MatchingLines int        `json:"matching_lines"`
	Lines         []findLine `json:"lines"` // incomplete if the answer was full
}

// findLine is a line with a match, or a line near one.
type findLine struct {
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"` // 1-based column of the first match in characters; 0 if there is none
	Text   string `json:"text"`             // shortened around the match if it is long
	Length int    `json:"length"`           // length of the whole line in characters
	Cut    bool   `json:"cut,omitempty"`    // Text is not the whole line
}

// shown returns the lines of a file that still fit into the answer.
func (f *finder) shown(s searched) findFile {
	out := findFile{Path: s.path, Encoding: s.encoding, MatchingLines: s.found.Matching, Lines: []findLine{}}
	matches := min(int(f.left.Load()), s.found.Matching)
	for _, l := range firstMatches(s.found.Lines, matches, f.in.Context) {
		out.Lines = append(out.Lines, findLine{Line: l.Number, Column: l.Column, Text: l.Text, Length: l.Length, Cut: l.Cut})
	}
	f.left.Add(int64(-matches))
	if matches > 0 {
		f.env.Seen.Add(s.state)
	}
	f.data.Truncated = f.data.Truncated || matches < s.found.Matching
	return out
}

// firstMatches returns the first n matching lines with the lines around them.
func firstMatches(lines []textsearch.Line, n, around int) []textsearch.Line {
	matches, last := 0, 0
	for i, l := range lines {
		switch {
		case matches < n && l.Column > 0:
			matches, last = matches+1, l.Number
		case matches == n && (n == 0 || l.Column > 0 || l.Number > last+around):
			return lines[:i]
		}
	}
	return lines
}

// text formats the answer: counts, then the files with their lines.
func (f *finder) text() string {
	var b strings.Builder
	b.WriteString(f.summary() + "\n")
	var rest []findFile
	for _, file := range f.data.Files {
		if len(file.Lines) == 0 {
			rest = append(rest, file)
			continue
		}
		b.WriteString(tools.VisibleName(file.Path) + file.note() + "\n")
		file.write(&b)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "… stopped after %d matching lines; use a larger max_results or a narrower path, glob or "+
			"pattern; also in:\n", f.most)
	}
	for _, file := range rest {
		fmt.Fprintf(&b, "%s (%s)\n", tools.VisibleName(file.Path), matchingLines(file.MatchingLines))
	}
	if named := len(f.data.Files); named < f.data.MatchingFiles {
		fmt.Fprintf(&b, "… and in %d more files\n", f.data.MatchingFiles-named)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// note describes what is special about a file: its encoding, and how many matching lines are not shown.
func (f findFile) note() string {
	note := ""
	if f.Encoding != document.UTF8 && f.Encoding != document.UTF8BOM {
		note = " [" + f.Encoding + "]"
	}
	shown := 0
	for _, l := range f.Lines {
		if l.Column > 0 {
			shown++
		}
	}
	if shown < f.MatchingLines {
		note += fmt.Sprintf(" (%d of %s)", shown, matchingLines(f.MatchingLines))
	}
	return note
}

func (f findFile) write(b *strings.Builder) {
	last := 0
	for _, l := range f.Lines {
		if last > 0 && l.Line > last+1 {
			b.WriteString("--\n")
		}
		mark := '-'
		if l.Column > 0 {
			mark = ':'
		}
		fmt.Fprintf(b, "%d%c%s", l.Line, mark, l.Text)
		if l.Cut {
			fmt.Fprintf(b, " (line of %d characters)", l.Length)
		}
		b.WriteByte('\n')
		last = l.Line
	}
}

// summary describes what was found and what was not searched.
func (f *finder) summary() string {
	d := f.data
	text := fmt.Sprintf("%s in %s (%s searched", matchingLines(d.MatchingLines), tools.FileCount(d.MatchingFiles),
		tools.FileCount(d.Searched))
	if d.MatchingLines == 0 {
		text = fmt.Sprintf("no line matches %s below %s (%s searched", tools.Quote(d.Pattern), d.Path,
			tools.FileCount(d.Searched))
	}
	var left []string
	for _, skipped := range []struct {
		n    int
		what string
	}{{d.Binary, "binary"}, {d.TooLarge, "too large"}, {d.Unread, "unreadable"}, {d.Ignored, "left out by .gitignore"}} {
		if skipped.n > 0 {
			left = append(left, fmt.Sprintf("%d %s", skipped.n, skipped.what))
		}
	}
	if len(left) > 0 {
		text += "; not searched: " + strings.Join(left, ", ")
	}
	text += ")"
	switch {
	case f.stats.Truncated:
		text += fmt.Sprintf("; the search ended after %d entries: search in a subfolder", f.stats.Visited)
	case d.MatchingLines == 0 && !f.in.Regex && strings.ContainsAny(d.Pattern, `\*|[^$+`):
		text += "; the pattern was matched literally: regex=true makes it an expression"
	case d.MatchingLines == 0 && d.Ignored > 0:
		text += "; include_ignored=true searches what .gitignore leaves out"
	}
	return text
}

func matchingLines(n int) string {
	if n == 1 {
		return "1 matching line"
	}
	return fmt.Sprintf("%d matching lines", n)
}
