import type { AuthStep, TraceLine } from '../trace/line.ts';
import type { Recorder } from './recorder.ts';
import type { Redactor } from './redact.ts';

const MAX_BODY_LENGTH = 64 * 1024;

/** The step of a request, from its URL and its body. */
function stepOf(url: URL, method: string, body: string): AuthStep {
  if (url.pathname.includes('/.well-known/oauth-protected-resource')) return 'resource-metadata';
  if (url.pathname.includes('/.well-known/')) return 'server-metadata';
  if (method !== 'POST') return 'other';
  if (body.startsWith('{')) return 'registration';
  if (/(?:^|&)grant_type=refresh_token/.test(body)) return 'refresh';
  return /(?:^|&)grant_type=/.test(body) ? 'token' : 'other';
}

/** Members and parameters that are secret in requests and answers of OAuth. */
const SECRET =
  /^(?:access_token|refresh_token|id_token|client_secret|registration_access_token|code|code_verifier|assertion|client_assertion|subject_token|actor_token|token|password|device_code|state)$/;

/** Adds the secrets in a body to the redactor, so that they are never written. */
function learn(body: string, redactor: Redactor): void {
  if (body.trimStart().startsWith('{')) {
    try {
      for (const [name, value] of Object.entries(JSON.parse(body) as object))
        if (SECRET.test(name) && typeof value === 'string') redactor.hide(value);
    } catch {
      // Not JSON, so it has no members to read.
    }
    return;
  }
  for (const [name, value] of new URLSearchParams(body)) if (SECRET.test(name)) redactor.hide(value);
}

/** The text of a form, with its secrets hidden. */
function shownForm(body: string): string {
  return body.startsWith('{')
    ? body
    : [...new URLSearchParams(body)]
        .map(([name, value]) => `${name}=${SECRET.test(name) ? '[redacted]' : value}`)
        .join('&');
}

/** The URL without its query, which may contain secrets. */
export function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
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

/** One request of a login, and its answer. Each method writes a line, if there is a recorder. */
export interface AuthExchange {
  readonly step: AuthStep;
  readonly method: string;
  readonly address: string;
  asked(): TraceLine | undefined;
  /** Reads a copy of the answer. */
  answered(response: Response): Promise<{ readonly line: TraceLine | undefined; readonly text: string }>;
  failed(error: Error): TraceLine | undefined;
}

/** Writes the requests of a login, without their secrets. */
export interface AuthExchanges {
  begin(...request: Parameters<typeof globalThis.fetch>): Promise<AuthExchange>;
  /** The user is sent to this URL. */
  redirected(url: URL): TraceLine | undefined;
}

/** `recorder` is the one of the connection that logs in, at each line. */
export function createAuthExchanges(
  recorder: () => Pick<Recorder, 'write'> | undefined,
  redactor: Redactor,
): AuthExchanges {
  let exchanges = 0;
  return {
    async begin(input, init) {
      const request = new Request(input, init);
      const { method } = request;
      const url = new URL(request.url);
      const body = method === 'GET' ? '' : (await request.text()).slice(0, MAX_BODY_LENGTH);
      learn(body, redactor);
      const step = stepOf(url, method, body);
      const address = addressOf(url);
      const exchange = ++exchanges;
      let sent: TraceLine | undefined;
      return {
        step,
        method,
        address,
        asked() {
          const shown = body === '' ? undefined : redactor.clean(shownForm(body)).text;
          const http = { exchange, part: 'request', method, url: address, step, body: shown } as const;
          return (sent = recorder()?.write({ kind: 'auth', from: 'client', text: `${method} ${address}`, http }));
        },
        async answered(response) {
          const text = await beginningOf(response.clone());
          learn(text, redactor);
          const { status, headers } = response;
          const line = recorder()?.write({
            kind: 'auth',
            from: 'server',
            text: `${status}; content-type: ${headers.get('content-type') ?? ''}`,
            cause: sent?.n,
            http: { exchange, part: 'answer', status, step, body: redactor.clean(text).text },
          });
          return { line, text };
        },
        failed: ({ message }) =>
          recorder()?.write({
            kind: 'auth',
            text: redactor.clean(`failed: ${message}`).text,
            cause: sent?.n,
            http: { exchange, part: 'end', step },
          }),
      };
    },
    redirected(url) {
      for (const name of ['state', 'code_challenge']) redactor.hide(url.searchParams.get(name) ?? '');
      const address = addressOf(url);
      const body = shownForm(url.search.slice(1));
      const http = { exchange: ++exchanges, part: 'request', step: 'authorization', url: address, body } as const;
      return recorder()?.write({ kind: 'auth', from: 'client', text: `the user is sent to ${address}`, http });
    },
  };
}

/** `fetch` that also writes what it sends and receives. */
export function recordedFetch(send: typeof globalThis.fetch, exchanges: AuthExchanges): typeof globalThis.fetch {
  return async (input, init) => {
    const exchange = await exchanges.begin(input, init);
    exchange.asked();
    try {
      const response = await send(input, init);
      await exchange.answered(response);
      return response;
    } catch (error) {
      exchange.failed(error as Error);
      throw error;
    }
  };
}
