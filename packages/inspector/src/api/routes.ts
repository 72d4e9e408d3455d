import {
  authBody,
  checkBody,
  completeBody,
  inboxAnswer,
  launchBody,
  MAX_BODY,
  requestBody,
  saveTestBody,
} from './bodies.ts';
import {
  choice,
  flag,
  list,
  MAX_URI,
  type Members,
  object,
  optional,
  queryNumber,
  queryNumbers,
  queryWhole,
  type Shape,
  text,
  type TypeOf,
} from './shapes.ts';
import {
  type AppAnswer,
  type AuthView,
  type CheckAnswer,
  type CompleteAnswer,
  type FrameAnswer,
  type LanesAnswer,
  LIST_KINDS,
  type LinesAnswer,
  type ListAnswer,
  type PushEvent,
  type RequestAnswer,
  type SandboxAnswer,
  type SaveTestAnswer,
  type ServerView,
  type StateView,
  type TargetAnswer,
  type TraceAnswer,
} from './views.ts';

// The API of the inspector: what its server serves and its page calls. A new route is a row here, its handler in `web/`, and its example in
// `test/routes.test.ts`; handler and page are typed by the row.

/** An answer of JSON, as it is parsed. */
interface Json<T> {
  readonly kind: 'json';
  /** Only the type counts. */
  readonly type?: T;
}

/** A stream of events, each of which is JSON. */
interface Events<T> {
  readonly kind: 'events';
  readonly type?: T;
}

/** Bytes that the browser saves. */
interface Download {
  readonly kind: 'file';
}

interface AnyRoute {
  /** Parts that begin with a colon stand for anything. */
  readonly path: string;
  /** The shapes of parts of the path that are more than names. */
  readonly parts?: Members;
  readonly answer: Json<unknown> | Events<unknown> | Download;
}

/** A GET never changes anything. */
interface GetRoute extends AnyRoute {
  readonly method: 'GET';
  /** The shape of the query: its values are strings. */
  readonly query?: Shape<object>;
}

/** A POST always has a body, a JSON object. */
interface PostRoute extends AnyRoute {
  readonly method: 'POST';
  readonly body: Shape<object>;
  /** The largest body, in bytes, where it is not `MAX_BODY`. */
  readonly maxBody?: number;
  /** Works without the cookie that all others need. */
  readonly isOpen?: true;
}

export type Route = GetRoute | PostRoute;

function json<T>(): Json<T> {
  return { kind: 'json' };
}

function events<T>(): Events<T> {
  return { kind: 'events' };
}

/** What is typed into the box for a server, in characters: a command, an address, or a whole file of settings. */
const MAX_TARGET = 256 * 1024;
/** Scripted answers, in characters. */
const MAX_SCRIPT = 256 * 1024;
const MAX_CODE_BODY = 1_024;
const MAX_ROOTS = 1_000;
const MAX_FILTER = 16 * 1024;
const MAX_PLACE = 2 ** 32;
/** Rows in one answer. */
export const MAX_ROWS = 500;
/** Whole lines in one answer. */
const MAX_LINES = 100;
/** Parts of the time in one answer. */
const MAX_BUCKETS = 2_000;

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export const ROUTES = {
  /** Exchanges the code of the address for the cookie. Once. */
  session: {
    method: 'POST',
    path: '/api/session',
    isOpen: true,
    body: object({ code: text() }),
    maxBody: MAX_CODE_BODY,
    answer: json<void>(),
  },
  state: { method: 'GET', path: '/api/state', answer: json<StateView>() },
  /** The whole state, then every change. */
  events: { method: 'GET', path: '/api/events', answer: events<PushEvent>() },

  /** Rows that match the filter, by their place among the matches; below 0: counted from the end. */
  trace: {
    method: 'GET',
    path: '/api/trace',
    query: object({
      filter: optional(text(MAX_FILTER)),
      from: optional(queryWhole(-MAX_PLACE, MAX_PLACE)),
      count: optional(queryWhole(0, MAX_ROWS)),
    }),
    answer: json<TraceAnswer>(),
  },
  /** Whole lines by number, together at most 4 MB of text. */
  lines: {
    method: 'GET',
    path: '/api/trace/lines',
    query: object({ n: queryNumbers(MAX_LINES) }),
    answer: json<LinesAnswer>(),
  },
  /** How much happened when, in each session. Times in milliseconds; without `to` up to now. */
  lanes: {
    method: 'GET',
    path: '/api/trace/lanes',
    query: object({
      from: optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
      to: optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
      buckets: optional(queryWhole(1, MAX_BUCKETS)),
    }),
    answer: json<LanesAnswer>(),
  },
  /** The trace as a file. */
  download: { method: 'GET', path: '/api/trace/file', answer: { kind: 'file' } },
  /** Where HTML of servers is shown. */
  sandbox: { method: 'GET', path: '/api/sandbox', answer: json<SandboxAnswer>() },

  /** The page of an app. */
  app: {
    method: 'POST',
    path: '/api/servers/:id/app',
    body: object({ uri: text(MAX_URI) }),
    answer: json<AppAnswer>(),
  },

  /** Adds servers that were typed or pasted. They are not started before somebody agrees in the terminal. */
  targets: {
    method: 'POST',
    path: '/api/targets',
    body: object({ text: text(MAX_TARGET) }),
    answer: json<TargetAnswer>(),
  },
  connect: {
    method: 'POST',
    path: '/api/servers/:id/connect',
    body: object({ revision: optional(text()) }),
    answer: json<ServerView>(),
  },
  /** Changes how a process is started, after confirmation in the terminal. */
  launch: {
    method: 'POST',
    path: '/api/servers/:id/launch',
    body: launchBody,
    answer: json<TargetAnswer>(),
  },
  disconnect: { method: 'POST', path: '/api/servers/:id/disconnect', body: object({}), answer: json<ServerView>() },
  list: {
    method: 'GET',
    path: '/api/servers/:id/lists/:kind',
    parts: { kind: choice(LIST_KINDS) },
    answer: json<ListAnswer>(),
  },
  /** Reads all lists of a server again. */
  refresh: { method: 'POST', path: '/api/servers/:id/refresh', body: object({}), answer: json<void>() },

  requests: {
    method: 'POST',
    path: '/api/servers/:id/requests',
    body: requestBody,
    answer: json<RequestAnswer>(),
  },
  /** The answer to a request that was not answered at once. */
  answer: { method: 'GET', path: '/api/servers/:id/requests/:key', answer: json<RequestAnswer>() },
  cancel: {
    method: 'POST',
    path: '/api/servers/:id/cancel',
    body: object({ key: text() }),
    answer: json<void>(),
  },
  /** Sends a text as it is, right or wrong. */
  frames: {
    method: 'POST',
    path: '/api/servers/:id/frames',
    body: object({ text: text(MAX_BODY) }),
    answer: json<FrameAnswer>(),
  },
  complete: {
    method: 'POST',
    path: '/api/servers/:id/complete',
    body: completeBody,
    answer: json<CompleteAnswer>(),
  },
  /** Watches a resource, or no longer. */
  watch: {
    method: 'POST',
    path: '/api/servers/:id/watch',
    body: object({ uri: text(MAX_URI), on: flag() }),
    answer: json<void>(),
  },
  logLevel: {
    method: 'POST',
    path: '/api/servers/:id/log-level',
    body: object({ level: choice(LOG_LEVELS) }),
    answer: json<void>(),
  },
  /** `ask`: ask in the inbox each time that the server requests its roots. */
  roots: {
    method: 'POST',
    path: '/api/servers/:id/roots',
    body: object({ roots: list(text(MAX_URI), MAX_ROOTS), ask: optional(flag()) }),
    answer: json<void>(),
  },

  inbox: { method: 'POST', path: '/api/inbox/:id', body: inboxAnswer, answer: json<void>() },
  /** What questions are answered with from now on: a JSON object as text; empty: only people answer. */
  script: {
    method: 'POST',
    path: '/api/script',
    body: object({ text: text(MAX_SCRIPT) }),
    answer: json<void>(),
  },
  auth: { method: 'POST', path: '/api/servers/:id/auth', body: authBody, answer: json<AuthView>() },

  checks: { method: 'POST', path: '/api/checks', body: checkBody, answer: json<CheckAnswer>() },
  tests: { method: 'POST', path: '/api/tests', body: saveTestBody, answer: json<SaveTestAnswer>() },
} as const satisfies Readonly<Record<string, Route>>;

export type Routes = typeof ROUTES;
export type RouteName = keyof Routes;

type PartNames<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | PartNames<`/${More}`>
    : Rest
  : never;

type ShapedParts<R extends Route> = R extends { readonly parts: infer P } ? P : unknown;

/** The parts of the path of a route that have a name. */
export type PartsOf<R extends Route> = {
  readonly [K in PartNames<R['path']>]: K extends keyof ShapedParts<R> ? TypeOf<ShapedParts<R>[K]> : string;
};
export type QueryOf<R extends Route> = R extends { readonly query: Shape<infer T> } ? T : unknown;
export type BodyOf<R extends Route> = R extends { readonly body: Shape<infer T> } ? T : unknown;
/** What a route answers with, parsed; of a stream each event. */
export type AnswerOf<R extends Route> = R['answer'] extends Json<infer T> | Events<infer T> ? T : never;
