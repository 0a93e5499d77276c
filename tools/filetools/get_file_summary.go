package filetools

import (
	"context"
	_ "embed" // for the tool's documentation
	"fmt"
	"path"
	"strings"

	"manualslop/tools"
	"manualslop/tools/codetools"
	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/pytools"
	"manualslop/tools/sandbox"
	"manualslop/tools/summary"
)

//go:embed get_file_summary.md
var getFileSummaryDoc string

type getFileSummaryArgs struct {
	Path      string `json:"path" doc:"file to summarise, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// summaryData is the structured result of a summary.
type summaryData struct {
	Path     string           `json:"path"`
	Format   string           `json:"format"` // "Python", "INI", "go", "text", "binary" …
	Lines    int              `json:"lines"`
	Bytes    int              `json:"bytes"`
	Encoding string           `json:"encoding"` // empty for binary files
	Endings  string           `json:"line_ends"`
	SHA256   string           `json:"sha256"`
	Doc      string           `json:"doc"`
	Hints    []string         `json:"hints"`
	Sections []summarySection `json:"sections"`
	Warnings []string         `json:"warnings"`
}

type summarySection struct {
	Title string        `json:"title"`
	Items []summaryItem `json:"items"`
}

type summaryItem struct {
	Name  string `json:"name"`
	Line  int    `json:"line"`
	End   int    `json:"end"` // last line; equal to line if there is only one
	Depth int    `json:"depth"`
	Text  string `json:"text"`
}

// GetFileSummary returns the tool that summarises a file.
func GetFileSummary() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "get_file_summary", Summary: "Summarise in a few lines what a file holds: definitions, tables, headings or " +
			"keys with their lines, and its size.", Effect: tools.Reads, Doc: getFileSummaryDoc,
	}, func(ctx context.Context, env tools.Env, in getFileSummaryArgs) (tools.Result, error) {
		file, err := env.ReadFile(ctx, in.Path)
		if err != nil {
			return tools.Result{}, err
		}
		data, err := tools.Within(ctx, len(file.Data), func() summaryData { return summarise(ctx, file) })
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return tools.Result{}, err
		}
		return tools.Paged(data.text(), data, "get_file_summary", in.StartLine, env.Limits)
	})
}

// summarise returns an incomplete summary if the context ends.
func summarise(ctx context.Context, file sandbox.File) summaryData {
	data := summaryData{Path: file.Path, Bytes: len(file.Data), SHA256: file.SHA256, Hints: []string{},
		Sections: []summarySection{}, Warnings: []string{}}
	doc, source := tools.DecodeFile(file.Path, file.Data)
	if doc.Encoding == "" {
		data.Format, data.Doc = "binary", summary.Binary(file.Data)
		return data
	}
	lines := document.Lines(doc.Text)
	data.Lines, data.Encoding, data.Endings = len(lines), doc.Encoding, lineEnds(doc.Text, lines)
	data.Hints = summary.Hints(doc.Text)
	var found summary.Summary
	if document.IsPython(file.Path, file.Data) {
		f := pytools.PythonFile{TextFile: tools.TextFile{Document: doc, Disk: file, Undecodable: source},
			File: python.Parse(doc.Text)}
		found = summary.Python(f.File)
		found.Warnings = f.Warnings()
	} else {
		found = summariseText(ctx, file.Path, doc.Text)
	}
	data.add(found)
	return data
}

// summariseText selects the kind of summary by the file's name.
func summariseText(ctx context.Context, name, text string) summary.Summary {
	base := strings.ToLower(path.Base(name))
	switch path.Ext(base) {
	case ".ini", ".cfg":
		return summary.INI(text)
	case ".md", ".markdown", ".mdown", ".mdx":
		return summary.Markdown(text)
	case ".json", ".jsonl", ".ndjson", ".ipynb", ".geojson", ".webmanifest":
		return summary.JSON(ctx, text)
	}
	switch base {
	case ".editorconfig", ".gitconfig", ".flake8", ".pylintrc", ".coveragerc":
		return summary.INI(text)
	case "pipfile.lock", "composer.lock", ".babelrc", ".eslintrc", ".prettierrc":
		return summary.JSON(ctx, text)
	}
	return codetools.SummariseCode(ctx, name, text)
}

// lineEnds returns the kind of line ends of a text: "LF", "CRLF", "CR", "mixed", or "" if there are none.
func lineEnds(text string, lines []document.Line) string {
	names := map[string]string{"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
	found := ""
	for _, l := range lines {
		end := names[text[l.End:l.Next]]
		if found != "" && end != "" && end != found {
			return "mixed"
		}
		if end != "" {
			found = end
		}
	}
	return found
}

func (d *summaryData) add(found summary.Summary) {
	d.Format, d.Doc = found.Format, found.Doc
	d.Warnings = append(d.Warnings, found.Warnings...)
	for _, section := range found.Sections {
		out := summarySection{Title: section.Title, Items: []summaryItem{}}
		for _, i := range section.Items {
			out.Items = append(out.Items, summaryItem{i.Name, i.Line, max(i.End, i.Line), i.Depth, i.Text})
		}
		d.Sections = append(d.Sections, out)
	}
}

func (d summaryData) text() string {
	var b strings.Builder
	if d.Format == "binary" {
		fmt.Fprintf(&b, "%s: binary, %s", tools.VisibleName(d.Path), tools.Count(d.Bytes, "byte"))
		if d.Doc != "" {
			b.WriteString(", " + d.Doc)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s, %s", tools.VisibleName(d.Path), d.Format, tools.Count(d.Lines, "line"),
		tools.Count(d.Bytes, "byte"), d.Encoding)
	if d.Endings != "" && d.Endings != "LF" {
		b.WriteString(", line ends " + d.Endings)
	}
	for _, hint := range d.Hints {
		b.WriteString("\nnote: " + tools.OneLine(hint, 300))
	}
	for _, warning := range d.Warnings {
		b.WriteString("\nwarning: " + tools.OneLine(warning, 500))
	}
	if d.Doc != "" {
		b.WriteString("\n" + tools.OneLine(d.Doc, 1_000))
	}
	for _, section := range d.Sections {
		var rows []string
		for _, item := range section.Items {
			rows = append(rows, item.row())
		}
		title := section.Title
		if len(rows) > 1 && title != "imports" {
			title += fmt.Sprintf(" (%d)", len(rows))
		}
		pytools.WriteSection(&b, title, rows)
	}
	return b.String()
}

func (i summaryItem) row() string {
	lines := fmt.Sprint(i.Line)
	if i.End > i.Line {
		lines += fmt.Sprintf("-%d", i.End)
	}
	row := lines + " " + strings.Repeat("  ", min(i.Depth, tools.MaxShownDepth)) + tools.OneLine(i.Name, 300)
	if i.Text != "" {
		row += ": " + tools.OneLine(i.Text, 4_000)
	}
	return row
}
