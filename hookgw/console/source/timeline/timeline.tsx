// What took time: requests to models, calls, waits for a person. The same rows as a waterfall and as a table.

import { h, Fragment, VNode } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { callState, clock, count, duration, state } from "../kit/format"
import { api, place, to, visit } from "../kit/place"
import { now } from "../kit/time"
import { Visible } from "../kit/text"
import { Event } from "../kit/event"
import { Span } from "../wire"

const kinds = ["goal", "attempt", "context", "model", "tool", "ask", "merge"]

// idle is how much of a stretch without work is drawn, in milliseconds: waits for people are much longer than all else.
const idle = 2000

export function Timeline(): VNode {
  const { session, rest, query } = place.value
  const limit = query.get("limit") ?? "300"
  const read = useRead<{ spans: Span[]; older: number }>(api("/api/spans", { limit }))
  const ticket = query.get("ticket") ?? ""
  const off = (query.get("off") ?? "").split(",")
  const all = read.value.value?.spans ?? []
  const rows = all.filter((s) => (!ticket || s.ticket === ticket) && !off.includes(s.kind))
  const at = rows.findIndex((s) => s.id === rest)
  const link = (id: string, more: Record<string, string> = {}) =>
    to(session, "timeline", id, { ...Object.fromEntries(query), ...more })
  const go = (n: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, n))]
    if (next) visit(link(next.id))
  }
  useLayoutEffect(() =>
    show({
      j: { does: "next row", run: () => go(at + 1) },
      k: { does: "previous row", run: () => go(at < 0 ? rows.length - 1 : at - 1) },
    }),
  )
  const scale = scaleOf(rows)
  const older = read.value.value?.older ?? 0
  return (
    <div class={at >= 0 ? "split" : "split alone"}>
      <main aria-label="Timeline">
        <p class="acts">
          {kinds.map((k) => (
            <label>
              <input
                type="checkbox"
                checked={!off.includes(k)}
                onChange={() => {
                  const next = off.includes(k) ? off.filter((o) => o !== k) : [...off, k]
                  visit(link(rest, { off: next.filter(Boolean).join(",") }))
                }}
              />
              {k}
            </label>
          ))}
          <a href={api("/api/spans", { limit })} target="_blank">
            The rows as JSON
          </a>
          {ticket && (
            <a href={link(rest, { ticket: "" })}>
              only <Visible text={ticket} /> ✕
            </a>
          )}
        </p>
        {read.error.value && (
          <p class="warn" role="alert">
            {read.error.value}
          </p>
        )}
        {older > 0 && (
          <p>
            {older} earlier rows.{" "}
            <a href={link(rest, { limit: String(Math.min(20_000, 5 * Number(limit))) })}>Read more</a>
          </p>
        )}
        {read.value.value && rows.length === 0 && <p class="quiet">Nothing has happened yet.</p>}
        <table class="spans">
          <thead>
            <tr>
              {["Begun", "What", "Ticket", "State", "Waited", "Took", "Tokens"].map((name) => (
                <th scope="col">{name}</th>
              ))}
              <th scope="col" aria-hidden="true">
                …
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((s) => (
              <Row key={s.id} span={s} chosen={s.id === rest} href={link(s.id)} scale={scale} />
            ))}
          </tbody>
        </table>
      </main>
      {at >= 0 && (
        <section aria-label="Details">
          <p class="back">
            <a href={link("")}>← All rows</a>
          </p>
          <Details key={rest} span={rows[at]} />
        </section>
      )}
    </div>
  )
}

function endOf(s: Span): number {
  return s.end ? Date.parse(s.end) : now.value
}

// beganAt is when the work of a span began, behind a queue or a person.
function beganAt(s: Span): number {
  return Math.min(endOf(s), Date.parse(s.began ?? s.start))
}

function Row({ span: s, chosen, href, scale }: { span: Span; chosen: boolean; href: string; scale: Scale }): VNode {
  const start = Date.parse(s.start)
  const began = beganAt(s)
  const end = endOf(s)
  const u = s.usage
  return (
    <tr class={chosen ? "chosen" : ""}>
      <td class="brief">
        <time dateTime={s.start} title={s.start}>
          {clock(s.start)}
        </time>
      </td>
      <td>
        <a href={href} aria-current={chosen ? "true" : undefined}>
          {s.kind} <Visible text={s.name} />
        </a>
      </td>
      <td>
        {s.ticket && <Visible text={s.ticket} />}
        {s.round ? ` · ${s.round}` : ""}
      </td>
      <td>{s.kind === "tool" ? callState(s) : state(s.state)}</td>
      <td>{s.kind === "ask" ? duration(end - start) : began > start ? duration(began - start) : ""}</td>
      <td>{s.kind === "ask" ? "" : duration(end - began)}</td>
      <td>{u ? count(u.input + u.output + u.cache_read + u.cache_write) : ""}</td>
      <td class="lane" aria-hidden="true">
        <div>
          <span class="bar queue" style={bar(scale, start, began)} />
          <span class={"bar " + s.kind + (s.end ? "" : " open")} style={bar(scale, began, end)} />
        </div>
      </td>
    </tr>
  )
}

type Scale = (time: number) => number // from 0 to 100

function bar(scale: Scale, from: number, until: number): { left: string; width: string } {
  return { left: scale(from) + "%", width: Math.max(until > from ? 0.3 : 0, scale(until) - scale(from)) + "%" }
}

// scaleOf draws time as it went, but stretches in which nothing worked as short ones.
function scaleOf(rows: Span[]): Scale {
  const work = rows
    .filter((s) => s.kind === "model" || s.kind === "tool" || s.kind === "context" || s.kind === "merge")
    .map((s) => [beganAt(s), endOf(s)])
    .sort((a, b) => a[0] - b[0])
  const stops: [number, number][] = [] // time, and where it is drawn
  let drawn = 0
  let until = Math.min(...rows.map((s) => Math.min(Date.parse(s.start), beganAt(s))))
  const last = Math.max(...rows.map(endOf))
  const stretch = (to: number, most: number) => {
    stops.push([until, drawn])
    drawn += Math.min(most, to - until)
    until = to
  }
  for (const [from, to] of [...work, [last, last]]) {
    if (from > until) stretch(from, idle)
    if (to > until) stretch(to, Infinity)
  }
  stops.push([until, drawn])
  return (time) => {
    let low = 0
    let high = stops.length - 1
    while (high - low > 1) {
      const mid = (low + high) >> 1
      if (stops[mid][0] <= time) low = mid
      else high = mid
    }
    const [t0, d0] = stops[low]
    const [t1, d1] = stops[high]
    const part = t1 > t0 ? (time - t0) / (t1 - t0) : 0
    return drawn > 0 ? (100 * (d0 + Math.max(0, Math.min(1, part)) * (d1 - d0))) / drawn : 0
  }
}

function Details({ span: s }: { span: Span }): VNode {
  const { session } = place.value
  const [open, setOpen] = useState(s.end_seq ? s.end_seq : s.seq)
  const facts: [string, string | undefined][] = [
    ["state", s.kind === "tool" ? callState(s) : state(s.state)],
    ["why", s.detail],
    ["by", s.by],
    ["tier", s.tier ? String(s.tier) : undefined],
    ["id", s.id],
  ]
  return (
    <article>
      <h2>
        {s.kind} <Visible text={s.name} />
      </h2>
      <dl>
        {facts.map(
          ([name, value]) =>
            value && (
              <Fragment>
                <dt>{name}</dt>
                <dd>
                  <Visible text={value} />
                </dd>
              </Fragment>
            ),
        )}
        {s.usage && (
          <Fragment>
            <dt>tokens</dt>
            <dd>
              {s.usage.input} new, {s.usage.cache_read} from the cache, {s.usage.cache_write} into it, {s.usage.output}{" "}
              written
            </dd>
          </Fragment>
        )}
      </dl>
      <p class="acts">
        {s.worker && <a href={to(session, "conversation", s.worker)}>Conversation</a>}
        {s.ticket && <a href={to(session, "tickets", s.ticket)}>Ticket</a>}
        {s.kind === "ask" && !s.end && <a href={"#/inbox/" + encodeURIComponent(s.id)}>Answer it</a>}
        <button aria-pressed={open === s.seq} onClick={() => setOpen(s.seq)}>
          Began at {s.seq}
        </button>
        {s.end_seq && (
          <button aria-pressed={open === s.end_seq} onClick={() => setOpen(s.end_seq!)}>
            Ended at {s.end_seq}
          </button>
        )}
      </p>
      <Event seq={open} />
    </article>
  )
}
