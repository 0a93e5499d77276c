package commands

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dynamic stands for any text that is only known at run time.
const dynamic rune = -1

// cell is one character of a word.
type cell struct {
	r     rune
	loose bool // only a * covers it: it is dynamic, or a blank within a word
	fixed bool // no * covers it, because it decides which program runs
}

// word is one argument of a command, without quotes.
type word []cell

// plain returns the text of a word; false if part of it is only known at run time.
func (w word) plain() (string, bool) {
	var b strings.Builder
	for _, c := range w {
		if c.r == dynamic {
			return "", false
		}
		b.WriteRune(c.r)
	}
	return b.String(), true
}

// begin returns the text of a word before its first dynamic part.
func (w word) begin() string {
	var b strings.Builder
	for _, c := range w {
		if c.r == dynamic {
			break
		}
		b.WriteRune(c.r)
	}
	return b.String()
}

func (w word) fix() {
	for i := range w {
		w[i].fixed = true
	}
}

func wordOf(text string) word {
	var out word
	for _, r := range text {
		out = append(out, cell{r: r, loose: r == ' ' || r == '\t' || r == '\n' || r == '\r'})
	}
	return out
}

// wordFrom converts a shell word and removes its quotes.
func wordFrom(w *syntax.Word) word {
	if w == nil {
		return nil
	}
	var out word
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out = append(out, unquoted(p.Value)...)
		case *syntax.SglQuoted:
			if p.Dollar && strings.ContainsRune(p.Value, '\\') {
				out = append(out, cell{r: dynamic, loose: true})
			} else {
				out = append(out, wordOf(p.Value)...)
			}
		case *syntax.DblQuoted:
			out = append(out, doubleQuoted(p)...)
		default:
			out = append(out, cell{r: dynamic, loose: true})
		}
	}
	return out
}

func doubleQuoted(q *syntax.DblQuoted) word {
	var out word
	for _, part := range q.Parts {
		lit, is := part.(*syntax.Lit)
		if !is {
			out = append(out, cell{r: dynamic, loose: true})
			continue
		}
		out = append(out, wordOf(unescape(lit.Value, "\"\\$`"))...)
	}
	return out
}

// unescape removes the backslashes before special characters, and escaped line breaks.
func unescape(text, special string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, text[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unquoted converts unquoted text: a backslash quotes the next character, and what the shell
// expands is dynamic.
func unquoted(text string) word {
	var out word
	braces := strings.Contains(text, "{") && (strings.Contains(text, ",") || strings.Contains(text, ".."))
	runes := []rune(text)
	bracket := text == "[" // the command [
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && i+1 < len(runes):
			i++
			if runes[i] != '\n' {
				out = append(out, wordOf(string(runes[i]))...)
			}
		case strings.ContainsRune("*?~", r), r == '[' && !bracket, r == '{' && braces:
			out = append(out, cell{r: dynamic, loose: true})
		default:
			out = append(out, wordOf(string(r))...)
		}
	}
	return out
}
