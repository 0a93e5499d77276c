// Package doctor implements "slop doctor", which checks what slop needs, and "slop models", which lists the models.
package doctor

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/cmd/slop/version"
)

// health is the state of a thing that slop depends on. The zero value is none.
type health string

const (
	healthOK     health = "ok"
	healthNote   health = "note"   // works, but worth knowing
	healthBroken health = "broken" // something that should work does not
)

// finding is one line of slop doctor.
type finding struct {
	Check  string `json:"check"`
	Health health `json:"health"`
	Detail string `json:"detail"`
}

func ok(check, detail string) finding     { return finding{check, healthOK, detail} }
func note(check, detail string) finding   { return finding{check, healthNote, detail} }
func broken(check, detail string) finding { return finding{check, healthBroken, detail} }

// doctorTime limits the total time that the doctor waits.
const doctorTime = 30 * time.Second

func Command(g *site.Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that slop needs",
		Long: `Doctor checks what slop depends on: the configuration, the data folder and which
process holds it, the store (every stored message is read), how long the disk takes
to make an event durable, free space, the shell that runs scripts, git, the gateway
of the running engine, the running roles, the waiting requests and what they wait
for, the providers of the tiers, and for each configured model which API it uses and
what will not work with it. It changes nothing, except that it rebuilds damaged parts
of the store that can be recomputed, as every start does.

--repair replaces a damaged record of started calls. You are then asked about every
approved call without an outcome, as an interrupted call, because it may have run.
docs/damage.md explains each kind of damage.

Each line says ok, note or broken; with --json it is one object per line. Status 1:
something is broken.`,
		Example: `  slop doctor
  slop doctor --json
  slop doctor --repair`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorTime)
			defer cancel()
			return printFindings(g, examine(ctx, g))
		},
	}
	cmd.Flags().BoolVar(&g.Repair, "repair", false, "replace a damaged record of started calls")
	return cmd
}

// examine runs every check, in order of their dependencies.
func examine(ctx context.Context, g *site.Flags) []finding {
	out := []finding{ok("program", version.ReadInfo().String())}
	p, err := g.Place()
	if err != nil {
		return append(out, broken("configuration", err.Error()))
	}
	out = append(out, ok("configuration", "user "+p.Person+", project "+p.Name))
	for _, name := range p.Untrusted() {
		out = append(out, note("trust", name+" of the project has no effect: you have not trusted it; see slop mcp trust "+name))
	}
	out = append(out, checkServers(p)...)
	out = append(out, checkData(p), checkDisk(p), checkSync(p))
	info, engineErr := site.EngineInfo{}, site.ErrForeign
	if p.CheckOwner() == nil {
		info, engineErr = site.FindEngine(p.Data)
	}
	out = append(out, checkStore(ctx, g, p, engineErr == nil)...)
	out = append(out, checkShell(p), checkGit(ctx))
	out = append(out, checkEngine(ctx, info, engineErr)...)
	out = append(out, checkRoles(ctx, info, engineErr)...)
	out = append(out, checkRequests(ctx, info, engineErr)...)
	out = append(out, findProviders(p)...)
	return append(out, checkModels(p.Config)...)
}

func printFindings(g *site.Flags, all []finding) error {
	var ill []string
	rows := [][]string{}
	for _, f := range all {
		if f.Health == healthBroken {
			ill = append(ill, f.Check)
		}
		rows = append(rows, []string{string(f.Health), f.Check, term.Visible(strings.ReplaceAll(f.Detail, "\n", " · "))})
		if g.JSON {
			if err := g.PrintLine(f); err != nil {
				return err
			}
		}
	}
	if !g.JSON {
		term.PrintTable(g.Out, rows)
	}
	if len(ill) > 0 {
		return exit.Errorf(exit.Failed, "broken: %s", strings.Join(ill, ", "))
	}
	return nil
}
