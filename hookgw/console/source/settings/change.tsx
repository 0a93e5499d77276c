// What a person changes in the settings of a session.

import { h, VNode } from "preact"
import { useState } from "preact/hooks"
import { Form } from "../kit/fields"
import { useRead } from "../kit/read"
import { money } from "../kit/format"
import { Said, useActs } from "../kit/act"
import { api, place } from "../kit/place"
import { Visible } from "../kit/text"
import { Overview } from "../wire"

// Change is a form that opens on request; there is none in the past. It reads only once it is open.
export function Change(props: Parameters<typeof Form>[0]): VNode | null {
  const [open, setOpen] = useState(false)
  if (place.value.query.has("at")) return null
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{props.name}</summary>
      {open && <Form {...props} />}
    </details>
  )
}

// Raise sets another limit of the session's budget. A lower one has no effect, so it is not sent.
export function Raise(): VNode | null {
  const o = useRead<Overview>(api("/api/overview")).value.value
  const acts = useActs()
  const [dollars, setDollars] = useState("")
  if (!o?.limit_micro_dollars || o.closed || place.value.query.has("at")) return null
  const limit = Math.round(1e6 * Number(dollars))
  const raise = async () => {
    const body = { action: "raise_budget", budget: "session", limit_micro_dollars: limit }
    if (await acts.act("/api/control", body, `The limit is ${money(limit)} now.`)) setDollars("")
  }
  return (
    <p class="acts">
      <label>
        Raise the limit of {money(o.limit_micro_dollars)} to ${" "}
        <input
          aria-label="New limit of the session in dollars"
          inputMode="decimal"
          value={dollars}
          onInput={(e) => setDollars(e.currentTarget.value)}
        />
      </label>
      <button disabled={acts.busy || !(limit > o.limit_micro_dollars)} onClick={() => void raise()}>
        Raise
      </button>
      {dollars && !(limit > o.limit_micro_dollars) && (
        <span class="warn">A limit can only be raised: write more than {money(o.limit_micro_dollars)}.</span>
      )}
      <Said acts={acts} />
    </p>
  )
}

// Restart stops and starts a server, also one that failed too often.
export function Restart({ name }: { name: string }): VNode {
  const acts = useActs()
  return (
    <span>
      <button
        disabled={acts.busy}
        onClick={() => void acts.act("/api/mcp/restart", { name }, "It was restarted.")}
      >
        Restart <Visible text={name} />
      </button>
      <Said acts={acts} />
    </span>
  )
}
