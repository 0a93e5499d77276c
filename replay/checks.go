package replay

import (
	"encoding/json"
	"fmt"

	"manualslop/events"
)

// checks holds earlier facts with which later ones must agree.
type checks struct {
	lastSeq  uint64
	ordinals map[string]uint64 // the newest n of each actor
	approved map[permit]bool   // calls with the bytes that may run
	answers  map[string]answer // by id of an event that may settle an ask
	settled  map[string]bool   // by ask: whether it was approved
	prompts  events.Prompts[events.Part]
	sums     map[string]events.ManifestSum // manifest sums of prompts
}

type permit struct{ call, digest string }

type answer struct {
	ask   string // empty for rules, which are about every ask of a tool call
	yes   bool
	rules bool
}

func newChecks() checks {
	return checks{ordinals: map[string]uint64{}, approved: map[permit]bool{}, answers: map[string]answer{},
		settled: map[string]bool{}, prompts: events.Prompts[events.Part]{},
		sums: map[string]events.ManifestSum{}}
}

// place checks the position of the event: its sequence and its session.
func (v *Verifier) place(i int, e *events.Event) *Divergence {
	first := v.opening
	switch {
	case e.Seq <= v.checks.lastSeq:
		return at(CodeSequence, i, e, fmt.Sprintf("sequence %d follows %d", e.Seq, v.checks.lastSeq))
	case e.Project != first.Project || e.Session != first.Session:
		return at(CodeEnvelope, i, e, fmt.Sprintf("it belongs to session %q of project %q", e.Session, e.Project))
	}
	v.checks.lastSeq = e.Seq
	if _, opened := e.Payload.(events.SessionOpened); opened != (i == 0) {
		if opened {
			return at(CodeNotOpened, i, e, "the session is opened twice")
		}
		return at(CodeNotOpened, i, e, "the first event must be SessionOpened, got "+e.Type)
	}
	return nil
}

// identity checks that the id is new and that the cause is an earlier event. A notice may occur twice, because a
// restarted process repeats a notice if it cannot know that it sent it.
func (v *Verifier) identity(i int, e *events.Event) *Divergence {
	if e.ID == "" {
		return at(CodeEnvelope, i, e, "it has no id")
	}
	if first := v.first[e.ID]; first != i && !v.isNotice(e) {
		return at(CodeDuplicate, i, e, fmt.Sprintf("%s is already used at position %d", e.ID, first))
	}
	if e.Cause == "" {
		return nil
	}
	if cause, ok := v.first[e.Cause]; !ok || cause >= i {
		return at(CodeCause, i, e, fmt.Sprintf("there is no earlier event %s", e.Cause))
	}
	return nil
}

// writer checks that decisions come from actors that may make them. Other events that an actor may not write stay
// in the record without effect.
func (v *Verifier) writer(i int, e *events.Event) *Divergence {
	d, ok := v.registry.Lookup(e.Type)
	if ok && d.Class == events.Decision && !d.MayWrite(e.Actor) {
		return at(CodeWriter, i, e, e.Actor+" may not write "+e.Type)
	}
	return nil
}

// ordinal checks that n increases by one, starting at 1. Notices have no n, and events without effect are not
// counted.
func (v *Verifier) ordinal(i int, e *events.Event) *Divergence {
	if _, bad := e.Payload.(events.Malformed); bad || v.isNotice(e) || !events.IsDecider(e.Actor) &&
		!events.IsWorker(e.Actor) {
		return nil
	}
	last := v.checks.ordinals[e.Actor]
	if e.N != last+1 {
		return at(CodeGap, i, e, fmt.Sprintf("n is %d but should be %d", e.N, last+1))
	}
	v.checks.ordinals[e.Actor] = e.N
	return nil
}

// attributes checks that the envelope of an outcome matches its body, because only our own effects write
// outcomes. Events from people and external programs may have any envelope that fits them.
func (v *Verifier) attributes(i int, e *events.Event) *Divergence {
	d, ok := v.registry.Lookup(e.Type)
	if !ok || d.Class != events.Outcome || e.Payload.EventType() != d.Type {
		return nil
	}
	if _, bad := e.Payload.(events.Malformed); bad {
		return nil
	}
	name, corr, tier := events.Attributes(e.Payload)
	if topic(e) == name && e.Corr == corr && e.Tier == tier && (e.N == 0 || events.IsWorker(e.Actor)) {
		return nil
	}
	return at(CodeEnvelope, i, e, fmt.Sprintf("topic, corr and tier are %q, %q and %d but should be %q, %q and %d; only "+
		"deciders and workers have an n",
		topic(e), e.Corr, e.Tier, name, corr, tier))
}

// content checks a fact against its own bytes and earlier facts.
func (v *Verifier) content(i int, e *events.Event) *Divergence {
	c := &v.checks
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		parts, err := c.prompts.Take(e.ID, &p, events.Same)
		if err != nil {
			return at(CodeDigest, i, e, err.Error())
		}
		digest, sum, err := c.sums[p.Continues].Of(parts, p.Keep)
		delete(c.sums, p.Continues)
		c.sums[e.ID] = sum
		return digestOf(i, e, "manifest", p.SHA256, digest, err)
	case events.ToolApproved:
		c.approved[permit{p.Call, p.ArgsSHA256}] = true
		if p.Ask != "" && !c.settled[p.Ask] {
			return at(CodeAnswer, i, e, "ask "+p.Ask+" was not settled with yes before")
		}
		return digestOfArgs(i, e, p.ArgsSHA256, p.Args)
	case events.ToolSettled:
		if !c.approved[permit{p.Call, p.ArgsSHA256}] {
			return at(CodeUnapproved, i, e, "no earlier approval of call "+p.Call+" with arguments "+p.ArgsSHA256)
		}
		if p.TextBlob == nil {
			return digestOf(i, e, "text", p.SHA256, events.Digest([]byte(p.Text)), nil)
		}
		return digestOf(i, e, "text's blob", p.SHA256, p.TextBlob.SHA256, nil)
	case events.ModelReplied:
		return digestOf(i, e, "text", p.SHA256, events.Digest([]byte(p.Text)), nil)
	case events.ContextBuilt:
		return digestsOfViews(i, e, p)
	case events.AskRaised:
		if p.ArgsSHA256 != "" {
			return digestOfArgs(i, e, p.ArgsSHA256, p.Args)
		}
	case events.AskAnswered:
		c.answers[e.ID] = answer{ask: p.Ask, yes: p.Decision == events.Yes}
	case events.TimerFired:
		c.answers[e.ID] = answer{ask: p.Ask}
	case events.RuleAdded, events.RulesReplaced:
		c.answers[e.ID] = answer{rules: true}
	case events.AskSettled:
		return v.settlement(i, e, p)
	}
	return nil
}

// settlement checks that an ask is settled by an earlier event. A yes needs a user's yes to that ask, or rules of a
// person that let a tool call run; whether they cover it is checked by deciding again. A no may also follow from an
// event that made the ask pointless, such as the end of its ticket, but not from an answer to another ask.
func (v *Verifier) settlement(i int, e *events.Event, p events.AskSettled) *Divergence {
	a, isAnswer := v.checks.answers[p.AnswerID]
	first, known := v.first[p.AnswerID]
	switch {
	case !known || first >= i:
		return at(CodeAnswer, i, e, fmt.Sprintf("there is no earlier event %q", p.AnswerID))
	case isAnswer && !a.rules && a.ask != p.Ask:
		return at(CodeAnswer, i, e, p.AnswerID+" is about ask "+a.ask)
	case p.Outcome == events.Yes && !a.yes && !(a.rules && p.Gate == events.GateTool && p.By == "rule"):
		return at(CodeAnswer, i, e, p.AnswerID+" is not a yes")
	}
	v.checks.settled[p.Ask] = p.Outcome == events.Yes
	return nil
}

func digestsOfViews(i int, e *events.Event, p events.ContextBuilt) *Divergence {
	for _, view := range p.Views {
		if view.Blob || view.Error != "" {
			continue
		}
		if d := digestOf(i, e, "view of "+view.Path, view.SHA256, events.Digest([]byte(view.Text)), nil); d != nil {
			return d
		}
	}
	return nil
}

func digestOfArgs(i int, e *events.Event, recorded string, args json.RawMessage) *Divergence {
	digest, err := events.CanonicalDigest(args)
	return digestOf(i, e, "arguments", recorded, digest, err)
}

func digestOf(i int, e *events.Event, what, recorded, computed string, err error) *Divergence {
	switch {
	case err != nil:
		return at(CodeDigest, i, e, err.Error())
	case recorded != computed:
		return at(CodeDigest, i, e, fmt.Sprintf("the digest of the %s is %s but should be %s", what, recorded, computed))
	}
	return nil
}
