package summary

import (
	"fmt"
	"strings"

	"manualslop/tools/document"
)

// maxKeys limits the keys listed for one section.
const maxKeys = 40

// INI lists the sections of an INI file with their keys. Keys before the first section are listed under "(top
// level)"; indented lines continue a value.
func INI(text string) Summary {
	var items []Item
	var keys [][]string
	add := func(name string, line int) {
		items, keys = append(items, Item{Name: name, Line: line}), append(keys, nil)
	}
	for i, l := range document.Lines(text) {
		raw := text[l.Start:l.End]
		line := strings.TrimSpace(raw)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			add(line[:max(strings.LastIndexByte(line, ']')+1, 1)], i+1)
		case raw[0] > ' ':
			if at := strings.IndexAny(line, "=:"); at > 0 {
				if len(items) == 0 {
					add("(top level)", i+1)
				}
				last := len(keys) - 1
				keys[last] = append(keys[last], strings.TrimSpace(line[:at]))
			}
		}
	}
	for i, list := range keys {
		items[i].Text = strings.Join(list[:min(len(list), maxKeys)], ", ")
		if more := len(list) - maxKeys; more > 0 {
			items[i].Text += fmt.Sprintf(", … %d more", more)
		}
	}
	out := Summary{Format: "INI"}
	if len(items) > 0 {
		out.Sections = []Section{{Title: "sections", Items: items}}
	}
	return out
}
