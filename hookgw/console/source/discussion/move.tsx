// Other names of discussions, and their way in and out as the text of a history.toml.

import { h, VNode } from "preact"
import { useState } from "preact/hooks"
import { Acts } from "../kit/act"
import { bytes } from "../kit/format"
import { api, place, to, visit } from "../kit/place"
import { Sure } from "../kit/sure"
import { ask } from "../store"

// Rename gives a discussion another name. Of a take, it makes a discussion of its own, too.
export function Rename({ name, take, acts }: { name: string; take: boolean; acts: Acts }): VNode {
  const [text, setText] = useState("")
  const other = text.trim()
  const rename = async () => {
    if (!(await acts.act("/api/discussions/rename", { name, to: other }, "It is renamed."))) return
    visit(to(place.value.session, "discussion", other))
  }
  const promote = async () => {
    const body = other ? { name, to: other } : { name }
    if (!(await acts.act("/api/discussions/promote", body, "It is a discussion of its own now."))) return
    visit(to(place.value.session, "discussion", other))
  }
  return (
    <p class="acts">
      <input aria-label="Another name" value={text} onInput={(e) => setText(e.currentTarget.value)} />
      <button disabled={acts.busy || !other} onClick={() => void rename()}>
        Rename
      </button>
      {take && (
        <button
          disabled={acts.busy}
          title="Without another name it gets the first free one"
          onClick={() => void promote()}
        >
          Promote the take
        </button>
      )}
    </p>
  )
}

// undoable is the size of texts that the engine keeps to undo changes, in bytes.
const undoable = 8 << 20

// most is the size of a request that the gateway takes for an import, in bytes.
const most = 10 << 20

// Move exports all discussions to a file, and imports those of a file or of a text.
export function Move({ acts }: { acts: Acts }): VNode {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState("")
  const size = new Blob([JSON.stringify({ toml: text })]).size
  const take = async (file: File | undefined) => {
    if (!file) return
    setProblem(file.size > most ? `The file has ${bytes(file.size)}; an import takes ${bytes(most)}.` : "")
    if (file.size > most) return
    try {
      setText(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()))
    } catch {
      setProblem("The file cannot be read as UTF-8 text.")
    }
  }
  const send = async () => {
    if (await acts.act("/api/discussions/import", { toml: text }, "The discussions are imported.")) setText("")
  }
  const save = async () => {
    const all = await ask<{ toml: string }>(api("/api/discussions/export"))
    setProblem(all ? "" : "The discussions could not be read; nothing was exported.")
    if (!all) return
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([all.toml], { type: "application/toml" }))
    link.download = "history.toml"
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <details>
      <summary>Import and export</summary>
      <p class="acts">
        <button onClick={() => void save()}>Export all discussions</button>
      </p>
      <p>
        <label>
          Import a history.toml of at most {bytes(most)}{" "}
          <input
            type="file"
            accept=".toml"
            aria-label="File to import"
            onChange={(e) => void take(e.currentTarget.files?.[0])}
          />
        </label>
      </p>
      <textarea
        class="words"
        aria-label="Text to import"
        placeholder="or paste its text"
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
      />
      {size > most && (
        <p class="warn">
          The text makes a request of {bytes(size)}; an import takes {bytes(most)}.
        </p>
      )}
      {problem && (
        <p class="warn" role="alert">
          {problem}
        </p>
      )}
      <p class="acts">
        <Sure
          name="Import …"
          what={
            "Discussions with the same names are replaced, and so are the roles. " +
            `Undo takes the import back if the replaced texts have at most ${bytes(undoable)}.`
          }
          disabled={acts.busy || !text.trim() || size > most}
          onYes={() => void send()}
        />
      </p>
    </details>
  )
}
