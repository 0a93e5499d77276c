package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"manualslop/cmd/slop/site"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// checkShell reports which program runs scripts.
func checkShell(p site.Place) finding {
	const check = "shell"
	env, err := p.ToolEnv()
	if err != nil {
		return broken(check, err.Error())
	}
	defer func() { _ = env.Workspace.Close() }()
	vars := sandbox.Environment(sandbox.Environ{PathPrepend: env.Shell.PathPrepend, Set: env.Shell.Set})
	if _, found := sandbox.FindProgram(vars, "bwrap"); env.Shell.Confine && !found {
		return broken(check, "[shell] sandbox = \"workspace\" needs bubblewrap (bwrap), which is not on PATH: "+
			"run_powershell refuses every script")
	}
	if path, found := sandbox.FindProgram(vars, "powershell.exe", "pwsh.exe", "powershell", "pwsh"); found {
		return ok(check, "PowerShell: "+path)
	}
	if env.Shell.Fallback == tools.FallbackNone {
		return note(check, "PowerShell is not installed, and [shell] fallback = \"none\": run_powershell refuses every script")
	}
	if path, found := sandbox.FindProgram(vars, "bash", "sh"); found {
		return note(check, "PowerShell is not installed; scripts run in "+path)
	}
	return broken(check, "neither PowerShell nor a POSIX shell is on PATH")
}

func checkGit(ctx context.Context) finding {
	path, err := exec.LookPath("git")
	if err != nil {
		return note("git", "not found; get_git_diff cannot work")
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return broken("git", fmt.Sprintf("%s: %v", path, err))
	}
	return ok("git", strings.TrimSpace(string(out)))
}
