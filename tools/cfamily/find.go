package cfamily

import (
	"strconv"
	"strings"
)

// Find returns the symbols that a name refers to, in source order:
//
//   - those with exactly this path, "N::A::m"; blanks are ignored, and "." also means "::"
//   - otherwise those whose path ends in it after namespaces only, so that "A::m" and "f" find N::A::m and N::f,
//     but "m" does not find a member of the class A; in C "I" also finds a struct I inside another struct, whose
//     name is I for the compiler
//
// Prototypes are left out if there is a definition. "name#2" selects a symbol by its Ordinal, whatever its kind.
func Find(symbols []Symbol, name string) []Symbol {
	base, ordinal := CutOrdinal(name)
	key := folded(base)
	if key == "" {
		return nil
	}
	spaces := map[string]bool{}
	for _, s := range symbols {
		if s.Kind == "namespace" || s.Kind == "module" || s.Kind == "package" {
			spaces[folded(s.Name)] = true
		}
	}
	var exact, near []Symbol
	for _, s := range symbols {
		full := folded(s.Name)
		switch {
		case full == key || s.Arguments != "" && full+folded(s.Arguments) == key:
			exact = append(exact, s)
		case strings.HasSuffix(full, "::"+key) && (s.free || onlySpaces(strings.TrimSuffix(full, "::"+key), spaces)):
			near = append(near, s)
		}
	}
	if len(exact) == 0 {
		exact = near
	}
	return chosen(exact, ordinal)
}

// CutOrdinal splits "name#2"; the ordinal is 0 if none is given.
func CutOrdinal(name string) (base string, ordinal int) {
	name = strings.TrimFunc(name, separates)
	if i := strings.LastIndexByte(name, '#'); i > 0 {
		if n, err := strconv.Atoi(name[i+1:]); err == nil && n > 0 {
			return name[:i], n
		}
	}
	return name, 0
}

// separates reports whether a character separates words in C. The reader treats other Unicode spaces as letters,
// like everything outside ASCII.
func separates(c rune) bool { return strings.ContainsRune(" \t\n\v\f\r", c) }

// folded returns a form of a name that can be compared.
func folded(name string) string {
	name = strings.Join(strings.FieldsFunc(name, separates), "")
	name = strings.TrimPrefix(strings.TrimSuffix(name, "()"), "::")
	if strings.HasSuffix(name, "operator") { // its "()" is part of the name
		name += "()"
	}
	return strings.ReplaceAll(name, ".", "::")
}

// onlySpaces reports whether a path consists of namespaces, which a file may also open with macros.
func onlySpaces(path string, spaces map[string]bool) bool {
	return path != "" && spaces[path]
}

func chosen(symbols []Symbol, ordinal int) []Symbol {
	var picked, definitions []Symbol
	for _, s := range symbols {
		if ordinal != 0 && s.Ordinal != ordinal {
			continue
		}
		picked = append(picked, s)
		if !s.Declaration {
			definitions = append(definitions, s)
		}
	}
	if ordinal == 0 && len(definitions) > 0 {
		return definitions
	}
	return picked
}
