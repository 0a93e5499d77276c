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

export interface BlockedTicket {
  ticket: string
  kind: string
  reason: string
}

export interface InboxAnswer {
  asks: InboxAsk[]
  blocked: (BlockedTicket & { session: string; label?: string; goal?: string })[]
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
  outcome?: string
  tickets: number
  tickets_done: number
  blocked?: BlockedTicket[]
  micro_dollars: number
  unpriced?: boolean
  starred?: boolean
  pruned?: boolean
  last_seq: number
}

export interface Usage {
  requests: number
  failed: number
  input: number
  output: number
  cache_read: number
  cache_write: number
  estimated?: boolean
}

export interface Overview extends Session {
  paused: boolean
  step_mode: boolean
  usage: Usage
  limit_micro_dollars: number
}

export interface Problem {
  error: string
  hint?: string
  settled_by?: string
  settled_at?: string
  outcome?: string
}

export interface Worker {
  worker_uid: string
  tier: number
  role: string
  status: string
  waits_for: string
  task: string
  ticket: string
  provider: string
  model: string
  attempt: number
  round: number
  text_tail: string
  request: string
  calls: { call: string; tool: string; status: string; since: string }[]
  asks: { ask: string; gate: string; title: string; since: string }[]
  trace: { seq: number; at: string; type: string; text: string }[]
  started_at: string | null
  ended_at: string | null
  reason: string
  usage: Usage
}

export interface Workers {
  active: Worker[]
  finished: Worker[]
  finished_before: number
}

export interface Ticket {
  id: string
  description: string
  status: string
  target_file: string | null
  depends_on: string[]
  blocked_reason: string | null
  priority: string
  track: string
  block_kind?: string
  attempt: number
  model?: string
  started?: string
  ended?: string
  waits_for: string
  ask?: string
  waited_ms: number
  waits_since?: string
  attempts: { attempt: number; started: string; ended?: string; status: string; reason?: string }[]
  notes: { by: string; at: string; note: string }[]
  earlier_notes: number
  requests: number
  tokens: number
  actions: string[]
  layer: number
  place: number
}

export interface Tickets {
  tracks: { id: string; title: string; status: string }[]
  tickets: Ticket[]
}

export interface Span {
  id: string
  kind: string
  name: string
  worker?: string
  tier?: number
  ticket?: string
  attempt?: number
  round?: number
  call?: string
  state: string
  detail?: string
  by?: string
  start: string
  began?: string
  end: string | null
  seq: number
  end_seq?: number
  usage?: Usage
}

export interface Round extends Span {
  anew?: boolean
  said: { role: string; kind?: string; origin?: string; text: string; size: number }[]
  thoughts: string[]
  text: string
  calls: Called[]
}

export interface Called extends Span {
  args: unknown
  text: string
  size: number
  note?: string
  ask?: string
}

export interface Conversation {
  worker: string
  attempt: number
  attempts: number
  older: number
  rounds: Round[]
}

export interface Change {
  path: string
  workspace?: string
  before?: string
  after?: string
  unknown?: string
  accepted?: boolean
  writes: { seq: number; time: string; call: string; tool: string; ticket?: string; by: string }[]
}

export interface Changes {
  files: Change[]
  unseen: { seq: number; call: string; tool: string; ticket?: string; not_undoable?: string[] }[]
}

export interface FileDiff extends Change {
  added: number
  removed: number
  diff?: string
  no_diff?: string
}

export interface Spend {
  requests: number
  failed: number
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
  cost_micro_dollars: number | null
  priced_micro_dollars: number
}

export interface SpendOf extends Spend {
  id: string
  title?: string
}

export interface Financial {
  session: Spend
  tracks: SpendOf[]
  tickets: SpendOf[]
  no_ticket: Spend
  tiers: SpendOf[]
  models: SpendOf[]
  unpriced_models: string[]
  budget: { limit_micro_dollars: number | null; used_pct: number | null; warned: boolean }
}
