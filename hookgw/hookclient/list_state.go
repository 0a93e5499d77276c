package hookclient

import (
	"context"
)

func stateMethods() []Method {
	return []Method{
		{"get_status", "Checks whether the gateway " +
			"answers.", nil, func(ctx context.Context, c *Client, _ arguments) (any,
			error) {
			return c.GetStatus(ctx)
		}},
		{"get_project", "Reads the project's configuration.", nil, func(ctx context.Context, c *Client, _ arguments) (any,
			error) {
			return c.GetProject(ctx)
		}},
		{"post_project", "Merges tables into the project's configuration; null removes a key.",
			[]Parameter{{Name: "project", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.PostProject(ctx, a.object(0))
			}},
		{"get_timeline", "Reads the timeline, one row per event.",
			[]Parameter{optional(Parameter{Name: "since", Kind: KindSequence})},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.GetTimeline(ctx, a.sequence(0))
			}},
		{"get_session", "Reads the entries of the discussion.", nil, func(ctx context.Context, c *Client, _ arguments) (any,
			error) {
			return c.GetSession(ctx)
		}},
		{"post_session", "Replaces the entries of the discussion.", []Parameter{{Name: "entries", Kind: KindJSON}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.PostSession(ctx, a.at(0))
			}},
		{"get_mma_status", "Reads the state of the tiers, tracks, tickets, streams and gates.", nil, func(ctx context.Context,
			c *Client, _ arguments) (any, error) {
			return c.GetMMAStatus(ctx)
		}},
		{"get_gui_diagnostics", "Reads the indicators thinking, live and prior.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetDiagnostics(ctx)
		}},
		{"get_events", "Removes all events from the queue and returns them.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetEvents(ctx)
		}},
		{"get_indicator_state", "Reports whether an indicator is shown.", []Parameter{text("tag")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.GetIndicatorState(ctx, a.text(0))
			}},
		{"get_node_status", "Reads the status of a node of the graph.", []Parameter{text("node_tag")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				status, known, err := c.GetNodeStatus(ctx, a.text(0))
				return orNull(status, known), err
			}},
	}
}

// orNull returns a string, or nil if it is empty.
func orNull(s string, known bool) any {
	if !known {
		return nil
	}
	return s
}

func guiMethods() []Method {
	item := text("item")
	return []Method{
		{"get_value", "Reads a field.", []Parameter{item}, func(ctx context.Context, c *Client, a arguments) (any, error) {
			return c.GetValue(ctx, a.text(0))
		}},
		{"get_text_value", "Reads a field as text.", []Parameter{text("item_tag")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				value, known, err := c.GetTextValue(ctx, a.text(0))
				return orNull(value, known), err
			}},
		{"get_gui_state", "Reads every gettable field.", nil, func(ctx context.Context, c *Client, _ arguments) (any, error) {
			return c.GetGUIState(ctx)
		}},
		{"get_gui", "Lists the fields, buttons and callbacks, with their current " +
			"values.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetGUI(ctx)
		}},
		{"post_gui", "Queues a raw task.", []Parameter{{Name: "gui_data", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.PostGUI(ctx, a.object(0))
			}},
		{"set_value", "Sets a field; the value is JSON, or text if it is not valid JSON.",
			[]Parameter{item, {Name: "value", Kind: KindJSON}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SetValue(ctx, a.text(0), a.at(1))
			}},
		{"click", "Presses a button.", []Parameter{item, {Name: "user_data", Kind: KindJSON, Optional: true, Many: true}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.Click(ctx, a.text(0), a.rest(1)...)
			}},
		{"select_tab", "Selects a tab of a tab bar.", []Parameter{text("tab_bar"), text("tab")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SelectTab(ctx, a.text(0), a.text(1))
			}},
		{"select_list_item", "Selects an item of a list box.", []Parameter{text("listbox"), text("item_value")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.SelectListItem(ctx, a.text(0), a.text(1))
			}},
		{"custom_callback", "Calls a function of the gateway's registry.", []Parameter{text("callback"),
			{Name: "args", Kind: KindJSON, Optional: true, Many: true}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.CustomCallback(ctx, a.text(0), a.rest(1)...)
			}},
		{"push_event", "Adds an event to the queue.", []Parameter{text("event_type"),
			optional(Parameter{Name: "payload", Kind: KindJSON})},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.PushEvent(ctx, a.text(0), a.at(1))
			}},
		{"reset_session", "Starts over in a new session.", nil, func(ctx context.Context, c *Client, _ arguments) (any,
			error) {
			return nil, c.ResetSession(ctx)
		}},
	}
}

func pollMethods() []Method {
	timeout := optional(Parameter{Name: "timeout", Kind: KindSeconds})
	return []Method{
		{"wait_for_server", "Waits until the gateway answers (default timeout 3 s).", []Parameter{timeout},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return true, c.WaitForServer(ctx, a.duration(0))
			}},
		{"wait_for_event", "Reads the queue until an event of the given type comes (default timeout 5 " +
			"s).", []Parameter{text("event_type"), timeout},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.WaitForEvent(ctx, a.text(0), a.duration(1))
			}},
		{"wait_for_value", "Waits until a field has the given value (default timeout 5 s).", []Parameter{text("item"),
			{Name: "expected", Kind: KindJSON}, timeout},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return true, c.WaitForValue(ctx, a.text(0), a.at(1), a.duration(2))
			}},
		{"wait_for_project_switch", "Waits until no project switch is in progress (default timeout 5 " +
			"s).", []Parameter{timeout},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.WaitForProjectSwitch(ctx, a.duration(0))
			}},
	}
}
