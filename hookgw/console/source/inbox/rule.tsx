// A yes from now on.

import { h, Fragment, VNode } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { Visible } from "../kit/text"
import { InboxAsk } from "../wire"

interface RuleProps {
  ask: InboxAsk
  ready: boolean // a yes is possible
  onRule: (scope: string, patterns: string[]) => void
}

interface Preview {
  rule: { tool: string; args?: string[] }
  settles: { request_id: string; title: string }[]
}

// Always offers a yes from now on. It shows the rule, and which other open questions the rule answers, before it counts.
export function Always({ ask, ready, onRule }: RuleProps): VNode {
  const [scope, setScope] = useState("")
  useLayoutEffect(() => {
    if (scope) return show({ Escape: { does: "cancel the rule", run: () => setScope("") } })
  }, [scope])
  return (
    <section aria-label="From now on" class={scope ? "acts whole" : "acts"}>
      {scope === "" && <button onClick={() => setScope("session")}>Yes, from now on …</button>}
      {scope !== "" && (
        <Fragment>
          <label>
            for this{" "}
            <select value={scope} onChange={(e) => setScope(e.currentTarget.value)}>
              {ask.ticket && <option value="ticket">ticket</option>}
              <option value="session">session</option>
              <option value="config">person, in all sessions</option>
            </select>
          </label>
          <Rule ask={ask} scope={scope} ready={ready} onRule={onRule} />
          <button onClick={() => setScope("")}>
            Leave it <kbd>Esc</kbd>
          </button>
        </Fragment>
      )}
    </section>
  )
}

function Rule({ ask, scope, ready, onRule }: RuleProps & { scope: string }): VNode {
  const query = new URLSearchParams({ session: ask.session, request_id: ask.request_id, scope })
  const read = useRead<Preview>("/api/ask/rule?" + query)
  const rule = read.value.value
  if (!rule || read.error.value)
    return (
      <span class="warn" role="status">
        {read.error.value || "Reading …"}
      </span>
    )
  const { tool, args } = rule.rule
  const patterns = args ?? []
  return (
    <Fragment>
      <span>
        allows{" "}
        <code>
          <Visible text={patterns.length ? tool + " " + patterns.join(", ") : "every " + tool} />
        </code>
      </span>
      {rule.settles.length > 0 && (
        <span class="warn">
          and answers {rule.settles.length} more now: <Visible text={rule.settles.map((s) => s.title).join(", ")} />
        </span>
      )}
      <button disabled={!ready} onClick={() => onRule(scope, args ?? [])}>
        Yes, from now on
      </button>
    </Fragment>
  )
}
