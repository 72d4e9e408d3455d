import type { OAuth, OpenBrowser, TokenStore } from 'tenon/auth';
import type { AuthHop, AuthView } from '../api/views.ts';
import type { Recorder } from '../record/recorder.ts';
import type { Redactor } from '../record/redact.ts';
import type { AuthStep, TraceLine } from '../trace/line.ts';
import { learn, shownForm, stepOf, verdictOf } from './auth-steps.ts';
import { GIVEN_UP, LoginHops } from './login-hops.ts';
import { cleaned, problemOf } from './problem.ts';

const MAX_BODY_LENGTH = 64 * 1024;

export interface LoginFlowOptions {
  readonly store?: TokenStore;
  readonly fetch?: typeof globalThis.fetch;
  /** The lines of the answers with this status that have just arrived. */
  readonly refusedIn?: (session: string, status: number) => readonly number[];
}

/** The beginning of the text of an answer. The rest is not read here. */
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

/** The URL without its query, which may contain secrets. */
function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function evidenceOf(...lines: (TraceLine | undefined)[]): Pick<AuthHop, 'evidence'> {
  return { evidence: lines.flatMap((line) => (line === undefined ? [] : [line.n])) };
}

/** Logs in at one server, hop by hop: each hop is recorded, and can be paused before it happens. */
export class LoginFlow {
  readonly auth: OAuth = {
    credentials: async (request) => (await this.#loadAuth()).credentials(request),
    logout: async (url) => (await this.#loadAuth()).logout(url),
    challenged: (refusal) => this.#challenged(refusal),
  };
  readonly #server: string;
  readonly #redactor: Redactor;
  readonly #changed: () => void;
  readonly #options: LoginFlowOptions;
  readonly #send: typeof globalThis.fetch;
  readonly #hops: LoginHops;
  /** The URLs at which the user may be logged in. */
  readonly #urls = new Set<string>();
  /** Loaded with the first request: a stdio server has no login, and the OAuth code takes longer to load than everything else. */
  #loading: Promise<OAuth> | undefined;
  #recorder: Recorder | undefined;
  #login: Promise<unknown> | undefined;
  /** A connection is being opened: it reports the outcome of a login. */
  #connecting = false;
  #loginUrl: string | undefined;
  #problem: AuthView['problem'];
  #exchanges = 0;

  constructor(server: string, redactor: Redactor, changed: () => void, options: LoginFlowOptions = {}) {
    this.#server = server;
    this.#redactor = redactor;
    this.#changed = changed;
    this.#options = options;
    this.#send = options.fetch ?? globalThis.fetch;
    this.#hops = new LoginHops(redactor, changed);
  }

  view(): AuthView {
    const { all, isForgotten, isPausing, status } = this.#hops;
    return {
      server: this.#server,
      status,
      hops: all,
      pausing: isPausing,
      forgotten: isForgotten ? true : undefined,
      loginUrl: this.#loginUrl,
      problem: this.#problem,
    };
  }

  /** Sets the recorder of the connection that logs in. */
  record(recorder: Recorder): void {
    this.#recorder = recorder;
    this.#connecting = true;
    if (this.#hops.signal.aborted) this.#hops.renew();
  }

  setPausing(pausing: boolean): void {
    this.#hops.setPausing(pausing);
  }

  release(hop: string): void {
    this.#hops.release(hop);
  }

  async forget(): Promise<void> {
    this.giveUp();
    // A login in progress holds the lock of the token store.
    await this.#login?.catch(() => {});
    this.#hops.renew();
    for (const url of this.#urls)
      await this.#loadAuth()
        .then((auth) => auth.logout(url))
        .catch(() => false);
    this.#hops.clear();
    this.#problem = undefined;
    this.#changed();
  }

  /** Returns whether a login is waiting for the user. */
  waits(): boolean {
    const { status } = this.#hops;
    return status === 'waiting-for-browser' || status === 'paused';
  }

  /** Makes a login in progress fail. */
  giveUp(): void {
    this.#hops.abort();
  }

  /** Connecting has finished: with an error, if it failed. */
  ended(error?: unknown): void {
    this.#connecting = false;
    if (this.#hops.all.length > 0) return this.#finish(error);
    // The server accepted the connection without a login.
    if (this.#hops.isForgotten && error === undefined) {
      this.#hops.isForgotten = false;
      this.#changed();
    }
  }

  #challenged(refusal: Parameters<OAuth['challenged']>[0]): Promise<boolean> {
    const hops = this.#hops;
    this.#urls.add(refusal.server);
    const id = hops.begin('challenge', refusal.method, refusal.url.split(/[?#]/, 1)[0]!);
    const session = this.#recorder?.session;
    hops.set(id, {
      status: 'pass',
      httpStatus: refusal.status,
      ...hops.verdict(refusal.challenge ?? 'Without WWW-Authenticate'),
      evidence: session === undefined ? [] : (this.#options.refusedIn?.(session, refusal.status) ?? []),
    });
    const login = this.#loadAuth().then((auth) => auth.challenged(refusal));
    this.#login = login;
    if (!this.#connecting) this.#follow(login);
    return login;
  }

  #loadAuth(): Promise<OAuth> {
    return (this.#loading ??= import('tenon/auth').then(({ memoryTokens, oauth }) =>
      oauth({
        browser: { open: () => this.#openBrowser() },
        store: this.#options.store ?? memoryTokens(),
        fetch: this.#fetch,
        name: 'Tenon inspector',
      }),
    ));
  }

  /** A request on an open connection required a login: its outcome is not reported elsewhere. */
  #follow(login: Promise<boolean>): void {
    login.then(
      (isLoggedIn) => {
        if (isLoggedIn) return this.#finish();
        this.#hops.status = 'failed';
        this.#changed();
      },
      (error: unknown) => this.#finish(error),
    );
  }

  #finish(error?: unknown): void {
    const hops = this.#hops;
    hops.blame(error);
    hops.status = error === undefined ? 'done' : 'failed';
    const evidence = hops.all.at(-1)?.evidence ?? [];
    this.#problem = error === undefined ? undefined : cleaned(problemOf(error, evidence), this.#redactor);
    this.#changed();
  }

  /** Sends a request to the authorization server, as a hop. */
  readonly #fetch: typeof globalThis.fetch = async (input, init) => {
    const hops = this.#hops;
    const { signal } = hops;
    if (signal.aborted) throw new Error(GIVEN_UP);
    const request = new Request(input, init);
    const body = request.method === 'GET' ? '' : (await request.clone().text()).slice(0, MAX_BODY_LENGTH);
    learn(body, this.#redactor);
    const step = stepOf(new URL(request.url), request.method, body);
    const id = hops.begin(step, request.method, addressOf(new URL(request.url)));
    await hops.pause(id);
    const exchange = ++this.#exchanges;
    const startedAt = performance.now();
    const asked = this.#writeRequest(exchange, step, request, body);
    try {
      const send = this.#send;
      const response = await send(input, { ...init, signal: AbortSignal.any([request.signal, signal]) });
      const text = await beginningOf(response.clone());
      learn(text, this.#redactor);
      const answered = this.#writeAnswer(exchange, step, response, text, asked);
      // Well-known URLs are tried one after the other: a missing one is not a failure.
      const isMissing = response.status === 404 && step.endsWith('metadata');
      hops.set(id, {
        status: response.ok || isMissing ? 'pass' : 'fail',
        httpStatus: response.status,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...evidenceOf(asked, answered),
        ...hops.verdict(isMissing ? 'Not there; the next address is tried' : verdictOf(step, response.ok, text)),
      });
      return response;
    } catch (error) {
      const { message } = error as Error;
      const ended = this.#recorder?.write({
        kind: 'auth',
        text: `failed: ${message}`,
        http: { exchange, part: 'end', step },
      });
      hops.set(id, { status: 'fail', verdict: message, ...evidenceOf(asked, ended) });
      throw error;
    }
  };

  #writeRequest(exchange: number, step: AuthStep, { method, url }: Request, body: string): TraceLine | undefined {
    const address = addressOf(new URL(url));
    return this.#recorder?.write({
      kind: 'auth',
      from: 'client',
      text: `${method} ${address}`,
      http: {
        exchange,
        part: 'request',
        method,
        url: address,
        step,
        body: body === '' ? undefined : shownForm(body),
      },
    });
  }

  #writeAnswer(
    exchange: number,
    step: AuthStep,
    { headers, status }: Response,
    text: string,
    request: TraceLine | undefined,
  ): TraceLine | undefined {
    return this.#recorder?.write({
      kind: 'auth',
      from: 'server',
      text: `${status}; content-type: ${headers.get('content-type') ?? ''}`,
      cause: request?.n,
      http: { exchange, part: 'answer', status, step, body: this.#redactor.clean(text).text },
    });
  }

  /** The user follows a link in the page: nothing opens automatically. */
  async #openBrowser(): Promise<OpenBrowser> {
    let hop = '';
    const { loopback } = await import('tenon/auth');
    const opened = await loopback({ opener: false, show: (url) => this.#showLoginUrl(hop, url) }).open();
    return {
      ...opened,
      authorize: (url) => {
        hop = this.#hops.begin('authorization', 'GET', addressOf(url));
        return this.#authorize(hop, async () => opened.authorize(url));
      },
    };
  }

  /** Waits until the user comes back from the page of the authorization server. */
  async #authorize<T>(hop: string, open: () => Promise<T>): Promise<T> {
    const hops = this.#hops;
    await hops.pause(hop);
    try {
      const back = await hops.unlessAborted(open());
      const { searchParams } = new URL(String(back));
      for (const name of ['code', 'state']) this.#redactor.hide(searchParams.get(name) ?? '');
      hops.set(hop, {
        status: searchParams.has('error') ? 'fail' : 'pass',
        ...hops.verdict(searchParams.get('error') ?? 'The user came back with a code'),
      });
      return back;
    } catch (error) {
      hops.set(hop, { status: 'fail', verdict: (error as Error).message });
      throw error;
    } finally {
      this.#loginUrl = undefined;
      if (hops.status === 'waiting-for-browser') hops.status = 'running';
      this.#changed();
    }
  }

  #showLoginUrl(hop: string, url: URL): void {
    this.#loginUrl = url.href;
    for (const name of ['state', 'code_challenge']) this.#redactor.hide(url.searchParams.get(name) ?? '');
    const address = addressOf(url);
    const line = this.#recorder?.write({
      kind: 'auth',
      from: 'client',
      text: `the user is sent to ${address}`,
      http: {
        exchange: ++this.#exchanges,
        part: 'request',
        step: 'authorization',
        url: address,
        body: shownForm(url.search.slice(1)),
      },
    });
    this.#hops.status = 'waiting-for-browser';
    this.#hops.set(hop, evidenceOf(line));
  }
}
