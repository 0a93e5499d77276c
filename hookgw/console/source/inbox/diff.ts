// The difference that a question shows, read whole.

import { useEffect, useState } from "preact/hooks"
import { whole } from "../kit/text"
import { InboxAsk } from "../wire"

// The diff of a question, as far as it is on the screen. Drawn: all of it, also if there is none.
export interface Shown {
  is: "reading" | "failed" | "cut" | "drawn"
  why: string // it failed
  text: string // with a blob its head until that is read
  all: boolean
  drawAll: () => void
}

// useDiff reads the diff of a question, which is in a blob if it is too large for its event.
export function useDiff(ask: InboxAsk | undefined): Shown {
  const id = ask?.request_id ?? ""
  const blob = ask?.diff_blob?.sha256
  const [all, setAll] = useState("")
  const [read, setRead] = useState<{ of: string; text?: string; why?: string }>({ of: "" })
  useEffect(() => {
    if (!ask || !blob) return
    const gone = new AbortController()
    fetch(`/api/blobs/${blob}?session=${encodeURIComponent(ask.session)}`, { signal: gone.signal })
      .then((r) => (r.ok ? r.text() : Promise.reject(new Error(`status ${r.status}`))))
      .then((text) => setRead({ of: id, text }))
      .catch((e: Error) => gone.signal.aborted || setRead({ of: id, why: e.message }))
    return () => gone.abort()
  }, [id, blob])
  const own = read.of === id ? read : { of: id }
  const text = blob ? own.text : (ask?.diff ?? "")
  const shown = { why: own.why ?? "", text: text ?? ask?.diff ?? "", all: all === id, drawAll: () => setAll(id) }
  if (blob && own.why !== undefined) return { is: "failed", ...shown }
  if (text === undefined) return { is: "reading", ...shown }
  return { is: shown.all || whole(text) ? "drawn" : "cut", ...shown }
}
