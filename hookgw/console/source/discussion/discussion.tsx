// The discussions of a session and what their models see: entries and takes, tracked files, injected views, presets.

import { h, Fragment, VNode } from "preact"
import { useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { Acts, Said, useActs } from "../kit/act"
import { Sure } from "../kit/sure"
import { bytes } from "../kit/format"
import { api, place, to } from "../kit/place"
import { Long, Visible } from "../kit/text"
import { Form } from "../kit/fields"

interface Discussions {
  active: string
  roles: string[]
  discussions: { name: string; active: boolean; take: boolean; from?: string; entries: number; bytes: number }[]
}

interface Entry {
  id: string
  entry: { role: string; content: string; collapsed?: boolean; ts?: string }
}

interface Context {
  patterns: string[]
  skipped: string[]
  files: { path: string; size: number; seen: string | null; changed: boolean; view_mode?: string; error?: string }[]
  selection: { preset: string }
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
        {name && <Entries key={name} name={name} roles={d.roles} active={name === d.active} acts={acts} />}
      </main>
    </fieldset>
  )
}

function Roles(): VNode {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Roles of entries</summary>
      {open && <Form name="Roles of entries" of={["disc_roles"]} />}
    </details>
  )
}

function Create({ acts }: { acts: Acts }): VNode {
  const [name, setName] = useState("")
  const create = async () => {
    if (await acts.act("/api/discussions/create", { name: name.trim() }, "It is created.")) setName("")
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
  const entries = read.value.value?.entries
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
          onClick={() => void acts.act("/api/discussions/branch", { name }, "The take is made.")}
        >
          Branch at its end
        </button>
        <Sure
          name="Delete …"
          what={
            <Fragment>
              <Visible text={name} /> is removed; the record keeps it.
            </Fragment>
          }
          onYes={() => void acts.act("/api/discussions/delete", { name }, "It is removed; the record keeps it.")}
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
              "The model is asked; its answer becomes an entry.",
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
            void add("/api/discussions/entries/add", { role: role || roles[0], content: words }, "The entry is added.")
          }
        >
          Add as entry
        </button>
      </p>
    </Fragment>
  )
}

function One({ entry: e, name, roles, acts }: { entry: Entry; name: string; roles: string[]; acts: Acts }): VNode {
  const [edit, setEdit] = useState<string | undefined>()
  const about = { discussion: name, entry: e.id }
  const save = async (content: string) => {
    if (await acts.act("/api/discussions/entries/edit", { ...about, content }, "The entry is changed."))
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
              "The role is changed.",
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
          onClick={() => void acts.act("/api/discussions/branch", { name, entry: e.id }, "The take is made.")}
        >
          Branch here
        </button>
        <button
          disabled={acts.busy}
          onClick={() =>
            void acts.act("/api/discussions/entries/delete", about, "The entry is removed; the record keeps it.")
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
          onClick={() => void acts.act("/api/context/rescan", {}, "The files are found again.")}
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
                void acts.act("/api/context/inject", { path: f.path }, "A view of the file is an entry now.")
              }
            >
              Inject
            </button>
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
              onClick={() => void acts.act("/api/context/presets/load", { name: p }, "The preset is loaded.")}
            >
              Load
            </button>
            <button
              disabled={acts.busy}
              onClick={() => void acts.act("/api/context/presets/delete", { name: p }, "The preset is removed.")}
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
          onClick={() => void acts.act("/api/context/presets/save", { name: preset.trim() }, "The preset is saved.")}
        >
          Save the files as preset
        </button>
      </p>
    </section>
  )
}
