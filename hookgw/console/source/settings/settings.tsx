// With what a session works, and how the program is: tiers, rules, budget, personas, presets, servers, bus, disk.

import { h, Fragment, VNode } from "preact"
import { useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { bytes, money } from "../kit/format"
import { api, place } from "../kit/place"
import { Said, useActs } from "../kit/act"
import { age } from "../kit/time"
import { Diff, Long, Visible } from "../kit/text"
import { Tiers } from "../kit/words"
import { Change, Raise, Restart } from "./change"
import { Rule, Rules } from "./rules"

interface Settings {
  tiers: { tier: number; provider: string; models: string[]; effort?: string; persona?: string; tool_preset?: string }[]
  rules?: Rule[]
  budget?: { session_micro_dollars?: number; ticket_micro_dollars?: number }
  roster?: { personas?: Named[]; tool_presets?: Named[]; bias_profiles?: Named[]; prompt_presets?: Named[] }
  tools: { name: string; description: string; effect: string }[]
  [other: string]: unknown
}

interface Named {
  name: string
}

interface Telemetry {
  roles: { present: string[]; missing: string[] }
  [other: string]: unknown
}

interface Servers {
  servers: {
    name: string
    state?: string
    trusted?: boolean
    error?: string
    tools: unknown[]
    quarantined: { name: string; state: string; diff: string }[]
  }[]
  notices: string[]
}

interface Health {
  healthy: boolean
  degraded_reason: string | null
}

// ofTiers are the fields that each tier has; the first model of a ladder needs none of its own.
const ofTiers = [
  "provider",
  "models",
  "effort",
  "temperature",
  "top_p",
  "max_output_tokens",
  "max_rounds",
  "persona",
  "tool_preset",
  "bias_profile",
  "prompt_preset",
]

export function SettingsView(): VNode {
  const read = useRead<Settings>(api("/api/settings"))
  const health = useRead<Health>(api("/api/gui_health")).value.value
  const telemetry = useRead<Telemetry>(api("/api/system/telemetry")).value.value
  const servers = useRead<Servers>("/api/mcp").value.value
  const s = read.value.value
  if (!s) return <p class="page">{read.error.value || "Reading …"}</p>
  const known = new Set(["tiers", "rules", "budget", "roster", "tools", "basis"])
  const rest = Object.entries(s).filter(([name]) => !known.has(name))
  return (
    <main class="page" aria-label="Settings and health">
      <h2>Health</h2>
      {health && (
        <p>
          {health.healthy ? (
            "✓ everything works"
          ) : (
            <span class="warn">
              ✗ <Visible text={health.degraded_reason ?? ""} />
            </span>
          )}
        </p>
      )}
      {telemetry && (
        <Fragment>
          <p>
            Roles that run: <Visible text={telemetry.roles.present.join(", ")} />
          </p>
          {telemetry.roles.missing.length > 0 && (
            <p class="warn">
              ✗ missing: <Visible text={telemetry.roles.missing.join(", ")} />
            </p>
          )}
          <details>
            <summary>Program metrics: queues, threads, processes, bus, read models</summary>
            <Figures of={telemetry} />
          </details>
        </Fragment>
      )}
      <Browsers />
      <h2>Tiers</h2>
      <Tiers />
      <Rows
        name="Tiers"
        heads={["Tier", "Provider", "Models", "Effort", "Persona", "Tools"]}
        rows={s.tiers.map((t) => [
          String(t.tier),
          t.provider,
          t.models.join(", "),
          t.effort ?? "",
          t.persona ?? "",
          t.tool_preset ?? "",
        ])}
      />
      <Change
        name="Change the tiers"
        heads={["What", "Tier 1", "Tier 2", "Tier 3", "Tier 4"]}
        rows={ofTiers.map((what) => ({
          name: what.replaceAll("_", " "),
          fields: [1, 2, 3, 4].map((n) => `tier${n}_${what}`),
        }))}
      />
      <Change
        name="Change all tiers at once"
        of={["current_provider", "current_model", "temperature", "top_p", "max_tokens"]}
      />
      <h2>Rules</h2>
      <Rules rules={s.rules ?? []} />
      <h2>Budget</h2>
      <p>
        {s.budget?.session_micro_dollars
          ? `session ${money(s.budget.session_micro_dollars)} `
          : "none for the session "}
        {s.budget?.ticket_micro_dollars ? `each ticket ${money(s.budget.ticket_micro_dollars)}` : ""}
      </p>
      <Raise />
      <h2>Work</h2>
      <Change
        name="Change how the session works"
        of={[
          "mma_step_mode",
          "spawn_approval",
          "plan_review",
          "review",
          "qa_disabled",
          "max_workers",
          "max_retries",
          "gcli_path",
        ]}
      />
      <Change
        name="Change retrieval"
        of={["rag_enabled", "rag_source", "rag_emb_provider", "rag_emb_model", "rag_top_k"]}
      />
      <Change
        name="Change the project"
        of={[
          "project_path",
          "project_name",
          "project_system_prompt",
          "files_base_dir",
          "files_paths",
          "screenshots_base_dir",
          "screenshots_paths",
          "project_git_dir",
          "project_main_context",
          "output_dir",
        ]}
      />
      <h2>Personas and presets</h2>
      {(["personas", "tool_presets", "bias_profiles", "prompt_presets"] as const).map((kind) =>
        (s.roster?.[kind] ?? []).map((n) => (
          <details>
            <summary>
              {kind.replace("_", " ")}: <Visible text={n.name} />
            </summary>
            <Long text={JSON.stringify(n, null, 2)} />
          </details>
        )),
      )}
      <h2>MCP servers</h2>
      {servers?.notices.map((n) => (
        <p class="warn">
          <Visible text={n} />
        </p>
      ))}
      <Rows
        name="MCP servers"
        none="None."
        heads={["Name", "State", "Trusted", "Tools", "In quarantine", "Error"]}
        rows={(servers?.servers ?? []).map((m) => [
          m.name,
          m.state ?? "",
          m.trusted ? "yes" : "no",
          String(m.tools.length),
          String(m.quarantined.length),
          m.error ?? "",
        ])}
      />
      {servers?.servers.flatMap((m) =>
        m.quarantined.map((tool) => <Quarantined key={m.name + " " + tool.name} server={m.name} tool={tool} />),
      )}
      {!place.value.query.has("at") && (
        <p class="acts">
          {servers?.servers.filter((m) => m.trusted).map((m) => (
            <Restart key={m.name} name={m.name} />
          ))}
        </p>
      )}
      <h2>Tools</h2>
      <Rows
        name="Tools"
        none="None are offered."
        heads={["Tool", "Effect", "What"]}
        rows={s.tools.map((t) => [t.name, t.effect, t.description])}
      />
      <h2>Everything else</h2>
      <Rows
        name="Everything else"
        heads={["Setting", "Value"]}
        rows={rest.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])}
      />
    </main>
  )
}

// Quarantined shows how a tool of a server differs from the one that was trusted.
function Quarantined({ server, tool }: { server: string; tool: { name: string; state: string; diff: string } }): VNode {
  const [all, setAll] = useState(false)
  return (
    <details>
      <summary>
        ✗ <Visible text={tool.name} /> of <Visible text={server} /> cannot be called: <Visible text={tool.state} />
      </summary>
      {tool.diff && <Diff text={tool.diff} all={all} onAll={() => setAll(true)} />}
      <p>
        To approve it as it is now, run{" "}
        <code>
          slop mcp trust <Visible text={server} />
        </code>{" "}
        in a terminal.
      </p>
    </details>
  )
}

function Rows({ name, heads, rows, none }: { name: string; heads: string[]; rows: string[][]; none?: string }): VNode {
  if (rows.length === 0) return <p class="quiet">{none}</p>
  return (
    <table aria-label={name}>
      <thead>
        <tr>
          {heads.map((n) => (
            <th scope="col">{n}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((r) => (
          <tr>
            {r.map((text) => (
              <td>
                <Visible text={text} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// Figures draws an object of figures as nested lists.
function Figures({ of }: { of: unknown }): VNode {
  if (typeof of !== "object" || of === null) return <Visible text={String(of)} />
  return (
    <dl>
      {Object.entries(of).map(([name, value]) => (
        <Fragment>
          <dt>
            <Visible text={name} />
          </dt>
          <dd>
            {typeof value === "number" && /bytes/.test(name) ? (
              bytes(value)
            ) : Array.isArray(value) && value.length > 20 ? (
              `${value.length} entries`
            ) : (
              <Figures of={value} />
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

interface SignIn {
  id: string
  right: string
  since: string
  agent: string
  own: boolean
}

// Browsers lists who is signed in. A sign-in that may only read does not see it.
function Browsers(): VNode | null {
  const list = useRead<{ signins: SignIn[] }>("/api/console/signins").value.value?.signins
  const acts = useActs()
  if (!list) return null
  return (
    <Fragment>
      <h2>Signed-in browsers</h2>
      <table aria-label="Signed-in browsers">
        <thead>
          <tr>
            {["Browser", "May", "Since", "End"].map((n) => (
              <th scope="col">{n}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((s) => (
            <tr key={s.id}>
              <td>
                {s.own && <b>this one: </b>}
                <Visible text={s.agent} />
              </td>
              <td>{s.right === "human" ? "read and answer" : "read"}</td>
              <td>{age(s.since)} ago</td>
              <td>
                <button
                  disabled={acts.busy}
                  aria-label={"Sign out " + s.id}
                  onClick={() => void acts.act("/api/console/signout", { id: s.id }, "It was signed out.")}
                >
                  Sign out
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Said acts={acts} />
    </Fragment>
  )
}
