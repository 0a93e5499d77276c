// Foreign text: what models, files, programs and the web wrote. It becomes text nodes only.

import { h, Fragment, VNode } from "preact"
import { useState } from "preact/hooks"

// Control characters but tab and newline, and those that hide or reorder what surrounds them.
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\uddef]/g

// Visible shows a text as it is, with each hidden character spelled out as <U+202E>.
export function Visible({ text }: { text: string }): VNode {
  const parts: (string | VNode)[] = []
  let at = 0
  for (const found of text.matchAll(hidden)) {
    parts.push(text.slice(at, found.index))
    const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")
    parts.push(<span class="hidden-char">{`<U+${code}>`}</span>)
    at = found.index! + found[0].length
  }
  parts.push(text.slice(at))
  return <Fragment>{parts}</Fragment>
}

// What an escape sequence for colours sets; others are shown as hidden characters.
const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

// Ansi shows the output of a program: its colours become classes, everything else is as in Visible.
export function Ansi({ text }: { text: string }): VNode {
  const parts: VNode[] = []
  let at = 0
  let set: string[] = []
  const add = (piece: string) => {
    if (piece)
      parts.push(
        set.length > 0 ? (
          <span class={set.join(" ")}>
            <Visible text={piece} />
          </span>
        ) : (
          <Visible text={piece} />
        ),
      )
  }
  for (const found of text.matchAll(/\u001b\[([0-9;]*)m/g)) {
    add(text.slice(at, found.index))
    at = found.index! + found[0].length
    const codes = found[1].split(";").map(Number)
    if (codes.some((c) => c === 38 || c === 48)) continue // colours of a larger palette are left out
    for (const code of codes) {
      if (code === 0) set = []
      if (code === 1) set = [...set, "bold"]
      if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97))
        set = [...set.filter((c) => !c.startsWith("ansi-")), "ansi-" + colours[code % 10]]
      if (code === 39) set = set.filter((c) => !c.startsWith("ansi-"))
    }
  }
  add(text.slice(at))
  return <Fragment>{parts}</Fragment>
}

// Long shows a text that may be long: its head first, the rest on request. Whole is where all of it can be read, if the
// text itself is only the head.
export function Long({ text, size, lines = 40 }: { text: string; size?: number; lines?: number }): VNode {
  const [all, setAll] = useState(false)
  const rows = text.split("\n")
  const cut = !all && (rows.length > lines || text.length > longest)
  const shown = cut ? rows.slice(0, lines).join("\n").slice(0, longest) : text
  return (
    <Fragment>
      <pre>
        {!cut && rows.some((row) => row.length > longest) ? <Pieces line={text} /> : <Ansi text={shown} />}
      </pre>
      {cut && <button onClick={() => setAll(true)}>All {rows.length} lines</button>}
      {size !== undefined && size > byteLength(text) && (
        <p class="quiet">This is the beginning of {size} bytes; slop show has all of it.</p>
      )}
    </Fragment>
  )
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

export const longest = 20_000 // characters of a line that are drawn at first
const most = 2_000 // lines that are drawn at first

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n")
}

// whole reports whether Diff draws all of a text at first.
export function whole(text: string): boolean {
  const lines = linesOf(text)
  return lines.length <= most && lines.every((l) => l.length <= longest)
}

// Diff shows a unified diff, a row a line. Nothing is left out without saying so: `all` draws the rest.
export function Diff({ text, all, onAll }: { text: string; all: boolean; onAll: () => void }): VNode {
  const lines = linesOf(text)
  const shown = all ? lines : lines.slice(0, most)
  return (
    <Fragment>
      <div class="diff" role="region" aria-label="diff" tabIndex={0}>
        {shown.map((line) => (
          <div class={kindOf(line)}>
            {all && line.length > longest ? <Pieces line={line} /> : <Visible text={line.slice(0, longest)} />}
            {"\n"}
          </div>
        ))}
      </div>
      {!all && !whole(text) && (
        <p class="warn">
          The diff has {lines.length} lines and {text.length} characters; not all of it is drawn.{" "}
          <button onClick={onAll}>Show all of it</button>
        </p>
      )}
    </Fragment>
  )
}

// piece is how many characters of a very long line are one box: a browser needs minutes to place millions in one.
const piece = 1_000

// Pieces shows a text with a very long line.
export function Pieces({ line }: { line: string }): VNode {
  const parts = []
  for (let at = 0; at < line.length; at += piece) parts.push(line.slice(at, at + piece))
  return (
    <Fragment>
      {parts.map((part) => (
        <div class="piece">
          <Visible text={part} />
        </div>
      ))}
    </Fragment>
  )
}

function kindOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "file"
  if (line.startsWith("+")) return "plus"
  if (line.startsWith("-")) return "minus"
  return line.startsWith("@@") ? "place" : ""
}
