package web

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"codeberg.org/readeck/go-readability/v2/render"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

const (
	// maxNodes limits the tree of a page. A larger page is read as a stream of text.
	maxNodes = 100_000
	// leastMain is the minimum length of a main part in characters, unless it is most of the page.
	leastMain = 250
)

// readHTML sets the title, text and links of a page.
func (r *response) readHTML(page *Page, text, format string) {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil || countNodes(doc, maxNodes) >= maxNodes {
		page.Text = strippedText(text) // nested too deeply, or the tree is too large
		return
	}
	page.Title = titleOf(doc)
	t := tidier{base: r.base(baseHref(doc))}
	t.tidy(doc)
	page.Links = t.links
	whole := render.InnerText(doc)
	root, text := doc, whole
	if main, mainText := mainPart(doc, r.url); main != nil && isMain(mainText, whole) {
		root, text, page.Main = main, mainText, true
	}
	if page.Text = text; format != FormatText {
		if markdown, err := markdownOf(root); err == nil {
			page.Text = markdown
		}
	}
	page.Text = squeezeBlank(page.Text)
}

// mainPart returns the article of a page, or nil if none is found.
func mainPart(doc *html.Node, at *url.URL) (*html.Node, string) {
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	article, err := parser.ParseDocument(doc, at)
	if err != nil || article.Node == nil {
		return nil, ""
	}
	return article.Node, render.InnerText(article.Node)
}

// isMain reports whether a part is large enough to replace the whole.
func isMain(part, whole string) bool {
	n := utf8.RuneCountInString(part)
	return n >= leastMain || 2*n >= utf8.RuneCountInString(whole)
}

// markdownOf converts a tree to Markdown. It does not escape the text of the page, because the result is not rendered.
func markdownOf(root *html.Node) (string, error) {
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&") // the base plugin always escapes these
	conv.Register.TextTransformer(func(_ converter.Context, text string) string { return plain.Replace(text) },
		converter.PriorityLate)
	markdown, err := conv.ConvertNode(root)
	return narrowTables(string(markdown)), err
}

// narrowTables removes blanks and dashes that only align the columns of tables.
func narrowTables(markdown string) string {
	if !strings.Contains(markdown, "|") {
		return markdown
	}
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(markdown) {
		fenced = fenced != strings.HasPrefix(strings.TrimSpace(line), "```")
		if !fenced && strings.HasPrefix(line, "|") {
			line = narrow(narrow(line, "  ", " "), "----", "---")
		}
		b.WriteString(line)
	}
	return b.String()
}

// narrow replaces long by short until no long is left.
func narrow(line, long, short string) string {
	for strings.Contains(line, long) {
		line = strings.ReplaceAll(line, long, short)
	}
	return line
}

// strippedText returns the text between the tags, for pages that cannot be parsed into a tree.
func strippedText(text string) string {
	tokens := html.NewTokenizer(strings.NewReader(text))
	tokens.SetMaxBuf(1 << 20)
	var b strings.Builder
	skip := ""
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return squeezeBlank(b.String())
		case html.StartTagToken:
			if name, _ := tokens.TagName(); skip == "" && isHidden(string(name)) {
				skip = string(name)
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); skip == string(name) {
				skip = ""
			}
		case html.TextToken:
			if words := strings.TrimSpace(string(tokens.Text())); skip == "" && words != "" {
				b.WriteString(words + "\n")
			}
		}
	}
}

// countNodes counts the nodes below root, up to limit.
func countNodes(root *html.Node, limit int) int {
	n := 0
	for range root.Descendants() {
		if n++; n >= limit {
			break
		}
	}
	return n
}

func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "title" && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	return ""
}

func baseHref(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "base" {
			return attribute(n, "href")
		}
	}
	return ""
}

// squeezeBlank removes trailing blanks and reduces several blank lines to one.
func squeezeBlank(text string) string {
	var b strings.Builder
	blank := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" && blank {
			continue
		}
		blank = line == ""
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
