import { type Browser, loopback, memoryTokens, oauth, type OAuth, type TokenStore } from 'tenon/auth';
import type { AuthHop, AuthView } from '../api/views.ts';
import type { Recorder } from '../record/recorder.ts';
import type { Redactor } from '../record/redact.ts';
import type { AuthStep } from '../trace/line.ts';
import { cleaned, problemOf } from './problem.ts';

/** Logs in at one server, hop by hop: each is recorded, and can be stopped before it happens. */
export interface AuthDesk {
  readonly auth: OAuth;
  view(): AuthView;
  /** The recorder of the connection that logs in. */
  record(recorder: Recorder): void;
  setPausing(pausing: boolean): void;
  release(hop: string): void;
  forget(): Promise<void>;
  /** Connecting ended: with an error, if it failed. */
  ended(error?: unknown): void;
}

/** What a hop is, by its address and its body. */
const stepOf = (url: URL, method: string, body: string): AuthStep => {
  if (url.pathname.includes('/.well-known/oauth-protected-resource')) return 'resource-metadata';
  if (url.pathname.includes('/.well-known/')) return 'server-metadata';
  if (method !== 'POST') return 'other';
  if (body.startsWith('{')) return 'registration';
  if (/(?:^|&)grant_type=refresh_token/.test(body)) return 'refresh';
  return /(?:^|&)grant_type=/.test(body) ? 'token' : 'other';
};

const ABOUT: Readonly<Record<AuthStep, { readonly title: string; readonly clause?: string }>> = {
  challenge: { title: 'The server wants to know who is calling', clause: 'RFC 9728, section 5.1' },
  'resource-metadata': { title: 'Metadata of the protected resource', clause: 'RFC 9728, section 3' },
  'server-metadata': { title: 'Metadata of the authorization server', clause: 'RFC 8414, section 3' },
  registration: { title: 'Registration of the client', clause: 'RFC 7591, section 3' },
  authorization: { title: 'The user logs in', clause: 'OAuth 2.1, section 4.1.1; PKCE: section 7.5' },
  token: { title: 'The code is exchanged for a token', clause: 'OAuth 2.1, section 4.1.3; RFC 8707, section 2' },
  refresh: { title: 'The token is refreshed', clause: 'OAuth 2.1, section 4.3' },
  retry: { title: 'The request is sent again' },
  other: { title: 'Another request to the authorization server' },
};

const MOST_HOPS = 100;
const LONGEST_BODY = 64 * 1024;

/** Members and parameters that are secret in requests and answers of OAuth. */
const SECRET =
  /^(?:access_token|refresh_token|id_token|client_secret|registration_access_token|code|code_verifier|assertion|client_assertion|subject_token|actor_token|token|password|device_code|state)$/;

/** Learns the secrets of a body, so that they are written nowhere. */
const learn = (body: string, redactor: Redactor): void => {
  if (body.trimStart().startsWith('{')) {
    try {
      for (const [name, value] of Object.entries(JSON.parse(body) as object))
        if (SECRET.test(name) && typeof value === 'string') redactor.hide(value);
    } catch {
      // No JSON after all: there is nothing to read in it.
    }
    return;
  }
  for (const [name, value] of new URLSearchParams(body)) if (SECRET.test(name)) redactor.hide(value);
};

/** What a form says, without what is secret in it. */
const shownForm = (body: string): string =>
  body.startsWith('{')
    ? body
    : [...new URLSearchParams(body)]
        .map(([name, value]) => `${name}=${SECRET.test(name) ? '[redacted]' : value}`)
        .join('&');

export const createAuthDesk = (
  server: string,
  redactor: Redactor,
  changed: () => void,
  options: { readonly store?: TokenStore; readonly fetch?: typeof globalThis.fetch } = {},
): AuthDesk => {
  const { store = memoryTokens(), fetch = globalThis.fetch } = options;
  const waiting = new Map<string, () => void>();
  const urls = new Set<string>();
  let hops: AuthHop[] = [];
  let recorder: Recorder | undefined;
  let pausing = false;
  let status: AuthView['status'] = 'none';
  let loginUrl: string | undefined;
  let problem: AuthView['problem'];
  let exchanges = 0;
  let count = 0;

  const set = (id: string, change: Partial<AuthHop>): void => {
    hops = hops.map((hop) => (hop.id === id ? { ...hop, ...change } : hop));
    changed();
  };

  const begin = (step: AuthStep, method: string, url: string): string => {
    const id = `hop-${++count}`;
    hops = [...hops, { id, step, ...ABOUT[step], method, url, status: 'running' as const, evidence: [] }].slice(
      -MOST_HOPS,
    );
    status = 'running';
    changed();
    return id;
  };

  const pause = async (id: string): Promise<void> => {
    if (!pausing) return;
    status = 'paused';
    set(id, { status: 'paused' });
    await new Promise<void>((resolve) => waiting.set(id, resolve));
    status = 'running';
    set(id, { status: 'running' });
  };

  const watched: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = request.method === 'GET' ? '' : (await request.clone().text()).slice(0, LONGEST_BODY);
    learn(body, redactor);
    const step = stepOf(url, request.method, body);
    const shown = `${url.origin}${url.pathname}`;
    const id = begin(step, request.method, shown);
    await pause(id);
    const exchange = ++exchanges;
    const started = performance.now();
    const asked = recorder?.write({
      kind: 'auth',
      from: 'client',
      text: `${request.method} ${shown}`,
      http: {
        exchange,
        part: 'request',
        method: request.method,
        url: shown,
        step,
        ...(body === '' ? {} : { body: shownForm(body) }),
      },
    });
    try {
      const response = await fetch(input, init);
      const text = (await response.clone().text()).slice(0, LONGEST_BODY);
      learn(text, redactor);
      const told = recorder?.write({
        kind: 'auth',
        from: 'server',
        text: `${response.status}; content-type: ${response.headers.get('content-type') ?? ''}`,
        ...(asked === undefined ? {} : { cause: asked.n }),
        http: { exchange, part: 'answer', status: response.status, step, body: redactor.clean(text).text },
      });
      // Well-known addresses are tried one after the other: that one is not there is no failure.
      const missing = response.status === 404 && step.endsWith('metadata');
      set(id, {
        status: response.ok || missing ? 'pass' : 'fail',
        httpStatus: response.status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        evidence: [asked, told].flatMap((line) => (line === undefined ? [] : [line.n])),
        ...(missing ? { verdict: 'Not there; the next address is tried' } : {}),
      });
      return response;
    } catch (error) {
      const told = recorder?.write({
        kind: 'auth',
        text: `failed: ${(error as Error).message}`,
        http: { exchange, part: 'end', step },
      });
      set(id, {
        status: 'fail',
        verdict: (error as Error).message,
        evidence: [asked, told].flatMap((line) => (line === undefined ? [] : [line.n])),
      });
      throw error;
    }
  };

  /** The user follows a link of the page, with her own hand: nothing opens by itself. */
  const browser: Browser = {
    async open() {
      let id = '';
      const real = loopback({
        opener: false,
        show(url) {
          loginUrl = url.href;
          for (const name of ['state', 'code_challenge']) redactor.hide(url.searchParams.get(name) ?? '');
          const line = recorder?.write({
            kind: 'auth',
            from: 'client',
            text: `the user is sent to ${url.origin}${url.pathname}`,
            http: {
              exchange: ++exchanges,
              part: 'request',
              step: 'authorization',
              url: `${url.origin}${url.pathname}`,
              body: shownForm(url.search.slice(1)),
            },
          });
          status = 'waiting-for-browser';
          set(id, { evidence: line === undefined ? [] : [line.n] });
        },
      });
      const opened = await real.open();
      return {
        ...opened,
        async authorize(url) {
          id = begin('authorization', 'GET', `${url.origin}${url.pathname}`);
          await pause(id);
          try {
            const back = await opened.authorize(url);
            const { searchParams } = new URL(String(back));
            for (const name of ['code', 'state']) redactor.hide(searchParams.get(name) ?? '');
            set(id, {
              status: searchParams.has('error') ? 'fail' : 'pass',
              verdict: searchParams.get('error') ?? 'The user came back with a code',
            });
            return back;
          } catch (error) {
            set(id, { status: 'fail', verdict: (error as Error).message });
            throw error;
          } finally {
            loginUrl = undefined;
            status = 'running';
            changed();
          }
        },
      };
    },
  };

  const auth = oauth({ browser, store, fetch: watched, name: 'Tenon inspector' });
  return {
    // Who it is logged in at is remembered, so that it can be forgotten.
    auth: {
      ...auth,
      credentials: (request) => auth.credentials(request),
      logout: (url) => auth.logout(url),
      refused(refusal) {
        urls.add(refusal.server);
        const id = begin('challenge', refusal.method, refusal.url.split(/[?#]/, 1)[0]!);
        set(id, {
          status: 'pass',
          httpStatus: refusal.status,
          verdict: refusal.challenge ?? 'without WWW-Authenticate',
        });
        return auth.refused(refusal);
      },
    },
    view: () => ({
      server,
      status,
      hops,
      pausing,
      ...(loginUrl === undefined ? {} : { loginUrl }),
      ...(problem === undefined ? {} : { problem }),
    }),
    record: (next) => void (recorder = next),
    setPausing(on) {
      pausing = on;
      if (!on) for (const [id, go] of waiting) waiting.delete(id) && go();
      changed();
    },
    release(id) {
      waiting.get(id)?.();
      waiting.delete(id);
    },
    async forget() {
      for (const url of urls) await auth.logout(url).catch(() => false);
      hops = [];
      status = 'none';
      problem = undefined;
      changed();
    },
    ended(error) {
      if (hops.length === 0) return;
      status = error === undefined ? 'done' : 'failed';
      problem = error === undefined ? undefined : cleaned(problemOf(error, hops.at(-1)?.evidence ?? []), redactor);
      changed();
    },
  };
};
