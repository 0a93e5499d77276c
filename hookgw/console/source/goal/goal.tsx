// Typing a goal.

import { h, VNode } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { show } from "../kit/keys"
import { Said, useActs } from "../kit/act"
import { place, to, visit } from "../kit/place"

export function Goal(): VNode {
  const acts = useActs()
  const [words, setWords] = useState("")
  const [solo, setSolo] = useState(false)
  const submit = async () => {
    const body = { goal: words.trim(), ...(solo ? { solo } : {}) }
    if (!words.trim() || !(await acts.act("/api/goal", body, "The goal is submitted."))) return
    setWords("")
    visit(to(place.value.session, "live"))
  }
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => show({ i: { does: "go to the field", run: () => field.current?.focus() } }))
  return (
    <main class="page" aria-label="New goal">
      <h2>New goal</h2>
      <textarea
        class="words"
        ref={field}
        aria-label="Goal"
        placeholder="make the tests pass"
        value={words}
        onInput={(e) => setWords(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void submit()
        }}
      />
      <p>
        <label>
          <input type="checkbox" checked={solo} onChange={() => setSolo(!solo)} /> small enough for one ticket without a
          plan
        </label>
      </p>
      <button disabled={acts.busy || !words.trim()} onClick={() => void submit()}>
        Submit <kbd>Ctrl Enter</kbd>
      </button>
      <Said acts={acts} />
      <p class="quiet">It runs in this session. A new session begins with slop run in a terminal.</p>
    </main>
  )
}
