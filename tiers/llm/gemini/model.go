package gemini

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"manualslop/tiers/llm"
)

// family holds the properties on which the API's rules for a model depend.
type family struct {
	// generation is for example 2.5 for gemini-2.5-pro; 0 if the model is not a Gemini.
	generation float64
	pro, lite  bool
}

// newest is the generation assumed for names such as gemini-flash-latest, which Google moves to
// another model with each release. Older Gemini 3 models accept everything that these models
// accept.
const newest = 3.8

var (
	modelNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(models/|tunedModels/)?[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	})
	versions = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^gemini-([0-9]+(?:\.[0-9]+)?)(?:-|$)`)
	})
)

// plain returns a model's name without its collection prefix.
func plain(model string) string {
	return strings.TrimPrefix(strings.TrimPrefix(model, "models/"), "tunedModels/")
}

func familyOf(model string) family {
	name := plain(model)
	f := family{pro: strings.Contains(name, "-pro"), lite: strings.Contains(name, "-lite")}
	if v := versions().FindStringSubmatch(name); v != nil {
		f.generation, _ = strconv.ParseFloat(v[1], 64) // the pattern allows only numbers
	} else if strings.HasPrefix(name, "gemini-") {
		f.generation = newest
	}
	return f
}

// signs reports whether the first call of each model step needs a signature.
func (f family) signs() bool { return f.generation >= 3 }

// samples reports whether temperature and topP have an effect. Google deprecated them from 3.6
// Flash and 3.5 Flash-Lite on and announced that it will reject them:
// https://ai.google.dev/gemini-api/docs/changelog, 2026-07-21.
func (f family) samples() bool { return f.generation < 3.5 || f.generation < 3.6 && !f.lite }

// origin returns the origin of a model's content, because signatures are valid for that model
// only.
func origin(model string) string { return Name + ":" + plain(model) }

// thinking returns how much a model may think, in the form that its family uses: a level from
// generation 3 on (https://ai.google.dev/gemini-api/docs/gemini-3), a token budget in generation
// 2.5 (https://ai.google.dev/gemini-api/docs/thinking), nil for others. A model whose thinking
// cannot be switched off gets the lowest setting.
func thinking(model, effort string, room int) *thinkingConfig {
	f := familyOf(model)
	switch {
	case effort == "" || f.generation < 2.5:
		return nil
	case f.generation >= 3:
		return &thinkingConfig{Level: f.level(effort)}
	}
	budget := f.budget(effort, room)
	return &thinkingConfig{Budget: &budget}
}

func (f family) level(effort string) string {
	switch effort {
	case "off":
		// the lowest level of these models:
		// https://ai.google.dev/gemini-api/docs/models/gemini-3.7-flash
		if f.pro || !f.lite && f.generation >= 3.7 {
			return "LOW"
		}
		return "MINIMAL"
	case "low":
		return "LOW"
	case "medium":
		if f.pro && f.generation < 3.1 { // gemini-3-pro only has low and high
			return "HIGH"
		}
		return "MEDIUM"
	}
	return "HIGH"
}

// budget returns a share of a reply of at most room tokens, thinking included: an eighth, a
// quarter or three quarters, within the range that the 2.5 models accept: 128 to 32,768 for pro, 0
// or 512 to 24,576 for flash-lite, 0 to 24,576 for flash. A room of 0 means the model's own
// maximum, 65,536.
func (f family) budget(effort string, room int) int {
	const least, most = 512, 24576
	if room == 0 {
		room = 1 << 16
	}
	share := func(eighths int) int { return min(max(room*eighths/8, least), most) }
	if room < 2*least {
		effort = "off" // no room to think
	}
	switch effort {
	case "off":
		if f.pro {
			return 128
		}
		return 0
	case "low":
		return share(1)
	case "medium":
		return share(2)
	}
	return share(6)
}

// checkModel rejects a name that would change the rest of the URL path.
func checkModel(model string) error {
	if !modelNames().MatchString(model) {
		return llm.Unsendable("the model's name must have 1 to 128 characters, only letters, digits, " +
			"'.', '_' and '-'")
	}
	return nil
}
