import { useEffect, useMemo } from "preact/hooks"
import { Read, use } from "../store"

// useRead shows a path of the gateway in a component.
export function useRead<T>(path: string): Read<T> {
  const used = useMemo(() => use<T>(path), [path])
  useEffect(() => used.drop, [used])
  return used.read
}
