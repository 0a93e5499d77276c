package llm

import (
	"encoding/json"
	"slices"

	"manualslop/events"
)

// Assemble builds the provider-neutral request from a manifest. It sets Messages and Tools; the
// caller sets Model and Params. Consecutive parts of one role become one message, except that each
// assistant part is a reply of its own unless it is an entry of a discussion. User text that
// follows results, or a reply without text, is put into the message of the results, because as a
// separate message it can cause empty replies. The bytes after each part are checked against its
// digest and size.
//
// It returns an [*Error] of kind invalid_request if the manifest is not a well-formed conversation
// or the bytes do not match, and of kind context_too_long if the prompt has more than MaxPrompt
// bytes. Errors of resolve are wrapped.
func Assemble(manifest []events.Part, tools []events.ToolOffer, resolve Resolve) (Request, error) {
	r, err := (&assembler{}).extend(manifest, resolve)
	if err != nil {
		return Request{}, err
	}
	for _, t := range tools {
		r.Tools = append(r.Tools, toolOf(t))
	}
	return r, nil
}

// assembler holds the start of a prompt, up to the point where the next prompt continues.
type assembler struct {
	resolve   Resolve
	parts     int // added so far
	messages  []Message
	open      []Call // calls of the last assistant message without a result yet
	size      int    // bytes of the texts
	pictures  int    // number of images
	images    int    // bytes of the images
	refreshed bool
	sum       events.ManifestSum // of the parts
	wire      *wireSum           // covers all messages but the last
	turn      int                // when it was kept, see [Record]
}

// extend adds parts to those added before and returns the request for all of them. A trailing
// block of changed files is not added, because it is not part of the next prompt. After an error
// the assembler is unusable.
func (a *assembler) extend(parts []events.Part, resolve Resolve) (Request, error) {
	a.resolve = resolve
	from, said := a.parts, len(parts)
	if said > 0 && parts[said-1].Kind == events.PartRefresh {
		said--
	}
	for i := range said {
		if err := a.add(from+i, parts[i]); err != nil {
			return Request{}, err
		}
		a.parts++
	}
	whole := *a
	whole.messages = slices.Clone(a.messages)
	if n := len(whole.messages); n > 0 {
		whole.messages[n-1].Blocks = slices.Clip(whole.messages[n-1].Blocks)
	}
	for i := said; i < len(parts); i++ {
		if err := whole.add(from+i, parts[i]); err != nil {
			return Request{}, err
		}
	}
	if err := whole.complete(from + len(parts)); err != nil {
		return Request{}, err
	}
	if a.wire == nil {
		a.wire = &wireSum{}
	}
	return Request{Messages: whole.messages, begun: a.wire, final: max(0, len(a.messages)-1)}, nil
}

func (a *assembler) add(i int, p events.Part) error {
	if a.refreshed {
		return refuse(i, "follows the block of changed files, which must be the last part")
	}
	got, err := read(i, p, a.resolve)
	if err != nil {
		return err
	}
	a.size += got.size()
	if a.size > MaxPrompt {
		return failure(events.ModelContextTooLong, "the prompt is over %d bytes", MaxPrompt)
	}
	if got.image != nil {
		a.pictures, a.images = a.pictures+1, a.images+len(got.image.Data)
	}
	if a.pictures > MaxImages || a.images > MaxImageBytes {
		return Unsendable("a prompt can have up to %d images of %d bytes in total; remove some", MaxImages, MaxImageBytes)
	}
	if p.Role != RoleTool && p.Kind != events.PartRefresh && len(a.open) > 0 {
		return refuse(i, "comes before the result of call %s", a.open[0].ID)
	}
	return a.place(i, p, got)
}

func (a *assembler) place(i int, p events.Part, got content) error {
	switch {
	case p.Kind == events.PartRefresh:
		return a.refresh(i, got)
	case p.Kind == events.PartImage:
		return a.image(i, p, got)
	case p.Kind != "" && p.Kind != events.PartEntry:
		return refuse(i, "is of the unknown kind %q", p.Kind)
	case p.Role == RoleSystem:
		if len(a.messages) > 0 && a.last().Role != RoleSystem {
			return refuse(i, "is a system part after the conversation")
		}
		a.text(RoleSystem, got.text)
	case p.Role == RoleUser && len(a.messages) > 0 && a.last().Role == RoleTool:
		a.text(RoleTool, got.text)
	case p.Role == RoleUser:
		a.text(RoleUser, got.text)
	case p.Role == RoleAssistant && p.Kind == events.PartEntry:
		a.text(RoleAssistant, got.text)
	case p.Role == RoleAssistant:
		return a.assistant(i, got)
	case p.Role == RoleTool:
		return a.result(i, p, got)
	default:
		return refuse(i, "has the unknown role %q", p.Role)
	}
	return nil
}

func (a *assembler) last() *Message { return &a.messages[len(a.messages)-1] }

// put adds a block to the last message if that has the same role, else to a new one.
func (a *assembler) put(role string, b Block) {
	if len(a.messages) == 0 || a.last().Role != role {
		a.messages = append(a.messages, Message{Role: role})
	}
	m := a.last()
	m.Blocks = append(m.Blocks, b)
}

// text adds text. It skips empty text, which no vendor accepts.
func (a *assembler) text(role, s string) {
	if s != "" {
		a.put(role, Text(s))
	}
}

// image adds an image after its heading.
func (a *assembler) image(i int, p events.Part, got content) error {
	if p.Role != RoleUser || got.image == nil || len(a.messages) > 0 && a.last().Role == RoleTool {
		return refuse(i, "must be an image with bytes, from the user and not after results")
	}
	a.text(RoleUser, got.text)
	a.put(RoleUser, *got.image)
	return nil
}

func (a *assembler) assistant(i int, got content) error {
	m := Message{Role: RoleAssistant}
	if len(got.raw) > 0 {
		var o Opaque
		if err := json.Unmarshal(got.raw, &o); err != nil || o.Origin == "" {
			return refuse(i, "has an opaque block without an origin")
		}
		m.Blocks = append(m.Blocks, o)
	}
	if got.text != "" {
		m.Blocks = append(m.Blocks, Text(got.text))
	}
	for _, c := range got.calls {
		call := Call{ID: c.ID, Name: c.Name, Args: c.Args}
		if c.ID == "" || slices.ContainsFunc(a.open, func(o Call) bool { return o.ID == c.ID }) {
			return refuse(i, "has a call without a unique id")
		}
		a.open = append(a.open, call)
		m.Blocks = append(m.Blocks, call)
	}
	if len(m.Blocks) > 0 {
		a.messages = append(a.messages, m)
	}
	return nil
}

func (a *assembler) result(i int, p events.Part, got content) error {
	at := slices.IndexFunc(a.open, func(c Call) bool { return c.ID == p.Call })
	if at < 0 {
		return refuse(i, "answers call %q, which is not waiting for a result", p.Call)
	}
	a.put(RoleTool, Result{Call: p.Call, Name: a.open[at].Name, Text: got.text, Failed: p.Failed})
	a.open = slices.Delete(a.open, at, at+1)
	return nil
}

// refresh appends the block of changed files to the previous message, after its last result. If
// the assistant spoke last, the block becomes a message of its own.
func (a *assembler) refresh(i int, got content) error {
	if len(a.open) > 0 {
		return refuse(i, "comes before the result of call %s", a.open[0].ID)
	}
	a.refreshed = true
	role := RoleUser
	if len(a.messages) > 0 && a.last().Role == RoleTool {
		role = RoleTool
	}
	if got.text != "" {
		a.text(role, got.text)
		a.last().Refreshed = true
	}
	return nil
}

// complete checks that a model can answer the prompt; i is the number of parts.
func (a *assembler) complete(i int) error {
	switch {
	case len(a.open) > 0:
		return Unsendable("the prompt of %d parts ends before the result of call %s", i, a.open[0].ID)
	case len(a.messages) == 0 || a.last().Role == RoleSystem:
		return Unsendable("the prompt of %d parts has no question", i)
	case a.last().Role == RoleAssistant:
		return Unsendable("the prompt of %d parts ends with a text of the assistant", i)
	}
	return nil
}
