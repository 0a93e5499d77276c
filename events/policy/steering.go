package policy

import (
	"slices"
	"strings"
)

// SteeringFiles returns patterns for the files and folders of a project that control which
// programs run on this machine and with which rights: the settings of the engine, of git, of other
// agents, and of programs that run commands from their settings.
func SteeringFiles() []string {
	return []string{
		"slop.toml", "personas.toml", "tool_presets.toml", "project_presets.toml", "mcp_env.toml", "mcp_config.json",
		".mcp.json",
		".git/config", ".git/config.worktree", ".git/commondir", ".git/hooks", ".git/info",
		".git/worktrees/*/commondir", ".git/worktrees/*/config.worktree",
		".beads/hooks", ".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".gemini/settings.json",
		".cursor/mcp.json", ".vscode/tasks.json", ".husky", ".envrc",
	}
}

// SteeringNames returns the names of those [SteeringFiles] that are at the top of a project, and
// of the folders that hold the others.
func SteeringNames() []string {
	var out []string
	for _, file := range SteeringFiles() {
		if name, _, _ := strings.Cut(file, "/"); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
