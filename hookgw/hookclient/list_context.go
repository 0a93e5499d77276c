package hookclient

import "context"

func contextMethods() []Method {
	path, discard := text("path"), optional(Parameter{Name: "discard", Kind: KindBool})
	return []Method{
		{"get_context_state", "Reads what models may be shown of the project.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetContextState(ctx)
		}},
		{"inject_context", "Puts a view of a file into the discussion: full, skeleton, outline, summary, tree.",
			[]Parameter{path, optional(text("mode"))},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.InjectContext(ctx, a.text(0), a.text(1))
			}},
		{"add_slice", `Records lines of a file, such as {"path": "a.py", "start_line": 3, "end_line": 9}, in the project or in "preset".`, []Parameter{{Name: "slice", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				spec, err := specOf[SliceSpec](a.object(0), `{"path", "start_line", "end_line"} and, if you like, name and preset`)
				if err != nil {
					return nil, err
				}
				return c.AddSlice(ctx, spec)
			}},
		{"get_project_switch_status", "Reads how a switch to another project stands.", nil, func(ctx context.Context,
			c *Client, _ arguments) (any, error) {
			return c.GetProjectSwitchStatus(ctx)
		}},
		{"switch_project", "Goes over to another project document.", []Parameter{path, discard},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SwitchProject(ctx, a.text(0), a.yes(1))
			}},
		{"load_project", "Loads a project document, or the present one again.", []Parameter{optional(path), discard},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.LoadProject(ctx, a.text(0), a.yes(1))
			}},
		{"save_project", "Writes the project document to a file, else to its own.", []Parameter{optional(path),
			optional(Parameter{Name: "force", Kind: KindBool})},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SaveProject(ctx, a.text(0), a.yes(1))
			}},
	}
}
