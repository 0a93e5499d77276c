package hookclient

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"manualslop/hookgw/wire"
)

// GetValue reads a field. It returns nil if the field does not exist.
func (c *Client) GetValue(ctx context.Context, item string) (any, error) {
	var out struct {
		Value any `json:"value"`
	}
	err := c.get(ctx, "/api/gui/value/"+url.PathEscape(item), nil, &out)
	return out.Value, err
}

// GetTextValue reads a field as text: a string as it is, anything else as JSON. It returns false for null.
func (c *Client) GetTextValue(ctx context.Context, itemTag string) (string, bool, error) {
	v, err := c.GetValue(ctx, itemTag)
	if err != nil || v == nil {
		return "", false, err
	}
	if text, ok := v.(string); ok {
		return text, true, nil
	}
	raw, err := json.Marshal(v)
	return string(raw), true, err
}

// GetNodeStatus returns the status of a node of the graph: the value of its tag, or else the indicator of that name
// as "active" or "inactive", as in Manual Slop. It returns false if neither exists.
func (c *Client) GetNodeStatus(ctx context.Context, nodeTag string) (string, bool, error) {
	if text, ok, err := c.GetTextValue(ctx, nodeTag); ok || err != nil {
		return text, ok, err
	}
	var shown map[string]bool
	if err := c.get(ctx, "/api/gui/diagnostics", nil, &shown); err != nil {
		return "", false, err
	}
	on, ok := shown[indicator(nodeTag)]
	switch {
	case !ok:
		return "", false, nil
	case on:
		return "active", true, nil
	}
	return "inactive", true, nil
}

// GetGUIState reads every gettable field by name.
func (c *Client) GetGUIState(ctx context.Context) (map[string]any, error) {
	return read[map[string]any](ctx, c, "/api/gui/state", nil)
}

// GUI lists the fields, buttons and callbacks, with their current values.
type GUI = wire.GUIPage

// GUIField is a field.
type GUIField = wire.GUIField

// GUIButton is a button and its action.
type GUIButton = wire.GUIButton

// GUICallback is a name that CustomCallback accepts.
type GUICallback = wire.GUICallback

// GetGUI reads the fields, buttons and callbacks, with their current values.
func (c *Client) GetGUI(ctx context.Context) (GUI, error) {
	return read[GUI](ctx, c, "/api/gui", nil)
}

// PostGUI queues a raw task.
func (c *Client) PostGUI(ctx context.Context, task map[string]any) error {
	return c.post(ctx, "/api/gui", task, nil)
}

// SetValue sets a field. An unknown field is queued as in Manual Slop; a gui_task_failed event then reports it.
func (c *Client) SetValue(ctx context.Context, item string, value any) error {
	return c.PostGUI(ctx, map[string]any{"action": "set_value", "item": item, "value": value})
}

// Click presses a button. It takes at most one userData, such as the id of a ticket or an ask.
func (c *Client) Click(ctx context.Context, item string, userData ...any) error {
	task := map[string]any{"action": "click", "item": item}
	switch len(userData) {
	case 0:
	case 1:
		task["user_data"] = userData[0]
	default:
		task["user_data"] = userData
	}
	return c.PostGUI(ctx, task)
}

// SelectTab selects a tab of a tab bar.
func (c *Client) SelectTab(ctx context.Context, tabBar, tab string) error {
	return c.PostGUI(ctx, map[string]any{"action": "select_tab", "tab_bar": tabBar, "tab": tab})
}

// SelectListItem selects an item of a list box.
func (c *Client) SelectListItem(ctx context.Context, listbox, itemValue string) error {
	return c.PostGUI(ctx, map[string]any{"action": "select_list_item", "listbox": listbox, "item_value": itemValue})
}

// CustomCallback calls a function of the gateway's registry by name.
func (c *Client) CustomCallback(ctx context.Context, callback string, args ...any) error {
	return c.PostGUI(ctx, map[string]any{"action": "custom_callback", "callback": callback, "args": args})
}

// PushEvent adds an event to the queue.
func (c *Client) PushEvent(ctx context.Context, eventType string, payload any) error {
	return c.PostGUI(ctx, map[string]any{"action": "push_event", "event_type": eventType, "payload": payload})
}

// ResetSession presses the reset button: a new session replaces the current one.
func (c *Client) ResetSession(ctx context.Context) error { return c.Click(ctx, "btn_reset_session") }

// indicator returns a name of the diagnostics without the prefixes and suffixes of the GUI's tags.
func indicator(tag string) string { return strings.TrimSuffix(tag, "_indicator") }
