// The addresses of the API. Everything but `session` needs the cookie that it gives. All bodies are JSON; what changes something is a POST.

export const ROUTES = {
  /** POST `{ code }`: exchanges the code of the address for the cookie. Once. */
  session: '/api/session',
  /** GET: `StateView`. */
  state: '/api/state',
  /** GET: a stream of `PushEvent`. */
  events: '/api/events',
  /** GET: `TraceAnswer`. */
  trace: '/api/trace',
  /** GET: `LinesAnswer`. */
  lines: '/api/trace/lines',
  /** GET: `LanesAnswer`. */
  lanes: '/api/trace/lanes',
  /** GET: the trace as a file. */
  download: '/api/trace/file',
  /** GET: `SandboxAnswer`. */
  sandbox: '/api/sandbox',
  /** POST: `TargetBody`, `TargetAnswer`. */
  targets: '/api/targets',
  /** POST `{}`; `connect` takes `{ revision?: string }`. */
  connect: '/api/servers/:id/connect',
  disconnect: '/api/servers/:id/disconnect',
  /** GET: `ListAnswer`. */
  list: '/api/servers/:id/lists/:kind',
  /** POST `{}`: asks for all lists again. */
  refresh: '/api/servers/:id/refresh',
  /** POST: `RequestBody`, `RequestAnswer`. */
  requests: '/api/servers/:id/requests',
  /** GET: `RequestAnswer`, of a request that was not answered at once. */
  answer: '/api/servers/:id/requests/:key',
  /** POST `{ key }`. */
  cancel: '/api/servers/:id/cancel',
  /** POST: `FrameBody`, `FrameAnswer`. */
  frames: '/api/servers/:id/frames',
  /** POST: `CompleteBody`, `CompleteAnswer`. */
  complete: '/api/servers/:id/complete',
  /** POST `{ uri, on }`: watches a resource, or no longer. */
  watch: '/api/servers/:id/watch',
  /** POST `{ level }`. */
  logLevel: '/api/servers/:id/log-level',
  /** POST `{ roots: string[], ask?: boolean }`. */
  roots: '/api/servers/:id/roots',
  /** POST: `InboxAnswer`. */
  inbox: '/api/inbox/:id',
  /** POST: `ScriptBody`. */
  script: '/api/script',
  /** POST `{ pausing }`, `{ go: hop }`, `{ start: true }`, `{ forget: true }`. */
  auth: '/api/servers/:id/auth',
  /** POST: `CheckBody`, `CheckAnswer`. */
  checks: '/api/checks',
  /** POST: `SaveTestBody`, `{ file }`. */
  tests: '/api/tests',
} as const;
