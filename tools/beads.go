package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"manualslop/tools/beads"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// noBeads is the original's answer where there is nothing to work with, to the letter.
const noBeads = "no active workspace to run beads tools."

// beadsData is the structured twin of an answer of the beads tools.
type beadsData struct {
	Beads []beads.Bead `json:"beads"`
}

// withBeads makes one call of the tracker of this workspace, with no other at the same time.
func withBeads(ctx context.Context, env Env, use func(beads.Tracker) ([]beads.Bead, error)) (Result, error) {
	cli, err := env.beads()
	if err != nil {
		return Result{}, err
	}
	guard, err := env.lockBeads(ctx)
	if err != nil {
		return Result{}, err
	}
	defer guard.Release()
	var list []beads.Bead
	if err = cli.Check(ctx); err == nil {
		list, err = use(cli)
	}
	var problem *beads.Problem
	if errors.As(err, &problem) {
		return Result{}, Refuse("%s", problem.Text)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Data: beadsData{Beads: list}, Text: rows(list)}, nil
}

// beads finds bd and the folder of its database.
func (e Env) beads() (beads.CLI, error) {
	if e.Workspace == nil {
		return beads.CLI{}, Refuse(noBeads)
	}
	program, search, found := e.program("bd", "bd.exe")
	dir, has := e.beadsFolder()
	if !found || !has {
		return beads.CLI{}, Refuse(noBeads)
	}
	variables := sandbox.Environment(sandbox.Environ{Inherit: e.Shell.Inherit, Set: map[string]string{"PATH": search}})
	return beads.CLI{Program: program, Dir: dir, Env: variables}, nil
}

// beadsFolder is the primary directory, or for a worktree of git its main one, where there is a
// database. One that points elsewhere does not count.
func (e Env) beadsFolder() (string, bool) {
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

// lockBeads orders the calls of all processes on this workspace. The lock is that of the folder of
// the database, or of the primary directory where that lies outside.
func (e Env) lockBeads(ctx context.Context) (*sandbox.Guard, error) {
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
