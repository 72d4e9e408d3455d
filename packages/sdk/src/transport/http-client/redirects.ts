import type { AnswerHead, HttpSend, Incoming, Outgoing, SentRequest } from './send.ts';

/** How many redirects are followed. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These redirects keep method and body. A POST must not silently become a GET. */
const KEEP_METHOD: ReadonlySet<number> = new Set([307, 308]);

/** Follows redirects within the same origin only, because of the credentials. Any other redirect ends the request with an error. */
export function followRedirects(send: HttpSend): HttpSend {
  return (request, incoming) => new RedirectedRequest(send, request, incoming);
}

/** A request, and the requests to which it is redirected. */
class RedirectedRequest implements Incoming, SentRequest {
  readonly #send: HttpSend;
  readonly #request: Outgoing;
  readonly #incoming: Incoming;
  /** The request that was sent last. */
  #sent: SentRequest;
  #url: string;
  #redirectsLeft = MAX_REDIRECTS;

  constructor(send: HttpSend, request: Outgoing, incoming: Incoming) {
    this.#send = send;
    this.#request = request;
    this.#incoming = incoming;
    this.#url = request.url;
    this.#sent = send(request, this);
  }

  abort(): void {
    this.#sent.abort();
  }

  head(answer: AnswerHead): void {
    const { status } = answer;
    const location = status >= 300 && REDIRECTS.has(status) ? answer.header('location') : undefined;
    if (location === undefined) return this.#incoming.head(answer);
    this.#sent.abort();
    const next = targetOf(location, this.#url);
    const target = next === undefined ? 'an invalid address' : `${next.origin}${next.pathname}`;
    if (next === undefined || next.origin !== new URL(this.#url).origin)
      return this.#fail(`The server redirects to ${target}, which is not followed: it is another origin`);
    if (this.#request.method !== 'GET' && !KEEP_METHOD.has(status))
      return this.#fail(`The server moved to ${target} (status ${status}): connect to that address`);
    if (this.#redirectsLeft === 0) return this.#fail(`The server redirects more than ${MAX_REDIRECTS} times`);
    this.#redirectsLeft--;
    this.#url = next.href;
    this.#sent = this.#send({ ...this.#request, url: next.href }, this);
    return undefined;
  }

  data(chunk: Uint8Array): void {
    this.#incoming.data(chunk);
  }

  end(error?: Error, delivered?: boolean): void {
    this.#incoming.end(error, delivered);
  }

  #fail(message: string): void {
    this.#incoming.end(new Error(message), false);
  }
}

function targetOf(location: string, base: string): URL | undefined {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
}
