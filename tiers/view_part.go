package tiers

import (
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/fence"
)

// ViewPart returns the view with index i of the ContextBuilt with the id built, as a part of a
// prompt under a heading: text of the project, inside a fence. The part refers to the bytes
// instead of copying them. The project's own rules (AGENTS.md) also get into a prompt in this way.
// A view with an error has no bytes, so there must be no part for it. An image follows its heading, without a
// fence.
func ViewPart(built string, i int, v events.View, heading string) events.Part {
	if v.View == events.ViewImage {
		return events.Part{Role: "user", Kind: events.PartImage, Prefix: heading, SHA256: v.SHA256, Size: v.Size, From: built,
			Index: i}
	}
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

// OriginOf returns who wrote a tool's result: the network, an external server, a program, or else
// the files of the project. Unknown effects count as a program's.
func OriginOf(tool, effect string) string {
	effects := strings.Split(effect, "|")
	switch {
	case strings.HasPrefix(tool, events.ExternalToolPrefix):
		return fence.MCP
	case slices.Contains(effects, "network"):
		return fence.Web
	case slices.ContainsFunc(effects, func(e string) bool { return e != "reads" && e != "writes" && e != "wide" }):
		return fence.Program
	}
	return fence.Repo
}
