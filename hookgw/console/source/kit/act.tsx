// Writes of a view: each is sent once, and the view says what became of it.

import { h, VNode } from "preact"
import { useRef, useState } from "preact/hooks"
import { place } from "./place"
import { refreshShown, send, told } from "../store"
import { Visible } from "./text"

export interface Acts {
  said: string
  say: (text: string) => void
  busy: boolean
  // act says done once the write counted, unless refused then tells why it did not; about stands before such a refusal.
  // False: it did not count, or that is not known.
  act: (
    path: string,
    body: unknown,
    done: string,
    refused?: () => Promise<string>,
    about?: string,
  ) => Promise<boolean>
}

// useActs sends writes to the session on the screen, one at a time. A position of the past takes none.
export function useActs(): Acts {
  const [said, say] = useState("")
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const act: Acts["act"] = async (path, body, done, refused, about = "") => {
    if (sending.current) return false
    const p = place.value
    if (p.query.has("at")) {
      say("You are viewing the past; go back to now to make changes.")
      return false
    }
    sending.current = true
    setBusy(true)
    say("In progress.")
    const other = !p.session || path.includes("?") // a path may name its session itself
    const sent = await send(other ? path : path + "?session=" + encodeURIComponent(p.session), body)
    const no = sent.is === "ok" ? ((await refused?.()) ?? "") : sent.is === "refused" ? told(sent.problem) : ""
    sending.current = false
    setBusy(false)
    if (sent.is === "ok" && !no) {
      const hint = (sent.body as { hint?: string } | null)?.hint
      say(hint ? done + " " + hint : done)
    }
    if (sent.is === "unsure") say("The connection broke. The request may have arrived; it is not sent again.")
    if (no) say(about + no)
    refreshShown()
    return sent.is === "ok" && !no
  }
  return { said, say, busy, act }
}

export function Said({ acts }: { acts: Acts }): VNode {
  return (
    <span role="status" class="said">
      {acts.said && <Visible text={acts.said} />}
    </span>
  )
}
