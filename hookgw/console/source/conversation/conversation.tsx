// What a worker was told and said in an attempt, request by request.

import { h, Fragment, VNode } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { Said, useActs } from "../kit/act"
import { callState, clock, count, duration, state } from "../kit/format"
import { api, place, to, visit } from "../kit/place"
import { Long, Visible } from "../kit/text"
import { tierNames } from "../kit/words"
import { writing } from "../store"
import { Called, Conversation as Answer, Round, Tickets, Workers } from "../wire"

export function Conversation(): VNode {
  const { session, rest: worker, query } = place.value
  const crew = useRead<Workers>(api("/api/mma/workers")).value.value
  const tickets = useRead<Tickets>(api("/api/tickets")).value.value
  const names = new Set([
    ...(crew?.active ?? []).map((w) => w.worker_uid),
    ...(tickets?.tickets ?? []).filter((t) => t.attempt > 0).map((t) => t.id),
    ...(crew?.finished ?? []).map((w) => w.worker_uid),
    ...(worker ? [worker] : []),
  ])
  const workers = [...(crew?.finished ?? []), ...(crew?.active ?? [])]
  const called = new Map([
    ...workers.map((w): [string, string] => [
      w.worker_uid,
      w.ticket ? `${w.ticket} ${w.task}` : `${tierNames[w.tier]}${w.started_at ? ", " + clock(w.started_at) : ""}`,
    ]),
    ...(tickets?.tickets ?? []).map((t): [string, string] => [t.id, `${t.id} ${t.description.split("\n", 1)[0]}`]),
  ])
  return (
    <main class="page" aria-label="Conversation">
      <p class="acts">
        <label>
          Worker{" "}
          <select
            value={worker}
            onChange={(e) => visit(to(session, "conversation", e.currentTarget.value, { at: query.get("at") ?? "" }))}
          >
            {!worker && <option value="">choose one</option>}
            {[...names].map((n) => (
              <option value={n}>
                <Visible text={called.get(n) ?? n} />
              </option>
            ))}
          </select>
        </label>
      </p>
      {!worker && <p class="quiet">Choose a worker to read what it was told, what it said, and which tools it called.</p>}
      {worker && <Of key={worker + query.get("attempt")} worker={worker} />}
    </main>
  )
}

function Of({ worker }: { worker: string }): VNode {
  const { session, query } = place.value
  const attempt = query.get("attempt") ?? "0"
  const read = useRead<Answer>(api("/api/conversation", { worker, attempt }))
  const acts = useActs()
  const [note, setNote] = useState("")
  const c = read.value.value
  // It opens at the newest entry, or the call that the address names, and stays at the end until somebody reads above.
  const atEnd = useRef(true)
  const call = query.get("call")
  const known = c !== undefined
  useLayoutEffect(() => {
    const named = [...document.querySelectorAll<HTMLDetailsElement>("details.call")].find((d) => d.dataset.call === call)
    if (!named) return
    atEnd.current = false
    named.open = true
    named.closest("article")?.scrollIntoView()
  }, [known])
  const stay = () => {
    if (atEnd.current) scrollTo(0, document.documentElement.scrollHeight)
  }
  useLayoutEffect(stay, [c])
  useEffect(() => {
    const ended = writing.subscribe(() => requestAnimationFrame(stay))
    const note = () => {
      atEnd.current = scrollY + innerHeight >= document.documentElement.scrollHeight - 40
    }
    addEventListener("scroll", note)
    return () => {
      ended()
      removeEventListener("scroll", note)
    }
  }, [])
  if (!c) return <p>{read.error.value || "Reading …"}</p>
  const tell = async () => {
    if (
      await acts.act(
        "/api/control",
        { action: "note", ticket: worker, note: note.trim() },
        "The next request will include it.",
      )
    )
      setNote("")
  }
  return (
    <Fragment>
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      {c.attempts > 1 && (
        <nav class="acts" aria-label="Attempts">
          {Array.from({ length: c.attempts }, (_, i) => String(i + 1)).map((n) => (
            <a
              href={to(session, "conversation", worker, { attempt: n, at: query.get("at") ?? "" })}
              aria-current={n === String(c.attempt) ? "true" : undefined}
            >
              Attempt {n}
            </a>
          ))}
        </nav>
      )}
      {c.older > 0 && <p class="quiet">{c.older} earlier requests are not shown; the timeline has them.</p>}
      {c.rounds.length === 0 && <p class="quiet">It has not called a model yet.</p>}
      {c.rounds.map((r) => (
        <One key={r.id} round={r} />
      ))}
      {!worker.includes(":") && !query.has("at") && (
        <div class="acts">
          <input
            aria-label="Note to the worker"
            placeholder="Note for the next request"
            value={note}
            onInput={(e) => setNote(e.currentTarget.value)}
          />
          <button disabled={acts.busy || !note.trim()} onClick={() => void tell()}>
            Send note
          </button>
          <Said acts={acts} />
        </div>
      )}
    </Fragment>
  )
}

function One({ round: r }: { round: Round }): VNode {
  const u = r.usage
  const asked = u ? u.input + u.cache_read + u.cache_write : 0
  return (
    <article class="round">
      <h2>
        Request {r.round ?? ""}{" "}
        <span class="quiet">
          {clock(r.start)} <Visible text={r.name} /> {state(r.state)}
        </span>
      </h2>
      {u && (
        <p class="quiet">
          {count(asked)} tokens in, {asked > 0 ? Math.round((100 * u.cache_read) / asked) : 0} % from the cache,{" "}
          {count(u.output)} out
          {r.end && `, ${duration(Date.parse(r.end) - Date.parse(r.began ?? r.start))}`}{" "}
          <meter min={0} max={Math.max(1, asked)} value={u.cache_read} aria-label="share from the cache" />
        </p>
      )}
      {r.anew && (r.round ?? 0) > 1 && <p class="quiet">A new prompt starts here.</p>}
      {r.said.map((s) => (
        <details open={s.role === "user" && s.text.length < 4000}>
          <summary>
            {s.role === "system"
              ? "Instructions"
              : s.kind === "refresh"
                ? "Changed files"
                : s.origin
                  ? `Text from ${s.origin}`
                  : "Told"}
            <span class="quiet"> {s.size} bytes</span>
          </summary>
          <Long text={s.text} size={s.size} />
        </details>
      ))}
      {r.thoughts.map((t) => (
        <details>
          <summary>Thoughts</summary>
          <Long text={t} />
        </details>
      ))}
      {r.text && (
        <div class="reply">
          <Long text={r.text} lines={200} />
        </div>
      )}
      {!r.end && writing.value[r.id] && (
        <div class="reply">
          <Long text={writing.value[r.id]} lines={200} />
        </div>
      )}
      {r.detail && (
        <p class="warn">
          <Visible text={r.detail} />
        </p>
      )}
      {r.calls.map((c) => (
        <Call call={c} />
      ))}
    </article>
  )
}

function Call({ call: c }: { call: Called }): VNode {
  const args = JSON.stringify(c.args)
  return (
    <details class="call" data-call={c.id}>
      <summary>
        <b>
          <Visible text={c.name} />
        </b>{" "}
        {callState(c)}{" "}
        {c.state === "failed" && (
          <span class="warn">
            <Visible text={c.text.split("\n", 1)[0]} />{" "}
          </span>
        )}
        <span class="title">
          <Visible text={args} />
        </span>
      </summary>
      {c.ask && (
        <p>
          <a href={"#/inbox/" + encodeURIComponent(c.ask)}>⚑ It waits for your answer</a>
        </p>
      )}
      <dl>
        {c.by && (
          <Fragment>
            <dt>by</dt>
            <dd>
              <Visible text={c.by} />
            </dd>
          </Fragment>
        )}
        {c.detail && (
          <Fragment>
            <dt>{c.by === "rule" ? "rule" : "why"}</dt>
            <dd>
              <Visible text={c.detail} />{" "}
              {c.by === "rule" && <a href={to(place.value.session, "settings")}>all rules</a>}
            </dd>
          </Fragment>
        )}
        {Object.entries((c.args ?? {}) as Record<string, unknown>).map(([name, value]) => (
          <Fragment>
            <dt>
              <Visible text={name} />
            </dt>
            <dd>
              <Long text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
            </dd>
          </Fragment>
        ))}
      </dl>
      {c.text && (
        <Fragment>
          <h3>result</h3>
          <Long text={c.text} size={c.size} />
        </Fragment>
      )}
      {c.note && (
        <Fragment>
          <h3>engine note</h3>
          <Long text={c.note} />
        </Fragment>
      )}
    </details>
  )
}
