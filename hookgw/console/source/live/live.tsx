// What goes on now: the four tiers, what each worker does and waits for, and the newest text.

import { h, Fragment, VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { Said, useActs } from "../kit/act"
import { count, state } from "../kit/format"
import { api, place, to } from "../kit/place"
import { age } from "../kit/time"
import { Ansi, Visible } from "../kit/text"
import { tierNames, Tiers } from "../kit/words"
import { forget, writing } from "../store"
import { Worker, Workers } from "../wire"

// rested is how many workers that are over a tier shows.
const rested = 4

export function Live(): VNode {
  const read = useRead<Workers>(api("/api/mma/workers"))
  const crew = read.value.value
  useEffect(() => forget(new Set(crew?.active.map((w) => w.request))), [crew])
  const unused = crew && crew.active.length + crew.finished.length === 0 && !place.value.query.has("at")
  return (
    <main class="page wide" aria-label="Live">
      {unused && (
        <p>
          No model has worked in this session. <a href={to(place.value.session, "goal")}>Submit a goal</a> to begin.
        </p>
      )}
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      <Tiers />
      <div class="tiers">
        {[1, 2, 3, 4].map((tier) => (
          <section aria-label={tierNames[tier]}>
            <h2>{tierNames[tier]}</h2>
            {crew && <Tier tier={tier} crew={crew} />}
          </section>
        ))}
      </div>
    </main>
  )
}

function Tier({ tier, crew }: { tier: number; crew: Workers }): VNode {
  const active = crew.active.filter((w) => w.tier === tier)
  const over = crew.finished
    .filter((w) => w.tier === tier)
    .reverse()
    .slice(0, rested)
  return (
    <Fragment>
      {active.length + over.length === 0 && <p class="quiet">Nothing yet.</p>}
      {active.map((w) => (
        <Card key={w.worker_uid} worker={w} />
      ))}
      {over.map((w) => (
        <details key={w.worker_uid}>
          <summary>
            <Visible text={w.ticket || w.role} /> {ended(w.status)}
            {w.ended_at && ` ${age(w.ended_at)} ago`}
          </summary>
          <Facts worker={w} />
          <pre class="tail">
            <Ansi text={w.text_tail} />
          </pre>
        </details>
      ))}
    </Fragment>
  )
}

// ends are the states of workers that did not end because their ticket is blocked.
const ends = ["completed", "removed", "stopped", "refused", "failed"]

// ended says how a worker ended. The state of one whose ticket is blocked is what blocked it.
function ended(status: string): string {
  return ends.includes(status) ? state(status) : `${state("blocked")} (${status})`
}

function Card({ worker: w }: { worker: Worker }): VNode {
  const acts = useActs()
  const [note, setNote] = useState("")
  const past = place.value.query.has("at")
  const said = past ? "" : writing.value[w.request]
  const control = (body: object, done: string) => acts.act("/api/control", { ticket: w.ticket, ...body }, done)
  const tell = async () => {
    if (note.trim() && (await control({ action: "note", note: note.trim() }, "The next request will include the note.")))
      setNote("")
  }
  return (
    <article class="card">
      <h3>
        <Visible text={w.ticket || w.role} /> {state(w.status)}
      </h3>
      <p>
        <Visible text={w.task} />
      </p>
      <Facts worker={w} />
      <pre class="tail" aria-label="newest text">
        <Ansi text={said || w.text_tail} />
      </pre>
      {w.tier === 3 && w.ticket && !past && (
        <div class="acts">
          <input
            aria-label={"Note to " + w.ticket}
            placeholder="Note for the next request"
            value={note}
            onInput={(e) => setNote(e.currentTarget.value)}
          />
          <button disabled={acts.busy || !note.trim()} onClick={() => void tell()}>
            Send note
          </button>
          <button disabled={acts.busy} onClick={() => void control({ action: "kill" }, "The attempt was stopped.")}>
            End attempt
          </button>
        </div>
      )}
      <Said acts={acts} />
    </article>
  )
}

function Facts({ worker: w }: { worker: Worker }): VNode {
  const { session } = place.value
  return (
    <ul class="facts quiet">
      {w.asks.map((a) => (
        <li>
          <a href={"#/inbox/" + encodeURIComponent(a.ask)}>
            ⚑ waits {age(a.since)} for you: <Visible text={a.title} />
          </a>
        </li>
      ))}
      {w.calls.map((c) => (
        <li>
          <Visible text={c.tool} /> {c.status} since {age(c.since)}
        </li>
      ))}
      {w.waits_for === "model" && <li>waiting for the model</li>}
      {w.waits_for === "slot" && <li>waiting for a free worker</li>}
      <li>
        <Visible text={w.model} />
      </li>
      <li>
        round {w.round}
        {w.attempt > 1 && `, attempt ${w.attempt}`}
      </li>
      <li>{count(w.usage.input + w.usage.output + w.usage.cache_read + w.usage.cache_write)} tokens</li>
      {w.reason && (
        <li>
          <Visible text={w.reason} />
        </li>
      )}
      <li>
        <a href={to(session, "conversation", w.worker_uid)}>conversation</a>
      </li>
    </ul>
  )
}
