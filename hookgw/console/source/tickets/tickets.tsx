// The tickets of a session: as a list or as a graph, and everything about the chosen one.

import { h, Fragment, VNode } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { Said, useActs } from "../kit/act"
import { clock, count, duration, state } from "../kit/format"
import { api, place, to, visit } from "../kit/place"
import { now } from "../kit/time"
import { Visible } from "../kit/text"
import { Ticket, Tickets as Answer } from "../wire"
import { useConnect } from "./connect"

export function Tickets(): VNode {
  const read = useRead<Answer>(api("/api/tickets"))
  const { session, rest, query } = place.value
  const list = read.value.value?.tickets ?? []
  const as = query.get("as") === "graph" ? "graph" : ""
  const at = list.findIndex((t) => t.id === rest)
  const link = (id: string, form = as) => to(session, "tickets", id, { as: form, at: query.get("at") ?? "" })
  const go = (n: number) => {
    const next = list[Math.max(0, Math.min(list.length - 1, n))]
    if (next) visit(link(next.id))
  }
  useLayoutEffect(() =>
    show({
      j: { does: "next ticket", run: () => go(at + 1) },
      k: { does: "previous ticket", run: () => go(at < 0 ? 0 : at - 1) },
      v: { does: "list or graph", run: () => visit(link(rest, as ? "" : "graph")) },
    }),
  )
  return (
    <div class={at >= 0 ? "split" : "split alone"}>
      <main aria-label="Tickets">
        <p class="acts">
          <a href={link(rest, "")} aria-current={as ? undefined : "true"}>
            List
          </a>
          <a href={link(rest, "graph")} aria-current={as ? "true" : undefined}>
            Graph
          </a>
          <kbd>v</kbd>
        </p>
        {read.error.value && (
          <p class="warn" role="alert">
            {read.error.value}
          </p>
        )}
        {read.value.value && list.length === 0 && <p class="quiet">No ticket is planned yet.</p>}
        {list.length > 0 &&
          (as ? <Graph list={list} chosen={rest} link={link} /> : <List list={list} chosen={rest} link={link} />)}
        {list.length > 0 && !query.get("at") && <Add list={list} track={list[Math.max(0, at)].track ?? ""} />}
      </main>
      {at >= 0 && (
        <section aria-label="Ticket">
          <p class="back">
            <a href={link("")}>← All tickets</a>
          </p>
          <Detail key={rest} ticket={list[at]} link={link} />
        </section>
      )}
    </div>
  )
}

// ids splits what a person typed.
const ids = (text: string) => text.split(/[\s,]+/).filter(Boolean)

// Add adds a ticket to the graph, with what it waits for.
function Add({ list, track }: { list: Ticket[]; track: string }): VNode {
  const acts = useActs()
  const [what, setWhat] = useState("")
  const [after, setAfter] = useState("")
  const add = async () => {
    let n = list.length + 1
    const named = () => "T-" + String(n).padStart(3, "0")
    while (list.some((t) => t.id === named())) n++
    const body = { op: "add_ticket", ticket: named(), track, description: what.trim(), depends_on: ids(after) }
    if (!(await acts.act("/api/mma/dag/mutate", body, named() + " was added."))) return
    setWhat("")
    setAfter("")
  }
  return (
    <p class="acts">
      <input
        aria-label="What a new ticket does"
        placeholder="A new ticket"
        value={what}
        onInput={(e) => setWhat(e.currentTarget.value)}
      />
      <input
        aria-label="After which tickets"
        placeholder="after, such as T-001"
        value={after}
        onInput={(e) => setAfter(e.currentTarget.value)}
      />
      <button disabled={acts.busy || !what.trim()} onClick={() => void add()}>
        Add ticket
      </button>
      <Said acts={acts} />
    </p>
  )
}

// After changes what a ticket waits for.
function After({ ticket: t }: { ticket: Ticket }): VNode {
  const acts = useActs()
  const [after, setAfter] = useState(t.depends_on.join(", "))
  const body = { op: "set_dependencies", ticket: t.id, depends_on: ids(after) }
  return (
    <p class="acts">
      <input aria-label={"What " + t.id + " waits for"} value={after} onInput={(e) => setAfter(e.currentTarget.value)} />
      <button
        disabled={acts.busy || ids(after).join() === t.depends_on.join()}
        onClick={() => void acts.act("/api/mma/dag/mutate", body, "It waits for these.")}
      >
        Change its dependencies
      </button>
      <Said acts={acts} />
    </p>
  )
}

type Shown = { list: Ticket[]; chosen: string; link: (id: string) => string }

function List({ list, chosen, link }: Shown): VNode {
  return (
    <table>
      <thead>
        <tr>
          {["Ticket", "State", "What", "Waits for"].map((name) => (
            <th scope="col">{name}</th>
          ))}
          {["Attempts", "Time", "Tokens"].map((name) => (
            <th scope="col" class="more">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {list.map((t) => (
          <tr key={t.id} class={t.id === chosen ? "chosen" : ""}>
            <td>
              <a class="brief" href={link(t.id)} aria-current={t.id === chosen ? "true" : undefined}>
                <Visible text={t.id} />
              </a>
            </td>
            <td class="brief">{state(t.status)}</td>
            <td>
              <Visible text={t.description} />
            </td>
            <td>
              <Visible text={t.waits_for} />
            </td>
            <td class="more">{t.attempt}</td>
            <td class="more">{took(t)}</td>
            <td class="more brief">{count(t.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// took is how long the newest attempt worked, and how long it waited for answers.
function took(t: Ticket): string {
  if (!t.started) return ""
  const end = t.ended ? Date.parse(t.ended) : now.value
  const waited = t.waited_ms + (t.waits_since ? Math.max(0, end - Date.parse(t.waits_since)) : 0)
  const worked = duration(end - Date.parse(t.started) - waited)
  return waited >= 1000 ? `${worked} + ${duration(waited)} waiting for you` : worked
}

// The size of a node and the room for it, in pixels.
const width = 200
const height = 58
const column = 250
const line = 72

function Graph({ list, chosen, link }: Shown): VNode {
  const acts = useActs()
  const { line: drawn, node } = useConnect(acts)
  const byId = new Map(list.map((t) => [t.id, t]))
  const start = drawn && byId.get(drawn.from)
  const right = Math.max(...list.map((t) => t.layer)) * column + width
  const bottom = Math.max(...list.map((t) => t.place)) * line + height
  const edges = list.flatMap((t) =>
    t.depends_on.flatMap((id) => {
      const from = byId.get(id)
      return from ? [{ from, to: t }] : []
    }),
  )
  return (
    <Fragment>
      {!place.value.query.has("at") && (
        <p class="quiet">
          Drag from one ticket to another to make the second wait for the first. By keyboard, open the second and change
          its dependencies. <Said acts={acts} />
        </p>
      )}
      <div class="graph" role="group" aria-label="Ticket graph" tabIndex={0}>
        <div class="paper" style={{ width: right + "px", height: bottom + "px" }}>
          <svg width={right} height={bottom} aria-hidden="true">
            {edges.map((e) => {
              const x1 = e.from.layer * column + width
              const y1 = e.from.place * line + height / 2
              const x2 = e.to.layer * column
              const y2 = e.to.place * line + height / 2
              const near = chosen === e.from.id || chosen === e.to.id
              return (
                <path
                  class={near ? "edge near" : "edge"}
                  d={`M${x1} ${y1}C${x1 + 25} ${y1} ${x2 - 25} ${y2} ${x2} ${y2}`}
                />
              )
            })}
            {drawn && start && (
              <path
                class="edge near"
                d={`M${start.layer * column + width / 2} ${start.place * line + height / 2}L${drawn.x} ${drawn.y}`}
              />
            )}
          </svg>
          {list.map((t) => (
            <a
              key={t.id}
              {...node(t.id)}
              class={"node " + t.status + (t.id === chosen ? " chosen" : "")}
              href={link(t.id)}
              aria-current={t.id === chosen ? "true" : undefined}
              style={{ left: t.layer * column + "px", top: t.place * line + "px" }}
            >
              <b>
                <Visible text={t.id} /> {state(t.status)}
              </b>
              <span class="title">
                <Visible text={t.description} />
              </span>
            </a>
          ))}
        </div>
      </div>
    </Fragment>
  )
}

function Detail({ ticket: t, link }: { ticket: Ticket; link: (id: string) => string }): VNode {
  const acts = useActs()
  const [words, setWords] = useState("")
  const { session } = place.value
  useEffect(() => acts.say(""), [t.attempt, t.status]) // what was said is over
  const control = async (action: string, done: string) => {
    const said = words.trim()
    const more = action === "block" ? { reason: said } : said && action !== "kill" ? { note: said } : {}
    if (await acts.act("/api/control", { action, ticket: t.id, ...more }, done)) setWords("")
  }
  const remove = (id: string) => {
    const body = { op: "remove_dependency", ticket: t.id, dependency: id }
    return acts.act("/api/mma/dag/mutate", body, `${t.id} does not wait for ${id} any more.`)
  }
  const may = (action: string) => t.actions.includes(action)
  return (
    <article>
      <h2>
        <Visible text={t.id} /> {state(t.status)}
      </h2>
      <p class="text">
        <Visible text={t.description} />
      </p>
      <dl>
        {t.waits_for && (
          <Fragment>
            <dt>waits for</dt>
            <dd>
              <Visible text={t.waits_for} />
            </dd>
          </Fragment>
        )}
        {t.ask && (
          <Fragment>
            <dt>question</dt>
            <dd>
              <a href={"#/inbox/" + encodeURIComponent(t.ask)}>answer it</a>
            </dd>
          </Fragment>
        )}
        <dt>after</dt>
        <dd>
          {t.depends_on.length === 0
            ? "nothing"
            : t.depends_on.map((id) => (
                <span>
                  <a href={link(id)}>
                    <Visible text={id} />
                  </a>{" "}
                  {t.actions.includes("block") && !place.value.query.get("at") && (
                    <button
                      disabled={acts.busy}
                      aria-label={`Remove ${id} from what ${t.id} waits for`}
                      onClick={() => void remove(id)}
                    >
                      Remove
                    </button>
                  )}{" "}
                </span>
              ))}
          {t.actions.includes("block") && !place.value.query.get("at") && (
            <After key={t.depends_on.join()} ticket={t} />
          )}
        </dd>
        {t.target_file && (
          <Fragment>
            <dt>file</dt>
            <dd>
              <Visible text={t.target_file} />
            </dd>
          </Fragment>
        )}
        {t.priority && (
          <Fragment>
            <dt>priority</dt>
            <dd>
              <Visible text={t.priority} />
            </dd>
          </Fragment>
        )}
        {t.model && (
          <Fragment>
            <dt>model</dt>
            <dd>
              <Visible text={t.model} />
            </dd>
          </Fragment>
        )}
        <dt>work</dt>
        <dd>
          {t.attempt} {t.attempt === 1 ? "attempt" : "attempts"}, {t.requests} {t.requests === 1 ? "request" : "requests"}, {count(t.tokens)} tokens, {took(t) || "not begun"}
        </dd>
      </dl>
      <p class="acts">
        <a href={to(session, "conversation", t.id)}>Conversation</a>
        <a href={to(session, "changes", "", { ticket: t.id })}>Changes</a>
        <a href={to(session, "timeline", "", { ticket: t.id })}>Timeline</a>
      </p>
      {t.attempts.length > 0 && (
        <Fragment>
          <h3>Attempts</h3>
          <ol class="past" aria-label="Attempts">
            {t.attempts.map((a) => (
              <li value={a.attempt}>
                <a href={to(session, "conversation", t.id, { attempt: String(a.attempt) })}>{state(a.status)}</a>{" "}
                <span class="quiet">
                  {clock(a.started)}
                  {a.ended && ` to ${clock(a.ended)}`}
                </span>{" "}
                <Visible text={a.reason ?? ""} />
              </li>
            ))}
          </ol>
        </Fragment>
      )}
      {t.notes.length > 0 && (
        <Fragment>
          <h3>Notes to the model</h3>
          <ul aria-label="Notes to the model">
            {t.earlier_notes > 0 && <li class="quiet">{t.earlier_notes} earlier ones</li>}
            {t.notes.map((n) => (
              <li>
                <span class="quiet">
                  {clock(n.at)} <Visible text={n.by} />
                </span>{" "}
                <Visible text={n.note} />
              </li>
            ))}
          </ul>
        </Fragment>
      )}
      {may("retry") && (
        <p class="quiet">
          Retry starts another attempt, with the next model if its tier has several. Unblock lets the ticket start again as
          it was, if what blocked it is gone. Both send the note, if you wrote one.
        </p>
      )}
      {t.actions.length > 0 && (
        <Fragment>
          <textarea
            aria-label="Note or reason"
            placeholder="What the next request should know"
            value={words}
            onInput={(e) => setWords(e.currentTarget.value)}
          />
          <div class="acts">
            {may("note") && (
              <button
                disabled={acts.busy || !words.trim()}
                onClick={() => void control("note", "The next request will include it.")}
              >
                Send note
              </button>
            )}
            {may("retry") && (
              <button disabled={acts.busy} onClick={() => void control("retry", "Another attempt was requested; it is listed above when it starts.")}>
                Retry
              </button>
            )}
            {may("unblock") && (
              <button disabled={acts.busy} onClick={() => void control("unblock", "Unblocked.")}>
                Unblock
              </button>
            )}
            {may("block") && (
              <button disabled={acts.busy || !words.trim()} onClick={() => void control("block", "Blocked.")}>
                Block
              </button>
            )}
            {may("kill") && (
              <button disabled={acts.busy} onClick={() => void control("kill", "The attempt was stopped.")}>
                End attempt
              </button>
            )}
          </div>
        </Fragment>
      )}
      <Said acts={acts} />
    </article>
  )
}
