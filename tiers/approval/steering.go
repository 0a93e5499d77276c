package approval

import (
	"slices"
	"strings"
)

// steers gives the first element of a path that decides which programs run on
// this machine, and with which rights: the folder of git, and the settings of
// the engine and of other agents. Case does not matter.
func steers(path string) (string, bool) {
	names := []string{
		".git", "slop.toml", "mcp_env.toml", "mcp_config.json", ".mcp.json",
		".beads", ".claude", ".codex", ".cursor", ".gemini",
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
