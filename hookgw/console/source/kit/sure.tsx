// A second step before what cannot be taken back: at another place than the button, and not at once, so that a double
// click says nothing.

import { h, VNode } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"
import { show } from "./keys"

// settles is how long the question has to stand before it takes an answer, in milliseconds.
const settles = 400

// Sure is a button that asks at the foot of the window. y says yes, Escape says no.
export function Sure(props: {
  name: string
  what: string | VNode // what happens
  disabled?: boolean
  onYes: () => void
}): VNode {
  const [open, setOpen] = useState(false)
  const yes = () => {
    setOpen(false)
    props.onYes()
  }
  return (
    <span>
      <button disabled={props.disabled} onClick={() => setOpen(true)}>
        {props.name}
      </button>
      {open && <Asked name={props.name.replace(" …", "")} what={props.what} onYes={yes} onNo={() => setOpen(false)} />}
    </span>
  )
}

// Asked is the question at the foot of the window.
export function Asked(props: { name: string; what: string | VNode; onYes: () => void; onNo: () => void }): VNode {
  const [since] = useState(() => performance.now())
  const yes = () => {
    if (performance.now() - since >= settles) props.onYes()
  }
  useLayoutEffect(() =>
    show({
      y: { does: "yes: " + props.name, run: yes },
      Escape: { does: "no", run: props.onNo },
    }),
  )
  return (
    <div class="sure" role="alertdialog" aria-label={props.name}>
      <div class="tall">{props.what}</div>
      <p class="acts">
        <button class="danger" onClick={yes}>
          {props.name} <kbd>y</kbd>
        </button>
        <button onClick={props.onNo}>
          Leave it <kbd>Esc</kbd>
        </button>
      </p>
    </div>
  )
}
