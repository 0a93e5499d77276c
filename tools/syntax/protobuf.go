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
	var at []int // where each word begins
	assigned := false
	for word := start; ; {
		text := r.text[word:r.at]
		switch text {
		case ";":
			if len(words) > 0 && words[len(words)-1] == "=" {
				r.miss(word, "a value")
			}
			r.define(words, at, doc, false)
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
			r.open = append(r.open, protobufBlock{r.define(words, at, doc, true), word})
			return true
		case ")", "]":
			r.damage = append(r.damage, Damage{Start: word, End: word + 1})
		case "(", "[":
			r.skipTo(map[string]string{"(": ")", "[": "]"}[text])
		case "=":
			assigned = true
		}
		words, at = append(words, text), append(at, word)
		word, _ = r.token()
		if assigned && r.text[word:r.at] == "{" && words[0] == "option" { // a value in braces
			words, at = append(words, "{"), append(at, word)
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

// define adds the symbol that a statement defines and returns its index, or -1 if it defines nothing. A statement
// without an end in front of it, such as a syntax line without ";", is damage.
func (r *protobufReader) define(words []string, at []int, doc string, body bool) int {
	if n := len(words); body && n > 2 && (words[n-2] == "message" || words[n-2] == "enum" || words[n-2] == "service") {
		if n > 3 || words[0] != "export" && words[0] != "local" { // visibility in edition 2024
			r.miss(at[n-2], ";")
			doc, at = "", at[n-2:]
		}
		words, at = words[n-2:], append(at[:1:1], at[len(at)-1])
	}
	kind, title := "", ""
	if len(words) > 1 {
		kind, title = words[0], words[1]
	}
	switch {
	case body && (kind == "message" || kind == "enum" || kind == "service" || kind == "oneof") && len(words) == 2:
	case kind == "rpc" && len(words) > 2 && words[2] == "(":
	case body && kind == "extend":
		title = "extend " + strings.Join(words[1:], "")
	case body && len(words) > 3 && words[1] == "group":
		kind, title = "group", words[2]
	case body && kind == "group" && len(words) > 2:
	default:
		if body && len(words) > 0 {
			r.damage = append(r.damage, Damage{Start: at[0], End: r.at})
		}
		return -1
	}
	title = tidy(title)
	start := at[0]
	s := Symbol{Title: title, Kind: kind, Start: start, End: r.at, SignatureEnd: r.at, Line: at[1], Doc: doc}
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
