package hookgw_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/go-rod/rod"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// elsewhere are the fields of /api/gui that another control of the console sets than a form with the field's name: the
// view, and the text or the accessible name of the control.
func elsewhere() map[string][2]string {
	return map[string][2]string{
		"active_discussion": {"discussion/other", "Make it active"},
		"ai_input":          {"discussion", "New entry or message"},
		"disc_entries":      {"discussion", "Add as an entry"},
		"mma_epic_input":    {"goal", "Goal"},
	}
}

// notInTheConsole are the fields that the console does not set, with the reason.
func notInTheConsole() map[string]string {
	out := map[string]string{
		"show_windows":        "the windows of another front end; each view of the console has an address instead",
		"history_trunc_limit": "what another front end shows; the console folds long texts",
	}
	for _, n := range []string{"1", "2", "3", "4"} {
		out["tier"+n+"_model"] = "tier" + n + "_models sets the same list of models"
	}
	return out
}

// setsEveryField holds that everything that POST /api/gui can set has a place in the console to see and set it.
func setsEveryField(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.says("/api/discussions/create", `{"name":"other"}`, 200)
	f.says("/api/discussions/switch", `{"name":"main"}`, 200)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	offered := map[string]bool{}
	for _, view := range []string{"settings", "discussion"} {
		p.at(view)
		p.await(`() => document.querySelector("main h2") !== null`)
		p.await(`() => {
			const closed = document.querySelectorAll("details:not([open])")
			closed.forEach(d => { d.open = true })
			return closed.length === 0 && !document.body.innerText.includes("Reading …")
		}`)
		got, err := p.Eval(`() => [...document.querySelectorAll("[name]:enabled")].map(e => e.name)`)
		require.NoError(t, err)
		for _, name := range got.Value.Arr() {
			offered[name.Str()] = true
		}
	}
	for _, place := range elsewhere() {
		p.at(place[0])
		p.await(`name => [...document.querySelectorAll("button, textarea:enabled")].some(e =>
			e.getAttribute("aria-label") === name || e.innerText.trim() === name)`, place[1])
	}
	var settable []string
	for _, field := range projections.GUIFields() {
		if field.Settable() {
			settable = append(settable, field.Name)
		}
	}
	have := slices.Concat(slices.Collect(maps.Keys(offered)), slices.Collect(maps.Keys(elsewhere())),
		slices.Collect(maps.Keys(notInTheConsole())))
	require.ElementsMatch(t, settable, have, "each field has one place, or a reason to have none")
}

// setsFields changes fields by the form, and tells why one is refused.
func setsFields(t *testing.T, b *rod.Browser) {
	f := openEmpty(t)
	f.put("operator", events.SessionOpened{Settings: events.Settings{Roster: aRoster(),
		Tiers:  []events.TierSettings{{Tier: 2, Provider: "script", Models: []string{"m0"}}},
		Budget: &events.BudgetSettings{SessionMicroDollars: 5_000_000}}})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("settings")
	p.click("summary", "Change the tiers")
	set := func(name, text string) {
		t.Helper()
		field, err := p.Element(`[name="` + name + `"]`)
		require.NoError(t, err, p.text())
		require.NoError(t, field.SelectAllText())
		require.NoError(t, field.Input(text))
	}
	value := func(name string) string {
		got, err := p.Eval(`name => document.querySelector("[name='" + name + "']").value`, name)
		require.NoError(t, err)
		return got.Value.Str()
	}
	set("tier2_models", "m1\n m2 \n")
	set("tier2_temperature", "0.5")
	require.Contains(t, p.names("textbox", 1), "models of tier 2")
	p.click("button", "Change 2 fields")
	p.has("2 fields changed.")
	temperature := 0.5
	require.Equal(t, []events.TierChanged{{Tier: 2, Models: []string{"m1", "m2"}},
		{Tier: 2, Temperature: &temperature}}, recorded[events.TierChanged](f))
	p.await(`() => document.querySelector("[name=tier2_models]").value === "m1\nm2"`)
	p.await(`() => document.querySelector("table[aria-label=Tiers]").innerText.includes("m1, m2")`)

	set("tier2_temperature", "3")
	p.click("button", "Change$")
	p.has("temperature of tier 2: ", "temperature must be from 0 to 2, got 3")
	require.Equal(t, "3", value("tier2_temperature"), "what was refused can be mended")
	p.click("button", "Leave it")
	require.Equal(t, "0.5", value("tier2_temperature"))
	p.run(`name => { const at = document.querySelector("[name=tier2_persona]")
		at.value = name; at.dispatchEvent(new Event("change", {bubbles: true})) }`, aRoster().Personas[0].Name)
	p.click("button", "Change$")
	p.has("Changed.")
	last := recorded[events.TierChanged](f)
	require.Equal(t, aRoster().Personas[0].Name, *last[len(last)-1].Persona)

	p.click("summary", "Change how the session works")
	p.await(`() => document.querySelector("form[aria-label='Change how the session works'] [name=review]") !== null`)
	p.run(`() => document.querySelector("[name=review]").click()`)
	p.run(`() => document.querySelector("form[aria-label='Change how the session works'] button").click()`)
	changed := f.expect("SettingsChanged", anyEvent).Payload.(events.SettingsChanged)
	require.True(t, *changed.Review)

	p.fill("New limit of the session in dollars", "5")
	p.has("A limit can only be raised: write more than $5.00.")
	require.Empty(t, recorded[events.BudgetRaiseRequested](f))
	p.fill("New limit of the session in dollars", ".5")
	p.click("button", "Raise")
	require.Equal(t, events.BudgetRaiseRequested{Budget: events.BudgetSession, LimitMicroDollars: 5_500_000},
		f.expect("BudgetRaiseRequested", anyEvent).Payload)
	p.run(`to => { location.hash = to }`, "#/s/"+session+"/settings?at=1")
	p.has("This is the session as it was at 1.")
	p.await(`() => !document.querySelector("form")`)
	require.NotContains(t, p.text(), "Change the tiers", "the past takes no change")
}
