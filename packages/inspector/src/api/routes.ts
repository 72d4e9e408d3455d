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

// The API of the inspector: served by its server, called by its page. A new route needs a row here, a handler in `web/` and an
// example in `test/routes.test.ts`; the row types both the handler and the page.

/** A JSON answer, after parsing. */
interface Json<T> {
  readonly kind: 'json';
  /** Never set: it only carries the type. */
  readonly type?: T;
}

/** A stream of events, each of them JSON. */
interface Events<T> {
  readonly kind: 'events';
  readonly type?: T;
}

/** Bytes that the browser saves as a file. */
interface Download {
  readonly kind: 'file';
}

interface AnyRoute {
  /** Parts that begin with a colon match anything. */
  readonly path: string;
  /** The shapes of the path parts that are not plain names. */
  readonly parts?: Members;
  readonly answer: Json<unknown> | Events<unknown> | Download;
}

/** A GET never changes anything. */
interface GetRoute extends AnyRoute {
  readonly method: 'GET';
  /** The shape of the query: its values are strings. */
  readonly query?: Shape<object>;
}

/** A POST always has a body: a JSON object. */
interface PostRoute extends AnyRoute {
  readonly method: 'POST';
  readonly body: Shape<object>;
  /** The largest body, in bytes, if not `MAX_BODY`. */
  readonly maxBody?: number;
  /** Works without the cookie that all other routes require. */
  readonly isOpen?: true;
}

export type Route = GetRoute | PostRoute;

function json<T>(): Json<T> {
  return { kind: 'json' };
}

function events<T>(): Events<T> {
  return { kind: 'events' };
}

/** The input box for a server, in characters: a command, a URL, or a whole configuration file. */
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
/** Time slices in one answer. */
const MAX_BUCKETS = 2_000;

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export const ROUTES = {
  /** Exchanges the code in the URL for the cookie. Works once. */
  session: {
    method: 'POST',
    path: '/api/session',
    isOpen: true,
    body: object({ code: text() }),
    maxBody: MAX_CODE_BODY,
    answer: json<void>(),
  },
  state: { method: 'GET', path: '/api/state', answer: json<StateView>() },
  /** Sends the whole state, then every change. */
  events: { method: 'GET', path: '/api/events', answer: events<PushEvent>() },

  /** Rows that match the filter, by their index among the matches. A negative index counts from the end. */
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
  /** Whole lines, by number; together at most 4 MB of text. */
  lines: {
    method: 'GET',
    path: '/api/trace/lines',
    query: object({ n: queryNumbers(MAX_LINES) }),
    answer: json<LinesAnswer>(),
  },
  /** The activity of each session over time. Times in milliseconds; without `to`, up to now. */
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
  /** The sandbox in which HTML of servers is shown. */
  sandbox: { method: 'GET', path: '/api/sandbox', answer: json<SandboxAnswer>() },

  /** The page of an app. */
  app: {
    method: 'POST',
    path: '/api/servers/:id/app',
    body: object({ uri: text(MAX_URI) }),
    answer: json<AppAnswer>(),
  },

  /** Adds servers that were typed or pasted. They are started only after confirmation in the terminal. */
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
  /** The answer to a request that was still running when its route answered. */
  answer: { method: 'GET', path: '/api/servers/:id/requests/:key', answer: json<RequestAnswer>() },
  cancel: {
    method: 'POST',
    path: '/api/servers/:id/cancel',
    body: object({ key: text() }),
    answer: json<void>(),
  },
  /** Sends text unchanged, whether or not it is valid. */
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
  /** Starts or stops watching a resource. */
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
  /** `ask`: ask in the inbox each time the server requests its roots. */
  roots: {
    method: 'POST',
    path: '/api/servers/:id/roots',
    body: object({ roots: list(text(MAX_URI), MAX_ROOTS), ask: optional(flag()) }),
    answer: json<void>(),
  },

  inbox: { method: 'POST', path: '/api/inbox/:id', body: inboxAnswer, answer: json<void>() },
  /** Sets the scripted answers: a JSON object as text. Empty: every question goes to a person. */
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

/** The named parts of the path of a route. */
export type PartsOf<R extends Route> = {
  readonly [K in PartNames<R['path']>]: K extends keyof ShapedParts<R> ? TypeOf<ShapedParts<R>[K]> : string;
};
export type QueryOf<R extends Route> = R extends { readonly query: Shape<infer T> } ? T : unknown;
export type BodyOf<R extends Route> = R extends { readonly body: Shape<infer T> } ? T : unknown;
/** The answer of a route, parsed; for a stream, one event. */
export type AnswerOf<R extends Route> = R['answer'] extends Json<infer T> | Events<infer T> ? T : never;
