import type { Browser, OAuth, TokenStore } from 'tenon/auth';
import type { AuthHop, AuthView } from '../api/views.ts';
import type { Recorder } from '../record/recorder.ts';
import type { Redactor } from '../record/redact.ts';
import type { AuthStep } from '../trace/line.ts';
import { ABOUT, learn, shownForm, stepOf, verdictOf } from './auth-steps.ts';
import { authErrorOf, cleaned, problemOf } from './problem.ts';

/** Logs in at one server, hop by hop: each is recorded, and can be stopped before it happens. */
export interface LoginFlow {
  readonly auth: OAuth;
  view(): AuthView;
  /** The recorder of the connection that logs in. */
  record(recorder: Recorder): void;
  setPausing(pausing: boolean): void;
  release(hop: string): void;
  forget(): Promise<void>;
  /** Does a login wait for the person? */
  waits(): boolean;
  /** Ends a login that is under way: it fails. */
  giveUp(): void;
  /** Connecting ended: with an error, if it failed. */
  ended(error?: unknown): void;
}

const MAX_HOPS = 100;
const MAX_BODY_LENGTH = 64 * 1024;

/** Which hops an error of a step speaks of. */
const FAILED: ReadonlyMap<unknown, readonly AuthStep[]> = new Map<unknown, readonly AuthStep[]>([
  ['discovery', ['resource-metadata', 'server-metadata']],
  ['registration', ['registration']],
  ['authorization', ['authorization']],
  ['token', ['token', 'refresh']],
]);

const GIVEN_UP = 'The login was given up';

/** How the text of an answer begins. The rest of it is not read here. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= MAX_BODY_LENGTH) break;
  }
  return text.slice(0, MAX_BODY_LENGTH);
}

export function createLoginFlow(
  server: string,
  redactor: Redactor,
  changed: () => void,
  options: {
    readonly store?: TokenStore;
    readonly fetch?: typeof globalThis.fetch;
    /** The line with the answer of this status that has just come. */
    readonly refusedIn?: (session: string, status: number) => readonly number[];
  } = {},
): LoginFlow {
  const { fetch = globalThis.fetch } = options;
  const waiting = new Map<string, () => void>();
  let attempt = new AbortController();
  let flow: Promise<unknown> | undefined;
  /** What comes of a login is said by the connection that wanted it. */
  let connecting = false;
  let forgotten = false;
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

  const verdict = (text: string | undefined): Pick<AuthHop, 'verdict'> =>
    text === undefined || text === '' ? {} : { verdict: redactor.clean(text).text };

  const begin = (step: AuthStep, method: string, url: string): string => {
    const id = `hop-${++count}`;
    hops = [...hops, { id, step, ...ABOUT[step], method, url, status: 'running' as const, evidence: [] }].slice(
      -MAX_HOPS,
    );
    status = 'running';
    forgotten = false;
    changed();
    return id;
  };

  /** What `promise` gives, unless the login is given up before. */
  const unlessGivenUp = <T>(promise: Promise<T>): Promise<T> => {
    const { signal } = attempt;
    return new Promise<T>((resolve, reject) => {
      const end = (): void => reject(new Error(GIVEN_UP));
      if (signal.aborted) return end();
      signal.addEventListener('abort', end, { once: true });
      return promise.then(resolve, reject);
    });
  };

  const pause = async (id: string): Promise<void> => {
    if (!pausing) return;
    status = 'paused';
    set(id, { status: 'paused' });
    try {
      await unlessGivenUp(new Promise<void>((resolve) => waiting.set(id, resolve)));
    } catch (error) {
      set(id, { status: 'fail', verdict: GIVEN_UP });
      throw error;
    } finally {
      waiting.delete(id);
    }
    status = 'running';
    set(id, { status: 'running' });
  };

  const watched: typeof globalThis.fetch = async (input, init) => {
    const { signal } = attempt;
    if (signal.aborted) throw new Error(GIVEN_UP);
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = request.method === 'GET' ? '' : (await request.clone().text()).slice(0, MAX_BODY_LENGTH);
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
        body: body === '' ? undefined : shownForm(body),
      },
    });
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any([request.signal, signal]) });
      const text = await beginningOf(response.clone());
      learn(text, redactor);
      const told = recorder?.write({
        kind: 'auth',
        from: 'server',
        text: `${response.status}; content-type: ${response.headers.get('content-type') ?? ''}`,
        cause: asked?.n,
        http: { exchange, part: 'answer', status: response.status, step, body: redactor.clean(text).text },
      });
      // Well-known URLs are tried one after the other: a missing one is not a failure.
      const missing = response.status === 404 && step.endsWith('metadata');
      set(id, {
        status: response.ok || missing ? 'pass' : 'fail',
        httpStatus: response.status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        evidence: [asked, told].flatMap((line) => (line === undefined ? [] : [line.n])),
        ...verdict(missing ? 'Not there; the next address is tried' : verdictOf(step, response.ok, text)),
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

  /** The user follows a link in the page: nothing opens automatically. */
  const browser: Browser = {
    async open() {
      let id = '';
      const { loopback } = await import('tenon/auth');
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
            const back = await unlessGivenUp(Promise.resolve(opened.authorize(url)));
            const { searchParams } = new URL(String(back));
            for (const name of ['code', 'state']) redactor.hide(searchParams.get(name) ?? '');
            set(id, {
              status: searchParams.has('error') ? 'fail' : 'pass',
              ...verdict(searchParams.get('error') ?? 'The user came back with a code'),
            });
            return back;
          } catch (error) {
            set(id, { status: 'fail', verdict: (error as Error).message });
            throw error;
          } finally {
            loginUrl = undefined;
            if (status === 'waiting-for-browser') status = 'running';
            changed();
          }
        },
      };
    },
  };

  const giveUp = (): void => {
    if (status === 'waiting-for-browser' || status === 'paused' || status === 'running') status = 'failed';
    attempt.abort();
  };

  /** What an answer said is judged only after it came: the hop that an error speaks of has failed. */
  const blame = (error: unknown): void => {
    const failure = authErrorOf(error);
    const steps = FAILED.get(failure?.step);
    if (failure === undefined || steps === undefined) return;
    const there = hops.findLast(({ step }) => steps.includes(step));
    if (there?.status === 'fail' && there.verdict !== undefined) return;
    set(there?.id ?? begin(steps[0]!, '', ''), { status: 'fail', ...verdict(failure.message) });
  };

  const finish = (error?: unknown): void => {
    blame(error);
    status = error === undefined ? 'done' : 'failed';
    problem = error === undefined ? undefined : cleaned(problemOf(error, hops.at(-1)?.evidence ?? []), redactor);
    changed();
  };

  /** A request on an open connection required a login: its outcome is not reported elsewhere. */
  const follow = (login: Promise<boolean>): void => {
    login.then((got) => {
      if (got) return finish();
      status = 'failed';
      changed();
    }, finish);
  };

  // Loaded with the first request: a command has no login, and what OAuth needs takes longer to load than all else.
  let loading: Promise<OAuth> | undefined;
  const loadAuth = (): Promise<OAuth> =>
    (loading ??= import('tenon/auth').then(({ memoryTokens, oauth }) =>
      oauth({ browser, store: options.store ?? memoryTokens(), fetch: watched, name: 'Tenon inspector' }),
    ));
  return {
    // Who it is logged in at is remembered, so that it can be forgotten.
    auth: {
      credentials: async (request) => (await loadAuth()).credentials(request),
      logout: async (url) => (await loadAuth()).logout(url),
      challenged(refusal) {
        urls.add(refusal.server);
        const id = begin('challenge', refusal.method, refusal.url.split(/[?#]/, 1)[0]!);
        set(id, {
          status: 'pass',
          httpStatus: refusal.status,
          ...verdict(refusal.challenge ?? 'Without WWW-Authenticate'),
          evidence: recorder === undefined ? [] : (options.refusedIn?.(recorder.session, refusal.status) ?? []),
        });
        const login = loadAuth().then((auth) => auth.challenged(refusal));
        flow = login;
        if (!connecting) follow(login);
        return login;
      },
    },
    view: () => ({
      server,
      status,
      hops,
      pausing,
      forgotten: forgotten ? true : undefined,
      loginUrl,
      problem,
    }),
    record(next) {
      recorder = next;
      connecting = true;
      if (attempt.signal.aborted) attempt = new AbortController();
    },
    setPausing(on) {
      pausing = on;
      if (!on) for (const go of waiting.values()) go();
      if (!on) waiting.clear();
      changed();
    },
    release(id) {
      waiting.get(id)?.();
      waiting.delete(id);
    },
    async forget() {
      giveUp();
      // Whoever logs in keeps the store of tokens to itself.
      await flow?.catch(() => {});
      attempt = new AbortController();
      for (const url of urls)
        await loadAuth()
          .then((auth) => auth.logout(url))
          .catch(() => false);
      forgotten = forgotten || hops.length > 0;
      hops = [];
      status = 'none';
      problem = undefined;
      changed();
    },
    waits: () => status === 'waiting-for-browser' || status === 'paused',
    giveUp,
    ended(error) {
      connecting = false;
      if (hops.length > 0) return finish(error);
      // It was let in without a login.
      if (forgotten && error === undefined) {
        forgotten = false;
        changed();
      }
    },
  };
}
