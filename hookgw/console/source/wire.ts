// What the gateway answers, as far as the console draws it. docs/openapi.yaml describes all of it.

export interface InboxAsk {
  session: string
  label?: string
  goal?: string
  ticket_text?: string
  request_id: string
  gate: string
  title: string
  ticket?: string
  call?: string
  tool?: string
  args?: unknown
  effect?: string
  diff?: string
  diff_blob?: { sha256: string }
  note?: string
  taint?: string[]
  attempt?: number
  round?: number
  posted_by?: string
  raised_seq: number
  raised_at: string
  expires_at?: string
}

export interface SettledAsk {
  request_id: string
  settled?: { by: string; outcome: string; reason?: string }
}

export interface Session {
  session: string
  label?: string
  goal?: string
  opened: string
  closed?: string
  close_reason?: string
  stalled?: string
  state: string
  pending_asks: number
  last_seq: number
}

export interface Problem {
  error: string
  hint?: string
  settled_by?: string
  settled_at?: string
  outcome?: string
}
