package cfamily

import (
	"slices"
	"strings"
)

// headWord is a word, macro call, attribute or directive in front of the name of a definition.
type headWord struct {
	word       string // what new text must contain to keep it; "[[" for an attribute in brackets
	start, end int    // byte offsets
	line       int    // offset of the first token of its line
	kind       headKind
}

type headKind uint8

const (
	plainWord     headKind = iota + 1 // a word that may be a type or a macro
	typeWord                          // a word that can only be part of a type, or a call that names one
	specifierWord                     // a word such as static, or template<…>
	macroCall                         // a macro call
	attributeWord                     // an attribute: part of the definition, but easily left out
	directiveLine                     // a directive
)

// headLine is a line of words in front of a name.
type headLine struct {
	words []headWord
	start int      // offset of its first token, or of the name
	apart bool     // it may stay in front of new text that leaves it out
	kept  []string // the words that an edit must not lose
}

// attributeCalls are words that take arguments and belong to the definition that follows them.
var attributeCalls = words(`__attribute__ __attribute __declspec alignas _Alignas __asm__ __asm asm`)

// typeCalls are words that take arguments and are part of a type or a C++ head, which new text may change freely.
var typeCalls = words(`decltype typeof __typeof__ __typeof explicit requires noexcept throw _Atomic _BitInt`)

// classWords are the kinds of symbols that a keyword introduces.
var classWords = words(`struct union enum class namespace`)

// keepFront returns where an edit of a symbol may begin. Lines in front of a definition that content leaves out stay
// in the file if what follows them has its own type. Otherwise the edit is rejected, because their role is uncertain.
func (f *File) keepFront(s Symbol, start int, content string) (int, error) {
	if s.Kind == "macro" {
		return start, nil
	}
	lines := f.front(s, start)
	head := f.headOf(s, content)
	have := map[string]int{}
	tokens, _ := lex(head)
	for i, t := range tokens {
		text := strings.TrimSpace(head[t.start:t.end])
		if text == "[" && i+1 < len(tokens) && head[tokens[i+1].start] == '[' {
			text = "[["
		}
		have[text]++
	}
	first := ""
	for i, line := range lines {
		lost := lostOf(lines[i:], have)
		if lost == "" {
			if len(line.words) > 0 && !f.typeStays(s, lines[i:], head) {
				return start, refuse("new_content leaves out the type of '%s'; begin new_content with it: %s", s.Name,
					short(f.Text[line.start:s.End]))
			}
			return line.start, nil
		}
		if first == "" {
			first = lost
		}
		if !line.apart || slices.ContainsFunc(line.kept, func(w string) bool { return have[w] > 0 }) {
			break
		}
	}
	return start, refuse("new_content leaves out '%s', which precedes '%s'; begin new_content with it to keep "+
		"it, or use edit_file to remove it", f.shown(lines, first), s.Name)
}

// lostOf returns the first word of lines that have, the words of new text, lack, or "".
func lostOf(lines []headLine, have map[string]int) string {
	need := map[string]int{}
	for _, line := range lines {
		for _, w := range line.kept {
			if need[w]++; need[w] > have[w] {
				return w
			}
		}
	}
	return ""
}

// shown is the text of a word of lines.
func (f *File) shown(lines []headLine, word string) string {
	for _, line := range lines {
		for _, w := range line.words {
			if w.word == word && slices.Contains(line.kept, word) {
				return short(f.Text[w.start:w.end])
			}
		}
	}
	return word
}

// typeStays reports whether new text, whose head is given, has a type in front of its name if the old one has.
func (f *File) typeStays(s Symbol, lines []headLine, head string) bool {
	if !slices.Contains([]string{"function", "method", "operator"}, s.Kind) || untyped(s) {
		return true
	}
	for _, line := range lines {
		if slices.ContainsFunc(line.words, headWord.isType) {
			now, _ := f.headWords(head)
			return slices.ContainsFunc(now, headWord.isType)
		}
	}
	return true
}

// keepTail rejects new text that leaves out a macro or attribute between the parameters of a function and its body, or
// behind the body of a type.
func (f *File) keepTail(s Symbol, content string) error {
	have := map[string]int{}
	alone := Read(content, f.Language, f.macros)
	for _, n := range alone.Symbols {
		if sameAlone(n, s) {
			clear(have)
			for _, w := range alone.tail(n) {
				have[w.word]++
			}
		}
	}
	for _, w := range f.tail(s) {
		if have[w.word]--; have[w.word] < 0 {
			return refuse("new_content leaves out '%s', which follows the head of '%s'; include it to keep it, or use "+
				"edit_file to remove it", short(f.Text[w.start:w.end]), s.Name)
		}
	}
	return nil
}

// tail lists the macros and attributes after the parameters of a function or the body of a type. Old-style
// parameters have none.
func (f *File) tail(s Symbol) []headWord {
	from, to := s.BodyEnd, s.End
	switch {
	case s.BodyEnd == 0 || s.Kind == "operator" || s.Kind == "variable" || s.Kind == "namespace":
		return nil
	case hasCode(s):
		tokens, _ := lex(f.Text[s.at:s.BodyStart])
		open := slices.IndexFunc(tokens, func(t token) bool { return f.Text[s.at+int(t.start)] == '(' })
		if open < 0 {
			return nil
		}
		from, to = s.at+int(tokens[closed(f.Text[s.at:], tokens, open)].end), min(s.SignatureEnd, s.BodyStart)
	}
	if from >= to || hasCode(s) && strings.Contains(f.Text[from:to], ";") {
		return nil
	}
	words, _ := f.headWords(f.Text[from:to])
	var out []headWord
	for _, w := range words {
		if w.kind == macroCall || w.kind == attributeWord || hasCode(s) && w.kind == plainWord && upper(w.word) {
			w.start, w.end = w.start+from, w.end+from
			out = append(out, w)
		}
	}
	return out
}

// sameAlone reports whether a symbol of new text, which was read alone, may be the one that it replaces.
func sameAlone(n, s Symbol) bool {
	return n.Title == s.Title && hasCode(n) == hasCode(s) && (s.Declaration || !n.Declaration)
}

// headOf returns the part of new text that ends at the name of a symbol and begins after the definition before it.
func (f *File) headOf(s Symbol, content string) string {
	alone := Read(content, f.Language, f.macros)
	from, to := 0, -1
	for _, n := range alone.Symbols {
		if sameAlone(n, s) {
			to = nameOf(n)
			for _, o := range alone.Symbols {
				if o.End <= n.Start && o.Kind != "macro" {
					from = max(from, o.End)
				}
			}
		}
	}
	if to < 0 {
		if to = strings.IndexByte(content, '{'); to < 0 {
			to = len(content)
		}
	}
	return content[from:to]
}

// nameOf returns the end of the head of a symbol: its name, or its body if that comes first.
func nameOf(s Symbol) int {
	if s.BodyStart > 0 {
		return min(s.at, s.BodyStart)
	}
	return s.at
}

// untyped reports whether a symbol has no type by its nature.
func untyped(s Symbol) bool {
	return s.Kind == "constructor" || s.Kind == "destructor" ||
		s.Kind == "operator" && strings.Contains(s.Title, "operator ")
}

// front splits what is between start and the name of a symbol into lines.
func (f *File) front(s Symbol, start int) []headLine {
	words, name := f.headWords(f.Text[start:nameOf(s)])
	var lines []headLine
	for _, w := range words {
		w.start, w.end, w.line = w.start+start, w.end+start, w.line+start
		if n := len(lines); n == 0 || lines[n-1].start != w.line {
			lines = append(lines, headLine{start: w.line})
		}
		lines[len(lines)-1].words = append(lines[len(lines)-1].words, w)
	}
	if n := len(words); n == 0 || f.line(start+words[n-1].end) < f.line(start+name) {
		lines = append(lines, headLine{start: start + name})
	}
	lines[0].start = start
	everything := f.goesOn(s) != ""          // the head belongs to what follows the type, too
	typed, certain := untyped(s), untyped(s) // the words behind have a type, and it is certainly no macro
	for i := len(lines) - 1; i >= 0; i-- {
		line := &lines[i]
		complete := i < len(lines)-1 && certain // what follows needs no more
		line.apart = complete && !slices.ContainsFunc(line.words, func(w headWord) bool {
			return w.kind == specifierWord || w.kind == typeWord || w.kind == attributeWord
		})
		for _, w := range slices.Backward(line.words) {
			macro := w.kind == plainWord && upper(w.word) && (typed || classWords[s.Kind])
			if everything || line.apart || complete && w.kind == plainWord || macro || w.kind >= macroCall ||
				w.word == "typedef" {
				line.kept = append(line.kept, w.word)
			}
			typed = typed || w.isType()
			certain = certain || w.kind == typeWord || w.kind == plainWord && !upper(w.word) &&
				f.macros.class[w.word] != annotates
		}
		slices.Reverse(line.kept)
	}
	return lines
}

// isType reports whether a word may be a type.
func (w headWord) isType() bool {
	return w.kind == plainWord || w.kind == typeWord || w.kind == macroCall
}

// headWords lists the words of a head outside of brackets. length is where the name with its qualifiers begins.
func (f *File) headWords(head string) (out []headWord, length int) {
	tokens, _ := lex(head)
	length = len(head)
	for n := len(tokens); n > 1; { // A::B<C>:: belongs to the name
		text := head[tokens[n-1].start:tokens[n-1].end]
		switch {
		case text == "~":
			n--
		case text == "::" && tokens[n-2].kind == word:
			n -= 2
		case text == "::" && head[tokens[n-2].start] == '>':
			depth := 0
			for n -= 2; n > 0; n-- {
				if c := head[tokens[n].start]; c == '>' {
					depth++
				} else if c == '<' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if n == 0 {
				return out, length
			}
			n--
		default:
			tokens, n = tokens[:n], 0
			continue
		}
		tokens, length = tokens[:n], int(tokens[n].start)
	}
	line := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		text := head[t.start:t.end]
		if t.first {
			line = int(t.start)
		}
		w := headWord{word: text, start: int(t.start), line: line}
		last := i
		switch {
		case t.kind == directive:
			w.word, w.kind = strings.TrimSpace(text), directiveLine
		case t.kind == word:
			last = f.headWord(&w, head, tokens, i)
		case text == "[" && i+1 < len(tokens) && head[tokens[i+1].start] == '[':
			last = closed(head, tokens, i)
			w.word, w.kind = "[[", attributeWord
		case text == "{" || text == "[" || text == "(":
			i = closed(head, tokens, i)
			continue
		default:
			continue
		}
		w.end = int(tokens[last].end)
		out = append(out, w)
		i = last
	}
	return out, length
}

// headWord sets the kind of the word at i and returns its last token.
func (f *File) headWord(w *headWord, head string, tokens []token, i int) int {
	last := i
	if i+1 < len(tokens) && head[tokens[i+1].start] == '(' {
		if end := closed(head, tokens, i+1); head[tokens[end].start] == ')' {
			last = end
		}
	}
	switch called := last > i; {
	case w.word == "template" || f.Language == CPP && i+1 < len(tokens) && head[tokens[i+1].start] == '<':
		w.kind = plainWord
		if w.word == "template" {
			w.kind = specifierWord
		}
		return max(angles(head, tokens, i+1), i)
	case w.word == "__extension__" || called && attributeCalls[w.word],
		w.word == "extern" && i+1 < len(tokens) && tokens[i+1].kind == literal: // extern "C"
		w.kind = attributeWord
	case called && !typeCalls[w.word] && !typeWords[w.word]:
		w.kind = macroCall
	case w.word == "typedef" || w.word == "explicit" || w.word == "requires" || specifiers[w.word]:
		w.kind = specifierWord
	case called || typeWords[w.word]:
		w.kind = typeWord
	default:
		w.kind = plainWord
	}
	return last
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
