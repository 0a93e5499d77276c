package cfamily

import (
	"maps"
	"strings"
)

// Macros records which macros may surround declarations without changing what they declare. The zero value knows
// none. It does not change after Learn has returned it.
type Macros struct {
	class map[string]macroClass
	calls map[string]bool   // macros with parameters
	body  map[string]string // macros that may turn out to annotate once others are known
}

type macroClass uint8

const (
	annotates  macroClass = iota + 1 // empty, or attributes and specifiers only, or a template<…> head
	stands                           // opens or closes blocks, or is whole statements
	takesPlace                       // anything else: a value, a type, a function
)

// Learn learns from the #defines of a text and ignores the rest of it.
func Learn(text string) Macros {
	var directives []token
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '#')
		if i < 0 {
			return learn(text, directives)
		}
		start := at + i
		if at = start + 1; strings.TrimRight(text[lineStart(text, start):start], " \t") == "" {
			at = endOfLine(text, start)
			directives = append(directives, token{kind: directive, start: int32(start), end: int32(at)})
		}
	}
}

// lineStart returns the start of the line that contains offset.
func lineStart(text string, offset int) int {
	return strings.LastIndexAny(text[max(0, offset-200):offset], "\r\n") + 1 + max(0, offset-200)
}

func newMacros() Macros {
	return Macros{class: map[string]macroClass{}, calls: map[string]bool{}, body: map[string]string{}}
}

// Merge combines several Macros. If they conflict, a macro that stands for itself takes precedence over one that
// annotates.
func Merge(all ...Macros) Macros {
	out := newMacros()
	for _, m := range all {
		for name, class := range m.class {
			out.add(name, class)
		}
		maps.Copy(out.body, m.body)
		maps.Copy(out.calls, m.calls)
	}
	out.settle()
	return out
}

// Len returns the number of macros that annotate or stand for themselves.
func (m Macros) Len() int {
	n := 0
	for _, class := range m.class {
		if class != takesPlace {
			n++
		}
	}
	return n
}

func (m Macros) add(name string, class macroClass) {
	if old, known := m.class[name]; !known || class == stands || old == takesPlace && class == annotates {
		m.class[name] = class
	}
}

func learn(text string, directives []token) Macros {
	m := newMacros()
	for _, t := range directives {
		name, rest := directiveOf(text[t.start:t.end])
		if name != "define" {
			continue
		}
		macro, call, body := splitDefine(rest)
		if macro == "" {
			continue
		}
		if call != "" {
			m.calls[macro] = true
		}
		class, again := classify(body, nil)
		m.add(macro, class)
		if again {
			m.body[macro] = body
		}
	}
	m.settle()
	return m
}

// splitDefine splits "NAME(a, b) body". call is empty for a macro without parameters.
func splitDefine(rest string) (name, call, body string) {
	end := 0
	for end < len(rest) && wordPart(rest[end]) {
		end++
	}
	name, body = rest[:end], rest[end:]
	if strings.HasPrefix(body, "(") {
		if i := strings.IndexByte(body, ')'); i >= 0 {
			call, body = body[:i+1], body[i+1:]
		}
	}
	return name, call, body
}

// settle classifies macros whose bodies name other macros, in at most five rounds or until nothing changes.
func (m Macros) settle() {
	for range 5 {
		changed := false
		for name, body := range m.body {
			if class, _ := classify(body, m.class); class != m.class[name] && m.class[name] == takesPlace {
				m.class[name], changed = class, true
			}
		}
		if !changed {
			return
		}
	}
}

// specifiers are words that the body of an annotation may contain.
var specifiers = words(`inline __inline __inline__ __forceinline static extern const constexpr constinit consteval volatile noexcept
	virtual explicit override final mutable thread_local __thread _Thread_local register restrict __restrict __restrict__ __extension__ _Noreturn noreturn
	__cdecl __stdcall __fastcall __thiscall __vectorcall __ptr32 __ptr64 __unaligned friend _Nonnull _Nullable _Null_unspecified
	__attribute __attribute__ __declspec alignas _Alignas throw __asm__ __asm asm _Pragma __pragma __device__ __host__ __global__ __shared__ requires export`)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// classify classifies a macro by its body. again means that the body contains words that may yet turn out to
// annotate.
func classify(body string, known map[string]macroClass) (class macroClass, again bool) {
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\\\r\n", "\n"), "\\\n", "\n")
	tokens, _ := lex(body)
	switch braces, least := braceBalance(body, tokens); {
	case braces != 0 || least < 0:
		return stands, false
	case templateHead(body, tokens):
		return annotates, false
	}
	only, again := annotation(body, tokens, known)
	switch {
	case only:
		return annotates, false
	case len(tokens) > 0 && endsStatement(body, tokens):
		return stands, false
	}
	return takesPlace, again && len(tokens) < 12
}

// braceBalance returns the number of braces left open, and the minimum along the way.
func braceBalance(body string, tokens []token) (open, least int) {
	for _, t := range tokens {
		switch body[t.start] {
		case '{':
			open++
		case '}':
			open--
		}
		least = min(least, open)
	}
	return open, least
}

// annotation reports whether a body consists of specifiers and attributes, with their arguments. again means that
// it would if some of its words were known to annotate.
func annotation(body string, tokens []token, known map[string]macroClass) (only, again bool) {
	only, again = true, true
	depth := 0
	for i, t := range tokens {
		c := body[t.start]
		switch {
		case c == ')' || c == ']':
			depth--
		case c == '(' || c == '[':
			called := i > 0 && tokens[i-1].kind == word
			attribute := c == '[' && i+1 < len(tokens) && body[tokens[i+1].start] == '['
			if depth == 0 && !called && !attribute {
				return false, false
			}
			depth++
		case depth > 0:
		case t.kind == word:
			s := body[t.start:t.end]
			only = only && (specifiers[s] || known[s] == annotates)
		default:
			return false, false
		}
	}
	return only && depth == 0, again
}

// templateHead reports whether a body is template<…> and nothing else.
func templateHead(body string, tokens []token) bool {
	return len(tokens) > 3 && body[tokens[0].start:tokens[0].end] == "template" && body[tokens[len(tokens)-1].start] == '>'
}

// endsStatement reports whether a body ends with ";" or "}" and begins like a declaration. A type definition
// without ";" does not count.
func endsStatement(body string, tokens []token) bool {
	last, first := body[tokens[len(tokens)-1].start], body[tokens[0].start:tokens[0].end]
	switch first {
	case "do", "{", "(":
		return false
	case "struct", "union", "enum", "class":
		named := len(tokens) > 2 && tokens[1].kind == word
		return last == ';' || len(tokens) > 1 && body[tokens[1].start] != '{' && !(named && body[tokens[2].start] == '{')
	}
	return last == ';' || last == '}'
}
