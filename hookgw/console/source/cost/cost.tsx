// What a session cost: by tier, model, track and ticket, and how long requests and calls took.

import { h, Fragment, VNode } from "preact"
import { useRead } from "../kit/read"
import { count, duration, money } from "../kit/format"
import { api } from "../kit/place"
import { Visible } from "../kit/text"
import { tierNames, Tiers } from "../kit/words"
import { Financial, Spend, SpendOf } from "../wire"

interface Latency {
  name: string
  kind: string
  count: number
  p50_ms: number
  p95_ms: number
}

export function Cost(): VNode {
  const read = useRead<Financial>(api("/api/metrics/financial"))
  const took = useRead<{ latencies: Latency[] }>(api("/api/latencies")).value.value?.latencies ?? []
  const f = read.value.value
  if (!f) return <p class="page">{read.error.value || "Reading …"}</p>
  const rest = { ...f.no_ticket, id: "", title: "no ticket, such as planning" }
  const tables: [string, SpendOf[]][] = [
    ["Tier", f.tiers.map((t) => ({ ...t, id: "", title: tierNames[Number(t.id)] || t.id }))],
    ["Model", f.models],
    ["Track", f.tracks.map((t) => (t.id ? t : { ...t, title: "no track, such as splitting the goal" }))],
    ["Ticket", [...f.tickets, ...(rest.requests + rest.failed > 0 ? [rest] : [])]],
  ]
  const limit = f.budget.limit_micro_dollars
  return (
    <main class="page" aria-label="Cost">
      <h2>
        {money(f.session.priced_micro_dollars, f.unpriced_models.length > 0)}
        {limit ? ` of ${money(limit)}` : ""}
      </h2>
      {limit && (
        <p>
          <meter
            min={0}
            max={limit}
            high={0.8 * limit}
            value={f.session.priced_micro_dollars}
            aria-label="part of the budget"
          />{" "}
          {f.budget.used_pct?.toFixed(1)} % of the budget{f.budget.warned && ", more than 80 % spent"}
        </p>
      )}
      {f.unpriced_models.length > 0 && (
        <p class="warn">
          No known price for <Visible text={f.unpriced_models.join(", ")} />; it is in no sum.
        </p>
      )}
      <Tiers />
      {tables.map(([name, rows]) => rows.length > 0 && <Table key={name} name={name} rows={rows} whole={f.session} />)}
      {took.length > 0 && (
        <Fragment>
          <h3>Seconds</h3>
          <table aria-label="Seconds">
            <thead>
              <tr>
                {["What", "Number", "Half are below", "95 % are below"].map((n) => (
                  <th scope="col">{n}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {took.map((l) => (
                <tr>
                  <td>
                    {l.kind} <Visible text={l.name} />
                  </td>
                  <td>{l.count}</td>
                  <td>{duration(l.p50_ms)}</td>
                  <td>{duration(l.p95_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Fragment>
      )}
    </main>
  )
}

function Table({ name, rows, whole }: { name: string; rows: SpendOf[]; whole: Spend }): VNode {
  return (
    <Fragment>
      <h3>By {name.toLowerCase()}</h3>
      <table aria-label={"By " + name.toLowerCase()}>
        <thead>
          <tr>
            {[name, "Cost", "Share", "Requests", "Failed", "Tokens in", "From the cache", "Tokens out"].map((n) => (
              <th scope="col">{n}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows]
            .sort((a, b) => b.priced_micro_dollars - a.priced_micro_dollars)
            .map((s) => {
              const asked = s.input_tokens + s.cache_read_tokens + s.cache_write_tokens
              const part = whole.priced_micro_dollars > 0 ? s.priced_micro_dollars / whole.priced_micro_dollars : 0
              return (
                <tr>
                  <td>
                    {s.id && <Visible text={s.id} />} {s.title && <Visible text={s.title} />}
                  </td>
                  <td>{money(s.priced_micro_dollars, s.cost_micro_dollars === null)}</td>
                  <td>
                    <meter min={0} max={1} value={part} aria-label="share of the cost" /> {Math.round(100 * part)} %
                  </td>
                  <td>{s.requests}</td>
                  <td>{s.failed}</td>
                  <td>{count(asked)}</td>
                  <td>{asked > 0 ? Math.round((100 * s.cache_read_tokens) / asked) : 0} %</td>
                  <td>{count(s.output_tokens)}</td>
                </tr>
              )
            })}
        </tbody>
      </table>
    </Fragment>
  )
}
