package summary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"manualslop/tools/document"
)

// JSON lists the top-level keys of a JSON text with the kind of each value. A top-level list is described by its
// length and the keys of its first object; several values (JSON lines) by their number. It stops early, with a
// warning, when the context ends.
func JSON(ctx context.Context, text string) Summary {
	r := jsonReader{ctx: ctx, dec: json.NewDecoder(strings.NewReader(text)), lines: document.Lines(text)}
	r.dec.UseNumber()
	out := Summary{Format: "JSON"}
	items, err := r.all()
	if len(items) > 0 {
		out.Sections = []Section{{Title: "content", Items: items}}
	}
	if err != nil {
		out.Warnings = []string{fmt.Sprintf("line %d: not valid JSON: %s", r.line(), jsonProblem(err))}
	}
	return out
}

type jsonReader struct {
	ctx   context.Context
	dec   *json.Decoder
	lines []document.Line
	read  int // number of tokens read
}

func (r *jsonReader) line() int { return document.NumberOf(r.lines, int(r.dec.InputOffset())) }

func (r *jsonReader) token() (json.Token, error) {
	if r.read++; r.read%4096 == 0 && r.ctx.Err() != nil {
		return nil, r.ctx.Err()
	}
	return r.dec.Token()
}

// all reads the values of the text and describes the first one.
func (r *jsonReader) all() ([]Item, error) {
	items, err := r.first()
	for n := 2; err == nil; n++ {
		if _, err = r.skip(); errors.Is(err, io.EOF) {
			if n > 2 {
				items = append(items, Item{Name: fmt.Sprintf("%d values", n-1), Line: 1, Text: "one after the other (JSON lines)"})
			}
			return items, nil
		}
	}
	return items, err
}

func (r *jsonReader) first() ([]Item, error) {
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	line := r.line()
	switch token {
	case json.Delim('{'):
		return r.object()
	case json.Delim('['):
		item, err := r.list()
		item.Line = line
		return []Item{item}, err
	}
	return []Item{{Name: kindOf(token), Line: line}}, nil
}

// object reads an object after its opening brace.
func (r *jsonReader) object() ([]Item, error) {
	var items []Item
	for r.dec.More() {
		key, err := r.token()
		if err != nil {
			return items, err
		}
		line := r.line()
		what, err := r.skip()
		if err != nil {
			return items, err
		}
		items = append(items, Item{Name: fmt.Sprint(key), Line: line, Text: what})
	}
	if _, err := r.token(); err != nil {
		return items, err
	}
	if len(items) == 0 {
		items = []Item{{Name: "empty object", Line: r.line()}}
	}
	return items, nil
}

// list reads a list after its opening bracket. It counts the elements, and lists the keys of the first one if
// that is an object.
func (r *jsonReader) list() (Item, error) {
	item, n := Item{Name: "list"}, 0
	for ; r.dec.More(); n++ {
		token, err := r.token()
		if err != nil {
			return item, err
		}
		if n > 0 || token != json.Delim('{') {
			if _, err := r.rest(token); err != nil {
				return item, err
			}
			continue
		}
		members, err := r.object()
		if err != nil {
			return item, err
		}
		var keys []string
		for _, member := range members {
			keys = append(keys, member.Name)
		}
		item.Text = "first: " + strings.Join(keys[:min(len(keys), maxKeys)], ", ")
	}
	item.Name = fmt.Sprintf("list of %d", n)
	_, err := r.token()
	return item, err
}

// skip skips a value and returns its kind.
func (r *jsonReader) skip() (string, error) {
	token, err := r.token()
	if err != nil {
		return "", err
	}
	return r.rest(token)
}

// rest skips the rest of a value whose first token was read, without recursion. It returns its kind and its
// number of members.
func (r *jsonReader) rest(first json.Token) (string, error) {
	open, nested := first.(json.Delim)
	if !nested {
		return kindOf(first), nil
	}
	members, depth := 0, 1
	for depth > 0 {
		token, err := r.token()
		if err != nil {
			return "", err
		}
		closing := token == json.Delim('}') || token == json.Delim(']')
		if closing {
			depth--
			continue
		}
		if depth == 1 {
			members++
		}
		if _, opens := token.(json.Delim); opens {
			depth++
		}
	}
	if open == '[' {
		return fmt.Sprintf("list of %d", members), nil
	}
	return fmt.Sprintf("object of %d", members/2), nil // keys are also tokens
}

func kindOf(token json.Token) string {
	switch value := token.(type) {
	case string:
		if len(value) > 40 {
			return "string"
		}
		return fmt.Sprintf("%q", value)
	case nil:
		return "null"
	}
	return fmt.Sprint(token)
}

func jsonProblem(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "unexpected end of text"
	}
	return err.Error()
}
