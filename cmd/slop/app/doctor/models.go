package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

func ModelsCommand(g *site.Flags) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List providers, models, limits and prices, and check keys",
		Long: `Models lists the providers of this program, configured or not, with where their key
would come from (never the key), and the known models: those of the tiers, those of
the built-in table, and those in [models] of config.toml. Limits are in tokens,
prices in US dollars per million tokens; an unknown value is shown as ?, not as
zero. The list below the table gives the source and the date of the figures of each row.
Prices change: check the vendor's page where it matters.

With --check each provider that has a list of models is asked for it: ok means that
the key works, refused that it does not, unreachable that no answer came in time. A
model that is not in the list is marked. No model is called. For a provider that
runs a program, it says whether the program is installed.

For each configured model it shows which API it uses (Chat Completions, Responses,
Messages or Gemini) and what will not work with its configuration, such as a
temperature that the model refuses.

With --json it prints one object; the fields for these are api and will_not_work.
Status 1: --check found a provider of a tier whose key does not work.`,
		Example: `  slop models
  slop models anthropic --check
  slop models --json | jq '.models[] | select(.prices == null) | .model'`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return everyProvider(config.Providers(config.Default(), config.Credentials{})), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return listModels(cmd.Context(), g, strings.Join(args, ""), check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask each provider whether its key works")
	return cmd
}

// modelsView is the output of slop models --json.
type modelsView struct {
	Providers []providerLine `json:"providers"`
	Models    []modelLine    `json:"models"`
}

// providerLine is one provider of the program.
type providerLine struct {
	Provider string `json:"provider"`
	Tiers    []int  `json:"tiers"` // that it serves
	Key      string `json:"key"`   // where it comes from, or what would have to be set
	HasKey   bool   `json:"has_key"`
	Check    string `json:"check,omitempty"` // ok, refused, unreachable, failed or unknown; only with --check
	Detail   string `json:"detail,omitempty"`

	listed []string
}

// modelLine is the known data about a model, or about the models that match a name.
type modelLine struct {
	events.ModelOffer
	Tiers  []int `json:"tiers"`            // that it serves
	Listed *bool `json:"listed,omitempty"` // by its provider; only with --check
	// API is the API that a configured model is reached over; see [llm.Adviser].
	API         string   `json:"api,omitempty"`
	WillNotWork []string `json:"will_not_work,omitempty"` // with it, as it is configured
}

// checkTime limits the wait for one provider.
const checkTime = 15 * time.Second

func listModels(ctx context.Context, g *site.Flags, only string, check bool) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	keys, err := config.KeysOf(p.Config)
	if err != nil {
		return err
	}
	all := config.Providers(p.Config, keys)
	if only = events.ProviderName(only); only != "" && only != script.Name && all[only] == nil {
		return exit.Errorf(exit.Usage, "unknown provider %q; use one of %s", only, strings.Join(everyProvider(all),
			", "))
	}
	var view modelsView
	for _, name := range everyProvider(all) {
		if only == "" || only == name {
			view.Providers = append(view.Providers, newProviderLine(p.Config, name, keys))
		}
	}
	if check {
		checkProviderKeys(ctx, p.Config, all, view.Providers)
	}
	uses := modelUses(p.Config, all)
	view.Models = advised(modelLines(p.Config, view.Providers), uses, p.Config.ModelsOffered(false), view.Providers)
	if g.JSON {
		err = g.PrintLine(view)
	} else {
		printModels(g, view, uses, check)
	}
	for _, notice := range notListed(view) {
		g.Notice("%s", notice)
	}
	return cmp.Or(err, notWorking(p.Config, view.Providers))
}

// notListed names the models of tiers that their providers do not list. That is not an error: a vendor may accept
// names that it does not list.
func notListed(view modelsView) []string {
	var out []string
	for _, m := range view.Models {
		if len(m.Tiers) == 0 || m.Listed == nil || *m.Listed {
			continue
		}
		line := fmt.Sprintf("%s lists no model %s (tier %s)", m.Provider, m.Model, tierList(m.Tiers))
		for _, p := range view.Providers {
			if near := nearestModel(m.Model, p.listed); p.Provider == m.Provider && near != "" {
				line += "; did you mean " + near + "?"
			}
		}
		out = append(out, line)
	}
	return out
}

// nearestModel returns the listed model with the most similar name, or "" if none is similar.
func nearestModel(wrong string, listed []string) string {
	best, least := "", 4
	for _, m := range listed {
		if d := config.EditDistance(wrong, m); d < least {
			best, least = m, d
		}
	}
	return best
}

// notWorking names the providers that a tier needs and that failed --check.
func notWorking(c config.Config, lines []providerLine) error {
	var out []string
	for _, l := range lines {
		if len(l.Tiers) == 0 || l.Check == "" || l.Check == checkOK || l.Check == checkUnknown {
			continue
		}
		why := l.Detail
		if why == noKey {
			why += "; " + c.KeyAdvice(l.Provider)
		}
		out = append(out, fmt.Sprintf("%s (tier %s): %s", l.Provider, tierList(l.Tiers), term.Visible(why)))
	}
	if len(out) == 0 {
		return nil
	}
	return exit.Errorf(exit.Failed, "a tier's provider does not work: %s", strings.Join(out, "; "))
}

// everyProvider returns the providers of the program, including the scripted one.
func everyProvider(all map[string]llm.Provider) []string {
	names := []string{script.Name}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func newProviderLine(c config.Config, name string, keys config.Credentials) providerLine {
	line := providerLine{Provider: name, Tiers: tiersOf(c, name, "*"), HasKey: keys.APIKey(c, name, os.Getenv) != "",
		Key: "needs none"}
	if name == script.Name || events.RunsProgram(name) {
		if events.RunsProgram(name) {
			line.Key = "its program's own login"
		}
		return line
	}
	section, variable := c.Provider(name), config.KeyVariables()[name]
	switch {
	case section.APIKeyEnv != "":
		line.Key = "variable " + section.APIKeyEnv
	case slices.ContainsFunc(slices.Collect(maps.Keys(keys.Keys)),
		func(k string) bool { return events.ProviderName(k) == name }):
		line.Key = "credentials.toml"
	case variable != "":
		line.Key = "variable " + variable
	}
	if !line.HasKey && line.Key != "needs none" {
		line.Key += " (not set)"
	}
	return line
}

// tiersOf returns the tiers that a provider serves with a model; * means any model.
func tiersOf(c config.Config, provider, model string) []int {
	out := []int{}
	for n := 1; n <= 4; n++ {
		t := c.Tier(n)
		models := t.Models
		if len(models) == 0 {
			models = []string{t.Model}
		}
		if events.ProviderName(t.Provider) == provider && (model == "*" || slices.Contains(models, model)) {
			out = append(out, n)
		}
	}
	return out
}

// modelLines returns the models of the tiers, by tier, then every row of the table.
func modelLines(c config.Config, of []providerLine) []modelLine {
	table, out := c.ModelsOffered(false), []modelLine{}
	by := map[string]providerLine{}
	for _, l := range of {
		by[l.Provider] = l
	}
	seen := map[string]bool{}
	for n := 1; n <= 4; n++ {
		t := c.Tier(n)
		provider := events.ProviderName(t.Provider)
		for _, model := range append([]string{t.Model}, t.Models...) {
			l, shown := by[provider]
			if !shown || model == "" || seen[provider+"/"+model] || len(tiersOf(c, provider, model)) == 0 {
				continue
			}
			seen[provider+"/"+model] = true
			offer, _ := table.Find(provider, model)
			offer.Provider, offer.Model = provider, model
			out = append(out, modelLine{ModelOffer: offer, Tiers: tiersOf(c, provider, model), Listed: l.lists(model)})
		}
	}
	for _, o := range table.Models {
		if _, shown := by[o.Provider]; shown && !seen[o.Provider+"/"+o.Model] {
			out = append(out, modelLine{ModelOffer: o, Tiers: []int{}})
		}
	}
	return out
}

// lists reports whether the provider listed a model; nil if it was not asked.
func (l providerLine) lists(model string) *bool {
	if l.Check != checkOK || len(l.listed) == 0 {
		return nil
	}
	found := slices.Contains(l.listed, strings.TrimPrefix(model, "models/"))
	return &found
}

func printModels(g *site.Flags, view modelsView, uses []modelUse, checked bool) {
	rows := [][]string{{"PROVIDER", "TIERS", "KEY", "CHECK"}}
	for _, l := range view.Providers {
		state := cmp.Or(strings.TrimSpace(l.Check+" "+l.Detail), "not checked")
		rows = append(rows, []string{l.Provider, tierList(l.Tiers), term.Visible(l.Key), term.Visible(state)})
	}
	term.PrintTable(g.Out, rows)
	g.Printf("\n")
	printModelTable(g, view.Models)
	printModelUses(g, uses, view.Providers)
	if !checked {
		g.Printf("\nPass --check to test each provider's key.\n")
	}
}

func tierList(tiers []int) string {
	if len(tiers) == 0 {
		return "-"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(tiers), " ", ","), "[]")
}
