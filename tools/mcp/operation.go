package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
	"manualslop/tools"
)

// Methods of the protocol that are pinned, offered and called like tools; see [Pin.Operation].
const (
	ListResources = "resources/list"
	ListTemplates = "resources/templates/list"
	ReadResource  = "resources/read"
	Subscribe     = "resources/subscribe"
	Unsubscribe   = "resources/unsubscribe"
	ListPrompts   = "prompts/list"
	GetPrompt     = "prompts/get"
	Complete      = "completion/complete"
)

// Limits of what operations return and hold.
const (
	maxItems         = 1000 // entries of a list
	maxPages         = 200  // pages of a list
	maxListed        = 1 << 20
	maxArguments     = 100 // of a prompt
	maxValues        = 100 // of a completion
	maxSubscriptions = 256 // resources of one server
)

// operation is a request that is called like a tool.
type operation struct {
	method, about string
	effect        tools.Effect
	properties    string // of the schema of its arguments
	required      string
	has           func(*sdk.ServerCapabilities) bool
	run           func(context.Context, *connection, sdk.Meta, json.RawMessage) (tools.Result, error)
}

func hasResources(c *sdk.ServerCapabilities) bool { return c.Resources != nil }
func hasSubscriptions(c *sdk.ServerCapabilities) bool {
	return c.Resources != nil && c.Resources.Subscribe
}
func hasPrompts(c *sdk.ServerCapabilities) bool     { return c.Prompts != nil }
func hasCompletions(c *sdk.ServerCapabilities) bool { return c.Completions != nil }

// operations returns all operations. What sends nothing of the caller to the server only reads; the others can
// carry anything there, so they ask like tools.
func operations() []operation {
	const uri = `"uri":{"type":"string","maxLength":1000}`
	return []operation{
		{ListResources, "Lists the resources of the server.", tools.Reads, "", "", hasResources, listResources},
		{ListTemplates, "Lists the URI templates of the server's resources.", tools.Reads, "", "", hasResources,
			listTemplates},
		{ReadResource, "Reads a resource of the server.", tools.Executes, uri, `"uri"`, hasResources, readResource},
		{Subscribe, "Asks the server to report changes of a resource to MCP clients. Models are not told about changes.",
			tools.Executes, uri, `"uri"`, hasSubscriptions, subscribe},
		{Unsubscribe, "Ends a subscription to a resource.", tools.Reads, uri, `"uri"`, hasSubscriptions, unsubscribe},
		{ListPrompts, "Lists the prompts of the server and their arguments.", tools.Reads, "", "", hasPrompts, listPrompts},
		{GetPrompt, "Returns the messages of a prompt of the server.", tools.Executes,
			`"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}`, `"name"`,
			hasPrompts, getPrompt},
		{Complete, "Returns possible values for an argument of a prompt or of a URI template.", tools.Executes,
			`"ref":{"type":"object"},"argument":{"type":"object","properties":{"name":{"type":"string"},` +
				`"value":{"type":"string"}},"required":["name","value"]},"context":{"type":"object"}`,
			`"ref","argument"`, hasCompletions, complete},
	}
}

// pin returns the pin of the operation.
func (o operation) pin() (Pin, error) {
	sum, err := digest(map[string]any{"operation": o.method})
	schema := `{"type":"object","properties":{` + o.properties + `},"required":[` + o.required +
		`],"additionalProperties":false}`
	return Pin{Name: o.method, Description: o.about, Operation: true, SHA256: sum, Schema: json.RawMessage(schema)}, err
}

// effectOf returns what a call of a pinned tool or operation may do.
func effectOf(p Pin) tools.Effect {
	if p.Operation {
		for _, o := range operations() {
			if o.method == p.Name {
				return o.effect
			}
		}
	}
	return tools.Executes
}

// operationPins returns the pins of the operations that a server declares.
func operationPins(has *sdk.ServerCapabilities) (out []Pin, err error) {
	if has == nil {
		return nil, nil
	}
	for _, o := range operations() {
		if !o.has(has) {
			continue
		}
		p, err := o.pin()
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// ownError is a failure of a request that leaves the connection usable.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

func refusedf(format string, args ...any) error { return ownError{fmt.Errorf(format, args...)} }

// arguments decodes the arguments of an operation.
func arguments[In any](raw json.RawMessage) (in In, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err = d.Decode(&in); err != nil {
		err = refusedf("arguments: %w", err)
	}
	return in, err
}

type resourceArgs struct {
	URI string `json:"uri"`
}

func readURI(raw json.RawMessage) (string, error) {
	in, err := arguments[resourceArgs](raw)
	if err == nil && (in.URI == "" || len(in.URI) > maxURI) {
		err = refusedf("uri: must have between 1 and %d bytes, got %d", maxURI, len(in.URI))
	}
	return in.URI, err
}

// structured returns a value as a result: its JSON is the only block, and the text.
func structured(v any) (tools.Result, error) {
	data, err := json.Marshal(v)
	if err == nil && len(data) > maxListed {
		err = refusedf("the answer must have at most %d bytes, got %d", maxListed, len(data))
	}
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Text: string(data), Content: []tools.Content{{Kind: events.ContentText, Text: string(data)}}}, nil
}

// all collects the entries of all pages. page returns the entries behind a cursor and the next cursor.
func all[T any](page func(cursor string) ([]T, string, error)) (out []T, err error) {
	cursor := ""
	for range maxPages {
		some, next, err := page(cursor)
		if err != nil {
			return nil, err
		}
		if out = append(out, some...); len(out) > maxItems {
			return nil, refusedf("the server lists more than %d entries", maxItems)
		}
		if next == "" {
			return out, nil
		}
		cursor = next
	}
	return nil, refusedf("the server's list has more than %d pages", maxPages)
}

func listResources(ctx context.Context, c *connection, meta sdk.Meta, _ json.RawMessage) (tools.Result, error) {
	listed, err := all(func(cursor string) ([]*sdk.Resource, string, error) {
		r, err := c.ListResources(ctx, &sdk.ListResourcesParams{Meta: meta, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Resources, r.NextCursor, nil
	})
	out := sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	for _, r := range listed {
		if r != nil && len(r.URI) <= maxURI {
			out.Resources = append(out.Resources, &sdk.Resource{URI: cleanText(r.URI), Name: c.of.short(r.Name, maxToolName),
				Title: c.of.short(r.Title, maxToolName), Description: c.of.short(r.Description, maxDescription),
				MIMEType: c.of.short(r.MIMEType, maxMedia), Size: r.Size, Annotations: r.Annotations})
		}
	}
	return listing(out, err)
}

func listTemplates(ctx context.Context, c *connection, meta sdk.Meta, _ json.RawMessage) (tools.Result, error) {
	listed, err := all(func(cursor string) ([]*sdk.ResourceTemplate, string, error) {
		r, err := c.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Meta: meta, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.ResourceTemplates, r.NextCursor, nil
	})
	out := sdk.ListResourceTemplatesResult{ResourceTemplates: []*sdk.ResourceTemplate{}}
	for _, t := range listed {
		if t != nil && len(t.URITemplate) <= maxURI {
			out.ResourceTemplates = append(out.ResourceTemplates, &sdk.ResourceTemplate{URITemplate: cleanText(t.URITemplate),
				Name: c.of.short(t.Name, maxToolName), Title: c.of.short(t.Title, maxToolName),
				Description: c.of.short(t.Description, maxDescription), MIMEType: c.of.short(t.MIMEType, maxMedia),
				Annotations: t.Annotations})
		}
	}
	return listing(out, err)
}

func listPrompts(ctx context.Context, c *connection, meta sdk.Meta, _ json.RawMessage) (tools.Result, error) {
	listed, err := all(func(cursor string) ([]*sdk.Prompt, string, error) {
		r, err := c.ListPrompts(ctx, &sdk.ListPromptsParams{Meta: meta, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Prompts, r.NextCursor, nil
	})
	out := sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}}
	for _, p := range listed {
		if p == nil || len(p.Name) > maxToolName || len(p.Arguments) > maxArguments {
			continue
		}
		shown := &sdk.Prompt{Name: cleanText(p.Name), Title: c.of.short(p.Title, maxToolName),
			Description: c.of.short(p.Description, maxDescription)}
		for _, a := range p.Arguments {
			if a != nil {
				shown.Arguments = append(shown.Arguments, &sdk.PromptArgument{Name: c.of.short(a.Name, maxToolName),
					Title: c.of.short(a.Title, maxToolName), Description: c.of.short(a.Description, maxDescription),
					Required: a.Required})
			}
		}
		out.Prompts = append(out.Prompts, shown)
	}
	return listing(out, err)
}

func listing(out any, err error) (tools.Result, error) {
	if err != nil {
		return tools.Result{}, err
	}
	return structured(out)
}

func readResource(ctx context.Context, c *connection, meta sdk.Meta, raw json.RawMessage) (tools.Result, error) {
	uri, err := readURI(raw)
	if err != nil {
		return tools.Result{}, err
	}
	var r *sdk.ReadResourceResult
	err = c.rounds(ctx, func(in sdk.InputResponseMap, state string) (*needed, error) {
		r, err = c.ReadResource(ctx, &sdk.ReadResourceParams{Meta: meta, URI: uri, InputResponses: in, RequestState: state})
		if err != nil || !r.NeedsInput() {
			return nil, err
		}
		return &needed{r.InputRequests, r.RequestState}, nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	var parts []sdk.Content
	for _, part := range r.Contents {
		if part != nil {
			parts = append(parts, &sdk.EmbeddedResource{Resource: part})
		}
	}
	return blocks(parts)
}

// blocks returns a result that keeps each block.
func blocks(parts []sdk.Content) (tools.Result, error) {
	if len(parts) > events.MaxContent {
		return tools.Result{}, refusedf("the answer must have at most %d parts, got %d", events.MaxContent, len(parts))
	}
	return tools.Result{Text: textOf(parts), Content: contents(parts)}, nil
}

// Prompt is the structured result of [GetPrompt]: the data that its content blocks do not contain.
type Prompt struct {
	Description string   `json:"description,omitempty"`
	Roles       []string `json:"roles"` // roles of the messages, one for each block
}

func getPrompt(ctx context.Context, c *connection, meta sdk.Meta, raw json.RawMessage) (tools.Result, error) {
	in, err := arguments[struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}](raw)
	if err != nil {
		return tools.Result{}, err
	}
	var r *sdk.GetPromptResult
	err = c.rounds(ctx, func(given sdk.InputResponseMap, state string) (*needed, error) {
		r, err = c.GetPrompt(ctx, &sdk.GetPromptParams{Meta: meta, Name: in.Name, Arguments: in.Arguments,
			InputResponses: given, RequestState: state})
		if err != nil || !r.NeedsInput() {
			return nil, err
		}
		return &needed{r.InputRequests, r.RequestState}, nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	said := Prompt{Description: c.of.short(r.Description, maxDescription), Roles: []string{}}
	var parts []sdk.Content
	var text strings.Builder
	for _, m := range r.Messages {
		if m == nil || m.Content == nil || len(contents([]sdk.Content{m.Content})) == 0 {
			continue
		}
		role := "user"
		if m.Role == "assistant" {
			role = "assistant"
		}
		said.Roles = append(said.Roles, role)
		parts = append(parts, m.Content)
		fmt.Fprintf(&text, "%s: %s", role, textOf(parts[len(parts)-1:]))
	}
	out, err := blocks(parts)
	out.Text, out.Data = text.String(), said
	return out, err
}

func complete(ctx context.Context, c *connection, meta sdk.Meta, raw json.RawMessage) (tools.Result, error) {
	in, err := arguments[sdk.CompleteParams](raw)
	if err != nil {
		return tools.Result{}, err
	}
	in.Meta = meta
	r, err := c.Complete(ctx, &in)
	if err != nil {
		return tools.Result{}, err
	}
	out := sdk.CompleteResult{Completion: sdk.CompletionResultDetails{HasMore: r.Completion.HasMore,
		Total: r.Completion.Total, Values: []string{}}}
	for _, v := range r.Completion.Values[:min(len(r.Completion.Values), maxValues)] {
		out.Completion.Values = append(out.Completion.Values, c.of.short(v, maxURI))
	}
	return structured(out)
}

func subscribe(ctx context.Context, c *connection, meta sdk.Meta, raw json.RawMessage) (tools.Result, error) {
	uri, err := readURI(raw)
	if err == nil {
		err = c.subscribe(ctx, meta, uri)
	}
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Text: "subscribed"}, nil
}

func unsubscribe(ctx context.Context, c *connection, meta sdk.Meta, raw json.RawMessage) (tools.Result, error) {
	uri, err := readURI(raw)
	if err == nil {
		err = c.Unsubscribe(ctx, &sdk.UnsubscribeParams{Meta: meta, URI: uri})
	}
	return tools.Result{Text: "unsubscribed"}, err
}

// Failure is the structured result of a call that the server answered with an error of JSON-RPC.
type Failure struct {
	Code int64           `json:"code"`
	Data json.RawMessage `json:"data,omitempty"` // at most maxDescription bytes
}

// operate calls an operation.
func operate(ctx context.Context, s Server, p Pin, args json.RawMessage, h Hooks) tools.Result {
	out, err := s.Operate(ctx, p.Name, args, h)
	if err != nil {
		out = failed(s.Definition().Name, p.Name, kindOf(ctx, err), err)
	}
	return out
}

// Operate sends the request of an operation.
func (s *session) Operate(ctx context.Context, method string, args json.RawMessage, h Hooks) (out tools.Result,
	err error) {
	i := slices.IndexFunc(operations(), func(o operation) bool { return o.method == method })
	if i < 0 {
		return out, fmt.Errorf("unknown operation %q", method)
	}
	request := func() error {
		return s.during(ctx, h, func(ctx context.Context, c *connection, meta sdk.Meta) (err error) {
			out, err = operations()[i].run(ctx, c, meta, args)
			return err
		})
	}
	uri, bad := readURI(args)
	switch {
	case bad == nil && method == Subscribe:
		return tools.Result{Text: "subscribed"}, s.follow(ctx, uri, h, request)
	case bad == nil && method == Unsubscribe && !s.unfollow(uri, h.Client):
		return tools.Result{Text: "unsubscribed"}, nil
	}
	err = request()
	return out, err
}
