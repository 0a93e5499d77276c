// One event of the log, whole: its payload, and the text or the diff of which it holds only the head.

import { h, Fragment, VNode } from "preact"
import { useState } from "preact/hooks"
import { useRead } from "./read"
import { place } from "./place"
import { bytes } from "./format"
import { Ansi, Diff, Long, longest, Pieces, Visible } from "./text"

interface Stored {
  seq: number
  event: { type: string; source: string; time: string; data: Record<string, unknown> }
}

interface Blob {
  sha256: string
  size: number
}

export function Event({ seq }: { seq: number }): VNode {
  const session = encodeURIComponent(place.value.session)
  const read = useRead<Stored>(`/api/log/${seq}?session=${session}`)
  const [all, setAll] = useState(false)
  const e = read.value.value?.event
  if (!e) return <p class="quiet">{read.error.value || "Reading …"}</p>
  const texts = Object.entries(e.data).filter(([, v]) => typeof v === "string" && v.includes("\n")) as [
    string,
    string,
  ][]
  const blobs = Object.entries(e.data).filter(([name]) => name.endsWith("_blob")) as [string, Blob][]
  const rest = Object.fromEntries(Object.entries(e.data).filter(([name]) => !texts.some(([t]) => t === name)))
  return (
    <Fragment>
      <h2>
        {seq} <Visible text={e.type} />{" "}
        <span class="quiet">
          <Visible text={e.source} /> {e.time}
        </span>
      </h2>
      {texts.map(([name, text]) => (
        <Fragment>
          <h3>{name}</h3>
          {name === "diff" ? <Diff text={text} all={all} onAll={() => setAll(true)} /> : <Long text={text} />}
        </Fragment>
      ))}
      {blobs.map(([name, blob]) => (
        <Whole key={blob.sha256} name={name} blob={blob} />
      ))}
      <h3>payload</h3>
      <Long text={JSON.stringify(rest, null, 2)} lines={200} />
    </Fragment>
  )
}

// drawn is how many characters of a whole text are drawn.
const drawn = 1_000_000

function Whole({ name, blob }: { name: string; blob: Blob }): VNode {
  const [text, setText] = useState<string | undefined>()
  const open = async () => {
    const answer = await fetch(`/api/blobs/${blob.sha256}?session=${encodeURIComponent(place.value.session)}`)
    setText(answer.ok ? await answer.text() : `The text cannot be loaded: status ${answer.status}.`)
  }
  if (text === undefined)
    return (
      <button onClick={() => void open()}>
        All of {name.replace("_blob", "")}: {bytes(blob.size)}
      </button>
    )
  return (
    <Fragment>
      <h3>{name.replace("_blob", "")}</h3>
      <pre class="tall">
        {text
          .slice(0, drawn)
          .split(/(?<=\n)/)
          .some((line) => line.length > longest) ? (
          <Pieces line={text.slice(0, drawn)} />
        ) : (
          <Ansi text={text.slice(0, drawn)} />
        )}
      </pre>
      {text.length > drawn && (
        <p class="warn">
          The first {drawn} characters of {text.length}; slop show has all of it.
        </p>
      )}
    </Fragment>
  )
}
