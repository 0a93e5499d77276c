package builtin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"manualslop/tools"
	"manualslop/tools/beads"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// noBeads is Manual Slop's exact answer when there is no database.
const noBeads = "no active workspace to run beads tools."

// beadsData is the structured result of the beads tools.
type beadsData struct {
	Beads []beads.Bead `json:"beads"`
}

// withBeads makes one call to the tracker of this workspace, while no other call is running.
func withBeads(ctx context.Context, env tools.Env, use func(beads.Tracker) ([]beads.Bead, error)) (tools.Result,
	error) {
	cli, err := openBeads(env)
	if err != nil {
		return tools.Result{}, err
	}
	guard, err := lockBeads(ctx, env)
	if err != nil {
		return tools.Result{}, err
	}
	defer guard.Release()
	var list []beads.Bead
	if err = cli.Check(ctx); err == nil {
		list, err = use(cli)
	}
	var problem *beads.Problem
	if errors.As(err, &problem) {
		return tools.Result{}, tools.Refuse("%s", problem.Text)
	}
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Data: beadsData{Beads: list}, Text: rows(list)}, nil
}

// openBeads finds bd and the folder of its database.
func openBeads(e tools.Env) (beads.CLI, error) {
	if e.Workspace == nil {
		return beads.CLI{}, tools.Refuse(noBeads)
	}
	program, search, found := e.Program("bd", "bd.exe")
	dir, has := beadsFolder(e)
	if !found || !has {
		return beads.CLI{}, tools.Refuse(noBeads)
	}
	variables := sandbox.Environment(sandbox.Environ{Inherit: e.Shell.Inherit, Set: map[string]string{"PATH": search}})
	return beads.CLI{Program: program, Dir: dir, Env: variables}, nil
}

// beadsFolder returns the primary directory if it has a database, or else, for a git worktree, its main checkout.
// A database that points elsewhere is ignored.
func beadsFolder(e tools.Env) (string, bool) {
	dirs := []string{e.Workspace.Primary()}
	if main, ok := git.MainCheckout(dirs[0]); ok {
		dirs = append(dirs, main)
	}
	for _, dir := range dirs {
		info, err := os.Lstat(filepath.Join(dir, beads.Folder))
		if err != nil || !info.IsDir() {
			continue
		}
		_, err = os.Lstat(filepath.Join(dir, beads.Folder, "redirect"))
		return dir, errors.Is(err, os.ErrNotExist)
	}
	return "", false
}

// lockBeads serializes the calls of all processes on this workspace. It locks the database folder, or the primary
// directory if that folder is outside.
func lockBeads(ctx context.Context, e tools.Env) (*sandbox.Guard, error) {
	name := beads.Folder + "/lock"
	if e.Workspace.Check(name) != nil {
		name = "lock"
	}
	return e.Workspace.Lock(ctx, name)
}

func rows(list []beads.Bead) string {
	if len(list) == 0 {
		return "no beads"
	}
	var b strings.Builder
	for _, bead := range list {
		b.WriteString(bead.Row() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
