// The questions of a session, answered or not: what was asked, who answered how and why, and how long it took.

import { h, Fragment, VNode } from "preact"
import { useRead } from "../kit/read"
import { clock, duration, state } from "../kit/format"
import { api, place, to } from "../kit/place"
import { now } from "../kit/time"
import { Visible } from "../kit/text"
import { SettledAsk } from "../wire"

interface Ask extends SettledAsk {
  gate: string
  title: string
  ticket?: string
  call?: string
  raised_at: string
  settled?: { by: string; outcome: string; reason?: string; at: string }
}

export function Asks(): VNode {
  const { session } = place.value
  const read = useRead<{ asks: Ask[] }>(api("/api/asks", { state: "all" }))
  const asks = [...(read.value.value?.asks ?? [])].reverse()
  return (
    <main class="page wide" aria-label="Questions">
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      {read.value.value && asks.length === 0 && <p class="quiet">Nothing was asked.</p>}
      <table>
        <thead>
          <tr>
            {["Asked", "Question", "Gate", "Ticket", "Answer", "By", "Reason", "Waited"].map((n) => (
              <th scope="col">{n}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {asks.map((a) => (
            <tr key={a.request_id}>
              <td class="brief">
                <time dateTime={a.raised_at} title={a.raised_at}>
                  {clock(a.raised_at)}
                </time>
              </td>
              <td>
                <a
                  href={
                    a.settled ? to(session, "timeline", a.request_id) : "#/inbox/" + encodeURIComponent(a.request_id)
                  }
                >
                  <Visible text={a.title} />
                </a>
                {a.settled && a.call && (
                  <Fragment>
                    {" "}
                    <a href={to(session, "timeline", a.call)}>what became of it</a>
                  </Fragment>
                )}
              </td>
              <td>{a.gate}</td>
              <td>
                <Visible text={a.ticket ?? ""} />
              </td>
              <td>{a.settled ? state(a.settled.outcome) : "⚑ open"}</td>
              <td>
                <Visible text={a.settled?.by ?? ""} />
              </td>
              <td>
                <Visible text={a.settled?.reason ?? ""} />
              </td>
              <td>{duration((a.settled ? Date.parse(a.settled.at) : now.value) - Date.parse(a.raised_at))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  )
}
