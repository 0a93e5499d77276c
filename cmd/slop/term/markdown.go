package term

import (
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Styles of rendered Markdown. They fit dark and light terminals.
const (
	styleBold   = "\x1b[1m"
	styleItalic = "\x1b[3m"
	styleCode   = "\x1b[36m"
)

// Markdown renders a text that arrives in pieces, block by block: a paragraph, a list or a code block is returned
// when it is complete, so that printed output never changes. Control characters of the text are spelled out, and HTML
// is shown as source. Every word of the text is shown, including titles of links and the words after a fence.
type Markdown struct {
	out     io.Writer
	pending string // not returned yet
	at      int    // the lines of pending up to here were looked at
	fence   string // that ends the code block; empty: outside of one
	list    bool   // the block is a list
	blank   bool   // the line before was blank
}

// NewMarkdown returns nil if the output is not a terminal with colours, where text is not rendered.
func NewMarkdown(g *Terminal) *Markdown {
	if g.JSON || !g.coloured() {
		return nil
	}
	return &Markdown{out: g.Out}
}

var (
	fenceLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})") })
	itemLine  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ {0,3}([-*+]|[0-9]{1,9}[.)])\s`)
	})
)

// Add takes the next piece and returns the blocks that it completes, rendered.
func (m *Markdown) Add(piece string) string {
	m.pending += piece
	var out strings.Builder
	for {
		end := strings.IndexByte(m.pending[m.at:], '\n')
		if end < 0 {
			return out.String()
		}
		if m.ends(m.pending[m.at : m.at+end]) {
			out.WriteString(m.cut())
			end = strings.IndexByte(m.pending, '\n')
		}
		m.at += end + 1
		if m.blank && m.fence == "" && !m.list {
			out.WriteString(m.cut())
		}
	}
}

// cut returns the block that ends at the last line looked at, rendered.
func (m *Markdown) cut() string {
	block := m.pending[:m.at]
	m.pending, m.at = m.pending[m.at:], 0
	return rendered(block, lineWidth(m.out))
}

// ends takes a whole line, and reports whether a list ended before it.
func (m *Markdown) ends(line string) (before bool) {
	blank := strings.TrimSpace(line) == ""
	if m.fence != "" {
		closing := strings.TrimSpace(line)
		if strings.HasPrefix(closing, m.fence) && strings.Trim(closing, m.fence[:1]) == "" {
			m.fence = ""
		}
		m.blank = false
		return false
	}
	item := itemLine().MatchString(line)
	if m.list && m.blank && !blank && !item && !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "\t") {
		m.list, before = false, true
	}
	if found := fenceLine().FindStringSubmatch(line); found != nil {
		m.fence = found[1]
	}
	m.list = m.list || item
	m.blank = blank
	return before
}

// Rest returns the remaining text, rendered, and resets the state.
func (m *Markdown) Rest() string {
	left := m.pending
	*m = Markdown{out: m.out}
	return rendered(left, lineWidth(m.out))
}

// Limits of rendering: the parser is slow on hostile text, and deep blocks leave no room for words. A block over a
// limit is printed unrendered.
const (
	maxRendered = 8 << 10 // bytes of a block
	maxDepth    = 16      // blocks in blocks
)

// newParser returns a parser of CommonMark without link reference definitions, which would take text such as "[a]: b"
// out of the document.
func newParser() parser.Parser {
	return parser.NewParser(parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
			util.Prioritized(itemParser{parser.NewListItemParser()}, 399))...)) // before the default one, which has 400
}

// attrMarker is the attribute of a list item with its marker, as it is written.
const attrMarker = "marker"

// itemParser parses list items and keeps their markers: the tree has only the number of the first one.
type itemParser struct{ parser.BlockParser }

func (i itemParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	n, state := i.BlockParser.Open(parent, reader, pc)
	if n != nil {
		n.SetAttributeString(attrMarker, strings.Fields(string(line))[0])
	}
	return n, state
}

// rendered renders whole blocks in lines of at most width columns; 0: as wide as they are. Each ends with a line end,
// and an empty line separates two.
func rendered(source string, width int) string {
	if strings.TrimSpace(source) == "" {
		return ""
	}
	p := painter{source: []byte(source), width: width}
	if len(source) <= maxRendered {
		p.blocks(newParser().Parse(text.NewReader(p.source)), "", "")
	}
	if len(source) > maxRendered || p.deep {
		return fitted(EachVisible(strings.TrimRight(source, "\n")), width) + "\n\n"
	}
	return p.out.String()
}

// painter writes the tree of a document as lines.
type painter struct {
	source []byte
	width  int
	out    strings.Builder
	depth  int
	deep   bool // it was over the limit
}

// blocks writes the blocks below a node. The first line begins with first, the others with prefix.
func (p *painter) blocks(parent ast.Node, first, prefix string) {
	p.depth++
	defer func() { p.depth-- }()
	if p.deep = p.deep || p.depth > maxDepth; p.deep {
		return
	}
	if !parent.HasChildren() && parent.Kind() != ast.KindDocument {
		p.lines("", first, prefix)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if before := n.PreviousSibling(); before != nil && before.Kind() != ast.KindTextBlock {
			p.lines("", prefix, prefix)
		}
		p.block(n, first, prefix)
		first = prefix
	}
	if parent.Kind() == ast.KindDocument {
		p.out.WriteString("\n")
	}
}

func (p *painter) block(n ast.Node, first, prefix string) {
	switch n := n.(type) {
	case *ast.Heading:
		p.lines(p.inline(n, styleBold), first, prefix)
	case *ast.Paragraph, *ast.TextBlock:
		p.lines(p.inline(n, ""), first, prefix)
	case *ast.FencedCodeBlock:
		if n.Info != nil {
			p.lines(styled(string(n.Info.Segment.Value(p.source)), styleItalic), first, prefix)
			first = prefix
		}
		p.raw(n, styleCode, first+"  ", prefix+"  ")
	case *ast.CodeBlock:
		p.raw(n, styleCode, first+"  ", prefix+"  ")
	case *ast.Blockquote:
		p.blocks(n, first+"│ ", prefix+"│ ")
	case *ast.List:
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			marker := "• "
			if written, is := item.AttributeString(attrMarker); is && n.IsOrdered() {
				marker = written.(string) + " "
			}
			p.blocks(item, first+marker, prefix+strings.Repeat(" ", len([]rune(marker))))
			first = prefix
		}
	case *ast.ThematicBreak:
		p.lines("───", first, prefix)
	default:
		p.raw(n, "", first, prefix)
	}
}

// lines writes the lines of a styled text.
func (p *painter) lines(styled, first, prefix string) {
	for line := range strings.SplitSeq(styled, "\n") {
		wide := wrapper{width: p.width, hang: prefix}
		p.out.WriteString(strings.Join(wide.lines(strings.TrimRight(first+line, " ")), "\n") + "\n")
		first = prefix
	}
}

// raw writes a block as it is in the source.
func (p *painter) raw(n ast.Node, style, first, prefix string) {
	body := string(n.Lines().Value(p.source))
	if h, is := n.(*ast.HTMLBlock); is && h.HasClosure() {
		body += string(h.ClosureLine.Value(p.source))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(body, "\n"), "\n") {
		p.lines(styled(line, style), first, prefix)
		first = prefix
	}
}

// named replaces the entities of characters that Markdown would interpret.
var named = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`)

// inline returns the styled text below a node.
func (p *painter) inline(parent ast.Node, style string) string {
	var out strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			out.WriteString(styled(named.Replace(string(util.UnescapePunctuations(n.Segment.Value(p.source)))), style))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteString("\n")
			}
		case *ast.String:
			out.WriteString(styled(string(n.Value), style))
		case *ast.CodeSpan:
			for t := n.FirstChild(); t != nil; t = t.NextSibling() {
				if t, is := t.(*ast.Text); is {
					out.WriteString(styled(strings.ReplaceAll(string(t.Segment.Value(p.source)), "\n", " "), style+styleCode))
				}
			}
		case *ast.Emphasis:
			own := styleItalic
			if n.Level > 1 {
				own = styleBold
			}
			out.WriteString(p.inline(n, style+own))
		case *ast.Link:
			out.WriteString(p.target(n, n.Destination, n.Title, style))
		case *ast.Image:
			out.WriteString(p.target(n, n.Destination, n.Title, style))
		case *ast.AutoLink:
			out.WriteString(styled(string(n.Label(p.source)), style))
		case *ast.RawHTML:
			out.WriteString(styled(string(n.Segments.Value(p.source)), style))
		default:
			out.WriteString(p.inline(n, style))
		}
	}
	return out.String()
}

// target returns the words of a link, its address, so that no link hides it, and its title.
func (p *painter) target(n ast.Node, destination, title []byte, style string) string {
	leads := string(destination)
	if len(title) > 0 {
		leads += ` "` + string(title) + `"`
	}
	return p.inline(n, style) + styled(" ("+leads+")", style)
}

// styled returns text in a style, line by line, with hidden characters spelled out.
func styled(text, style string) string {
	lines := strings.Split(EachVisible(text), "\n")
	for i, line := range lines {
		if style != "" && line != "" {
			lines[i] = style + line + colourOff
		}
	}
	return strings.Join(lines, "\n")
}
