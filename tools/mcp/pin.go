package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
)

// maxSchema limits the size of a tool's schema in bytes, and maxDepth its nesting.
const (
	maxSchema = 64 << 10
	maxDepth  = 64
)

// pinOf returns the current pin of a tool. The digest covers the server's original values. The description is cut
// to maxDescription and has no control, direction or zero-width characters. If the schema cannot be shown to
// models, Problem says why.
func pinOf(t *sdk.Tool) (Pin, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Pin{}, err
	}
	sum, err := digest(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.InputSchema,
		"outputSchema": t.OutputSchema, "annotations": t.Annotations})
	p := Pin{Name: t.Name, Description: clean(t.Description, maxDescription), Schema: schema, SHA256: sum}
	if len(schema) > maxSchema {
		p.Problem = fmt.Sprintf("the schema must have at most %d bytes, got %d", maxSchema, len(schema))
	} else if events.Nesting(schema) > maxDepth {
		p.Problem = fmt.Sprintf("the schema must be nested at most %d levels deep", maxDepth)
	} else if err := checkSchema(schema); err != nil {
		p.Problem = err.Error()
	}
	if p.Problem != "" {
		p.Schema = json.RawMessage("{}")
	}
	return p, err
}

// checkSchema rejects a schema that does not describe an object, or with references to outside the schema, to nothing,
// or in a circle.
func checkSchema(schema json.RawMessage) error {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return err
	}
	members, _ := root.(map[string]any)
	if kind, given := members["type"]; members == nil || given && kind != "object" {
		return errors.New(`the schema must be an object with the type "object"`)
	}
	const under, done = 1, 2
	state := map[string]int{}
	var walk func(node any) error
	follow := func(ref string) error {
		switch state[ref] {
		case under:
			return fmt.Errorf("the schema's reference %q must not refer to itself", clean(ref, 200))
		case done:
			return nil
		}
		target, found := pointed(root, ref)
		if !found {
			return fmt.Errorf("the schema's reference %q must refer to a part of the schema", clean(ref, 200))
		}
		state[ref] = under
		err := walk(target)
		state[ref] = done
		return err
	}
	walk = func(node any) error {
		switch n := node.(type) {
		case []any:
			for _, v := range n {
				if err := walk(v); err != nil {
					return err
				}
			}
		case map[string]any:
			for key, v := range n {
				ref, text := v.(string)
				if text && (key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef") {
					if err := follow(ref); err != nil {
						return err
					}
				} else if err := walk(v); err != nil {
					return err
				}
			}
		}
		return nil
	}
	state["#"] = under
	return walk(root)
}

// pointed returns the part of a schema to which a reference inside it points.
func pointed(root any, ref string) (any, bool) {
	if ref == "#" {
		return root, true
	}
	way, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil, false
	}
	node := root
	for part := range strings.SplitSeq(way, "/") {
		object, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		if node, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return node, true
}

// offers reports whether the definition, and each project entry with its name, allows a tool.
func (d Definition) offers(tool string) bool {
	fits := func(globs []string) bool {
		for _, g := range globs {
			if hit, err := path.Match(g, tool); hit || err != nil {
				return true
			}
		}
		return false
	}
	for _, f := range append([]filter{{d.Allow, d.Deny}}, d.stricter...) {
		if fits(f.deny) || len(f.allow) > 0 && !fits(f.allow) {
			return false
		}
	}
	return true
}

// cleanText returns valid UTF-8 without control, direction and zero-width characters.
func cleanText(text string) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = ' ' <= text[i] && text[i] <= '~' || text[i] == '\n' || text[i] == '\t'
	}
	if plain { // as most texts are
		return text
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// clean is like cleanText, limited to limit bytes.
func clean(text string, limit int) string {
	text = cleanText(text)
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}

// short is like clean, but hides secrets before it cuts: no part of one is left that nobody would know as a secret.
func (s *session) short(text string, limit int) string {
	if text = cleanText(text); len(text) > limit && s.around.Mask != nil {
		text = string(s.around.Mask([]byte(text)))
	}
	return clean(text, limit)
}

// fit is like cleanText, but a text over the limit is replaced as a whole.
func fit(text string, limit int) string {
	if text = cleanText(text); len(text) > limit {
		return fmt.Sprintf("[%d bytes]", len(text))
	}
	return text
}

// kindOf returns the kind of a failure.
func kindOf(ctx context.Context, err error) string {
	var rpc *jsonrpc.Error
	_, own := errors.AsType[ownError](err)
	switch {
	case ctx.Err() != nil:
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &rpc) && rpc.Code == codeTooLarge:
		return "too_large"
	case errors.As(err, &rpc):
		return "rpc"
	case own:
		return "refused"
	case isShape(err):
		return "protocol"
	}
	return "closed"
}

// isShape reports whether the answer was not a valid result.
func isShape(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}
