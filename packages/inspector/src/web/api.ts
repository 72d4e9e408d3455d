import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY } from '../api/bodies.ts';
import type { Route } from '../api/routes.ts';
import type { Workbench } from '../session/contract.ts';
import { createBodies } from './body.ts';
import type { Gate } from './gate.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { Push } from './push.ts';
import { Refusal } from './refusal.ts';
import { ANSWERED, type Call, type FoundRoute, type Handlers, readParts, readQuery, routesAt } from './route.ts';
import type { Sandbox } from './sandbox.ts';
import { traceHandlers } from './trace-handlers.ts';
import { workbenchHandlers } from './workbench-handlers.ts';

/** Serves the routes of `ROUTES`. */
export interface Api {
  /** Answers a request that passed the guard. Rejects with the error to send instead. */
  answer(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void>;
  close(): void;
}

export interface ApiOptions {
  readonly workbench: Workbench;
  readonly gate: Gate;
  readonly sandbox: Sandbox;
  /** Called with errors that occur after the answer was sent. */
  readonly late: (error: unknown) => void;
}

/** The most requests waiting for an answer. */
const MAX_RUNNING = 128;

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(JSON.stringify(value ?? {}));
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-security-policy': DATA_POLICY,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...headers,
  });
  response.end(body);
}

/** Aborted if the connection ends before the answer has been sent. */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The route of a request. Without a cookie the answer does not reveal which routes exist. */
function routeOf(method: string | undefined, path: string, session: string | undefined): FoundRoute {
  const here = routesAt(path);
  const found = here.find(({ route }) => route.method === method);
  const isOpen = found?.route.method === 'POST' && found.route.isOpen === true;
  if (session === undefined && !isOpen)
    throw new Refusal(401, 'no-session', 'This page is not logged in to the inspector.', {
      fix: 'Press Enter in the terminal of the inspector for a new link.',
    });
  if (here.length === 0) throw new Refusal(404, 'not-found', `There is no ${path}`);
  if (found === undefined) {
    const allow = here.map(({ route }) => route.method).join(', ');
    throw new Refusal(405, 'method', `Only ${allow} is possible here`, { headers: { allow } });
  }
  return found;
}

export function createApi({ workbench, gate, sandbox, late }: ApiOptions): Api {
  const push = new Push(workbench);
  const bodies = createBodies();
  let running = 0;

  const handlers: Handlers = {
    session({ body, response }) {
      response.setHeader('set-cookie', gate.enter(body.code));
    },
    events({ response, session }) {
      push.add(response, session);
      return ANSWERED;
    },
    sandbox: ({ request }) => ({
      origin: sandbox.origin,
      frame: sandbox.frameFor(`http://${request.headers.host}`),
    }),
    ...traceHandlers(workbench.trace),
    ...workbenchHandlers(workbench, late),
  };

  const readBody = async (route: Route, request: IncomingMessage): Promise<unknown> =>
    route.method === 'GET'
      ? undefined
      : route.body.read(await bodies.read(request, route.maxBody ?? MAX_BODY), 'The body');

  return {
    async answer(request, response, path, query) {
      const session = gate.sessionOf(request.headers.cookie);
      const found = routeOf(request.method, path, session);
      if (running >= MAX_RUNNING) throw new Refusal(503, 'busy', 'Too many requests wait for an answer. Try again.');
      running++;
      try {
        const signal = goneSignal(response);
        const call = {
          request,
          response,
          session: session ?? '',
          parts: readParts(found),
          query: readQuery(found.route, query),
          body: await readBody(found.route, request),
          signal,
        };
        // Each handler accepts the call of its own route: `Handlers` is typed by the table.
        const handle = handlers[found.name] as (call: Call<Route>) => unknown;
        const answer = await handle(call as Call<Route>);
        if (answer !== ANSWERED) sendJson(response, 200, answer);
      } finally {
        running--;
      }
    },
    close: () => push.close(),
  };
}
