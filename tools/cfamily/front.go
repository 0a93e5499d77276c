package cfamily

import "strings"

// piece is something that precedes a definition on its own lines and may not be part of it: a macro call without
// ";", a single word on its line, or a directive.
type piece struct {
	word       string // the macro's name, or the whole text of a directive
	start, end int    // byte offsets
}

// languageCalls are words that take arguments, precede a definition and belong to it.
var languageCalls = words(`__attribute__ __attribute __declspec alignas _Alignas decltype typeof __typeof__ explicit requires noexcept __asm__ __asm asm
	_Pragma __pragma extern throw`)

// keepFront returns where an edit of a symbol may begin. Preceding pieces that content leaves out stay in the
// file if the text after them has its own type. Otherwise the edit is rejected, because their role is uncertain.
func (f *File) keepFront(s Symbol, start int, content string) (int, error) {
	pieces := f.front(s, start)
	if len(pieces) == 0 {
		return start, nil
	}
	tokens, _ := lex(content)
	have := map[string]int{}
	for _, t := range tokens {
		have[strings.TrimSpace(content[t.start:t.end])]++
	}
	lost := 0
	for _, p := range pieces {
		if have[p.word]--; have[p.word] < 0 {
			lost++
		}
	}
	if lost == 0 {
		return start, nil
	}
	last := pieces[len(pieces)-1].end
	if lost == len(pieces) && f.only(pieces, start, last) && f.typed(last, f.nameOf(s)) {
		rest, _ := lex(f.Text[last:s.End])
		return last + int(rest[0].start), nil
	}
	return start, refuse("new_content leaves out '%s', which stands in front of '%s' and may be no part of it; begin new_content "+
		"with it, or use edit_file to remove it", short(f.Text[pieces[0].start:last]), s.Name)
}

// nameOf returns the end of the header in which pieces can occur: the symbol's name, or its body if that comes first.
func (f *File) nameOf(s Symbol) int {
	if s.BodyStart > 0 {
		return min(s.at, s.BodyStart)
	}
	return s.at
}

// front lists the pieces between start and the line of the name.
func (f *File) front(s Symbol, start int) []piece {
	if s.Kind == "macro" {
		return nil
	}
	head := f.Text[start:f.nameOf(s)]
	tokens, _ := lex(head)
	var out []piece
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch text := head[t.start:t.end]; {
		case t.kind == directive:
			out = append(out, piece{strings.TrimSpace(text), start + int(t.start), start + int(t.end)})
		case t.kind == word && text == "template":
			i = angles(head, tokens, i+1)
		case text == "{" || text == "[" || text == "(":
			i = closed(head, tokens, i)
		case t.kind == word:
			last := i
			if i+1 < len(tokens) && head[tokens[i+1].start] == '(' {
				last = closed(head, tokens, i+1)
			}
			p := piece{text, start + int(t.start), start + int(tokens[last].end)}
			next := start + len(head)
			call := last > i && !languageCalls[text] && f.breaks(p.end, next)
			if last+1 < len(tokens) {
				next = start + int(tokens[last+1].start)
			}
			alone := last == i && t.first && !typeWords[text] && !specifiers[text] && f.breaks(p.end, next)
			if call || alone && f.typed(p.end, start+len(head)) {
				out = append(out, p)
			}
			i = last
		}
	}
	return out
}

// breaks reports whether two offsets are on different lines.
func (f *File) breaks(from, to int) bool { return f.line(from) < f.line(to) }

// typed reports whether a part of a header contains a word that can be a type.
func (f *File) typed(from, to int) bool {
	tokens, _ := lex(f.Text[from:max(from, to)])
	for _, t := range tokens {
		if text := f.Text[from+int(t.start) : from+int(t.end)]; t.kind == word && !specifiers[text] && !languageCalls[text] {
			return true
		}
	}
	return false
}

// only reports whether the text between two offsets consists of pieces only.
func (f *File) only(pieces []piece, from, to int) bool {
	for _, p := range pieces {
		if tokens, _ := lex(f.Text[from:p.start]); len(tokens) > 0 {
			return false
		}
		from = p.end
	}
	return from == to
}

// closed returns the index of the token that closes the bracket at i, or the last index if none does.
func closed(text string, tokens []token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch text[tokens[i].start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
}

// angles returns the index of the token that closes the "<" at i, or i-1 if there is none.
func angles(text string, tokens []token, i int) int {
	depth := 0
	for k := i; k < len(tokens); k++ {
		switch text[tokens[k].start] {
		case '<':
			depth++
		case '>':
			if depth--; depth <= 0 {
				return k
			}
		case '(', '[', '{':
			k = closed(text, tokens, k)
		}
		if depth == 0 {
			break
		}
	}
	return i - 1
}
