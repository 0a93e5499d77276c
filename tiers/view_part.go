package tiers

import (
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/fence"
)

// ViewPart returns the view numbered i of the ContextBuilt with the id built,
// as a part of a prompt under a heading: text of the project, inside a fence.
// The bytes stay where they are, the part names them. It is also how the
// project's own rules (AGENTS.md) come into a prompt. For a view that has an
// error, and so no bytes, there is no part.
func ViewPart(built string, i int, v events.View, heading string) events.Part {
	p := events.Part{Role: "user", Prefix: heading, Suffix: "\n", Origin: fence.Repo, Fence: fence.Nonce(built, i)}
	if v.SHA256 == "" {
		p.Text = v.Text
		return p
	}
	if p.SHA256, p.Size = v.SHA256, v.Size; !v.Blob {
		p.From, p.Index = built, i
	}
	return p
}

// OriginOf says who writes what a tool answers: the network, an external
// server, a program, else the files of the project. An effect that nobody here
// knows is a program's.
func OriginOf(tool, effect string) string {
	effects := strings.Split(effect, "|")
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		return fence.MCP
	case slices.Contains(effects, "network"):
		return fence.Web
	case slices.ContainsFunc(effects, func(e string) bool { return e != "reads" && e != "writes" && e != "wide" }):
		return fence.Program
	}
	return fence.Repo
}
