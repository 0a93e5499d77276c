package site

import "manualslop/events/policy/commands"

// Where returns the flags with which a command finds the project from the current folder.
func (g *Flags) Where() string {
	out := ""
	for _, flag := range [][2]string{{"--project", g.ProjectDir}, {"--data", g.DataDir}} {
		if flag[1] != "" && flag[1] != "." {
			out += " " + flag[0] + " " + commands.Quote(flag[1])
		}
	}
	return out
}
