package hookclient

import "context"

func contextMethods() []Method {
	path, discard := text("path"), optional(Parameter{Name: "discard", Kind: KindBool})
	after := optional(Parameter{Name: "after", Kind: KindSequence})
	return []Method{
		{"get_context_state", "Reads which parts of the project models may " +
			"see.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetContextState(ctx)
		}},
		{"get_context_preview", "Reads the context that a model would get if text were sent now, or the last one " +
			"sent for a ticket or turn.",
			[]Parameter{optional(text("text")), optional(text("ticket"))}, func(ctx context.Context, c *Client,
				a arguments) (any, error) {
				return c.GetContextPreview(ctx, a.text(0), a.text(1))
			}},
		{"inject_context", "Adds a view of a file to the discussion: full, skeleton, outline, summary or tree.",
			[]Parameter{path, optional(text("mode"))},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.InjectContext(ctx, a.text(0), a.text(1))
			}},
		{"add_slice", `Records lines of a file, such as {"path": "a.py", "start_line": 3, "end_line": 9}, in the project or in "preset".`, []Parameter{{Name: "slice", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				spec, err := specOf[SliceSpec](a.object(0), `{"path", "start_line", "end_line"} and, optionally, name and preset`)
				if err != nil {
					return nil, err
				}
				return c.AddSlice(ctx, spec)
			}},
		{"get_curation", "Lists the user's changes to discussions, context and project, and which of them can be " +
			"undone or redone.",
			nil, func(ctx context.Context, c *Client, _ arguments) (any, error) { return c.Curation(ctx) }},
		{"undo_curation", "Undoes the user's newest change, if the history is still at the position in after.",
			[]Parameter{after}, func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.UndoCuration(ctx, a.sequence(0))
			}},
		{"redo_curation", "Redoes the last undone change, if the history is still at the position in after.",
			[]Parameter{after}, func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.RedoCuration(ctx, a.sequence(0))
			}},
		{"get_project_switch_status", "Reads the state of a switch to another project.", nil, func(ctx context.Context,
			c *Client, _ arguments) (any, error) {
			return c.GetProjectSwitchStatus(ctx)
		}},
		{"switch_project", "Switches to another project document.", []Parameter{path, discard},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SwitchProject(ctx, a.text(0), a.yes(1))
			}},
		{"load_project", "Loads a project document, or the current one again.", []Parameter{optional(path), discard},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.LoadProject(ctx, a.text(0), a.yes(1))
			}},
		{"save_project", "Writes the project document to the given file, or to its own.", []Parameter{optional(path),
			optional(Parameter{Name: "force", Kind: KindBool})},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SaveProject(ctx, a.text(0), a.yes(1))
			}},
	}
}
