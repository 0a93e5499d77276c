package outline

import (
	_ "embed" // for names.txt
	"strings"
)

// names.txt lists the top-level modules and packages of CPython 3.11 to 3.14 on all platforms, sorted, one per line:
// sys.stdlib_module_names of each version, __main__, and the packages of its tests.
//
//go:embed names.txt
var names string

// InStandardLibrary reports whether a module with the given dotted name belongs to the standard library.
func InStandardLibrary(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	return top != "" && (strings.HasPrefix(names, top+"\n") || strings.Contains(names, "\n"+top+"\n"))
}
