// The discussions of a session and what their models see: entries and takes, tracked files, injected views, presets.

import { h, Fragment, VNode } from "preact"
import { useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { Acts, Said, useActs } from "../kit/act"
import { Sure } from "../kit/sure"
import { bytes, count, money } from "../kit/format"
import { api, place, to } from "../kit/place"
import { Long, Visible } from "../kit/text"
import { Form } from "../kit/fields"
import { Move, Rename } from "./move"

interface Discussions {
  active: string
  roles: string[]
  discussions: { name: string; active: boolean; take: boolean; from?: string; entries: number; bytes: number }[]
}

interface Entry {
  id: string
  entry: { role: string; content: string; collapsed?: boolean; ts?: string }
}

// Slice is a range of lines of a file that models see instead of the whole file.
interface Slice {
  name?: string
  start_line: number
  end_line: number
}

interface Context {
  patterns: string[]
  skipped: string[]
  files: { path: string; size: number; seen: string | null; changed: boolean; view_mode?: string; error?: string }[]
  selection: { preset: string; files: { path: string; custom_slices?: Slice[] }[] }
  presets: string[]
  injected: { discussion: string; id: string; path: string; view: string }[]
}

export function Discussion(): VNode {
  const read = useRead<Discussions>(api("/api/discussions"))
  const acts = useActs()
  const d = read.value.value
  if (!d) return <p class="page">{read.error.value || "Reading …"}</p>
  const { session, rest, query } = place.value
  const name = rest || d.active
  const at = query.get("at") ?? ""
  return (
    // the past cannot be changed
    <fieldset class="inbox" disabled={at !== ""}>
      <nav aria-label="Discussions">
        <h2>Discussions</h2>
        <ul>
          {d.discussions.map((one) => (
            <li key={one.name}>
              <a href={to(session, "discussion", one.name, { at })} aria-current={one.name === name ? "true" : undefined}>
                <span class="row">
                  <b>
                    <Visible text={one.name} />
                  </b>
                  <span>{one.active && "● active"}</span>
                </span>
                <span class="quiet">
                  {one.entries} entries, {bytes(one.bytes)}
                  {one.from && (
                    <Fragment>
                      , from <Visible text={one.from} />
                    </Fragment>
                  )}
                </span>
              </a>
            </li>
          ))}
        </ul>
        {!at && <Create acts={acts} />}
        {!at && <Undo acts={acts} />}
        {!at && <Move acts={acts} />}
        {!at && <Roles />}
        {!at && <Files acts={acts} />}
        <Said acts={acts} />
      </nav>
      <main aria-label="Discussion">
        {read.error.value && (
          <p class="warn" role="alert">
            {read.error.value}
          </p>
        )}
        {!at && name && (
          <Rename key={name} name={name} take={d.discussions.some((one) => one.name === name && one.take)} acts={acts} />
        )}
        {name && <Entries key={name} name={name} roles={d.roles} active={name === d.active} acts={acts} />}
      </main>
    </fieldset>
  )
}

interface Curation {
  position: number
  undo: { what: string; by: string }[]
  redo: { what: string; by: string }[]
}

// Undo takes back what people changed in discussions, the context and the project, the newest change first.
function Undo({ acts }: { acts: Acts }): VNode {
  const c = useRead<Curation>(api("/api/curation")).value.value
  const step = (way: "undo" | "redo", name: string) => {
    const next = c?.[way][0]
    const done = way === "undo" ? "Undone." : "Redone."
    return (
      <p class="acts">
        <button
          disabled={acts.busy || !next}
          onClick={() => void acts.act("/api/curation/" + way, { after: c!.position }, done)}
        >
          {name}
        </button>
        <span class="quiet">{next && <Visible text={`${next.what}, by ${next.by}`} />}</span>
      </p>
    )
  }
  return (
    <Fragment>
      {step("undo", "Undo")}
      {step("redo", "Redo")}
    </Fragment>
  )
}

function Roles(): VNode {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Entry roles</summary>
      {open && <Form name="Entry roles" of={["disc_roles"]} />}
    </details>
  )
}

function Create({ acts }: { acts: Acts }): VNode {
  const [name, setName] = useState("")
  const create = async () => {
    if (await acts.act("/api/discussions/create", { name: name.trim() }, "It was created.")) setName("")
  }
  return (
    <p class="acts">
      <input aria-label="Name of a new discussion" value={name} onInput={(e) => setName(e.currentTarget.value)} />
      <button disabled={acts.busy || !name.trim()} onClick={() => void create()}>
        Create
      </button>
    </p>
  )
}

function Entries({ name, roles, active, acts }: { name: string; roles: string[]; active: boolean; acts: Acts }): VNode {
  const read = useRead<{ entries: Entry[] }>(api("/api/discussions/entries", { name }))
  const [words, setWords] = useState("")
  const [role, setRole] = useState("")
  const [how, setHow] = useState("plan")
  const [carried, setCarried] = useState<string | undefined>() // the message whose request is shown
  const entries = read.value.value?.entries
  const handOver = async () => {
    const body = { goal: words.trim(), discussion: name, ...(how === "plan" ? {} : { [how]: true }) }
    if (await acts.act("/api/goal", body, "The goal was submitted. Its models see this discussion as it reads now.")) setWords("")
  }
  const compact = () => {
    const keep = words.trim() ? { text: words.trim() } : {}
    void add("/api/discussions/compact", keep, "The model writes a summary; the discussion continues in a take that begins with it.")
  }
  const add = async (path: string, body: object, done: string) => {
    if (await acts.act(path, { discussion: name, ...body }, done)) setWords("")
  }
  return (
    <Fragment>
      <h2>
        <Visible text={name} />
      </h2>
      <p class="acts">
        {!active && (
          <button
            disabled={acts.busy}
            onClick={() => void acts.act("/api/discussions/switch", { name }, "It is active.")}
          >
            Make it active
          </button>
        )}
        <button
          disabled={acts.busy}
          onClick={() => void acts.act("/api/discussions/branch", { name }, "The take was created.")}
        >
          Branch at its end
        </button>
        <Sure
          name="Delete …"
          what={
            <Fragment>
              <Visible text={name} /> was removed; the record keeps it.
            </Fragment>
          }
          onYes={() => void acts.act("/api/discussions/delete", { name }, "It was removed; the record keeps it.")}
        />
      </p>
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      {entries?.length === 0 && <p class="quiet">No entries yet.</p>}
      {entries?.map((e) => (
        <One key={e.id} entry={e} name={name} roles={roles} acts={acts} />
      ))}
      <textarea
        class="words"
        aria-label="New entry or message"
        value={words}
        onInput={(e) => setWords(e.currentTarget.value)}
      />
      <p class="acts">
        <button
          disabled={acts.busy || !words.trim()}
          onClick={() =>
            void add(
              "/api/discussions/send",
              { text: words.trim() },
              "The model was asked; its answer becomes an entry.",
            )
          }
        >
          Ask the model
        </button>
        <select aria-label="Role" value={role || roles[0]} onChange={(e) => setRole(e.currentTarget.value)}>
          {roles.map((r) => (
            <option value={r}>
              <Visible text={r} />
            </option>
          ))}
        </select>
        <button
          disabled={acts.busy || !words.trim()}
          onClick={() =>
            void add("/api/discussions/entries/add", { role: role || roles[0], content: words }, "The entry was added.")
          }
        >
          Add as an entry
        </button>
      </p>
      <p class="acts">
        <button onClick={() => setCarried(carried === undefined ? words.trim() : undefined)}>
          {carried === undefined ? "Show the next request" : "Hide the next request"}
        </button>
        <button
          disabled={acts.busy || !entries?.length}
          title="Text in the field says what the summary must keep"
          onClick={compact}
        >
          Summarise earlier entries
        </button>
        <select aria-label="How to work on the goal" value={how} onChange={(e) => setHow(e.currentTarget.value)}>
          <option value="plan">with a plan</option>
          <option value="track">as one track</option>
          <option value="solo">as one ticket</option>
        </select>
        <button
          disabled={acts.busy || !words.trim()}
          title="The text in the field is the goal"
          onClick={() => void handOver()}
        >
          Hand over as a goal
        </button>
      </p>
      {carried !== undefined && <Next key={name + carried} name={name} text={carried} />}
    </Fragment>
  )
}

interface Preview {
  provider: string
  model: string
  tokens: number
  usd: number | null
  no_price?: string
  shortened: boolean
  parts: { number: number; kind: string; name?: string; role?: string; bytes: number; tokens: number }[]
  markdown: string
}

// Next shows what the next request of a discussion carries, without sending it.
function Next({ name, text }: { name: string; text: string }): VNode {
  const read = useRead<Preview>(api("/api/context/preview", { discussion: name, text }))
  const p = read.value.value
  if (!p) return <p class={read.error.value ? "warn" : ""}>{read.error.value || "Reading …"}</p>
  return (
    <section aria-label="The next request">
      <h3>
        The next request: about {count(p.tokens)} tokens
        {p.usd === null ? "" : `, ${money(Math.round(p.usd * 1e6))} without a cache`}, to <Visible text={p.model} />
      </h3>
      {p.no_price && (
        <p class="quiet">
          <Visible text={p.no_price} />
        </p>
      )}
      {p.shortened && <p class="warn">Something is left out so that it fits.</p>}
      <table aria-label="Parts of the next request">
        <thead>
          <tr>
            {["Part", "Role", "Size", "Tokens"].map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {p.parts.map((part) => (
            <tr key={part.number}>
              <td>
                {part.kind} <Visible text={part.name ?? ""} />
              </td>
              <td>{part.role}</td>
              <td>{bytes(part.bytes)}</td>
              <td>{count(part.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>Its text</summary>
        <Long text={p.markdown} lines={200} />
      </details>
    </section>
  )
}

function One({ entry: e, name, roles, acts }: { entry: Entry; name: string; roles: string[]; acts: Acts }): VNode {
  const [edit, setEdit] = useState<string | undefined>()
  const about = { discussion: name, entry: e.id }
  const save = async (content: string) => {
    if (await acts.act("/api/discussions/entries/edit", { ...about, content }, "The entry was changed."))
      setEdit(undefined)
  }
  return (
    <article class="card">
      <div class="acts">
        <select
          aria-label={"Role of " + e.id}
          value={e.entry.role}
          disabled={acts.busy}
          onChange={(c) =>
            void acts.act(
              "/api/discussions/entries/edit",
              { ...about, role: c.currentTarget.value },
              "Role changed.",
            )
          }
        >
          {[...new Set([...roles, e.entry.role])].map((r) => (
            <option value={r}>
              <Visible text={r} />
            </option>
          ))}
        </select>
        <span class="fill" />
        {edit === undefined && <button onClick={() => setEdit(e.entry.content)}>Edit</button>}
        <button
          disabled={acts.busy}
          onClick={() => void acts.act("/api/discussions/branch", { name, entry: e.id }, "The take was created.")}
        >
          Branch here
        </button>
        <button
          disabled={acts.busy}
          onClick={() =>
            void acts.act("/api/discussions/entries/delete", about, "The entry was removed; the record keeps it.")
          }
        >
          Remove
        </button>
      </div>
      {edit === undefined ? (
        <Long text={e.entry.content} />
      ) : (
        <Fragment>
          <textarea class="words" aria-label="Content" value={edit} onInput={(c) => setEdit(c.currentTarget.value)} />
          <p class="acts">
            <button disabled={acts.busy} onClick={() => void save(edit)}>
              Save
            </button>
            <button onClick={() => setEdit(undefined)}>Leave it</button>
          </p>
        </Fragment>
      )}
    </article>
  )
}

// Slices lists the lines of a file that models see, and adds to them.
function Slices({ path, slices, acts }: { path: string; slices: Slice[]; acts: Acts }): VNode {
  const [lines, setLines] = useState("")
  const range = /^\s*(\d+)\s*-\s*(\d+)\s*$/.exec(lines)
  const add = async () => {
    const body = { path, start_line: Number(range![1]), end_line: Number(range![2]) }
    if (await acts.act("/api/context/slices", body, `Tickets see lines ${lines.trim()} of ${path}.`)) setLines("")
  }
  return (
    <details>
      <summary>
        {slices.length === 0
          ? "Only some lines"
          : "Lines " + slices.map((s) => `${s.start_line}-${s.end_line}`).join(", ")}
      </summary>
      <p class="acts">
        <input
          aria-label={"Lines of " + path}
          placeholder="10-24"
          size={8}
          value={lines}
          onInput={(e) => setLines(e.currentTarget.value)}
        />
        <button disabled={acts.busy || !range} onClick={() => void add()}>
          Add lines
        </button>
      </p>
    </details>
  )
}

function Files({ acts }: { acts: Acts }): VNode {
  const c = useRead<Context>(api("/api/context/state")).value.value
  const [preset, setPreset] = useState("")
  if (!c) return <p>Reading …</p>
  return (
    <section aria-label="Context">
      <h2>Context</h2>
      <p class="acts">
        <button
          disabled={acts.busy}
          onClick={() => void acts.act("/api/context/rescan", {}, "The list of files was refreshed.")}
        >
          Find files again
        </button>
      </p>
      <ul>
        {c.files.map((f) => (
          <li key={f.path}>
            <span class="row">
              <Visible text={f.path} />
              <span class="quiet">
                {f.view_mode} {bytes(f.size)}
                {f.changed && " changed"}
              </span>
            </span>
            {f.error && (
              <span class="warn">
                <Visible text={f.error} />
              </span>
            )}
            <button
              disabled={acts.busy}
              onClick={() =>
                void acts.act("/api/context/inject", { path: f.path }, "A view of the file was added as an entry.")
              }
            >
              Inject
            </button>
            <Slices
              path={f.path}
              slices={c.selection.files.find((s) => s.path === f.path)?.custom_slices ?? []}
              acts={acts}
            />
          </li>
        ))}
      </ul>
      {c.skipped.map((s) => (
        <p class="warn">
          <Visible text={s} />
        </p>
      ))}
      <h3>Presets</h3>
      <ul>
        {c.presets.map((p) => (
          <li key={p} class="acts">
            <Visible text={p} />
            {p === c.selection.preset && " (loaded)"}
            <button
              disabled={acts.busy}
              onClick={() => void acts.act("/api/context/presets/load", { name: p }, "The preset was loaded.")}
            >
              Load
            </button>
            <button
              disabled={acts.busy}
              onClick={() => void acts.act("/api/context/presets/delete", { name: p }, "The preset was removed.")}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <p class="acts">
        <input aria-label="Name of a preset" value={preset} onInput={(e) => setPreset(e.currentTarget.value)} />
        <button
          disabled={acts.busy || !preset.trim()}
          onClick={() => void acts.act("/api/context/presets/save", { name: preset.trim() }, "The preset was saved.")}
        >
          Save the files as a preset
        </button>
      </p>
    </section>
  )
}
