package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// maxSchema bounds the schema of one tool in bytes, and maxDepth how deep it is nested.
const (
	maxSchema = 64 << 10
	maxDepth  = 64
)

// pinOf is a tool as it is now. The digest is over what the server said; the description is cut to
// maxDescription and has no control, direction or zero-width characters.
func pinOf(t *sdk.Tool) (Pin, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Pin{}, err
	}
	if len(schema) > maxSchema {
		return Pin{}, fmt.Errorf("the schema must have at most %d bytes, has %d", maxSchema, len(schema))
	}
	if events.Nesting(schema) > maxDepth {
		return Pin{}, fmt.Errorf("the schema must be nested at most %d levels deep", maxDepth)
	}
	sum, err := digest(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.InputSchema,
		"outputSchema": t.OutputSchema, "annotations": t.Annotations})
	return Pin{Name: t.Name, Description: clean(t.Description, maxDescription), Schema: schema, SHA256: sum}, err
}

// offers reports whether the definition lets a tool through. Deny beats allow.
func (d Definition) offers(tool string) bool {
	fits := func(globs []string) bool {
		for _, g := range globs {
			if hit, err := path.Match(g, tool); hit || err != nil {
				return true
			}
		}
		return false
	}
	return !fits(d.Deny) && (len(d.Allow) == 0 || fits(d.Allow))
}

// cleanText is valid UTF-8 without control, direction and zero-width characters.
func cleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// clean is cleanText of at most limit bytes.
func clean(text string, limit int) string {
	text = cleanText(text)
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}

// kindOf says what kind of failure an error is.
func kindOf(ctx context.Context, err error) string {
	var rpc *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &rpc) && rpc.Code == codeTooLarge:
		return "too_large"
	case errors.As(err, &rpc):
		return "rpc"
	}
	return "closed"
}

// maxName bounds the name of a tool, in characters.
const maxName = 64

// toolName is mcp__server__tool with other characters replaced. Where that changes a name, or makes
// it too long, it keeps its end and gets 8 digits of a digest, so that it depends on no other server.
func toolName(server, tool string) string {
	at, of := slug(strings.ToLower(server), "-"), slug(tool, "_")
	name := "mcp__" + at + "__" + of
	if len(name) > maxName || at != server || of != tool {
		sum := sha256.Sum256([]byte(server + "\x00" + tool))
		const prefix, hash = len("mcp__"), 8 + 1
		rest := name[prefix:]
		name = "mcp__" + rest[max(0, len(rest)-(maxName-prefix-hash)):] + "_" + hex.EncodeToString(sum[:4])
	}
	return name
}

// slug replaces what a name of a tool must not have, and double underscores.
func slug(text, by string) string {
	out := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' && by == "_") {
			return r
		}
		return rune(by[0])
	}, text)
	return strings.ReplaceAll(out, "__", "_")
}
