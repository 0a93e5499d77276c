package projections

import (
	"encoding/json"

	"manualslop/events"
)

// guiProjectFields are those of the original's panels of project and files.
// Setting one changes the project document, which btn_project_save writes.
func guiProjectFields() []GUIField {
	return []GUIField{
		{Name: "project_path", Type: FieldText, Doc: "Path of the project document, relative to the project folder; " +
			"setting it goes over to that document.",
			Read: func(g *GUISources) any { return g.Document().Path },
			Say:  owned(func(path string) events.Payload { return events.ProjectSwitchRequested{Path: path} })},
		{Name: "project_changed", Type: FieldBool, Doc: "Whether the project document has edits that are not in its file.",
			Read: func(g *GUISources) any { return g.Document().Changed }},
		projectField("project_name", FieldText, "project", "name", "Name of the project."),
		projectField("project_git_dir", FieldText, "project", "git_dir", "Folder of the project's repository."),
		projectField("project_system_prompt", FieldText, "project", "system_prompt", "What the project says to every model "+
			"in the conversations that begin from now on, at most 16 KiB; it ranks below the person's words."),
		projectField("project_main_context", FieldText, "project", "main_context",
			"File with the project's main context, kept for a front end; models are shown AGENTS.md and CLAUDE.md."),
		projectField("output_dir", FieldText, "output", "output_dir", "Folder for what a front end writes.",
			"project_output_dir"),
		projectField("files_base_dir", FieldText, "files", "base_dir", "Folder below which files_paths are looked for.",
			"project_files_base_dir"),
		projectField("files_paths", FieldList, "files", "paths", "Tracked files and patterns, which every refresh rereads.",
			"project_files_paths", "file_paths"),
		projectField("screenshots_base_dir", FieldText, "screenshots", "base_dir",
			"Folder below which screenshots_paths are looked for.", "shots_base_dir"),
		projectField("screenshots_paths", FieldList, "screenshots", "paths", "The screenshots of the project.",
			"screenshot_paths"),
		{Name: "active_discussion", Aliases: []string{"discussion"}, Type: FieldText,
			Doc:  "The discussion to which new entries go.",
			Read: func(g *GUISources) any { return g.ActiveDiscussion() },
			Say:  owned(func(name string) events.Payload { return events.DiscussionSwitched{Name: name} })},
		{Name: "disc_roles", Aliases: []string{"discussion_roles"}, Type: FieldList,
			Doc:  "The roles that entries of the discussion may have.",
			Read: func(g *GUISources) any { return g.DiscussionRoles() },
			Say:  owned(func(roles []string) events.Payload { return events.DiscussionRolesSet{Roles: roles} })},
	}
}

// projectField is a key of a table of the project document.
func projectField(name string, typ FieldType, table, key, doc string, aliases ...string) GUIField {
	empty := map[FieldType]any{FieldText: "", FieldList: []any{}}[typ]
	return GUIField{Name: name, Aliases: aliases, Type: typ, Doc: doc,
		Read: func(g *GUISources) any {
			if v, ok := tableOf(g.Document().Document, table)[key]; ok {
				return v
			}
			return empty
		},
		Say: owned(func(v json.RawMessage) events.Payload {
			return events.ProjectEdited{Changes: json.RawMessage(`{"` + table + `":{"` + key + `":` + string(v) + `}}`)}
		})}
}
