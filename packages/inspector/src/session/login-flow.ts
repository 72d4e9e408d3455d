import type { OAuth, OpenBrowser, TokenStore } from 'tenon/auth';
import type { AuthHop, AuthView } from '../api/views.ts';
import { addressOf, type AuthExchanges, createAuthExchanges } from '../record/auth-exchanges.ts';
import type { Recorder } from '../record/recorder.ts';
import type { Redactor } from '../record/redact.ts';
import type { TraceLine } from '../trace/line.ts';
import { verdictOf } from './auth-steps.ts';
import { GIVEN_UP, LoginHops } from './login-hops.ts';
import type { TargetLogin } from './contract.ts';
import { cleaned, problemOf } from './problem.ts';

export interface LoginFlowOptions {
  readonly store?: TokenStore;
  /** The login settings of the server. */
  readonly login?: TargetLogin | undefined;
  readonly fetch?: typeof globalThis.fetch;
  /** The lines of the answers with this status that have just arrived. */
  readonly refusedIn?: (session: string, status: number) => readonly number[];
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
  readonly #written: AuthExchanges;
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

  constructor(server: string, redactor: Redactor, changed: () => void, options: LoginFlowOptions = {}) {
    this.#server = server;
    this.#redactor = redactor;
    this.#changed = changed;
    this.#options = options;
    this.#send = options.fetch ?? globalThis.fetch;
    this.#hops = new LoginHops(redactor, changed);
    this.#written = createAuthExchanges(() => this.#recorder, redactor);
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
        client: this.#options.login?.client,
        scopes: this.#options.login?.scopes,
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
    const exchange = await this.#written.begin(input, init);
    const { step, method, address } = exchange;
    const id = hops.begin(step, method, address);
    await hops.pause(id);
    const startedAt = performance.now();
    const asked = exchange.asked();
    try {
      const send = this.#send;
      const given = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      const signals = given === undefined ? [signal] : [signal, given];
      const response = await send(input, { ...init, signal: AbortSignal.any(signals) });
      const { line, text } = await exchange.answered(response);
      // Well-known URLs are tried one after the other: a missing one is not a failure.
      const isMissing = response.status === 404 && step.endsWith('metadata');
      hops.set(id, {
        status: response.ok || isMissing ? 'pass' : 'fail',
        httpStatus: response.status,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...evidenceOf(asked, line),
        ...hops.verdict(isMissing ? 'Not there; the next address is tried' : verdictOf(step, response.ok, text)),
      });
      return response;
    } catch (error) {
      const ended = exchange.failed(error as Error);
      hops.set(id, { status: 'fail', verdict: (error as Error).message, ...evidenceOf(asked, ended) });
      throw error;
    }
  };

  /** The user follows a link in the page: nothing opens automatically. */
  async #openBrowser(): Promise<OpenBrowser> {
    let hop = '';
    const { loopback } = await import('tenon/auth');
    const opened = await loopback({
      port: this.#options.login?.callbackPort,
      opener: false,
      show: (url) => this.#showLoginUrl(hop, url),
    }).open();
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
    const line = this.#written.redirected(url);
    this.#hops.status = 'waiting-for-browser';
    this.#hops.set(hop, evidenceOf(line));
  }
}
