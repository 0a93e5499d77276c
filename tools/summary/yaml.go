package summary

import (
	"regexp"
	"strings"
	"sync"

	"manualslop/tools/document"
)

var yamlKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *)((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#\[\]{}&*!|>%@"',?:-][^:#]*?))[ \t]*:(?:[ \t]|$)`)
})

// YAML lists the keys at the left edge of a YAML text, each with the keys of the level below it.
// What the braces and quotes of a value hold is not looked at.
func YAML(text string) Summary {
	var items []Item
	var below []string // keys under the last item
	indent := 0        // of the first key under the last item
	end := func() {
		if n := len(items); n > 0 {
			items[n-1].Text = strings.Join(below, ", ")
		}
		below, indent = nil, 0
	}
	for i, l := range document.Lines(text) {
		key := yamlKey().FindStringSubmatch(text[l.Start:l.End])
		switch {
		case key == nil:
		case key[1] == "":
			end()
			items = append(items, Item{Name: key[2], Line: i + 1})
		case len(items) > 0 && (indent == 0 || indent == len(key[1])) && len(below) < maxKeys:
			indent = len(key[1])
			below = append(below, key[2])
		}
	}
	end()
	out := Summary{Format: "YAML"}
	if len(items) > 0 {
		out.Sections = []Section{{Title: "keys", Items: items}}
	}
	return out
}
