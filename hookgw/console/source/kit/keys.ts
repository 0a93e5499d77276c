// Keys of the view on the screen. Keys that are typed into a field, or with a modifier, are the field's and the browser's.

export type Keys = Record<string, { does: string; run: () => void }>

const everywhere: Keys = {}
const shown: Keys[] = [] // of the parts of the page, the innermost last
let first = "" // "g" waits for the second key

// bind sets keys that work in every view, such as "g i".
export function bind(keys: Keys): void {
  Object.assign(everywhere, keys)
}

// show sets the keys of a part of the page; the result removes them.
export function show(keys: Keys): () => void {
  shown.push(keys)
  return () => {
    shown.splice(shown.lastIndexOf(keys), 1)
  }
}

function now(): Keys {
  return Object.assign({}, everywhere, ...shown)
}

// known lists the keys that work now.
export function known(): [string, string][] {
  return Object.entries(now()).map(([key, { does }]) => [key, does])
}

export function listen(): void {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.repeat) return
    const at = e.target as HTMLElement
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) {
      if (e.key === "Escape") at.blur()
      return
    }
    const key = first + e.key
    first = ""
    const keys = now()
    const found = keys[key]
    if (found) {
      e.preventDefault()
      found.run()
    } else if (Object.keys(keys).some((k) => k.startsWith(e.key + " "))) {
      first = e.key + " "
    }
  })
}
