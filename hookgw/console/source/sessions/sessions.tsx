// All sessions of the project, open ones first, the newest first.

import { h, Fragment, VNode } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { age } from "../kit/time"
import { money } from "../kit/format"
import { to } from "../kit/place"
import { Blocked } from "../kit/blocked"
import { Acts, Said, useActs } from "../kit/act"
import { Sure } from "../kit/sure"
import { Visible } from "../kit/text"
import { standing } from "../kit/words"
import { Session } from "../wire"

export function Sessions(): VNode {
  const read = useRead<{ current: string; sessions: Session[] }>("/api/sessions")
  const list = read.value.value
  const rows = [...(list?.sessions ?? [])].reverse()
  rows.sort((a, b) => Number(!!a.closed) - Number(!!b.closed))
  const open = rows.filter((s) => !s.closed)
  const acts = useActs()
  const stop = async () => {
    const still = []
    for (const s of open)
      if (!(await acts.act("/api/sessions/close?session=" + encodeURIComponent(s.session), {}, "Closed."))) still.push(s)
    acts.say(
      still.length === 0
        ? `${open.length} sessions are closed.`
        : "Not closed, or not known: " + still.map((s) => s.goal || s.label || s.session).join(", "),
    )
  }
  const table = useRef<HTMLTableElement>(null)
  const move = (step: number) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>("a[data-session]") ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
  }
  useLayoutEffect(() =>
    show({
      j: { does: "next session; Enter opens it", run: () => move(1) },
      k: { does: "previous session", run: () => move(-1) },
    }),
  )
  return (
    <main class="page" aria-label="Sessions">
      <h1>Sessions</h1>
      {list && rows.length > 0 && (
        <p>
          <a href={to(list.current, "goal")}>New goal or session</a>{" "}
          {open.length > 1 && (
            <Sure
              name="Stop all …"
              disabled={acts.busy}
              what={
                <Fragment>
                  <p>
                    All work stops, and these sessions are closed. A closed session cannot be resumed. To continue later,
                    use Pause in a session.
                  </p>
                  <ul>
                    {open.map((s) => (
                      <li>
                        <Visible text={s.goal || s.label || s.session} />
                      </li>
                    ))}
                  </ul>
                </Fragment>
              }
              onYes={() => void stop()}
            />
          )}
          <Said acts={acts} />
        </p>
      )}
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      {list && rows.length === 0 && <p class="quiet">No session yet: slop run "make the tests pass" opens one.</p>}
      <table ref={table}>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Goal</th>
            <th scope="col">Waiting for you</th>
            <th scope="col">Tickets</th>
            <th scope="col">Cost</th>
            <th scope="col">Opened</th>
            <th scope="col">Id</th>
            <th scope="col">Log files</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((s) => (
            <tr key={s.session} class={s.closed ? "over" : ""}>
              <td>
                <Visible text={standing(s)} />
              </td>
              <td>
                <a data-session={s.session} href={to(s.session, "live")}>
                  <Visible text={s.goal || s.label || "no goal yet"} />
                </a>
              </td>
              <td>
                {s.pending_asks > 0 && !s.closed && <a href="#/inbox">⚑ {s.pending_asks}</a>}
                {!s.closed && <Blocked session={s.session} tickets={s.blocked} />}
              </td>
              <td class="brief">{s.tickets > 0 && `${s.tickets_done}/${s.tickets}`}</td>
              <td class="brief">{money(s.micro_dollars, s.unpriced)}</td>
              <td class="brief">
                <time dateTime={s.opened} title={s.opened}>
                  {age(s.opened)} ago
                </time>
              </td>
              <td class="id">
                {s.session}
                {s.session === list?.current ? " (current)" : ""}
              </td>
              <td>
                <Files session={s} acts={acts} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  )
}

// Files keeps the log files of a session from being deleted when there are too many, or writes deleted ones anew.
function Files({ session: s, acts }: { session: Session; acts: Acts }): VNode {
  const of = "?session=" + encodeURIComponent(s.session)
  const name = s.goal || s.label || s.session
  if (s.pruned)
    return (
      <button
        disabled={acts.busy}
        aria-label={"Restore the log files of " + name}
        onClick={() => void acts.act("/api/logs/restore" + of, {}, "The log files are written again.")}
      >
        deleted: restore
      </button>
    )
  return (
    <button
      disabled={acts.busy}
      aria-label={"Keep the log files of " + name}
      aria-pressed={s.starred ?? false}
      onClick={() => void acts.act("/api/logs/star" + of, { on: !s.starred }, s.starred ? "No longer kept." : "Kept.")}
    >
      {s.starred ? "★ kept" : "☆ keep"}
    </button>
  )
}
