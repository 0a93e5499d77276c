// What waits for a person in all sessions: a list, and the selected question whole.

import { h, Fragment, VNode } from "preact"
import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { exact, isExact, send, told, refreshShown } from "../store"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { visit } from "../kit/place"
import { age } from "../kit/time"
import { notices, switchNotices } from "../kit/notices"
import { Diff, Visible, whole } from "../kit/text"
import { InboxAsk, SettledAsk } from "../wire"

// A question is answered by key or button only once it has stood this long, in milliseconds, with all that a yes needs,
// so that what was meant for another one does not reach it.
const settles = 400

// The gate of a question of a model. It takes a text: a bare yes would be the answer "yes".
const question = "question"

// What an unadorned yes would not say, by gate: an interrupted call would run again, and a form would be sent empty.
const interrupted = "interrupted"
const formGate = "input"

// What /api/ask/respond takes for the gates.
type Answer =
  | { approved: true; args?: unknown; rule?: { patterns?: string[]; scope: string } }
  | { approved: false; reason: string }

// What this tab knows about answers that it sent, by question. A question is sent one answer, ever, unless it was
// refused for another reason than that it is settled.
type Given = { state: "sending" | "done" | "refused" | "unsure"; said: string }
const given = signal<Record<string, Given>>({})

// The questions that this tab has seen, in the order seen: answered ones stay in their place until the view is left, so
// that nothing moves under the pointer.
const seen = signal<InboxAsk[]>([])

export function Inbox({ selected }: { selected: string }): VNode {
  const read = useRead<{ asks: InboxAsk[] }>("/api/inbox")
  const open = read.value.value?.asks
  const list = merge(open ?? [])
  const isOpen = new Set((open ?? []).map((a) => a.request_id))
  const at = list.findIndex((a) => a.request_id === selected)
  const ask = list[at]
  const diff = useDiff(ask)
  const choices = ask?.gate === question ? choicesOf(ask.args) : undefined
  const fields = ask && fieldsOf(ask)
  const isForm = ask?.gate === formGate && fields !== undefined
  const bare = ask !== undefined && ![question, interrupted].includes(ask.gate) && !isForm
  const [edited, setEdited] = useState<{ of: string; fields: Record<string, Field> }>()
  const edits = edited && edited.of === ask?.request_id ? edited.fields : isForm ? fields : undefined
  const [words, setWords] = useState("")
  const [wrong, setWrong] = useState("") // with the edited arguments
  const field = useRef<HTMLTextAreaElement>(null)
  const stood = useRef({ what: "", since: 0 })
  const what = ask ? ask.request_id + " " + diff.is : ""
  if (stood.current.what !== what) stood.current = { what, since: performance.now() }

  const go = (to: number) => {
    const next = list[Math.max(0, Math.min(list.length - 1, to))]
    if (next) visit("#/inbox/" + encodeURIComponent(next.request_id))
  }
  const answer = async (response: Answer, said: string) => {
    if (!ask || !isOpen.has(ask.request_id) || performance.now() - stood.current.since < settles) return
    if (["sending", "done", "unsure"].includes(given.value[ask.request_id]?.state)) return
    const note = (g: Given) => (given.value = { ...given.value, [ask.request_id]: g })
    note({ state: "sending", said: "The answer is under way." })
    const sent = await send("/api/ask/respond?session=" + encodeURIComponent(ask.session), {
      request_id: ask.request_id,
      response,
    })
    if (sent.is === "ok") note({ state: "done", said })
    if (sent.is === "unsure")
      note({ state: "unsure", said: "The connection broke. The answer may have counted; it is not sent again." })
    if (sent.is === "refused") {
      const p = sent.problem
      const by = p.settled_by && `Answered by ${p.settled_by}: ${p.outcome}. Your answer did not count.`
      note({ state: by ? "done" : "refused", said: by || told(p) })
    }
    refreshShown()
  }
  const approve = () => {
    if (diff.is === "drawn") void answer({ approved: true }, "You said yes.")
  }
  const edit = () => {
    if (ask && fields && !isForm) setEdited(edits ? undefined : { of: ask.request_id, fields })
  }
  const sendEdited = () => {
    const args = edits && argsOf(edits, isForm)
    setWrong(args instanceof Error ? args.message : "")
    if (args && !(args instanceof Error) && diff.is === "drawn") void answer({ approved: true, args }, "You said yes with other arguments.")
  }
  const always = (scope: string, patterns?: string[]) =>
    void (diff.is === "drawn" && answer({ approved: true, rule: { scope, ...(patterns ? { patterns } : {}) } }, "You said yes, from now on."))
  // what was typed is sent by the second key or the button; the first key goes to the field
  const typed = (send: (text: string) => void) => () => {
    if (words.trim()) send(words.trim())
    else field.current?.focus()
  }
  const reject = typed((reason) => void answer({ approved: false, reason }, "You said no: " + reason))
  const tell = (text: string) => void answer({ approved: true, args: { answer: text } }, "You answered: " + text)
  const reply = typed(tell)
  // before the next key can come: a key acts on what is on the screen, never on what was there before
  useLayoutEffect(() =>
    show({
      j: { does: "next question", run: () => go(at + 1) },
      k: { does: "previous question", run: () => go(at < 0 ? 0 : at - 1) },
      ...(choices
        ? { a: { does: "write the answer", run: reply } }
        : {
            ...(bare ? { a: { does: "yes, this once", run: approve } } : {}),
            ...(fields && !isForm ? { e: { does: "edit the arguments", run: edit } } : {}),
            r: { does: "no: write the reason", run: reject },
          }),
    }),
  )
  useLayoutEffect(() => setWords(""), [selected])
  useEffect(() => () => void (seen.value = []), [])

  return (
    <div class="inbox">
      <nav aria-label="Questions">
        <h1>
          Inbox <span class="count">{open ? open.length : "…"}</span>
        </h1>
        <button onClick={() => void switchNotices()} aria-pressed={notices.value}>
          {notices.value ? "Notifications are on" : "Notify me of new questions"}
        </button>
        {read.error.value && <p class="warn" role="alert">{read.error.value}</p>}
        {open && list.length === 0 && <p class="quiet">Nothing waits for you.</p>}
        <ul>
          {list.map((a) => (
            <li key={a.request_id}>
              <a
                href={"#/inbox/" + encodeURIComponent(a.request_id)}
                aria-current={a === ask ? "true" : undefined}
                class={isOpen.has(a.request_id) ? "" : "over"}
              >
                <span class="row">
                  <b><Visible text={a.ticket ?? a.posted_by ?? a.gate} /></b>
                  <span>{isOpen.has(a.request_id) ? "⚑ " + age(a.raised_at) : "✓ settled"}</span>
                </span>
                <span class="title"><Visible text={a.title} /></span>
                <span class="quiet title"><Visible text={a.goal ?? a.label ?? a.session} /></span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main aria-label="Question">
        {!ask && <p class="quiet">{selected ? "This question is not open." : "Choose a question: j, or a click."}</p>}
        {ask && (
          <Fragment>
            <Question ask={ask} diff={diff} />
            {edits && isOpen.has(ask.request_id) && <Editor fields={edits} onEdit={(f) => setEdited({ of: ask.request_id, fields: f })} error={wrong} />}
            {!edits && ask.gate === "tool" && isOpen.has(ask.request_id) && (
              <Always key={ask.request_id} ask={ask} ready={diff.is === "drawn"} onRule={always} />
            )}
            {given.value[ask.request_id] ? (
              <p class="said" role="status"><Visible text={given.value[ask.request_id].said} /></p>
            ) : (
              open && !isOpen.has(ask.request_id) && <Elsewhere ask={ask} />
            )}
            {isOpen.has(ask.request_id) && (
              <div class="answer">
                {bare && !edits && (
                  <button disabled={diff.is !== "drawn"} onClick={approve}>{ask.gate === formGate ? "Yes, I visited it" : "Yes, this once"} <kbd>a</kbd></button>
                )}
                {edits && (
                  <button disabled={diff.is !== "drawn"} onClick={sendEdited}>
                    {isForm ? "Send the form" : "Yes, with these arguments"}
                  </button>
                )}
                {fields && !isForm && (
                  <button onClick={edit}>{edits ? "Leave them" : <Fragment>Edit <kbd>e</kbd></Fragment>}</button>
                )}
                {ask.gate === interrupted && interruptions.map(([resolution, name]) => (
                  <button onClick={() => void answer({ approved: true, args: { resolution } }, name + ".")}>{name}</button>
                ))}
                {choices?.map((choice) => (
                  <button onClick={() => tell(choice)}><Visible text={choice} /></button>
                ))}
                <textarea
                  ref={field}
                  aria-label={choices ? "Answer" : "Reason for no"}
                  placeholder={choices ? "The answer is …" : "No, because …"}
                  value={words}
                  onInput={(e) => setWords(e.currentTarget.value)}
                />
                {choices ? (
                  <button disabled={!words.trim()} onClick={reply}>Answer <kbd>a</kbd></button>
                ) : (
                  <button disabled={!words.trim()} onClick={reject}>No <kbd>r</kbd></button>
                )}
              </div>
            )}
          </Fragment>
        )}
      </main>
    </div>
  )
}

// What may become of a call that was interrupted, and how it is said.
const interruptions: [string, string][] = [
  ["retry", "Run it again"],
  ["done", "Take it as done"],
]

// An argument that a person may write: a text as it is, anything else as JSON.
interface Field {
  text: boolean
  value: string
  note: string
}

interface Form {
  url?: string
  schema?: { properties?: Record<string, { type?: string; description?: string; enum?: unknown[]; default?: unknown }> }
}

// fieldsOf returns the arguments that a yes may have: those of a call, or the fields of a server's form. Undefined: none.
function fieldsOf(ask: InboxAsk): Record<string, Field> | undefined {
  if (typeof ask.args !== "object" || ask.args === null || Array.isArray(ask.args)) return undefined
  const json = (v: unknown) => (v === undefined ? "" : typeof v === "string" ? v : JSON.stringify(v, null, 2))
  if (["tool", "spawn", "step"].includes(ask.gate))
    return Object.fromEntries(
      Object.entries(ask.args).map(([name, v]) => [name, { text: typeof v === "string", value: json(v), note: "" }]),
    )
  const form = ask.args as Form
  if (ask.gate !== formGate || form.url) return undefined
  return Object.fromEntries(
    Object.entries(form.schema?.properties ?? {}).map(([name, p]) => [
      name,
      { text: p.type === "string", value: json(p.default), note: [p.description, p.enum?.join(" | ")].filter(Boolean).join(": ") },
    ]),
  )
}

// argsOf returns the edited arguments, or why they are none. A field of a form that is left empty is left out.
function argsOf(fields: Record<string, Field>, form: boolean): object | Error {
  const out: Record<string, unknown> = {}
  for (const [name, f] of Object.entries(fields)) {
    if (form && f.value === "") continue
    try {
      out[name] = f.text ? f.value : JSON.parse(f.value, exact)
    } catch {
      return new Error(name + " is not JSON")
    }
  }
  return out
}

function Editor({ fields, onEdit, error }: { fields: Record<string, Field>; onEdit: (f: Record<string, Field>) => void; error: string }): VNode {
  return (
    <section aria-label="Edited arguments">
      {error && <p class="warn" role="alert"><Visible text={error} /></p>}
      {Object.entries(fields).map(([name, f]) => (
        <label class="edit">
          <Visible text={name} /> <span class="quiet"><Visible text={f.note} /></span>
          <textarea rows={Math.min(30, f.value.split("\n").length + 1)} aria-label={"argument " + name} value={f.value}
            onInput={(e) => onEdit({ ...fields, [name]: { ...f, value: e.currentTarget.value } })} />
        </label>
      ))}
    </section>
  )
}

interface Preview {
  rule: { tool: string; args?: string[] }
  settles: { request_id: string; title: string }[]
}

// Always offers a yes from now on. It shows the rule, and which other open questions the rule answers, before it counts.
function Always({ ask, ready, onRule }: { ask: InboxAsk; ready: boolean; onRule: (scope: string, patterns?: string[]) => void }): VNode {
  const [scope, setScope] = useState("")
  return (
    <section aria-label="From now on" class="acts">
      {scope === "" && <button onClick={() => setScope("session")}>Yes, from now on …</button>}
      {scope !== "" && (
        <Fragment>
          <label>
            for this{" "}
            <select value={scope} onChange={(e) => setScope(e.currentTarget.value)}>
              {ask.ticket && <option value="ticket">ticket</option>}
              <option value="session">session</option>
              <option value="config">person, in all sessions</option>
            </select>
          </label>
          <Rule ask={ask} scope={scope} ready={ready} onRule={onRule} />
          <button onClick={() => setScope("")}>Leave it</button>
        </Fragment>
      )}
    </section>
  )
}

function Rule({ ask, scope, ready, onRule }: { ask: InboxAsk; scope: string; ready: boolean; onRule: (scope: string, patterns?: string[]) => void }): VNode {
  const read = useRead<Preview>("/api/ask/rule?" + new URLSearchParams({ session: ask.session, request_id: ask.request_id, scope }))
  const rule = read.value.value
  if (!rule || read.error.value) return <span class="warn" role="status">{read.error.value || "Reading …"}</span>
  return (
    <Fragment>
      <span>
        allows <code><Visible text={rule.rule.args?.length ? rule.rule.tool + " " + rule.rule.args.join(", ") : "every " + rule.rule.tool} /></code>
      </span>
      {rule.settles.length > 0 && (
        <span class="warn">and answers {rule.settles.length} more now: <Visible text={rule.settles.map((s) => s.title).join(", ")} /></span>
      )}
      <button disabled={!ready} onClick={() => onRule(scope, rule.rule.args)}>Yes, from now on</button>
    </Fragment>
  )
}

// merge returns what was seen, with the questions of now: known ones in their places, new ones at the end.
function merge(open: InboxAsk[]): InboxAsk[] {
  const known = new Set(seen.peek().map((a) => a.request_id))
  const fresh = open.filter((a) => !known.has(a.request_id))
  if (fresh.length > 0) seen.value = [...seen.peek(), ...fresh]
  return seen.value
}

// Elsewhere says how a question ended that this tab did not answer.
function Elsewhere({ ask }: { ask: InboxAsk }): VNode {
  const read = useRead<{ asks: SettledAsk[] }>("/api/asks?state=settled&session=" + encodeURIComponent(ask.session))
  const how = read.value.value?.asks.find((a) => a.request_id === ask.request_id)?.settled
  return (
    <p class="said" role="status">
      Answered elsewhere
      {how && (
        <Fragment>
          {" by "}<Visible text={how.by} />: {how.outcome}
          {how.reason && <Fragment>, <Visible text={how.reason} /></Fragment>}
        </Fragment>
      )}
      .
    </p>
  )
}

function Question({ ask, diff }: { ask: InboxAsk; diff: Shown }): VNode {
  const facts: [string, string | undefined][] = [
    ["session", ask.goal ?? ask.label ?? ask.session],
    ["ticket", ask.ticket && `${ask.ticket} ${ask.ticket_text ?? ""}`],
    ["asked by", ask.posted_by],
    ["tool", ask.tool && `${ask.tool} ${ask.effect ?? ""}`],
    ["why", ask.gate === question ? undefined : ask.note], // there it says how a program answers
    ["it has read", ask.taint?.join("\n")],
    ["expires", ask.expires_at],
    ["id", ask.request_id],
  ]
  return (
    <article>
      <h2><Visible text={ask.title} /></h2>
      <dl>
        {facts.map(([name, value]) =>
          value ? (
            <Fragment>
              <dt>{name}</dt>
              <dd class={name === "it has read" ? "warn" : ""}><Visible text={value} /></dd>
            </Fragment>
          ) : null,
        )}
      </dl>
      {diff.is === "reading" && <p class="quiet">Reading the diff …</p>}
      {diff.is === "failed" && (
        <p class="warn" role="alert">
          The diff cannot be read ({diff.why}), so a yes is not possible here. Reload the page to try again, or read it in
          a terminal: <code>slop ask show <Visible text={ask.request_id} /> --session {ask.session}</code>
        </p>
      )}
      {diff.is === "cut" && <p class="warn" role="status">A yes needs the whole diff: draw all of it first.</p>}
      {diff.text && <Diff text={diff.text} all={diff.all} onAll={diff.drawAll} />}
      {ask.args !== undefined && (
        <details open={!ask.diff && !ask.diff_blob}>
          <summary>Arguments</summary>
          <Arguments args={ask.args} />
        </details>
      )}
    </article>
  )
}

// Arguments shows each member and each item of its own: texts as they are, numbers and the like as JSON.
function Arguments({ args }: { args: unknown }): VNode {
  if (typeof args !== "object" || args === null || isExact(args) || Object.keys(args).length === 0) {
    return <pre><Visible text={typeof args === "string" ? args : JSON.stringify(args, null, 2)} /></pre>
  }
  if (Array.isArray(args)) {
    return <ol>{args.map((item) => <li><Arguments args={item} /></li>)}</ol>
  }
  return (
    <dl>
      {Object.entries(args).map(([name, value]) => (
        <Fragment>
          <dt><Visible text={name} /></dt>
          <dd><Arguments args={value} /></dd>
        </Fragment>
      ))}
    </dl>
  )
}

// The diff of a question, as far as it is on the screen. Drawn: all of it, also if there is none.
interface Shown {
  is: "reading" | "failed" | "cut" | "drawn"
  why: string // it failed
  text: string // with a blob its head until that is read
  all: boolean
  drawAll: () => void
}

// useDiff reads the diff of a question, which is in a blob if it is too large for its event.
function useDiff(ask: InboxAsk | undefined): Shown {
  const id = ask?.request_id ?? ""
  const blob = ask?.diff_blob?.sha256
  const [all, setAll] = useState("")
  const [read, setRead] = useState<{ of: string; text?: string; why?: string }>({ of: "" })
  useEffect(() => {
    if (!ask || !blob) return
    const gone = new AbortController()
    fetch(`/api/blobs/${blob}?session=${encodeURIComponent(ask.session)}`, { signal: gone.signal })
      .then((r) => (r.ok ? r.text() : Promise.reject(new Error(`status ${r.status}`))))
      .then((text) => setRead({ of: id, text }))
      .catch((e: Error) => gone.signal.aborted || setRead({ of: id, why: e.message }))
    return () => gone.abort()
  }, [id, blob])
  const own = read.of === id ? read : { of: id }
  const text = blob ? own.text : ask?.diff ?? ""
  const shown = { why: own.why ?? "", text: text ?? ask?.diff ?? "", all: all === id, drawAll: () => setAll(id) }
  if (blob && own.why !== undefined) return { is: "failed", ...shown }
  if (text === undefined) return { is: "reading", ...shown }
  return { is: shown.all || whole(text) ? "drawn" : "cut", ...shown }
}

// choicesOf returns the answers that a model's question offers; the person may also write another one.
function choicesOf(args: unknown): string[] {
  const choices = (args as { choices?: unknown } | undefined)?.choices
  return Array.isArray(choices) ? choices.filter((c) => typeof c === "string") : []
}
