import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '../api/routes.ts';
import type { SandboxAnswer } from '../api/views.ts';
import type { Workbench } from '../session/contract.ts';
import { createBodies, MOST_BODY } from './body.ts';
import { textOf } from './fields.ts';
import type { Gate } from './gate.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { createPush } from './push.ts';
import { Refusal } from './refusal.ts';
import { ANSWERED, matchPath, type Route } from './route.ts';
import type { Sandbox } from './sandbox.ts';
import { traceRoutes } from './trace-routes.ts';
import { workbenchRoutes } from './workbench-routes.ts';

/** The part of the web that is data. */
export interface Api {
  /** Every address of it. */
  readonly routes: readonly Route[];
  /** Answers a request of a caller who was looked at. Rejects with what is to be answered instead. */
  answer(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void>;
  close(): void;
}

export interface ApiOptions {
  readonly workbench: Workbench;
  readonly gate: Gate;
  readonly sandbox: Sandbox;
  /** Is told what went wrong after the answer was sent. */
  readonly late: (error: unknown) => void;
}

const MOST_CODE_BODY = 1_024;
/** Requests that wait for an answer at once. */
const MOST_RUNNING = 128;

export const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const body = Buffer.from(JSON.stringify(value ?? {}));
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-security-policy': DATA_POLICY,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...headers,
  });
  response.end(body);
};

/** Aborted when the connection ends before the answer has been sent. */
const goneSignal = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
};

const NO_FIELDS: ReadonlyMap<string, unknown> = new Map();

export const createApi = ({ workbench, gate, sandbox, late }: ApiOptions): Api => {
  const push = createPush(workbench);
  const bodies = createBodies();
  let running = 0;

  const routes: readonly Route[] = [
    {
      method: 'POST',
      path: ROUTES.session,
      open: true,
      mostBody: MOST_CODE_BODY,
      act({ body, response }) {
        sendJson(response, 200, {}, { 'set-cookie': gate.enter(textOf(body, 'code')) });
        return ANSWERED;
      },
    },
    {
      method: 'GET',
      path: ROUTES.events,
      act({ response, session }) {
        push.add(response, session);
        return ANSWERED;
      },
    },
    {
      method: 'GET',
      path: ROUTES.sandbox,
      act: ({ request }): SandboxAnswer => ({
        origin: sandbox.origin,
        frame: sandbox.frameFor(`http://${request.headers.host}`),
      }),
    },
    ...traceRoutes(workbench.trace),
    ...workbenchRoutes(workbench, late),
  ];

  /** The route of a request, and whose it is. Who has no cookie is not told which addresses there are. */
  const routeOf = (request: IncomingMessage, path: string): { route: Route; session: string } => {
    const session = gate.sessionOf(request.headers.cookie);
    const here = routes.filter((route) => matchPath(route.path, path) !== undefined);
    const route = here.find(({ method }) => method === request.method);
    if (session === undefined && route?.open === undefined)
      throw new Refusal(401, 'no-session', 'This page is not logged in to the inspector.', {
        fix: 'Press Enter in the terminal of the inspector for a new link.',
      });
    if (here.length === 0) throw new Refusal(404, 'not-found', `There is no ${path}`);
    if (route === undefined) {
      const allow = here.map(({ method }) => method).join(', ');
      throw new Refusal(405, 'method', `Only ${allow} is possible here`, { headers: { allow } });
    }
    return { route, session: session ?? '' };
  };

  const run = async (
    { route, session }: { route: Route; session: string },
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> => {
    const { method, mostBody = MOST_BODY } = route;
    const signal = goneSignal(response);
    const body = method === 'POST' ? await bodies.read(request, mostBody) : NO_FIELDS;
    const parts = matchPath(route.path, path)!;
    const answer = await route.act({ request, response, session, parts, query, body, signal });
    if (answer !== ANSWERED) sendJson(response, 200, answer);
  };

  return {
    routes,
    async answer(request, response, path, query) {
      const found = routeOf(request, path);
      if (running >= MOST_RUNNING) throw new Refusal(503, 'busy', 'Too many requests wait for an answer. Try again.');
      running++;
      try {
        await run(found, request, response, path, query);
      } finally {
        running--;
      }
    },
    close: () => push.close(),
  };
};
