// Writes of a view: each is sent once, and the view says what became of it.

import { h, VNode } from "preact"
import { useRef, useState } from "preact/hooks"
import { place } from "./place"
import { refreshShown, send, told } from "../store"
import { Visible } from "./text"

export interface Acts {
  said: string
  busy: boolean
  act: (path: string, body: unknown, done: string) => Promise<boolean> // false: it did not count, or that is not known
}

// useActs sends writes to the session on the screen, one at a time. A position of the past takes none.
export function useActs(): Acts {
  const [said, say] = useState("")
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const act = async (path: string, body: unknown, done: string) => {
    if (sending.current) return false
    const p = place.value
    if (p.query.has("at")) {
      say("This is the past; go back to now to change something.")
      return false
    }
    sending.current = true
    setBusy(true)
    say("It is under way.")
    const sent = await send(p.session ? path + "?session=" + encodeURIComponent(p.session) : path, body)
    sending.current = false
    setBusy(false)
    if (sent.is === "ok") {
      const hint = (sent.body as { hint?: string } | null)?.hint
      say(hint ? done + " " + hint : done)
    }
    if (sent.is === "unsure") say("The connection broke. It may have counted; it is not sent again.")
    if (sent.is === "refused") say(told(sent.problem))
    refreshShown()
    return sent.is === "ok"
  }
  return { said, busy, act }
}

export function Said({ acts }: { acts: Acts }): VNode {
  return (
    <span role="status" class="said">
      {acts.said && <Visible text={acts.said} />}
    </span>
  )
}
