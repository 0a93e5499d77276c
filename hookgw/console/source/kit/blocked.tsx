// Tickets that are blocked, each a link with its reason.

import { h, Fragment, VNode } from "preact"
import { to } from "./place"
import { Visible } from "./text"
import { BlockedTicket } from "../wire"

// most is how many tickets of a session are named.
const most = 3

export function Blocked({ session, tickets, at = "" }: {
  session: string
  tickets?: BlockedTicket[]
  at?: string
}): VNode {
  const list = tickets ?? []
  return (
    <Fragment>
      {list.slice(0, most).map((t) => (
        <p key={t.ticket} class="blocked">
          <a href={to(session, "tickets", t.ticket, { at })}>
            ✗ <Visible text={t.ticket} /> is blocked
          </a>
          : <Visible text={t.reason || t.kind} />
        </p>
      ))}
      {list.length > most && (
        <p class="blocked">
          <a href={to(session, "tickets", "", { at })}>{list.length - most} more are blocked</a>
        </p>
      )}
    </Fragment>
  )
}
