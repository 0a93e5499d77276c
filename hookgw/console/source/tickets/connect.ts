// A line that a person drags from one ticket of the graph to another, which then waits for the first.

import { TargetedPointerEvent } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Acts } from "../kit/act"
import { place } from "../kit/place"

export interface Line {
  from: string
  x: number // where the pointer is in the graph, in pixels
  y: number
}

interface Node {
  draggable: false
  onPointerDown: (e: TargetedPointerEvent<HTMLAnchorElement>) => void
  onPointerUp: () => void
}

// useConnect returns the line that is dragged now, and what a node of the graph listens to. A finger scrolls instead.
export function useConnect(acts: Acts): { line?: Line; node: (id: string) => Node } {
  const [line, setLine] = useState<Line | undefined>()
  const from = line?.from
  useEffect(() => {
    if (from === undefined) return
    const move = (e: PointerEvent) => {
      const at = document.querySelector(".paper")!.getBoundingClientRect()
      setLine({ from, x: e.clientX - at.x, y: e.clientY - at.y })
    }
    const leave = () => setLine(undefined)
    const key = (e: KeyboardEvent) => e.key === "Escape" && leave()
    const on = { pointermove: move, pointerup: leave, pointercancel: leave, keydown: key }
    for (const [name, does] of Object.entries(on)) window.addEventListener(name, does as EventListener)
    return () => {
      for (const [name, does] of Object.entries(on)) window.removeEventListener(name, does as EventListener)
    }
  }, [from])
  const node = (id: string): Node => ({
    draggable: false,
    onPointerDown: (e) => {
      if (e.button !== 0 || e.pointerType === "touch" || place.value.query.has("at")) return
      const at = e.currentTarget.parentElement!.getBoundingClientRect()
      setLine({ from: id, x: e.clientX - at.x, y: e.clientY - at.y })
    },
    onPointerUp: () => {
      if (from === undefined || from === id) return
      const body = { op: "add_dependency", ticket: id, dependency: from }
      void acts.act("/api/mma/dag/mutate", body, `${id} waits for ${from} now.`)
    },
  })
  return { line, node }
}
