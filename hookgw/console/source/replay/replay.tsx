// The session at any position of the log: what happened there, and every view as it was then.

import { h, Fragment, VNode } from "preact"
import { signal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { clock } from "../kit/format"
import { place, to, visit } from "../kit/place"
import { Visible } from "../kit/text"
import { Event } from "../kit/event"

interface Row {
  seq: number
  time: string
  actor: string
  type: string
  corr?: string
  summary?: string
}

// shown is how many rows before and behind the position are listed.
const shown = 12

// marked is the position of a session that another one is compared with.
const marked = signal({ session: "", seq: 0 })

const marks: Record<string, RegExp> = {
  ask: /^AskRaised$/,
  ticket: /^Ticket(Started|Completed|Blocked)$/,
  error: /^(ModelFailed|TicketBlocked|GoalFailed|ToolDenied|SessionStalled)$/,
}

export function Replay(): VNode {
  const { session, query } = place.value
  const read = useRead<{ rows: Row[]; dropped: number }>(
    `/api/timeline?limit=10000&session=${encodeURIComponent(session)}`,
  )
  const rows = read.value.value?.rows ?? []
  const at = Number(query.get("at") ?? 0)
  let here = rows.length - 1
  if (at > 0) while (here > 0 && rows[here].seq > at) here--
  const go = (n: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, n))]
    if (next) visit(to(session, "replay", "", { at: String(next.seq) }))
  }
  const find = (kind: string, step: number) => {
    for (let n = here + step; n >= 0 && n < rows.length; n += step) if (marks[kind].test(rows[n].type)) return go(n)
  }
  useLayoutEffect(() =>
    show({
      "[": { does: "previous event", run: () => go(here - 1) },
      "]": { does: "next event", run: () => go(here + 1) },
      "{": { does: "previous question", run: () => find("ask", -1) },
      "}": { does: "next question", run: () => find("ask", 1) },
    }),
  )
  if (rows.length === 0) return <p class="page">{read.error.value || "Reading …"}</p>
  const row = rows[here]
  return (
    <main class="page" aria-label="Replay">
      {read.value.value!.dropped > 0 && (
        <p class="quiet">The first {read.value.value!.dropped} events are not listed here.</p>
      )}
      <input
        class="scrubber"
        type="range"
        aria-label="Position"
        aria-valuetext={`${row.seq} ${row.type}`}
        min={0}
        max={rows.length - 1}
        value={here}
        onChange={(e) => go(Number(e.currentTarget.value))}
      />
      <p class="acts">
        <button onClick={() => go(here - 1)}>
          Back <kbd>[</kbd>
        </button>
        <button onClick={() => go(here + 1)}>
          Forward <kbd>]</kbd>
        </button>
        {Object.keys(marks).map((kind) => (
          <Fragment>
            <button onClick={() => find(kind, -1)}>Previous {kind === "ask" ? "question" : kind}</button>
            <button onClick={() => find(kind, 1)}>Next {kind === "ask" ? "question" : kind}</button>
          </Fragment>
        ))}
      </p>
      <p class="acts">
        As it was at event {row.seq}, {new Date(row.time).toLocaleString()}:
        {["live", "tickets", "asks", "timeline", "conversation", "changes", "cost", "discussion", "settings"].map((view) => (
          <a href={to(session, view, "", { at: String(row.seq) })}>{view === "asks" ? "questions" : view}</a>
        ))}
      </p>
      <p class="acts">
        Compare files:
        <a href={to(session, "changes", "", { from: String(row.seq) })}>from this event to now</a>
        <button onClick={() => (marked.value = { session, seq: row.seq })}>Mark event {row.seq}</button>
        {marked.value.session === session && marked.value.seq !== row.seq && (
          <a
            href={to(session, "changes", "", {
              from: String(Math.min(marked.value.seq, row.seq)),
              at: String(Math.max(marked.value.seq, row.seq)),
            })}
          >
            between event {marked.value.seq} and this one
          </a>
        )}
      </p>
      <p class="quiet">
        A look back changes nothing. To restore the earlier content of a file, use Undo in{" "}
        <a href={to(session, "changes")}>Changes</a>.
      </p>
      <table aria-label="Events">
        <thead>
          <tr>
            {["Event", "Time", "By", "What", "About", "In short"].map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(Math.max(0, here - shown), here + shown + 1).map((r) => (
            <tr key={r.seq} class={r === row ? "chosen" : r.seq > row.seq ? "over" : ""}>
              <td class="brief">
                <a
                  href={to(session, "replay", "", { at: String(r.seq) })}
                  aria-current={r === row ? "true" : undefined}
                >
                  {r.seq}
                </a>
              </td>
              <td class="brief">{clock(r.time)}</td>
              <td class="word">
                <Visible text={r.actor} />
              </td>
              <td class="word">
                <Visible text={r.type} />
              </td>
              <td class="word">
                <Visible text={r.corr ?? ""} />
              </td>
              <td>
                <Visible text={r.summary ?? ""} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Event seq={row.seq} />
    </main>
  )
}

// OneEvent is the view of a single event, to which hits of a search lead.
export function OneEvent(): VNode {
  const { session, rest } = place.value
  return (
    <main class="page" aria-label="Event">
      <p>
        <a href={to(session, "replay", "", { at: rest })}>What happened around it</a>
      </p>
      <Event seq={Number(rest)} />
    </main>
  )
}
