package openai

import (
	"slices"
	"strings"
)

// Family is what some models of a server take in another way than its others.
type Family struct {
	// Names are the beginnings of its models' names.
	Names []string
	// Samples says that its models take temperature and top_p.
	Samples bool
	// Least is the reasoning_effort that stands for off, of models that cannot stop
	// to think; empty: that of the server.
	Least string
}

// openAIFamilies are the models that think, which refuse every temperature but
// their own, and of which the older ones cannot do without thinking. See
// https://platform.openai.com/docs/guides/reasoning.
func openAIFamilies() []Family {
	return []Family{
		{Names: []string{"gpt-5-chat"}, Samples: true},
		{Names: []string{"gpt-5."}},
		{Names: []string{"gpt-5"}, Least: "minimal"},
		{Names: []string{"o1", "o3", "o4"}, Least: "low"},
	}
}

// family is the first one of a model; a model of none takes all that its server
// takes.
func (s Server) family(model string) Family {
	i := slices.IndexFunc(s.Families, func(f Family) bool {
		return slices.ContainsFunc(f.Names, func(n string) bool { return strings.HasPrefix(model, n) })
	})
	if i < 0 {
		return Family{Samples: true}
	}
	return s.Families[i]
}
