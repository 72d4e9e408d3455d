import type { AllFields } from '../../wire/headers.ts';

/** An HTTP request. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Identifies the request when it is sent again with other credentials or after a redirect. */
  readonly identity?: object;
}

/** Receives the answer: `head`, any number of `data`, `end`. Nothing is called after the request was aborted. */
export interface Incoming {
  /** Called immediately with the header fields that are really sent, if they are known. */
  sent?(headers: AllFields): void;
  /** `header` returns a header field by its name in lower case, `all` returns all of them. */
  head(status: number, header: (name: string) => string | undefined, all?: () => AllFields): void;
  /** A part of the body. */
  data(chunk: Uint8Array): void;
  /** The end: with an error, the answer is not complete. `delivered`: the request may have reached the server. */
  end(error?: Error, delivered?: boolean): void;
}

/**
 * Sends a request. Returns the function that aborts it. Does not follow redirects. Never throws: a request that cannot be sent
 * ends with an error, because many are sent from timers and callbacks, where nothing would catch an exception.
 */
export type HttpSend = (request: Outgoing, incoming: Incoming) => () => void;

/** How many redirects are followed. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These redirects keep method and body. A POST must not silently become a GET. */
const KEEP_METHOD: ReadonlySet<number> = new Set([307, 308]);

/** Follows redirects within the same origin only, because of the credentials. Any other redirect ends the request with an error. */
export function followRedirects(send: HttpSend): HttpSend {
  return (request, incoming) => {
    let abort = (): void => {};
    let over = false;
    const sendTo = (url: string, redirectsLeft: number): void => {
      let redirected = false;
      const fail = (message: string): void => {
        over = true;
        abort();
        incoming.end(new Error(message), false);
      };
      let early = false;
      abort = () => {
        early = true;
      };
      const abortSent = send(
        { ...request, url },
        {
          head(status, header) {
            const location = REDIRECTS.has(status) ? header('location') : undefined;
            if (location === undefined) return incoming.head(status, header);
            redirected = true;
            const next = targetOf(location, url);
            const target = next === undefined ? 'an invalid address' : `${next.origin}${next.pathname}`;
            if (next === undefined || next.origin !== new URL(url).origin)
              return fail(`The server redirects to ${target}, which is not followed: it is another origin`);
            if (request.method !== 'GET' && !KEEP_METHOD.has(status))
              return fail(`The server moved to ${target} (status ${status}): connect to that address`);
            if (redirectsLeft === 0) return fail(`The server redirects more than ${MAX_REDIRECTS} times`);
            abort();
            return sendTo(next.href, redirectsLeft - 1);
          },
          data: (chunk) => (redirected ? undefined : incoming.data(chunk)),
          end: (error, delivered) => (redirected ? undefined : incoming.end(error, delivered)),
        },
      );
      abort = abortSent;
      if (early) abortSent();
    };
    sendTo(request.url, MAX_REDIRECTS);
    return () => {
      if (!over) abort();
    };
  };
}

function targetOf(location: string, base: string): URL | undefined {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
}
