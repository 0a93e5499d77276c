// What waits for a person in all sessions: a list, and the selected question whole.

import { h, Fragment, VNode } from "preact"
import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { isExact, send, told, refreshShown } from "../store"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { to, visit } from "../kit/place"
import { callState, duration } from "../kit/format"
import { age, now } from "../kit/time"
import { notices, switchNotices } from "../kit/notices"
import { Blocked } from "../kit/blocked"
import { Diff, Long, Visible } from "../kit/text"
import { argsOf, Editor, Field, fieldsOf, formGate } from "./edit"
import { extent, Shown, useDiff } from "./diff"
import { Conflict, conflictsOf } from "./conflict"
import { Always } from "./rule"
import { Changed, Plan, PlanEditor, PlanTicket, ticketsOf } from "./plan"
import { Asked, Sure } from "../kit/sure"
import { Called, InboxAnswer, InboxAsk, SettledAsk } from "../wire"

// A question is answered by key or button only once it has stood this long, in milliseconds, with all that a yes needs,
// so that what was meant for another one does not reach it.
const settles = 400

// The gate of a question of a model. It takes a text: a bare yes would be the answer "yes".
const question = "question"

// What an unadorned yes would not say, by gate: an interrupted call would run again, and a form would be sent empty.
const interrupted = "interrupted"

// What /api/ask/respond takes for the gates.
type Answer =
  | { approved: true; args?: unknown; rule?: { patterns: string[]; scope: string } }
  | { approved: false; reason: string }

// What this tab knows about answers that it sent, by question. A question is sent one answer, ever, unless it was
// refused for another reason than that it is settled.
// Recorded: the answer does not count yet, because what it changed is being tried; a no may follow it.
type Given = { state: "sending" | "recorded" | "done" | "refused" | "unsure"; said: string }
const given = signal<Record<string, Given>>({})

// The questions that this tab has seen, in the order seen: answered ones stay in their place until the view is left, so
// that nothing moves under the pointer.
const seen = signal<InboxAsk[]>([])

export function Inbox({ selected }: { selected: string }): VNode {
  const read = useRead<InboxAnswer>("/api/inbox")
  const open = read.value.value?.asks
  const blocked = read.value.value?.blocked ?? []
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
  const plan = ticketsOf(ask)
  const conflicts = conflictsOf(ask)
  const [replan, setReplan] = useState<{ of: string; tickets: PlanTicket[] }>()
  const tickets = replan && replan.of === ask?.request_id ? replan.tickets : undefined
  const [batch, setBatch] = useState<string[]>([]) // questions that one answer is for
  const [all, setAll] = useState<Answer | undefined>() // the answer to them, before it counts
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
  const ready = () => performance.now() - stood.current.since >= settles
  const answer = async (response: Answer, said: string) => {
    if (ask && ready()) await answerTo(ask, response, said)
  }
  const answerTo = async (ask: InboxAsk, response: Answer, said: string) => {
    if (!isOpen.has(ask.request_id)) return
    if (["sending", "done", "unsure"].includes(given.value[ask.request_id]?.state)) return
    const note = (g: Given) => (given.value = { ...given.value, [ask.request_id]: g })
    note({ state: "sending", said: "The answer is being sent." })
    const sent = await send("/api/ask/respond?session=" + encodeURIComponent(ask.session), {
      request_id: ask.request_id,
      response,
    })
    if (sent.is === "ok") {
      const { status, hint } = sent.body as { status?: string; hint?: string }
      note(status === "recorded" ? { state: "recorded", said: hint ?? said } : { state: "done", said })
    }
    if (sent.is === "unsure")
      note({ state: "unsure", said: "The connection broke. The answer may have arrived; it is not sent again." })
    if (sent.is === "refused") {
      const p = sent.problem
      const by = p.settled_by && `Answered by ${p.settled_by}: ${p.outcome}. Your answer did not count.`
      note({ state: by ? "done" : "refused", said: by || told(p) })
    }
    refreshShown()
  }
  const many = list.filter((a) => batch.includes(a.request_id) && isOpen.has(a.request_id))
  // only a question that stands here whole can be chosen: an answer to several is as informed as one to each
  const choose = () => {
    if (!ask || !bare || plan || !isOpen.has(ask.request_id) || diff.is !== "drawn" || !ready()) return
    const id = ask.request_id
    setBatch(batch.includes(id) ? batch.filter((one) => one !== id) : [...batch, id])
  }
  const answerAll = async (response: Answer) => {
    setAll(undefined)
    setBatch([])
    setWords("")
    for (const one of many)
      await answerTo(one, response, response.approved ? "You said yes." : "You said no: " + response.reason)
  }
  const approve = () => {
    if (many.length > 0) setAll({ approved: true })
    else if (diff.is === "drawn") void answer({ approved: true }, "You said yes.")
  }
  const edit = () => {
    if (ask && plan) setReplan(tickets ? undefined : { of: ask.request_id, tickets: plan })
    if (ask && fields && !isForm) setEdited(edits ? undefined : { of: ask.request_id, fields })
  }
  const sendEdited = () => {
    const args = edits && argsOf(edits, isForm)
    setWrong(args instanceof Error ? args.message : "")
    if (args && !(args instanceof Error) && diff.is === "drawn")
      void answer({ approved: true, args }, "You said yes with other arguments.")
  }
  const always = (scope: string, patterns: string[]) =>
    void (diff.is === "drawn" && answer({ approved: true, rule: { scope, patterns } }, "You said yes, from now on."))
  // what was typed is sent by the second key or the button; the first key goes to the field
  const typed = (send: (text: string) => void) => () => {
    if (words.trim()) send(words.trim())
    else field.current?.focus()
  }
  const sendPlan = () =>
    void (tickets && answer({ approved: true, args: { tickets } }, "You said yes to the edited plan."))
  const reject = typed((reason) => {
    if (many.length > 0) return setAll({ approved: false, reason })
    void answer({ approved: false, reason }, "You said no: " + reason)
  })
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
            ...(bare ? { x: { does: "select, to answer several at once", run: choose } } : {}),
            ...((bare && !tickets) || many.length > 0 ? { a: { does: "yes, this once", run: approve } } : {}),
            ...((fields && !isForm) || plan ? { e: { does: "edit", run: edit } } : {}),
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
        {read.error.value && (
          <p class="warn" role="alert">
            {read.error.value}
          </p>
        )}
        {open && list.length === 0 && (
          <p class="quiet">
            {blocked.length > 0 ? "No question is open." : "Nothing is waiting for you."}{" "}
            <a href="#/sessions">See what is done</a>
          </p>
        )}
        <ul>
          {list.map((a) => (
            <li key={a.request_id}>
              <a
                href={"#/inbox/" + encodeURIComponent(a.request_id)}
                aria-current={a === ask ? "true" : undefined}
                class={isOpen.has(a.request_id) ? "" : "over"}
              >
                <span class="row">
                  <b>
                    {batch.includes(a.request_id) && "☑ "}
                    <Visible text={a.ticket ?? a.posted_by ?? a.gate} />
                  </b>
                  <span>{isOpen.has(a.request_id) ? "⚑ " + age(a.raised_at) : "✓ closed"}</span>
                </span>
                <span class="title">
                  <Visible text={a.title} />
                </span>
                <span class="quiet title">
                  <Visible text={a.goal ?? a.label ?? a.session} />
                </span>
              </a>
            </li>
          ))}
        </ul>
        {blocked.length > 0 && (
          <section aria-label="Blocked tickets">
            <h2>Blocked tickets</h2>
            {[...new Map(blocked.map((b) => [b.session, b])).values()].map((one) => (
              <Fragment>
                <p class="quiet title">
                  <Visible text={one.goal ?? one.label ?? one.session} />
                </p>
                <Blocked session={one.session} tickets={blocked.filter((b) => b.session === one.session)} />
              </Fragment>
            ))}
          </section>
        )}
      </nav>
      {all && (
        <Asked
          name={`${all.approved ? "Yes" : "No"} to ${many.length}`}
          what={
            <Fragment>
              {!all.approved && (
                <p>
                  because <Visible text={all.reason} />
                </p>
              )}
              <ul>
                {many.map((a) => (
                  <li>
                    <Visible text={`${a.ticket ?? ""} ${a.title}`} />
                  </li>
                ))}
              </ul>
            </Fragment>
          }
          onYes={() => void answerAll(all)}
          onNo={() => setAll(undefined)}
        />
      )}
      <main aria-label="Question">
        {many.length > 0 && (
          <p class="warn" role="status">
            {many.length} selected: a and r answer them together. <button onClick={() => setBatch([])}>Select none</button>
          </p>
        )}
        {!ask && (selected || list.length > 0) && (
          <p class="quiet">{selected ? "This question is not open." : "Press j or click to choose a question."}</p>
        )}
        {ask && (
          <Fragment>
            <Question ask={ask} diff={diff} />
            {edits && isOpen.has(ask.request_id) && (
              <Editor fields={edits} onEdit={(f) => setEdited({ of: ask.request_id, fields: f })} error={wrong} />
            )}
            {tickets && isOpen.has(ask.request_id) && (
              <Fragment>
                <PlanEditor tickets={tickets} onEdit={(t) => setReplan({ of: ask.request_id, tickets: t })} />
                <p role="status">
                  <Changed from={plan!} to={tickets} />
                </p>
              </Fragment>
            )}
            {given.value[ask.request_id] ? (
              <p class="said" role="status">
                <Visible text={given.value[ask.request_id].said} />
              </p>
            ) : (
              open && !isOpen.has(ask.request_id) && <Elsewhere ask={ask} />
            )}
            {open && !isOpen.has(ask.request_id) && ask.call && <Outcome ask={ask} call={ask.call} />}
            {isOpen.has(ask.request_id) && (
              <div class="answer">
                {((bare && !edits && !tickets) || many.length > 0) && (
                  <button disabled={diff.is !== "drawn"} onClick={approve}>
                    {many.length > 0
                      ? `Yes to ${many.length} …`
                      : ask.gate === formGate
                        ? "Yes, I visited it"
                        : ask.gate === "merge"
                          ? "Yes, merge it now"
                          : plan
                          ? "Yes, work on this plan"
                          : "Yes, this once"}{" "}
                    <kbd>a</kbd>
                  </button>
                )}
                {!edits && many.length === 0 && ask.gate === "tool" && (
                  <Always key={ask.request_id} ask={ask} ready={diff.is === "drawn"} onRule={always} />
                )}
                {bare && !plan && isOpen.size > 1 && (
                  <button
                    aria-pressed={batch.includes(ask.request_id)}
                    disabled={diff.is !== "drawn"}
                    title="Select several questions, then answer all of them at once"
                    onClick={choose}
                  >
                    Select to answer several at once <kbd>x</kbd>
                  </button>
                )}
                {tickets && <button onClick={sendPlan}>Yes, work on the edited plan</button>}
                {ask.gate === "budget" && (
                  <Budget ask={ask} onAnswer={(args, said) => void answer({ approved: true, args }, said)} />
                )}
                {conflicts.length > 0 && many.length === 0 && (
                  <Conflict
                    key={ask.request_id}
                    files={conflicts}
                    onTake={(take) => void answer({ approved: true, args: { take } }, "You chose the versions.")}
                  />
                )}
                {edits && (
                  <button disabled={diff.is !== "drawn"} onClick={sendEdited}>
                    {isForm ? "Send the form" : "Yes, with these arguments"}
                  </button>
                )}
                {((fields && !isForm) || plan) && (
                  <button onClick={edit}>
                    {edits || tickets ? (
                      "Leave them"
                    ) : (
                      <Fragment>
                        Edit <kbd>e</kbd>
                      </Fragment>
                    )}
                  </button>
                )}
                {ask.gate === interrupted &&
                  interruptions.map(([resolution, name]) => (
                    <button onClick={() => void answer({ approved: true, args: { resolution } }, name + ".")}>
                      {name}
                    </button>
                  ))}
                {choices?.map((choice) => (
                  <button onClick={() => tell(choice)}>
                    <Visible text={choice} />
                  </button>
                ))}
                <textarea
                  ref={field}
                  aria-label={choices ? "Answer" : "Reason for no"}
                  placeholder={choices ? "The answer is …" : "No, because …"}
                  value={words}
                  onInput={(e) => setWords(e.currentTarget.value)}
                />
                {choices ? (
                  <button disabled={!words.trim()} onClick={reply}>
                    Answer <kbd>a</kbd>
                  </button>
                ) : (
                  <button disabled={!words.trim()} onClick={reject}>
                    {many.length > 0 ? `No to ${many.length} …` : plan ? "Ask for another plan" : "No"} <kbd>r</kbd>
                  </button>
                )}
                {plan && (
                  <Sure
                    name="Give up this part …"
                    what="Its tickets are not planned, and the goal continues without them."
                    onYes={() => void answer({ approved: false, reason: "" }, "You gave it up.")}
                  />
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
  ["done", "Treat it as done"],
]

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
          {" by "}
          <Visible text={how.by} />: {how.outcome}
          {how.reason && (
            <Fragment>
              , <Visible text={how.reason} />
            </Fragment>
          )}
        </Fragment>
      )}
      .
    </p>
  )
}

// Outcome says what became of the call that a question was about: that it runs, or how it ended and with what result.
function Outcome({ ask, call }: { ask: InboxAsk; call: string }): VNode | null {
  const read = useRead<Called>(`/api/calls/${encodeURIComponent(call)}?session=${encodeURIComponent(ask.session)}`)
  const c = read.value.value
  if (!c) return read.error.value ? <p class="quiet">{read.error.value}</p> : null
  return (
    <section aria-label="What became of it">
      <p>
        <b role="status">{callState(c)}</b>
        {!c.end && c.began && ` for ${duration(now.value - Date.parse(c.began))}`}
        {c.end && `, ${duration(Date.parse(c.end) - Date.parse(c.began ?? c.start))}`}
      </p>
      {c.text && <Long text={c.text} size={c.size} lines={20} />}
      <p class="acts">
        {c.worker && <a href={to(ask.session, "conversation", c.worker, { call })}>In the conversation</a>}
        <a href={to(ask.session, "timeline", call)}>In the timeline</a>
        {c.worker && <a href={to(ask.session, "changes", "", { ticket: c.worker })}>What changed</a>}
      </p>
    </section>
  )
}

// Budget is what else a question about money takes: another limit, or an end.
function Budget({ ask, onAnswer }: { ask: InboxAsk; onAnswer: (args: object, said: string) => void }): VNode {
  const [limit, setLimit] = useState("")
  const dollars = Number(limit)
  return (
    <Fragment>
      <input
        aria-label="New limit in dollars"
        size={6}
        value={limit}
        placeholder="$"
        onInput={(e) => setLimit(e.currentTarget.value)}
      />
      <button disabled={!(dollars > 0)} onClick={() => onAnswer({ limit: dollars }, `The limit is $${dollars}.`)}>
        Yes, up to this limit
      </button>
      {ask.ticket && (
        <button onClick={() => onAnswer({ action: "finish_ticket" }, "This ticket may finish.")}>Finish the ticket</button>
      )}
      <button onClick={() => onAnswer({ action: "stop" }, "It stops at the budget.")}>Stop at the budget</button>
    </Fragment>
  )
}

function Question({ ask, diff }: { ask: InboxAsk; diff: Shown }): VNode {
  const plan = ticketsOf(ask)
  const facts: [string, string | undefined][] = [
    ["ticket", ask.ticket && `${ask.ticket} ${ask.ticket_text ?? ""}`],
    ["asked by", ask.posted_by],
    ["tool", ask.tool && ask.tool + (ask.effect ? ` (${ask.effect})` : "")],
    ["why", ask.gate === question ? undefined : ask.note], // there it says how a program answers
    ["untrusted text it read", ask.taint?.join("\n")],
    ["expires", ask.expires_at],
    ["id", ask.request_id],
  ]
  return (
    <article>
      <h2>
        <Visible text={ask.title} />
      </h2>
      <dl>
        <dt>session</dt>
        <dd>
          <a href={to(ask.session, "live")}>
            <Visible text={ask.goal ?? ask.label ?? ask.session} />
          </a>
        </dd>
        {facts.map(([name, value]) =>
          value ? (
            <Fragment>
              <dt>{name}</dt>
              <dd class={name === "untrusted text it read" ? "warn" : ""}>
                <Visible text={value} />
              </dd>
            </Fragment>
          ) : null,
        )}
      </dl>
      {ask.ticket && (
        <p class="acts">
          <a href={to(ask.session, "conversation", ask.ticket)}>What the model said</a>
          <a href={to(ask.session, "tickets", ask.ticket)}>Ticket</a>
        </p>
      )}
      {diff.is === "reading" && <p class="quiet">Reading the diff …</p>}
      {diff.is === "failed" && (
        <p class="warn" role="alert">
          The diff cannot be read ({diff.why}), so a yes is not possible here. Reload the page to try again, or read it
          in a terminal:{" "}
          <code>
            slop ask show <Visible text={ask.request_id} /> --session {ask.session}
          </code>
        </p>
      )}
      {diff.is === "cut" && (
        <p class="warn" role="status">
          Show the whole diff before you answer yes.
        </p>
      )}
      {diff.text && ["cut", "drawn"].includes(diff.is) && <p class="quiet">{extent(diff.text)}</p>}
      {diff.text && <Diff text={diff.text} all={diff.all} onAll={diff.drawAll} />}
      {plan && <Plan tickets={plan} />}
      {ask.args !== undefined && !plan && (
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
    return (
      <pre>
        <Visible text={typeof args === "string" ? args : JSON.stringify(args, null, 2)} />
      </pre>
    )
  }
  if (Array.isArray(args)) {
    return (
      <ol>
        {args.map((item) => (
          <li>
            <Arguments args={item} />
          </li>
        ))}
      </ol>
    )
  }
  return (
    <dl>
      {Object.entries(args).map(([name, value]) => (
        <Fragment>
          <dt>
            <Visible text={name} />
          </dt>
          <dd>
            <Arguments args={value} />
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

// choicesOf returns the answers that a model's question offers; the person may also write another one.
function choicesOf(args: unknown): string[] {
  const choices = (args as { choices?: unknown } | undefined)?.choices
  return Array.isArray(choices) ? choices.filter((c) => typeof c === "string") : []
}
