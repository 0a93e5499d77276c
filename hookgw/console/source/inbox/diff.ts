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

// extent says how much a unified diff changes. It goes by the lengths of its hunks, because a removed line may look like
// the name of a file.
export function extent(diff: string): string {
  let files = 0
  let added = 0
  let removed = 0
  let [old, fresh] = [0, 0] // lines that the hunk still has
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (old <= 0 && fresh <= 0) {
      if (hunk) [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
      else if (line.startsWith("+++ ")) files++
      continue
    }
    if (line.startsWith("\\")) continue // no newline at the end of the file
    if (!line.startsWith("+")) old--
    if (!line.startsWith("-")) fresh--
    if (line.startsWith("+")) added++
    if (line.startsWith("-")) removed++
  }
  const some = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`
  return `The diff changes ${some(files, "file")}: ${some(added, "line")} added, ${removed} removed.`
}
