package approval

import (
	"slices"
	"strings"
)

// steers gives the first element of a path that decides which programs run on
// this machine, and with which rights: the folder of git, the settings and
// personas of the engine, and the settings of other agents and of programs that
// run what their settings name. Case does not matter.
func steers(path string) (string, bool) {
	names := []string{
		".git", "slop.toml", "personas.toml", "tool_presets.toml", "project_presets.toml", "mcp_env.toml", "mcp_config.json", ".mcp.json",
		".beads", ".claude", ".codex", ".cursor", ".gemini",
		".vscode", ".husky", ".envrc",
	}
	for element := range strings.SplitSeq(path, "/") {
		for _, name := range names {
			if fold(element) == fold(name) {
				return name, true
			}
		}
	}
	return "", false
}

// meant tells whether an allow rule's glob was written with such a path in mind:
// it spells the name out. A wide one such as ** was meant for the work.
func meant(glob, path string) bool {
	name, steering := steers(path)
	return !steering || slices.Contains(strings.Split(glob, "/"), name)
}
