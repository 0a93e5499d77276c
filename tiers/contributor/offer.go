package contributor

import (
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// Limits for the tools that are offered at the beginning of a conversation. Others can be found
// with [FindTools].
const (
	// MaxOffered limits the number of offered tools, including FindTools.
	MaxOffered = 20
	// MaxOfferedTokens limits the size of the offered tools for a model, at four bytes per token.
	MaxOfferedTokens = 6500
	// keptForTicket is the number of tokens reserved for tools for the language of the ticket's
	// own file.
	keptForTicket = 1000
)

// essentials returns the tools that every project needs, most important first.
func essentials() []string {
	return []string{FindTools, "read_file", "edit_file", "run_powershell", "find_text", "set_file_slice", "search_files",
		"get_tree"}
}

// further returns the tools that are offered if there is room.
func further() []string {
	return []string{"get_git_diff", "get_file_slice", "multi_edit", "fetch_url", "web_search", "list_directory"}
}

// ofLanguage returns the tools for a language, or for another entry of
// [events.Settings.Languages], most important first.
func ofLanguage(language string) []string {
	switch language {
	case "python":
		return []string{"py_get_skeleton", "py_get_definition", "py_update_definition", "py_find_usages"}
	case "c":
		return []string{"ts_c_get_skeleton", "ts_c_get_definition", "ts_c_update_definition"}
	case "cpp":
		return []string{"ts_cpp_get_skeleton", "ts_cpp_get_definition", "ts_cpp_update_definition"}
	case events.LanguageOther:
		return []string{"ts_get_code_outline", "ts_get_definition"}
	case events.LanguageBeads:
		return []string{"bd_ready", "bd_list", "bd_create", "bd_update"}
	}
	return nil
}

// offering collects the initial tools of a conversation.
type offering struct {
	known  map[string]tool
	names  []string
	tokens int64
}

// add offers a tool if it exists, is not offered yet, and fits.
func (o *offering) add(name string, tokens int64) {
	t, is := o.known[name]
	if !is || slices.Contains(o.names, name) || len(o.names) == MaxOffered || o.tokens+t.tokens() > tokens {
		return
	}
	o.names, o.tokens = append(o.names, name), o.tokens+t.tokens()
}

// offer returns the tools for a ticket's first request. If all tools that the presets allow fit,
// these are offered. Otherwise it offers the tools that every project needs, then those for the
// project's languages, and last those for the ticket's own language, so that the requests of a
// project's tickets start with the same tools.
func (s *State) offer(seat tiers.Sitting, target string) []string {
	named := make([]string, 0, len(s.tools))
	var sum int64
	o := offering{known: make(map[string]tool, len(s.tools))}
	for _, t := range s.tools {
		if t.Name == FindTools {
			o.known[t.Name] = t
		} else if seat.Presets.Has(t.Name) {
			o.known[t.Name] = t
			named, sum = append(named, t.Name), sum+t.tokens()
		}
	}
	if _, can := o.known[FindTools]; !can || len(named) <= MaxOffered && sum <= MaxOfferedTokens {
		return named
	}
	const shared = MaxOfferedTokens - keptForTicket
	ranked := essentials()
	for _, name := range named {
		if seat.Bias.Entry(name).Weight >= preferred {
			ranked = append(ranked, name)
		}
	}
	for _, language := range s.settings.Languages {
		ranked = append(ranked, ofLanguage(language)...)
	}
	for _, name := range append(ranked, further()...) {
		o.add(name, shared)
	}
	for _, name := range ofLanguage(events.LanguageOf(target)) {
		o.add(name, MaxOfferedTokens)
	}
	return o.names
}

// preferred is the minimum weight in a bias profile for a tool that is always offered.
const preferred = 4

// tool is the part of an offer that is kept.
type tool struct {
	Name    string
	Summary string // the first line of its description
	Size    int64  // bytes that a model reads for it
	Reads   bool   // its calls never change a file
}

func (t tool) tokens() int64 { return tiers.EstimatedTokens(t.Size) }

// reads reports whether a tool with this effect never changes a file.
func reads(effect string) bool {
	return !slices.ContainsFunc(strings.Split(effect, "|"), func(e string) bool {
		return e != "reads" && e != "wide" &&
			e != "network"
	})
}

// maxSummary limits the summary of a tool, in bytes.
const maxSummary = 200

// toolsOf returns the tools of an offer.
func toolsOf(p events.ToolsOffered) []tool {
	out := make([]tool, len(p.Tools))
	for i, o := range p.Tools {
		summary, _, _ := strings.Cut(chars.Trim(o.Description), "\n")
		out[i] = tool{Name: o.Name, Summary: tiers.Clip(summary, maxSummary), Size: tiers.OfferSize(o),
			Reads: reads(o.Effect)}
	}
	return out
}
