package edit

import (
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// SetSignature replaces the header of a definition, from its keyword through the colon. The body, the decorators
// and the comment after the header stay. It also returns the calls in the file that match the old header but not
// the new one.
func (s Source) SetSignature(name, signature string) (Change, []Call, error) {
	symbol, err := s.definition(name)
	if err != nil {
		return Change{}, nil, err
	}
	fr, header, err := newHeader(signature)
	if err != nil {
		return Change{}, nil, err
	}
	if err := s.checkHeader(fr, header, symbol); err != nil {
		return Change{}, nil, err
	}
	old := symbol.Statement
	lines := fr.header(header, layout{base: base(old), unit: s.unit(), old: s.linesOf(old)})
	change, err := s.finishWhole(s.replacement(old.Header.Start, old.Header.End, lines))
	if err != nil {
		return Change{}, nil, err
	}
	return change, s.brokenCalls(symbol, parametersOf(fr.file, header), change), nil
}

// newHeader reads a header with or without its colon. It appends a temporary body to check that the header is
// complete.
func newHeader(signature string) (fragment, *python.Statement, error) {
	text := strings.TrimRight(document.WithEnds(signature, "\n"), " \t\n")
	var first error
	for _, body := range []string{" pass", ": pass", "\n pass"} {
		fr, err := newFragment("new_signature", text+body)
		if err == nil && len(fr.file.Body) > 0 && fr.file.Body[0].Symbol != nil {
			fr.tail = body
			return checkedHeader(fr)
		}
		if first == nil {
			first = err
		}
	}
	if strings.TrimSpace(text) == "" {
		return fragment{}, nil, refuse("new_signature is empty; give the line from def or class through the colon")
	}
	if whole, err := newFragment("new_signature", text); err == nil && len(whole.file.Body) > 0 &&
		whole.file.Body[0].Symbol != nil {
		return fragment{}, nil, errBody
	}
	if first == nil {
		return fragment{}, nil, refuse("new_signature must be the header of a definition, such as 'def f(a, b) -> int:'")
	}
	return fragment{}, nil, refuse("new_signature is not the header of a definition, such as 'def f(a, b) -> int:' (%s)",
		first.Error())
}

// errBody is returned for a signature that includes a body.
var errBody = refuse("new_signature must end with the colon; the body stays as it is, so leave it out")

func checkedHeader(fr fragment) (fragment, *python.Statement, error) {
	body := fr.file.Body
	switch {
	case len(body) != 1:
		return fr, nil, errBody
	case len(body[0].Decorators) > 0 || fr.code > 0:
		return fr, nil, refuse("new_signature must begin with def, async def or class; decorators and comments above stay " +
			"as they are, so leave them out")
	case len(body[0].Body) != 1 || body[0].Body[0].Kind != python.Pass || body[0].End != len(fr.file.Text):
		return fr, nil, errBody
	case strings.Count(strings.TrimSpace(fr.file.Text[body[0].Header.End:]), "pass") != 1:
		return fr, nil, errBody
	}
	return fr, body[0], nil
}

func (s Source) checkHeader(fr fragment, header *python.Statement, symbol *python.Symbol) error {
	comment := strings.TrimSpace(strings.TrimSuffix(fr.file.Text[header.Header.End:], "pass"))
	switch {
	case (header.Kind == python.Class) != (symbol.Kind == python.KindClass):
		return refuse("'%s' is a %s and new_signature is not; give a header of the same kind", symbol.Path, symbol.Kind)
	case header.Symbol.Name != symbol.Name:
		return refuse("new_signature is for '%s', not '%s'; keep the name here and use rename_symbol to rename",
			header.Symbol.Name, symbol.Name)
	case comment != "" && !strings.Contains(s.content(s.last(symbol.Statement.Header.End)), comment):
		return refuse("new_signature must end with the colon; the comment after the header stays as it is, so leave %q out",
			shorten(comment))
	}
	return nil
}

// header returns the lines of the header re-indented.
func (fr fragment) header(statement *python.Statement, place layout) []string {
	last := fr.file.index(statement.Header.End - 1)
	lines := fr.at(place)
	behind := fr.file.Lines[last].End - statement.Header.End
	lines[last] = lines[last][:len(lines[last])-behind]
	return lines[:last+1]
}
