package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"codeberg.org/readeck/go-readability/v2/render"
	"golang.org/x/net/html"
)

const (
	// maxLinks limits the links of a page.
	maxLinks = 300
	// maxCells limits the size of a table, in rows times columns, and maxCellBytes its text. Larger tables become
	// plain blocks, because each column is padded to its longest cell.
	maxCells     = 20_000
	maxCellBytes = 200_000
	// maxDepth limits the nesting of grouping elements. The time of the readers is proportional to depth times size.
	maxDepth = 60
	// maxBlocks limits the nesting of lists and quotations in the result.
	maxBlocks = 12
	// maxSpan limits the columns or rows that one cell spans.
	maxSpan = 10
)

// tidier prepares a tree for reading: it removes hidden elements, makes links absolute, and converts tables that
// would grow without bound to plain blocks.
type tidier struct {
	base  *url.URL
	links []Link
	seen  map[string]bool
}

func (t *tidier) tidy(doc *html.Node) {
	t.links, t.seen = []Link{}, map[string]bool{}
	for _, n := range slices.Collect(doc.Descendants()) {
		switch {
		case n.Type == html.CommentNode, n.Type == html.ElementNode && (isHidden(n.Data) || hides(n)):
			if n.Parent != nil {
				n.Parent.RemoveChild(n)
			}
		case n.Type != html.ElementNode:
		case groups(n.Data) && depthOf(n) > maxDepth:
			unwrapElement(n)
		case n.Data == "a":
			t.link(n)
		case n.Data == "img":
			t.image(n)
		case n.Data == "table":
			limitTable(n)
		case isBlock(n.Data) && blocksAbove(n) >= maxBlocks:
			n.Data, n.DataAtom = "div", 0
		}
	}
}

// isHidden reports whether the content of an element is not meant for reading.
func isHidden(name string) bool {
	switch name {
	case "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "math", "canvas", "audio", "video",
		"select", "textarea", "input", "button", "link":
		return true
	}
	return false
}

// hides reports whether an element's attributes hide it.
func hides(n *html.Node) bool {
	for _, a := range n.Attr {
		value := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
		switch {
		case a.Key == "hidden", a.Key == "aria-hidden" && value == "true",
			a.Key == "style" && (strings.Contains(value, "display:none") || strings.Contains(value, "visibility:hidden") ||
				strings.Contains(value, "font-size:0") || strings.Contains(value, "opacity:0;") ||
				strings.HasSuffix(value, "opacity:0")):
			return n.Data != "body" && n.Data != "html"
		}
	}
	return false
}

// link makes the target absolute and adds it to the list. A target that is not a page is removed.
func (t *tidier) link(n *html.Node) {
	href := strings.TrimSpace(attribute(n, "href"))
	target, err := t.base.Parse(href)
	if err == nil {
		target.User = nil
		target = unwrap(target)
	}
	if href == "" || err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "href" })
		return
	}
	setAttribute(n, "href", target.String())
	if strings.HasPrefix(href, "#") || len(t.links) >= maxLinks || t.seen[target.String()] ||
		len(target.String()) > maxURL {
		return
	}
	t.seen[target.String()] = true
	shown, _ := harmless(target.String())
	t.links = append(t.links, Link{Text: oneLine(render.InnerText(n), 120), URL: shown})
}

// image keeps images that have a name and an address.
func (t *tidier) image(n *html.Node) {
	src, err := t.base.Parse(strings.TrimSpace(attribute(n, "src")))
	alt := strings.TrimSpace(attribute(n, "alt"))
	if err != nil || alt == "" || src.Scheme != "http" && src.Scheme != "https" {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
		return
	}
	src.User = nil
	n.Attr = []html.Attribute{{Key: "src", Val: src.String()}, {Key: "alt", Val: alt}}
}

// groups reports whether an element only groups its content, so that it can be unwrapped.
func groups(name string) bool {
	switch name {
	case "div", "span", "section", "article", "main", "center", "font", "b", "i", "u", "em", "strong", "small", "big",
		"form", "label", "blockquote", "ul", "ol", "dl":
		return true
	}
	return false
}

func depthOf(n *html.Node) int {
	depth := 0
	for range n.Ancestors() {
		depth++
	}
	return depth
}

// unwrapElement replaces an element with its children.
func unwrapElement(n *html.Node) {
	for child := n.FirstChild; child != nil; child = n.FirstChild {
		n.RemoveChild(child)
		n.Parent.InsertBefore(child, n)
	}
	n.Parent.RemoveChild(n)
}

// isBlock reports whether an element indents its content.
func isBlock(name string) bool {
	return name == "ul" || name == "ol" || name == "blockquote" || name == "dl"
}

func blocksAbove(n *html.Node) int {
	count := 0
	for up := range n.Ancestors() {
		if isBlock(up.Data) {
			count++
		}
	}
	return count
}

// limitTable converts tables that would become too large as text, because every row is padded to the longest.
func limitTable(table *html.Node) {
	rows, columns, inRow, bytes := 0, 0, 0, 0
	var parts []*html.Node
	for n := range table.Descendants() {
		if n.Type == html.TextNode {
			bytes += len(n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "tr":
			rows, inRow = rows+1, 0
			parts = append(parts, n)
		case "td", "th":
			for _, span := range []string{"colspan", "rowspan"} {
				if count, err := strconv.Atoi(attribute(n, span)); err != nil || count > maxSpan || count < 1 {
					setAttribute(n, span, "1")
				}
			}
			width, _ := strconv.Atoi(attribute(n, "colspan"))
			inRow += max(width, 1)
			columns = max(columns, inRow)
			parts = append(parts, n)
		case "thead", "tbody", "tfoot", "caption":
			parts = append(parts, n)
		}
	}
	if rows*columns <= maxCells && bytes <= maxCellBytes {
		return
	}
	for _, n := range append(parts, table) {
		n.Data, n.DataAtom = "div", 0
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func setAttribute(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}
