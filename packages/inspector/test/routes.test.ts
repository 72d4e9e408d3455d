import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test, type TestContext } from 'node:test';
import {
  type BodyOf,
  type PartsOf,
  type QueryOf,
  type Route,
  type RouteName,
  ROUTES,
  type Routes,
} from '../src/api/routes.ts';
import type { ErrorAnswer } from '../src/api/views.ts';
import { codeOf, type Opened, openWeb, pageHeaders } from '../src/web/fixtures/web-client.ts';
import { api, type ApiError } from '../ui/src/store/api.ts';

/** A valid call of a route and, if it has a body or a query, an invalid one with its error. */
type ExampleOf<R extends Route> = {
  readonly parts: PartsOf<R>;
  /** The expected call of the workbench. */
  readonly does?: readonly unknown[];
} & (R extends { readonly body: unknown }
  ? { readonly body: BodyOf<R>; readonly wrong?: object; readonly says?: RegExp }
  : unknown) &
  (R extends { readonly query: unknown }
    ? { readonly query: QueryOf<R>; readonly wrong: object; readonly says: RegExp }
    : unknown);

const A = { id: 'a' };

/** A new row of the table does not compile until it has an example here. */
const EXAMPLES: { readonly [K in RouteName]: ExampleOf<Routes[K]> } = {
  session: { parts: {}, body: { code: 'x' }, wrong: { code: 1 }, says: /^code must be a string$/ },
  state: { parts: {} },
  events: { parts: {} },
  trace: { parts: {}, query: { from: -1, count: 1 }, wrong: { count: 501 }, says: /^count must be from 0 to 500$/ },
  lines: { parts: {}, query: { n: [1, 2] }, wrong: { n: 'x' }, says: /^n must be numbers with commas/ },
  lanes: {
    parts: {},
    query: { from: 0.5, buckets: 10 },
    wrong: { buckets: 1.5 },
    says: /^buckets must be a whole number from 1 to 2000$/,
  },
  download: { parts: {} },
  sandbox: { parts: {} },
  targets: {
    parts: {},
    body: { text: 'node server.js' },
    does: ['addTargets', 'node server.js'],
    wrong: {},
    says: /^text must be a string$/,
  },
  connect: {
    parts: A,
    body: { revision: '2025-11-25' },
    does: ['connect', 'a', { revision: '2025-11-25' }],
    wrong: { revision: 1 },
    says: /^revision must be a string$/,
  },
  launch: {
    parts: A,
    body: { args: [{ keep: 0 }, { text: 'x' }], env: [{ name: 'A' }, { name: 'B', value: '1' }] },
    does: [
      'changeLaunch',
      'a',
      { args: [{ keep: 0 }, { text: 'x' }], env: [{ name: 'A' }, { name: 'B', value: '1' }] },
    ],
    wrong: { args: [{ keep: -1 }], env: [] },
    says: /^keep must be a whole number from 0 to 1000$/,
  },
  disconnect: { parts: A, body: {}, does: ['disconnect', 'a'] },
  list: { parts: { id: 'a b/c', kind: 'tools' }, does: ['list', 'a b/c', 'tools'] },
  refresh: { parts: A, body: {}, does: ['refresh', 'a'] },
  requests: {
    parts: A,
    body: { method: 'ping', key: 'k', timeoutMs: 1 },
    does: ['request', 'a', { method: 'ping', key: 'k', timeoutMs: 1 }],
    wrong: { method: 'ping', key: 'k', timeoutMs: 0 },
    says: /^timeoutMs must be a whole number from 1 to 86400000$/,
  },
  answer: { parts: { id: 'a', key: 'k' }, does: ['answerTo', 'a', 'k'] },
  cancel: { parts: A, body: { key: 'k' }, does: ['cancel', 'a', 'k'], wrong: {}, says: /^key must be a string$/ },
  frames: { parts: A, body: { text: '{}' }, does: ['frame', 'a', '{}'], wrong: {}, says: /^text must be a string$/ },
  complete: {
    parts: A,
    body: { ref: { prompt: 'p' }, argument: 'a', typed: 't', resolved: { b: 'c' } },
    does: ['complete', 'a', { ref: { prompt: 'p' }, argument: 'a', typed: 't', resolved: { b: 'c' } }],
    wrong: { ref: {}, argument: 'a', typed: 't' },
    says: /^ref must have one of prompt, template$/,
  },
  app: {
    parts: A,
    body: { uri: 'ui://a' },
    does: ['readApp', 'a', 'ui://a'],
    wrong: {},
    says: /^uri must be a string$/,
  },
  watch: {
    parts: A,
    body: { uri: 'x:y', on: true },
    does: ['watchResource', 'a', 'x:y', true],
    wrong: { uri: 'x:y', on: 'yes' },
    says: /^on must be true or false$/,
  },
  logLevel: {
    parts: A,
    body: { level: 'info' },
    does: ['setLogLevel', 'a', 'info'],
    wrong: { level: 'loud' },
    says: /^level must be one of debug, info, /,
  },
  roots: {
    parts: A,
    body: { roots: ['file:///a'] },
    does: ['setRoots', 'a', ['file:///a'], false],
    wrong: { roots: ['file:///a', 1] },
    says: /^roots\[1\] must be a string$/,
  },
  inbox: {
    parts: { id: '1' },
    body: { action: 'accept', content: '{}' },
    does: ['answer', '1', { action: 'accept', content: '{}' }],
    wrong: { action: 'garbage' },
    says: /^result must be a string$/,
  },
  script: { parts: {}, body: { text: '{}' }, does: ['setScript', '{}'], wrong: {}, says: /^text must be a string$/ },
  auth: {
    parts: A,
    body: { pausing: true },
    does: ['setPausing', 'a', true],
    wrong: { start: false },
    says: /^start must be true$/,
  },
  checks: {
    parts: {},
    body: { server: 'a', groups: ['lint'] },
    wrong: { server: 'a', groups: ['x'] },
    says: /^groups\[0\] must be one of doctor, /,
  },
  tests: {
    parts: {},
    body: { server: 'a', name: 'n', request: 1 },
    does: ['saveTest', { server: 'a', name: 'n', request: 1 }],
    wrong: { server: 'a', name: 'n', request: 1.5 },
    says: /^request must be a whole number from 1 /,
  },
};

interface AnyExample {
  readonly parts: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
  readonly does?: readonly unknown[];
  readonly wrong?: object;
  readonly says?: RegExp;
}
const ROWS = (Object.keys(ROUTES) as RouteName[]).map(
  (name) => [name, ROUTES[name] as Route, EXAMPLES[name] as AnyExample] as const,
);

let opened: Opened;
before(async () => (opened = await openWeb()));
after(() => opened.end());
beforeEach(() => void (opened.fake.acts.length = 0));

/** Lets the API client of the page call the server of these tests, like a browser with the cookie. */
function asBrowser(t: TestContext): void {
  const { web, cookie } = opened;
  const send = globalThis.fetch;
  t.mock.method(globalThis, 'fetch', (address: string, init: RequestInit) =>
    send(new URL(address, `http://127.0.0.1:${web.port}`), {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...pageHeaders(web.port), cookie },
    }),
  );
}

type Client = Readonly<Record<string, (options: object) => Promise<unknown>>>;

function callAs(name: RouteName, options: object): Promise<unknown> {
  return (api as unknown as Client)[name]!(options);
}

function pathOf({ path }: Route, { parts }: AnyExample): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name]!));
}

function errorOf(text: string): ErrorAnswer['error'] {
  return (JSON.parse(text) as ErrorAnswer).error;
}

function refusedWith(status: number, code: string, says: RegExp) {
  return (error: unknown) => {
    const { status: got, code: gotCode, message } = error as ApiError;
    assert.deepEqual([got, gotCode], [status, code]);
    assert.match(message, says);
    return true;
  };
}

describe('the calls of the page are served', () => {
  for (const [name, route, example] of ROWS) {
    if (route.answer.kind !== 'json') continue;
    test(name, async (t) => {
      asBrowser(t);
      const code = name === 'session' ? { body: { code: codeOf(opened.web.newCode()) } } : {};
      const answer = await callAs(name, { ...example, ...code });
      assert.equal(typeof answer, 'object');
      if (example.does !== undefined) assert.deepEqual(opened.fake.acts, [example.does]);
    });
  }

  test('download', async () => {
    const { status, headers } = await opened.get(ROUTES.download.path);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8');
  });

  test('events', async (t) => {
    asBrowser(t);
    const stop = new AbortController();
    const { openEvents } = await import('../ui/src/store/api.ts');
    const reader = (await openEvents(stop.signal)).getReader();
    const { value } = await reader.read();
    assert.match(new TextDecoder().decode(value), /^data: \{"type":"state"/);
    stop.abort();
  });
});

describe('an invalid body or query is rejected with the name of its member, and nothing is done', () => {
  for (const [name, route, example] of ROWS) {
    const { says, wrong, parts } = example;
    if (says !== undefined)
      test(name, async (t) => {
        asBrowser(t);
        const options = { parts, [route.method === 'GET' ? 'query' : 'body']: wrong };
        await assert.rejects(callAs(name, options), refusedWith(400, 'bad-request', says));
        assert.deepEqual(opened.fake.acts, []);
      });
    if (route.method === 'POST')
      test(`${name}: a list`, async () => {
        const { status, text } = await opened.post(pathOf(route, example), []);
        assert.equal(status, 400);
        assert.equal(errorOf(text).message, 'The body must be an object');
        assert.deepEqual(opened.fake.acts, []);
      });
  }
});

describe('the other method of a route is rejected, with the right one', () => {
  for (const [name, route, example] of ROWS)
    test(name, async () => {
      const path = pathOf(route, example);
      const answer = route.method === 'GET' ? await opened.post(path, {}) : await opened.get(path);
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.allow, route.method);
      assert.deepEqual(errorOf(answer.text), { code: 'method', message: `Only ${route.method} is possible here` });
      assert.deepEqual(opened.fake.acts, []);
    });
});

test('a call that does not fit its row of the table does not compile', () => {
  const calls = [
    // @ts-expect-error -- another name of a member of the body
    () => api.watch({ parts: A, body: { address: 'x:y', on: true } }),
    // @ts-expect-error -- no body
    () => api.cancel({ parts: A }),
    // @ts-expect-error -- another name of a part of the path
    () => api.refresh({ parts: { server: 'a' } }),
    // @ts-expect-error -- another name in the query
    () => api.trace({ query: { begin: 1 } }),
    // @ts-expect-error -- another type of answer
    (): Promise<{ readonly lines: string }> => api.lines({ query: { n: [1] } }),
    // @ts-expect-error -- no such route
    () => api.nothing(),
  ];
  assert.equal(calls.length, 6);
});

test('an unknown path is rejected, with its name', async () => {
  for (const path of ['/api/nothing', '/api/state/more', '/api/servers/a', '/api/servers/a/constructor', '/api/']) {
    const { status, text } = await opened.get(path);
    assert.equal(status, 404);
    assert.deepEqual(errorOf(text), { code: 'not-found', message: `There is no ${path}` });
  }
});

test('an invalid part of a path is rejected, with its name', async () => {
  const { status, text } = await opened.get('/api/servers/a/lists/constructor');
  assert.equal(status, 400);
  assert.equal(errorOf(text).message, 'kind must be one of tools, resources, templates, prompts, tasks');
  assert.deepEqual(opened.fake.acts, []);
});
