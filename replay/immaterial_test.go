package replay_test

// immaterial is every change of one place that folding alone does not find in
// the sessions of scenarios, because no decision in them depends on it; each
// with the reason. The chain of an exported file finds these too. No decision
// is among them: a decision that was changed, removed, put in or moved is always refused.
var immaterial = map[string]string{
	// Remarks, and what counts for nothing.
	"changed notice":    "replay does not recompute notices",
	"removed notice":    "replay does not recompute notices",
	"doubled notice":    "a restarted process may say it again",
	"repeated notice":   "replay does not recompute notices",
	"changed malformed": "it counts for nothing, whatever it says",

	// What people and programs say comes in envelopes that clients make.
	"changed topic of a command": "deciders read the body",
	"changed corr of a command":  "deciders read the body",
	"changed tier of a command":  "deciders read the body",
	"changed n of a command":     "only deciders and workers count",
	"changed actor of a command": "another person who has the same rights, and nothing quotes the name",
	"changed id of a command":    "nothing was decided on it, and nothing names it",
	"changed time of a command":  "nothing was decided on it",

	// Words and outcomes that came to nothing in these sessions.
	"removed AskPosted":                           "a program asked the same a second time",
	"repeated AskPosted":                          "the same question is asked once",
	"changed AskPosted.data.body_sha256":          "the gateway's own memory of what it was sent",
	"changed AskPosted.data.data.tool":            "a program asked the same a second time",
	"changed AskPosted.data.timeout_ms":           "a program asked the same a second time",
	"changed AskAnswered.data.decision":           "an answer that is refused either way",
	"changed AskAnswered.data.args.content":       "an answer that is refused either way",
	"changed AskAnswered.data.args.path":          "an answer that is refused either way",
	"removed EventPushed":                         "a queue of the gateway's clients",
	"repeated EventPushed":                        "a queue of the gateway's clients",
	"changed EventPushed.data.kind":               "a queue of the gateway's clients",
	"changed EventPushed.data.payload.request_id": "a queue of the gateway's clients",
	"removed StepModeSet":                         "it is on and off again before a round begins",
	"repeated StepModeSet":                        "saying it twice is saying it once",
	"changed StepModeSet.data.on":                 "it is on and off again before a round begins",
	"changed TracksAccepted.data.goal":            "an acceptance that is refused either way",
	"repeated RuleAdded":                          "the same rule twice is the same rule",
	"removed TimerFired":                          "it fired too early",
	"repeated TimerFired":                         "the first one counts",
	"changed TimerFired.data.due":                 "it fired too early, or a little later than it had to",
	"changed TimerFired.id":                       "it fired too early",
	"changed TimerFired.time":                     "it fired too early",
	"changed TimerFired.actor":                    "it counts for nothing from anybody else, and it fired too early",
	"removed SessionClosed":                       "it is the last event and nothing was open",
	"repeated SessionClosed":                      "a closed session is closed",
	"changed SessionClosed.data.reason":           "nothing was open, so nothing quotes it",
	"repeated ModelReplied":                       "the first reply counts",
	"repeated ModelFailed":                        "the first outcome of a request counts",
	"removed ToolSettled":                         "the second outcome of a call, and the worker's last event",
	"changed ToolSettled.id":                      "the second outcome of a call",
	"changed ToolSettled.time":                    "the second outcome of a call",
	"changed ToolSettled.actor": "the worker's last event: it counts for nothing from anybody else, " +
		"and it was the second outcome",
	"changed ToolSettled.data.outcome":    "the second outcome of a call",
	"changed ToolSettled.data.generation": "the second outcome of a call",
	"changed ContextBuilt.actor":          "nothing but another worker's count could show it, and this was its only event",

	// What was measured, and what only people look at.
	"changed ModelReplied.data.finish":           "a text that ends with its calls or without any is taken as it is",
	"changed ModelReplied.data.script_line":      "the model caller's own bookkeeping",
	"changed ModelReplied.data.usage.input":      "tokens are counted by read models",
	"changed ModelReplied.data.usage.output":     "tokens are counted by read models",
	"changed ModelFailed.data.message":           "another attempt follows, which does not quote it",
	"changed ToolSettled.data.duration_ms":       "measured",
	"changed ToolSettled.data.exit":              "a call that succeeded, whose exit code nobody reads",
	"changed ToolSettled.data.interpreter":       "a call that succeeded, which gets no hint",
	"changed ToolParked.data.deliveries":         "its reason is what is quoted",
	"changed PreviewBuilt.data.diff":             "that of arguments which a person edited is shown to nobody",
	"changed PreviewBuilt.data.changes[].path":   "the person is shown the diff",
	"changed PreviewBuilt.data.changes[].before": "the person is shown the diff",
	"changed PreviewBuilt.data.changes[].after":  "the person is shown the diff",

	// Files that no later prompt compares.
	"changed ContextBuilt.data.views[].path": "a prompt of tier 1 or 2 is headed by the path that was asked for",
	"changed ContextBuilt.data.views[].view": "a prompt of tier 1 or 2 is headed by the view that was asked for",
	"changed ContextBuilt.data.views[].file.path": "tiers 1 and 2 ask for no refresh, and the last round of tier 3 " +
		"neither",
	"changed ContextBuilt.data.views[].file.sha256": "tiers 1 and 2 ask for no refresh, and the last round of tier 3 " +
		"neither",
	"changed ContextBuilt.data.views[].file.size": "tiers 1 and 2 ask for no refresh, and the last round of tier 3 neither",
	"changed FilesUpdated.data.files[].path": "the diff is what the prompt shows, and no refresh follows the last " +
		"round",
	"changed FilesUpdated.data.files[].before": "the diff is what the prompt shows",
	"changed FilesUpdated.data.files[].after":  "the diff is what the prompt shows, and no refresh follows the last round",
	"changed FilesUpdated.data.files[].diff":   "a prompt that was never sent, its round was refused",
	"changed FilesUpdated.data.files[].size":   "the diff is what the prompt shows, and no refresh follows the last round",

	// Settings and tools that mattered nowhere in these sessions.
	"changed SessionOpened.data.label":                "a name for people",
	"changed SessionOpened.data.folder":               "a name for log files",
	"changed SessionOpened.data.basis.program":        "a version for people",
	"changed SessionOpened.data.basis.texts[].name":   "a text of a prompt that was never asked for",
	"changed SessionOpened.data.basis.texts[].sha256": "a text of a prompt that was never asked for",
	"changed SessionOpened.data.basis.texts[].size":   "a text of a prompt that was never asked for",
	"changed SessionOpened.data.basis.texts[].tokens": "no budget was near, or a prompt that was never " +
		"asked for",
	"changed SessionOpened.data.workspace":                 "no rule speaks about paths",
	"changed SessionOpened.data.settings.ask_timeout_ms":   "no program asked without a timeout of its own",
	"changed SessionOpened.data.settings.max_retries":      "nothing was retried as often",
	"changed SessionOpened.data.settings.max_workers":      "fewer tickets were ready at once",
	"changed SessionOpened.data.settings.tool_timeout_ms":  "no tool was approved",
	"changed SessionOpened.data.settings.tiers[].tier":     "a tier that was not asked",
	"changed SessionOpened.data.settings.tiers[].provider": "a tier that was not asked",
	"changed SessionOpened.data.settings.tiers[].models[]": "a tier that was not asked, or a step of the " +
		"ladder that was not reached",
	"changed SessionOpened.data.settings.tiers[].max_rounds": "nobody needed as many rounds",
	"removed ToolsOffered":                          "no ticket was ever planned",
	"repeated ToolsOffered":                         "the same tools again",
	"changed ToolsOffered.data.tools[].name":        "a session in which no ticket was ever planned",
	"changed ToolsOffered.data.tools[].description": "models read it, deciders do not",
	"changed ToolsOffered.data.tools[].effect": "a tool that was not called, or one that a rule " +
		"allows",
	"changed ToolsOffered.data.tools[].schema.type":                 "a tool that was not called",
	"changed ToolsOffered.data.tools[].schema.additionalProperties": "no call had more than the schema names",
	"changed ToolsOffered.data.tools[].schema.properties.content.type": "a tool that was not called, or not with that " +
		"argument",
	"changed ToolsOffered.data.tools[].schema.properties.path.type": "a tool that was not called, or not with that " +
		"argument",
	"changed ToolsOffered.data.tools[].schema.properties.script.type": "a tool that was not called, or not with that " +
		"argument",
}
