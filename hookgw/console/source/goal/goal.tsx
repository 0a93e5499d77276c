// Typing a goal.

import { h, Fragment, VNode } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { show } from "../kit/keys"
import { Said, useActs } from "../kit/act"
import { place, to, visit } from "../kit/place"
import { useRead } from "../kit/read"
import { Sure } from "../kit/sure"
import { ask } from "../store"
import { Session } from "../wire"

interface List {
  current: string
  sessions: Session[]
}

export function Goal(): VNode {
  const acts = useActs()
  const [words, setWords] = useState("")
  const [solo, setSolo] = useState(false)
  const list = useRead<List>("/api/sessions").value.value
  const { session } = place.value
  const closed = list?.sessions.find((s) => s.session === session)?.closed !== undefined
  const newest = list?.current === session
  const submit = async (target = session, about = "") => {
    const body = { goal: words.trim(), ...(solo ? { solo } : {}) }
    const path = "/api/goal?session=" + encodeURIComponent(target)
    if (!words.trim() || !(await acts.act(path, body, "The goal was submitted.", undefined, about))) return
    setWords("")
    visit(to(target, "live"))
  }
  // renew replaces the session by a new one with its settings, which takes the goal.
  const renew = async () => {
    let next = session
    const refused = async () => {
      next = (await ask<List>("/api/sessions"))?.current ?? session
      return next === session ? "No other session was opened; slop run opens one in a terminal." : ""
    }
    const click = { action: "click", item: "btn_reset_session" }
    if (words.trim() && (await acts.act("/api/gui", click, "A new session is open.", refused)))
      await submit(next, "A new session is open, but it did not accept the goal: ")
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
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !closed) void submit()
        }}
      />
      <p>
        <label>
          <input type="checkbox" checked={solo} onChange={() => setSolo(!solo)} /> Skip planning: one worker does all of it
          as a single ticket
        </label>
      </p>
      <p class="acts">
        {!closed && (
          <button disabled={acts.busy || !words.trim()} onClick={() => void submit()}>
            Submit to this session <kbd>Ctrl Enter</kbd>
          </button>
        )}
        {closed && newest && (
          <button disabled={acts.busy || !words.trim()} onClick={() => void renew()}>
            Submit to a new session
          </button>
        )}
        {!closed && newest && (
          <Sure
            name="Submit to a new session …"
            disabled={acts.busy || !words.trim()}
            what="This session is closed, and all work in it stops. The new session has its settings and works on the goal."
            onYes={() => void renew()}
          />
        )}
        <Said acts={acts} />
      </p>
      <p class="quiet">
        {newest ? (
          "A new session has the settings of this one, without rules that were for this session only."
        ) : (
          <Fragment>
            {closed && "This session is closed. "}
            {list && <a href={to(list.current, "goal")}>Start from the newest session</a>}
          </Fragment>
        )}
      </p>
    </main>
  )
}
