// The frame of one session: what it is about, how it stands, its tabs, and what stops it.

import { h, Fragment, VNode } from "preact"
import { useEffect, useLayoutEffect } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { count, money } from "../kit/format"
import { api, place, to } from "../kit/place"
import { Said, useActs } from "../kit/act"
import { Blocked } from "../kit/blocked"
import { Visible } from "../kit/text"
import { Sure } from "../kit/sure"
import { standing } from "../kit/words"
import { follow } from "../store"
import { InboxAnswer, Overview } from "../wire"

export interface Tab {
  view: string
  name: string
  key: string
  draw: () => VNode
}

export function SessionFrame({ tabs, hidden }: { tabs: Tab[]; hidden: Tab[] }): VNode {
  const { session, view, query } = place.value
  useEffect(() => follow(session), [session])
  const tab = [...tabs, ...hidden].find((t) => t.view === view) ?? tabs[0]
  return (
    <Fragment>
      <Head key={session} />
      <nav class="tabs" aria-label="Views of the session">
        {tabs.map((t) => (
          <a
            href={to(session, t.view, "", { at: query.get("at") ?? "" })}
            aria-current={t === tab ? "page" : undefined}
          >
            {t.name}
          </a>
        ))}
      </nav>
      <div key={session + "/" + tab.view}>{tab.draw()}</div>
    </Fragment>
  )
}

function Head(): VNode {
  const read = useRead<Overview>(api("/api/overview"))
  const inbox = useRead<InboxAnswer>("/api/inbox").value.value
  const asks = inbox?.asks.filter((a) => a.session === place.value.session)
  const acts = useActs()
  const o = read.value.value
  const past = place.value.query.get("at")
  const pause = () => {
    if (o && !o.closed)
      void acts.act(
        "/api/mma/pipeline/" + (o.paused ? "resume" : "pause"),
        {},
        o.paused ? "Resumed." : "Paused: running work finishes, and nothing new starts.",
      )
  }
  useLayoutEffect(() => show({ ".": { does: "pause or resume the session", run: pause } }))
  if (!o)
    return (
      <section class="head" aria-label="Session">
        <h1>{place.value.session}</h1>
        <p>{read.error.value || "Reading …"}</p>
      </section>
    )
  const stop = async () => {
    await acts.act("/api/sessions/close", {}, "The session is closed.")
  }
  const spent = o.usage.input + o.usage.output + o.usage.cache_read + o.usage.cache_write
  return (
    <section class="head" aria-label="Session">
      <h1>
        <Visible text={o.goal || o.label || o.session} />
      </h1>
      <ul class="facts">
        <li class={o.stalled ? "warn" : ""}>
          <Visible text={standing(o, o.paused)} />
        </li>
        <li>
          <a href={to(o.session, "tickets", "", { at: past ?? "" })}>
            {o.tickets_done} of {o.tickets} tickets done
          </a>
        </li>
        <li>
          <a href={to(o.session, "cost", "", { at: past ?? "" })}>
            {money(o.micro_dollars, o.unpriced)}
            {o.limit_micro_dollars > 0 && ` of ${money(o.limit_micro_dollars)}`}
          </a>
        </li>
        <li>{count(spent)} tokens</li>
        {o.pending_asks > 0 && !o.closed && (
          <li>
            <a href={"#/inbox" + (asks?.length === 1 ? "/" + encodeURIComponent(asks[0].request_id) : "")}>
              ⚑ {o.pending_asks} {o.pending_asks === 1 ? "question waits" : "questions wait"} for you
            </a>
          </li>
        )}
        {!o.closed && o.blocked && (
          <li class="warn">
            <Blocked session={o.session} tickets={o.blocked} at={past ?? ""} />
          </li>
        )}
        {o.step_mode && <li>step mode</li>}
      </ul>
      {!o.closed && !past && (
        <div class="acts">
          <button disabled={acts.busy} onClick={pause}>
            {o.paused ? "Resume" : "Pause"} <kbd>.</kbd>
          </button>
          <Sure
            name="Stop …"
            what="All work stops, and the session is closed. A closed session cannot be resumed. To continue later, use Pause."
            onYes={() => void stop()}
          />
        </div>
      )}
      <Said acts={acts} />
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      {past && (
        <p class="warn" role="status">
          This is the session as it was at {past}.{" "}
          <a href={to(o.session, place.value.view, place.value.rest)}>Back to now</a>
        </p>
      )}
    </section>
  )
}
