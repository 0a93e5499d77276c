package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layer says which packages of ours a package may import. A pattern ending in "/..." means
// the folder and everything below it; "..." alone means all.
type layer struct {
	pkg    string
	allows []string
	why    string
}

// deciders are the folders below tiers that decide; each is two pure functions.
var deciders = []string{
	"tiers/conductor", "tiers/planner", "tiers/lead", "tiers/contributor", "tiers/qa", "tiers/approval",
}

// onlyEvents is the reason of every decider.
const onlyEvents = "a decider sees the world only as events"

// layers is searched from the top; the first line that matches a package counts.
func layers() []layer {
	return []layer{
		{"events/...", []string{"events/..."}, "the vocabulary stands under everything and leans on nothing"},
		{"bus/...", []string{"bus/...", "events"}, "the log carries events and knows nothing of what they lead to"},
		{"tiers/fence", []string{"events/chars"},
			"what untrusted text looks like in a prompt depends on nothing but the text"},
		{"tiers", []string{"events", "events/chars", "tiers/fence"}, "what a decider is depends on what an event is, and " +
			"on nothing else"},
		{"tiers/conductor", []string{"events", "events/chars", "tiers"}, onlyEvents},
		{"tiers/planner", []string{"events", "events/chars", "tiers", "tiers/conversation", "tiers/fence", "tiers/planning"},
			onlyEvents},
		{"tiers/lead", []string{"events", "events/chars", "tiers", "tiers/conversation", "tiers/fence", "tiers/planning"},
			onlyEvents},
		{"tiers/contributor", []string{"events", "events/chars", "tiers", "tiers/conversation", "tiers/fence",
			"tiers/planning"}, onlyEvents},
		{"tiers/qa", []string{"events", "events/chars", "tiers", "tiers/conversation", "tiers/fence"}, onlyEvents},
		{"tiers/approval", []string{"events", "events/chars", "events/policy/...", "tiers", "tiers/fence", "tiers/tokens"},
			onlyEvents},
		{"tiers/tokens", []string{"events", "events/chars", "tiers", "tiers/conversation", "tiers/fence"},
			"what a prompt can cost depends on the log alone"},
		{"tiers/conversation", []string{"events", "events/chars", "tiers"},
			"what is left out of a prompt depends on the log alone"},
		{"tiers/planning", []string{"events", "events/chars", "tiers", "tiers/conversation"},
			"what the two planning tiers share is as pure as they are"},
		{"tiers/basis", []string{"events", "tiers", "tiers/contributor", "tiers/lead", "tiers/planner", "tiers/qa",
			"tiers/tokens"}, "what a program decides by is known without running it"},
		{"tiers/tierstest", []string{"events/...", "tiers"}, "deciders are tested as given, when, then, without a world"},
		{"tiers/snapshot", []string{"events"}, "how a state is stored depends on no decider"},
		{"tiers/llm/...", []string{"events", "tiers/fence", "tiers/llm/..."},
			"a model's language is neutral: no vendor, tool or decider leaks into it"},
		{"tiers/runtime/talktest", []string{"events", "projections", "replay", "tiers/..."},
			"tests of several packages hold the same discussion and compare the same prompts"},
		{"tiers/runtime/...", []string{"events", "tiers/...", "tools/..."},
			"the shells join deciders, models and tools over the log's seams"},
		{"tools/mcp", []string{"bus/durable", "events", "tools/..."},
			"a pin is a digest of canonical JSON, of which there is one form; trust is written durably"},
		{"tools/web", []string{"events/policy", "tools/..."},
			"which hosts are allowed is judged alike before and at the call"},
		{"tools/...", []string{"tools/..."}, "a tool knows no bus, event, model or session"},
		{"projections", []string{"events", "projections/undo", "tiers"}, "a read model is a pure fold of the log"},
		{"projections/...", []string{"events", "projections/..."},
			"keeping folds current needs the log's seams and the folds"},
		{"hookgw/wire", []string{"events", "projections", "projections/undo"},
			"what goes over HTTP is known without the server"},
		{"hookgw/hookclient", []string{"events", "projections", "hookgw/wire"}, "a client needs nothing of the server"},
		{"hookgw/problem", []string{"events", "projections"}, "an error is told the same way wherever it comes from"},
		{"hookgw/access", []string{"hookgw/problem"}, "who may come in does not depend on what is asked"},
		{"hookgw/request", []string{"events", "projections/...", "hookgw/access", "hookgw/problem", "hookgw/openapi",
			"hookgw/wire"}, "how a request is taken does not depend on what is asked"},
		{"hookgw/feed", []string{"events", "projections/...", "hookgw/access", "hookgw/problem", "hookgw/request"},
			"how events reach readers does not depend on which route they read"},
		{"hookgw/program", []string{"events", "projections/...", "hookgw/access", "hookgw/metrics", "hookgw/problem",
			"hookgw/request", "hookgw/wire"}, "what the process tells of itself depends on no session's business"},
		{"hookgw/core", []string{"events", "projections/...", "hookgw/access", "hookgw/feed", "hookgw/problem",
			"hookgw/program", "hookgw/request", "hookgw/wire"}, "what handlers share depends on no handler"},
		{"hookgw/...", []string{"events", "projections/...", "hookgw/..."},
			"the gateway has no state of its own: it reads folds and writes events"},
		{"replay/...", slices.Concat([]string{"events", "projections", "tiers", "replay/..."}, deciders),
			"replay has no side effects, so it reaches nothing that has any"},
		{"cmd/slop/exit", nil, "an exit status depends on nothing"},
		{"cmd/slop/version", nil, "which program this is depends on the program alone"},
		{"cmd/slop/config", []string{"events/...", "projections/pricing", "tiers/...", "tools/..."},
			"settings are known before a project is opened, a bus is reached or a line is printed"},
		{"cmd/slop/term", []string{"bus", "cmd/slop/exit", "events", "projections", "tiers/..."},
			"printing depends on what is shown, not on the command that shows it"},
		{"cmd/slop/site", []string{"bus/...", "cmd/slop/config", "cmd/slop/exit", "cmd/slop/term", "events/...",
			"projections/...", "tiers/...", "tools/..."}, "a project on this machine is found without an engine"},
		{"cmd/slop/aggregation", []string{"cmd/slop/site", "events", "hookgw/problem", "hookgw/wire", "tiers/...",
			"tools/builtin", "tools/retrieval"}, "a context is made alike with and without an engine"},
		{"cmd/slop/engine", []string{"bus", "cmd/slop/aggregation", "cmd/slop/config", "cmd/slop/exit",
			"cmd/slop/site", "cmd/slop/term", "cmd/slop/version", "events", "hookgw/...", "projections/...", "tiers/...",
			"tools/..."}, "an engine runs without a command line"},
		{"cmd/slop/client", []string{"bus", "cmd/slop/config", "cmd/slop/engine", "cmd/slop/exit", "cmd/slop/site",
			"cmd/slop/term", "cmd/slop/version", "events", "hookgw/...", "projections/..."}, "a command reaches an engine in one way, whatever the command"},
		{"cmd/slop/command", []string{"cmd/slop/client", "cmd/slop/site", "cmd/slop/term"},
			"what commands share depends on none of them"},
		{"cmd/...", []string{"..."}, "the command wires everything and is imported by nobody"},
		{"docs/...", nil, "rules about the code do not depend on it"},
	}
}

// wall says which of our packages may import packages of others, tests included.
type wall struct {
	outside string
	inside  []string
	why     string
}

var walls = []wall{
	{"github.com/anthropics/anthropic-sdk-go/...", []string{"tiers/llm/anthropic"},
		"a vendor's words stay in its adapter"},
	{"github.com/nats-io/...", []string{"bus/..."}, "one package speaks to the broker; tests of others use bus/bustest"},
	{"github.com/openai/openai-go/...", []string{"tiers/llm/openai"}, "one package speaks Chat Completions; its SDK " +
		"takes a page for an answer"},
	{"github.com/coder/websocket/...", []string{"hookgw", "hookgw/streams"}, "one package speaks to clients over HTTP"},
	{"mvdan.cc/sh/...", []string{"events/policy/commands", "tools/builtin"}, "what a script runs is read in one place; " +
		"a tool only asks whether it is PowerShell"},
	{"github.com/smacker/go-tree-sitter/...", []string{"tools/syntax/..."}, "cgo and its memory rules stay in one folder"},
	{"codeberg.org/readeck/...", []string{"tools/web/..."}, "what a page says is one package's business"},
	{"github.com/JohannesKaufmann/...", []string{"tools/web/..."}, "what a page says is one package's business"},
	{"github.com/agnivade/...", []string{"cmd/slop/...", "hookgw/...", "projections/search", "tools/python"},
		"it says how far names are apart; which is near enough, each place says itself"},
	{"github.com/blevesearch/...", []string{"projections/search"}, "an index is a read model whose library nobody else " +
		"needs to know"},
	{"github.com/prometheus/...", []string{"hookgw/metrics/..."}, "a figure is a figure; only its rendering is " +
		"Prometheus's business"},
	{"github.com/getkin/kin-openapi/...", []string{"hookgw"}, "it checks the contract in tests; the gateway describes " +
		"itself without it"},
	{"github.com/oapi-codegen/...", []string{"hookgw"}, "generated clients need it, and one is made in a test"},
	{"github.com/evanw/esbuild/...", []string{"hookgw/console"}, "the program serves a bundle; only its test makes it"},
	{"github.com/go-rod/...", []string{"hookgw"}, "browsers are driven by the tests of what they see"},
	{"github.com/pelletier/go-toml/...", []string{"cmd/..."}, "everything below cmd gets its settings as values"},
	{"github.com/spf13/...", []string{"cmd/..."}, "only the command has a command line"},
	{"github.com/stretchr/testify/assert", nil, "a test stops at its first surprise: use require"},
	{"github.com/stretchr/testify/mock", nil, "tests use real parts"},
}

// matches tells whether a package path falls under a pattern.
func matches(pattern, path string) bool {
	if pattern == "..." {
		return true
	}
	if folder, below := strings.CutSuffix(pattern, "/..."); below {
		return path == folder || strings.HasPrefix(path, folder+"/")
	}
	return path == pattern
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, path) })
}

// layerOf finds the rule of a package.
func layerOf(table []layer, path string) (layer, bool) {
	i := slices.IndexFunc(table, func(l layer) bool { return matches(l.pkg, path) })
	if i < 0 {
		return layer{}, false
	}
	return table[i], true
}

func TestPackagesImportOnlyWhatTheirLayerAllows(t *testing.T) {
	t.Parallel()
	table := layers()
	for _, p := range modulePackages(t) {
		rule, found := layerOf(table, p.short())
		if !found {
			t.Errorf("package %s has no line in the table of layers; add one with its reason", p.short())
			continue
		}
		for _, in := range p.imports(t, p.sources()) {
			target, ours := strings.CutPrefix(in.path, modulePath+"/")
			if ours && target != p.short() && !matchesAny(rule.allows, target) {
				t.Errorf("%s: %s imports %s: %s", in.at, p.short(), target, rule.why)
			}
		}
	}
}

func TestTestHelpersAreImportedOnlyByTests(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		if strings.HasSuffix(p.Name, "test") {
			continue
		}
		for _, in := range p.imports(t, p.sources()) {
			target, ours := strings.CutPrefix(in.path, modulePath+"/")
			if ours && strings.HasSuffix(target, "test") || in.path == "testing" {
				t.Errorf("%s: %s imports %s outside its tests", in.at, p.short(), in.path)
			}
		}
	}
}

func TestForeignModulesStayBehindTheirWall(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		for _, in := range p.imports(t, append(p.sources(), p.tests()...)) {
			for _, w := range walls {
				if matches(w.outside, in.path) && !matchesAny(w.inside, p.short()) {
					t.Errorf("%s: %s imports %s: %s", in.at, p.short(), in.path, w.why)
				}
			}
		}
	}
}

func TestNothingIsImportedForItsSideEffects(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		for _, in := range p.imports(t, p.sources()) {
			if in.name == "_" && in.path != "embed" {
				t.Errorf("%s: %s imports %s only for its side effects: register in a list instead", in.at, p.short(), in.path)
			}
		}
	}
}

func TestLayersOfPackagesThatDoNotExistYetAreLogged(t *testing.T) {
	t.Parallel()
	var existing []string
	for _, p := range modulePackages(t) {
		existing = append(existing, p.short())
	}
	for _, l := range layers() {
		if !slices.ContainsFunc(existing, func(path string) bool { return matches(l.pkg, path) }) {
			t.Logf("no package %s yet", l.pkg)
		}
	}
}

func TestLayerTableCatchesWhatItForbids(t *testing.T) {
	t.Parallel()
	table := layers()
	cases := []struct {
		from, to string
		allowed  bool
	}{
		{"events", "bus", false},
		{"events/eventstest", "events", true},
		{"bus", "events", true},
		{"bus", "tiers", false},
		{"tiers/conductor", "tiers", true},
		{"tiers/conductor", "tiers/approval", false},
		{"tiers/approval", "projections", false},
		{"tiers/llm/script", "tiers/llm", true},
		{"tiers/llm/script", "tools", false},
		{"tiers/runtime", "tiers/qa", true},
		{"tiers/runtime", "hookgw", false},
		{"tools/sandbox", "events", false},
		{"projections", "projections/live", false},
		{"projections/live", "projections", true},
		{"projections/live", "bus", false},
		{"hookgw", "bus", false},
		{"hookgw", "hookgw/access", true},
		{"hookgw/access", "hookgw", false},
		{"hookgw/hookclient", "hookgw/request", false},
		{"hookgw/wire", "hookgw/core", false},
		{"hookgw/core", "hookgw/asks", false},
		{"hookgw/request", "hookgw", false},
		{"hookgw/request", "hookgw/feed", false},
		{"hookgw/feed", "hookgw", false},
		{"hookgw/program", "hookgw/feed", false},
		{"replay", "tiers/qa", true},
		{"replay", "tiers/runtime", false},
		{"replay", "tools", false},
		{"bus", "cmd/slop/app", false},
		{"cmd/slop/config", "cmd/slop/site", false},
		{"cmd/slop/term", "cmd/slop/site", false},
		{"cmd/slop/site", "cmd/slop/engine", false},
		{"cmd/slop/engine", "cmd/slop/client", false},
		{"cmd/slop/engine", "cmd/slop/app", false},
		{"cmd/slop/app", "bus", true},
	}
	for _, c := range cases {
		rule, found := layerOf(table, c.from)
		require.True(t, found, c.from)
		require.Equal(t, c.allowed, matchesAny(rule.allows, c.to), "%s imports %s", c.from, c.to)
	}
	_, found := layerOf(table, "tiers/newcomer")
	require.False(t, found, "a new folder below tiers needs a line of its own")
}
