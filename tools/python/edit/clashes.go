package edit

import (
	"path"
	"slices"
	"strings"

	"manualslop/tools/python"
)

// clashes returns the names that the text of a definition uses and that the
// destination module binds to something other than its own module.
func (s Source) clashes(dest Source, span python.Span, own string) []string {
	here, there := s.meanings(), dest.meanings()
	out := []string{}
	for name := range s.moduleNames(span) {
		same := slices.ContainsFunc(here[name], func(meaning string) bool { return slices.Contains(there[name], meaning) })
		if name != own && len(here[name]) > 0 && len(there[name]) > 0 && !same {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// meanings returns what each name that the module binds refers to: a module, or a name in one. Only the last part
// of a module's path is compared, because the path may be relative or absolute.
func (s Source) meanings() map[string][]string {
	out := map[string][]string{}
	for name := range s.defined() {
		file := path.Base(s.Path)
		out[name] = append(out[name], strings.TrimSuffix(file, path.Ext(file))+":"+name)
	}
	for _, b := range s.imported() {
		meaning := b.name.Name
		switch {
		case b.From:
			meaning = b.Module[strings.LastIndexByte(b.Module, '.')+1:] + ":" + b.name.Name
		case b.name.As == "":
			meaning = b.name.Bound()
		}
		out[b.path] = append(out[b.path], meaning)
	}
	return out
}
