package replay_test

import (
	"manualslop/events"
)

// reviewedReact lets tier 2 send the first attempt back, approve the second, and
// be unreadable about the other ticket.
func reviewedReact() func(*world, *events.Event) bool {
	reviews := 0
	return func(w *world, e *events.Event) bool {
		p, ok := e.Payload.(events.ModelRequested)
		if !ok || p.Tier != 2 || p.Ticket == "" {
			return false
		}
		switch reviews++; reviews {
		case 1:
			w.reply(e, `[{"verdict":"send_back","reasons":["there is no test"]}]`)
		case 2, 3, 4:
			w.reply(e, "fine by me")
		default:
			w.reply(e, `[{"verdict":"approve","reasons":[]}]`)
		}
		return true
	}
}

// patchedReact has a person who wants patches for every script, most of which
// fail: once there is one, then there is none, and once nothing failed.
func patchedReact() func(*world, *events.Event) bool {
	wishes := 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.AskRaised:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
			return true
		case events.ToolApproved:
			if p.Tool == "run_powershell" {
				w.settle(e, p, events.ToolFailed)
				return true
			}
		case events.ToolSettled:
			if p.Tool == "run_powershell" {
				w.say("ada", "", events.PatchRequested{Call: p.Call})
				w.say("ada", "", events.PatchRequested{Call: p.Call})
				w.say("ada", "", events.PatchRequested{Call: "nobody"})
			}
		case events.ModelRequested:
			if p.Tier != 4 || p.Ticket != "" {
				return false
			}
			if wishes++; wishes == 1 {
				w.reply(e, "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n")
			} else {
				w.reply(e, "NONE")
			}
			return true
		}
		return false
	}
}
