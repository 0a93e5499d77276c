package hookclient

import "context"

func changeMethods() []Method {
	return []Method{
		{"undo", "Restores the earlier content of files: {\"call\": ID}, {\"ticket\": ID} or {\"to_seq\": N}.",
			[]Parameter{{Name: "what", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				what, err := specOf[UndoSpec](a.object(0), `{"call": ID}, {"ticket": ID} or {"to_seq": N}`)
				if err != nil {
					return nil, err
				}
				return c.Undo(ctx, what)
			}},
		{"request_patch", "Has tier 4 propose a patch for a shell call that failed.", []Parameter{text("call")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.RequestPatch(ctx, a.text(0))
			}},
		{"raise_budget", "Sets a higher limit, in micro-dollars, for the session or a ticket.",
			[]Parameter{{Name: "limit", Kind: KindMicroDollars}, optional(text("ticket"))},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.RaiseBudget(ctx, a.microDollars(0), a.text(1))
			}},
	}
}
