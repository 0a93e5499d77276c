package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"manualslop/events"
)

// maxName limits the name of a tool, in characters.
const maxName = 64

// ToolName returns mcp__server__tool with invalid characters replaced. If that changes the name or the result is too
// long, only the end of the name is kept and 8 hexadecimal digits of a digest are appended, so that the result does
// not depend on other servers.
func ToolName(server, tool string) string {
	at, of := slug(strings.ToLower(server), "-"), slug(tool, "_")
	name := events.ExternalToolPrefix + at + "__" + of
	if len(name) > maxName || at != server || of != tool {
		sum := sha256.Sum256([]byte(server + "\x00" + tool))
		const prefix, hash = len(events.ExternalToolPrefix), 8 + 1
		rest := name[prefix:]
		name = events.ExternalToolPrefix + rest[max(0, len(rest)-(maxName-prefix-hash)):] + "_" +
			hex.EncodeToString(sum[:4])
	}
	return name
}

// slug replaces double underscores and the characters that a tool's name must not have.
func slug(text, by string) string {
	out := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' && by == "_") {
			return r
		}
		return rune(by[0])
	}, text)
	return strings.ReplaceAll(out, "__", "_")
}
