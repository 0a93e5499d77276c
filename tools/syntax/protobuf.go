package syntax

import "strings"

// protobufReader lists the definitions of Protocol Buffers: proto2, proto3 and editions. tree-sitter's grammar
// supports only proto3.
type protobufReader struct {
	scanner
	found []Symbol
	open  []protobufBlock
}

// protobufBlock is an open brace.
type protobufBlock struct {
	symbol int // index in found, or -1 for a block that defines nothing
	at     int
}

func readProtobuf(text string) Structure {
	r := protobufReader{scanner: scanner{text: text}}
	for r.statement() {
	}
	for _, b := range r.open {
		r.miss(b.at, "}")
		r.close(b, len(strings.TrimRight(text, " \t\r\n")))
	}
	return r.structure(r.found)
}

// statement reads up to the next ";", "{" or "}". It returns false at the end of the text.
func (r *protobufReader) statement() bool {
	start, doc := r.token()
	if r.text[start:r.at] == "" {
		return false
	}
	var words []string
	named, body := 0, false
	for word := start; ; {
		switch text := r.text[word:r.at]; text {
		case ";":
			r.define(words, start, named, doc, false)
			return true
		case "":
			r.miss(start, ";")
			return false
		case "}":
			if len(words) > 0 {
				r.miss(word, ";")
			}
			r.brace(word)
			return true
		case "{":
			r.open = append(r.open, protobufBlock{r.define(words, start, named, doc, true), word})
			return true
		case "(", "[":
			r.skipTo(map[string]string{"(": ")", "[": "]"}[text])
			words = append(words, text)
		case "=":
			body = true
			words = append(words, text)
		default:
			if words = append(words, text); len(words) == 2 {
				named = word
			}
		}
		word, _ = r.token()
		if body && r.text[word:r.at] == "{" && words[0] == "option" { // a value in braces
			r.skipTo("}")
			word, _ = r.token()
		}
	}
}

// brace closes the innermost block.
func (r *protobufReader) brace(at int) {
	if len(r.open) == 0 {
		r.damage = append(r.damage, Damage{Start: at, End: at + 1})
		return
	}
	last := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.close(last, at+1)
}

func (r *protobufReader) close(b protobufBlock, end int) {
	if b.symbol >= 0 {
		r.found[b.symbol].End = end
	}
}

// define adds the symbol that a statement defines and returns its index, or -1 if it defines nothing.
func (r *protobufReader) define(words []string, start, named int, doc string, body bool) int {
	if len(words) < 2 {
		return -1
	}
	kind, title := words[0], words[1]
	switch {
	case body && (kind == "message" || kind == "enum" || kind == "service" || kind == "oneof") && len(words) == 2:
	case kind == "rpc" && len(words) > 2 && words[2] == "(":
	case body && kind == "extend":
		title = "extend " + strings.Join(words[1:], "")
	case body && len(words) > 3 && words[1] == "group":
		kind, title = "group", words[2]
	case body && kind == "group" && len(words) > 2:
	default:
		return -1
	}
	title = tidy(title)
	s := Symbol{Title: title, Kind: kind, Start: start, End: r.at, SignatureEnd: r.at, Line: named, Doc: doc}
	if body {
		s.SignatureEnd = start + len(strings.TrimRight(r.text[start:r.at-1], " \t\r\n"))
	}
	s.Name = title
	for i := len(r.open) - 1; i >= 0; i-- {
		if around := r.open[i].symbol; around >= 0 {
			s.Name, s.Depth = r.found[around].Name+"."+title, r.found[around].Depth+1
			break
		}
	}
	r.found = append(r.found, s)
	return len(r.found) - 1
}

// skipTo reads up to the bracket that closes the one just read.
func (r *protobufReader) skipTo(closing string) {
	opening := map[string]string{")": "(", "]": "[", "}": "{"}[closing]
	for depth := 1; depth > 0; {
		start, _ := r.token()
		switch r.text[start:r.at] {
		case "":
			r.miss(start, closing)
			return
		case opening:
			depth++
		case closing:
			depth--
		}
	}
}
