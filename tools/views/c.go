package views

import (
	"slices"
	"strings"

	"manualslop/tools/cfamily"
)

// CCurated returns a C or C++ file in which the bodies of unmarked functions are hidden.
func CCurated(f *cfamily.File) string {
	var cuts []cut
	kept := 0 // end of the last marked function
	for _, s := range f.Symbols {
		switch {
		case s.BodyEnd <= s.BodyStart || s.BodyStart < kept || !isFunction(s.Kind):
		case markedInC(f.Text, s.Start, s.BodyStart):
			kept = s.BodyEnd
		case strings.TrimSpace(strings.Trim(f.Text[s.BodyStart:s.BodyEnd], "{}")) != "":
			cuts = append(cuts, cut{s.BodyStart, s.BodyEnd, "{ ... /* Hidden */ }"})
		}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.start - b.start })
	return splice(f.Text, cuts)
}

func isFunction(kind string) bool {
	switch kind {
	case "function", "method", "constructor", "destructor", "operator":
		return true
	}
	return false
}
