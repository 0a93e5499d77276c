package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"manualslop/tools/sandbox"
)

// Prepared is a call with valid arguments. It may be planned any number of times but must be run only once.
type Prepared struct {
	spec Spec
	env  Env
	call call
}

// Spec returns the spec of the called tool.
func (p *Prepared) Spec() Spec { return p.spec }

// Plans reports whether the call changes files with a plan. After an interruption, the claim of such a call shows
// how far it got. Any other call with side effects must not be repeated without a user's decision.
func (p *Prepared) Plans() bool { return p.call.plan != nil }

// Plan shows what the call would change and changes nothing. Calls that do not write have an empty preview. An
// error means that the call would fail in the same way; Failure converts it for a model.
func (p *Prepared) Plan(ctx context.Context) (preview Preview, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(p.spec.Name, r)
		}
	}()
	if p.call.plan == nil {
		return Preview{Changes: []PlannedChange{}}, nil
	}
	plan, err := p.plan(ctx, p.env)
	if err != nil {
		return Preview{}, err
	}
	return plan.preview(), nil
}

// Run makes the call. It never panics and always returns a result.
//
// For a writer it plans, locks the files, plans again on their current content, calls before with the changes and
// writes all of them or none. In before, the caller records its claim and may compare the changes with the
// approved ones. If before returns an error, nothing is written and the result matches ErrNotClaimed and that
// error. before may be nil; it is not called for a dry run, for a plan without changes, or for other kinds of
// tools.
func (p *Prepared) Run(ctx context.Context, before func(context.Context, []PlannedChange) error) (result Result) {
	env := p.env
	env.Seen = &tracker{}
	defer func() {
		if r := recover(); r != nil {
			result = Failure(panicked(p.spec.Name, r))
		}
		if result.Files == nil {
			result.Files = env.Seen.list()
		}
		result.Text = Clamp(result.Text, env.Limits)
	}()
	if err := ctx.Err(); err != nil {
		return Failure(err)
	}
	var err error
	if p.call.plan != nil {
		result, err = p.write(ctx, env, before)
	} else {
		result, err = p.call.run(ctx, env)
		if err == nil && !p.spec.Effect.Has(Executes) {
			err = ctx.Err() // after an interruption the answer does not count, whether or not the handler noticed
		}
	}
	if err != nil {
		return Failure(err)
	}
	return result
}

func panicked(name string, value any) error {
	return fmt.Errorf("%s: %w: %v\n%s", name, ErrPanic, value, debug.Stack())
}

// plan calls the planner and rejects plans that have too many changes or name a file twice.
func (p *Prepared) plan(ctx context.Context, env Env) (Plan, error) {
	if err := ctx.Err(); err != nil {
		return Plan{}, err
	}
	plan, err := p.call.plan(ctx, env)
	if err != nil {
		return Plan{}, err
	}
	if len(plan.Changes) > sandbox.MaxWrites {
		return Plan{}, Refuse("this would change %d files, more than the limit of %d", len(plan.Changes), sandbox.MaxWrites)
	}
	seen := map[string]bool{}
	for _, c := range plan.Changes {
		if seen[c.Path] {
			return Plan{}, fmt.Errorf("%s: the plan names %s twice", p.spec.Name, c.Path)
		}
		seen[c.Path] = true
	}
	return plan, nil
}

func (p *Prepared) write(ctx context.Context, env Env, before func(context.Context, []PlannedChange) error) (Result,
	error) {
	plan, err := p.plan(ctx, env)
	if err != nil {
		return Result{}, err
	}
	if plan.DryRun || len(plan.effective()) == 0 {
		return answer(plan, plan.preview(), env.Limits), nil
	}
	guard, err := env.Workspace.Lock(ctx, paths(plan)...)
	if err != nil {
		return Result{}, err
	}
	defer guard.Release()
	if plan, err = p.plan(ctx, env); err != nil {
		return Result{}, err
	}
	preview := plan.preview()
	if before != nil && len(preview.Changes) > 0 {
		if err := before(ctx, slices.Clone(preview.Changes)); err != nil {
			return Result{}, errors.Join(ErrNotClaimed, err)
		}
	}
	if err := guard.Apply(ctx, writes(plan)); err != nil {
		return Result{}, err
	}
	for _, c := range preview.Changes {
		env.Seen.Add(FileState{Path: c.Path, SHA256: c.After, Size: c.AfterSize, Written: true})
	}
	return answer(plan, preview, env.Limits), nil
}

func paths(plan Plan) []string {
	var out []string
	for _, c := range plan.Changes {
		out = append(out, c.Path)
	}
	return out
}

func writes(plan Plan) []sandbox.Write {
	var out []sandbox.Write
	for _, c := range plan.effective() {
		out = append(out, c.write())
	}
	return out
}

// writeData is the structured result of a writer. Its diffs are shortened like the text.
type writeData struct {
	Summary string          `json:"summary"`
	Written bool            `json:"written"`
	DryRun  bool            `json:"dry_run,omitempty"`
	Changes []PlannedChange `json:"changes"`
	Details any             `json:"details,omitempty"`
}

// answer shows what was written, or what a dry run would write.
func answer(plan Plan, preview Preview, limits Limits) Result {
	data := writeData{
		Summary: plan.Summary, DryRun: plan.DryRun, Changes: []PlannedChange{}, Details: plan.Data,
		Written: !plan.DryRun && len(preview.Changes) > 0,
	}
	var b strings.Builder
	switch {
	case len(preview.Changes) == 0:
		b.WriteString("no change: nothing was written\n")
	case plan.DryRun:
		b.WriteString("dry run: nothing was written\n")
	}
	if plan.Summary != "" {
		b.WriteString(plan.Summary + "\n")
	}
	for _, c := range preview.Changes {
		after := "removed"
		if c.After != "" {
			after = fmt.Sprintf("sha256 %s, %d bytes", c.After, c.AfterSize)
		}
		fmt.Fprintf(&b, "%s: %s\n", c.Path, after)
		if room := limits.MaxChars - b.Len(); room > 0 {
			c.Diff = Clamp(c.Diff, limits)
		} else {
			c.Diff = ""
		}
		c.BeforeMode, c.AfterMode = 0, 0 // modes are needed only for an undo
		b.WriteString(c.Diff)
		data.Changes = append(data.Changes, c)
	}
	return Result{Text: strings.TrimSuffix(b.String(), "\n"), Data: data}
}
