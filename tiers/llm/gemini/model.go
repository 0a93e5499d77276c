package gemini

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"manualslop/tiers/llm"
)

// family is what the API's rules about a model depend on.
type family struct {
	// generation is 2.5 for gemini-2.5-pro; 0 for a model that is not a Gemini.
	generation float64
	pro, lite  bool
}

// newest is the generation of names such as gemini-flash-latest, which Google points
// at another model with each release. What the newest models take, those of Gemini 3
// before them take, too.
const newest = 3.8

var (
	modelNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(models/|tunedModels/)?[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	})
	versions = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^gemini-([0-9]+(?:\.[0-9]+)?)(?:-|$)`)
	})
)

// plain returns a model's name without the folder that it is in.
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

// signs reports whether the first call of each model step must bring a
// signature.
func (f family) signs() bool { return f.generation >= 3 }

// samples reports whether temperature and topP have an effect. Google has
// deprecated them from 3.6 Flash and 3.5 Flash-Lite on and announced to refuse
// them: https://ai.google.dev/gemini-api/docs/changelog, 2026-07-21.
func (f family) samples() bool { return f.generation < 3.5 || f.generation < 3.6 && !f.lite }

// origin names whose content it is: signatures do not survive a change of model.
func origin(model string) string { return Name + ":" + plain(model) }

// thinking returns how much a model may think, in the words of its family: a
// level from generation 3 on (https://ai.google.dev/gemini-api/docs/gemini-3),
// a number of tokens in generation 2.5
// (https://ai.google.dev/gemini-api/docs/thinking), nothing for others. A model
// that cannot stop thinking thinks as little as it can.
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
		// which knows no less: https://ai.google.dev/gemini-api/docs/models/gemini-3.7-flash
		if f.pro || !f.lite && f.generation >= 3.7 {
			return "LOW"
		}
		return "MINIMAL"
	case "low":
		return "LOW"
	case "medium":
		if f.pro && f.generation < 3.1 { // gemini-3-pro knows low and high
			return "HIGH"
		}
		return "MEDIUM"
	}
	return "HIGH"
}

// budget returns a share of a reply of at most room tokens, thoughts included:
// an eighth, a quarter or three quarters, within the range of every 2.5 model:
// 128 to 32,768 for pro, 0 or 512 to 24,576 for flash-lite, 0 to 24,576 for
// flash. A room of 0 is the model's own, 65,536.
func (f family) budget(effort string, room int) int {
	const least, most = 512, 24576
	if room == 0 {
		room = 1 << 16
	}
	share := func(eighths int) int { return min(max(room*eighths/8, least), most) }
	if room < 2*least {
		effort = "off" // there is no room to think in
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
