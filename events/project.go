package events

import "encoding/json"

// ProjectSwitchRequested asks to switch to a project document. A gateway
// answers with ProjectLoaded or ProjectSwitchFailed; after a crash in between
// it answers when it restarts.
type ProjectSwitchRequested struct {
	Path string `json:"path"` // of the document, relative to the project folder
}

// EventType returns the type name and version.
func (ProjectSwitchRequested) EventType() Type { return Type{"ProjectSwitchRequested", 1} }

// ProjectLoaded records the content of a project document, which is the
// session's project from then on.
type ProjectLoaded struct {
	// the switch that caused it; empty if it was taken over from another session
	Request  string          `json:"request,omitempty"`
	Path     string          `json:"path"`
	SHA256   string          `json:"sha256"` // of the file; a save expects it to be unchanged
	Size     int64           `json:"size"`
	Document json.RawMessage `json:"document"`          // the file's tables as JSON, masked
	Ignored  []string        `json:"ignored,omitempty"` // keys without effect, each with the reason
}

// EventType returns the type name and version.
func (ProjectLoaded) EventType() Type { return Type{"ProjectLoaded", 1} }

// EventCorr returns the switch.
func (e ProjectLoaded) EventCorr() string { return e.Request }

// ProjectSwitchFailed says that the document of a switch could not be loaded;
// the project stays the same.
type ProjectSwitchFailed struct {
	Request string `json:"request"`
	Path    string `json:"path"`
	Error   string `json:"error"`
}

// EventType returns the type name and version.
func (ProjectSwitchFailed) EventType() Type { return Type{"ProjectSwitchFailed", 1} }

// EventCorr returns the switch.
func (e ProjectSwitchFailed) EventCorr() string { return e.Request }

// ProjectEdited changes the project document as defined in RFC 7386: objects are merged key by
// key, null removes a key, and everything else replaces the old value.
type ProjectEdited struct {
	Changes json.RawMessage `json:"changes"`
	Ignored []string        `json:"ignored,omitempty"` // keys of the changes that have no effect
	// After, from version 2 on, is the sequence of the load or edit on which the changes are
	// based. The changes have no effect after a later one, and may only concern the table files.
	// Without After, the changes apply to any document.
	After *uint64 `json:"after,omitempty"`
}

// EventType returns the type name and version.
func (ProjectEdited) EventType() Type { return Type{"ProjectEdited", 2} }

// ProjectSaved says that the document was written to its file.
type ProjectSaved struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	Through uint64 `json:"through"` // the newest edit or load that the file contains
}

// EventType returns the type name and version.
func (ProjectSaved) EventType() Type { return Type{"ProjectSaved", 1} }

func projectDefs() []Def {
	return []Def{
		Define(Command, "person", "A person switches to another project "+
			"document.", ProjectSwitchRequested{"slop_project.toml"}),
		Define(Outcome, "gateway", "A project document was loaded.", ProjectLoaded{
			Request: "01J", Path: "slop_project.toml", SHA256: "ab", Size: 24,
			Document: json.RawMessage(`{"project":{"name":"demo"}}`),
			Ignored:  []string{"gemini_cli.binary_path: a project starts no program"}}),
		Define(Outcome, "gateway", "A project document could not be loaded.", ProjectSwitchFailed{"01J", "gone.toml",
			"there is no such file"}),
		Define(Command, "person", "The project document was changed.",
			ProjectEdited{Changes: json.RawMessage(`{"files":{"paths":["a.py"]}}`), After: new(uint64(7))}, optional),
		Define(Outcome, "gateway", "The project document was written to its file.", ProjectSaved{"slop_project.toml", "cd",
			25, 7}),
	}
}

// projectPrompt returns the key project.system_prompt of a project document after changes as
// defined in RFC 7386. A value that is not a string or is longer than MaxSystemPrompt counts as
// missing.
func projectPrompt(was string, changes json.RawMessage) string {
	var document map[string]json.RawMessage
	if json.Unmarshal(changes, &document) != nil {
		return was
	}
	project, given := document["project"]
	if !given {
		return was
	}
	var table map[string]json.RawMessage
	if json.Unmarshal(project, &table) != nil || table == nil {
		return "" // null, or no longer a table
	}
	raw, given := table["system_prompt"]
	if !given {
		return was
	}
	var text string
	if json.Unmarshal(raw, &text) != nil || checkPrompt(text) != nil {
		return ""
	}
	return text
}
