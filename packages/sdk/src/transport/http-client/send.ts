import type { AllFields } from '../../wire/headers.ts';

/** An HTTP request. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What it is sent for: the same when it is sent again. */
  readonly flight?: object;
}

/** Takes the answer, in this order: `head`, any number of `data`, `end`. Nothing comes after the request was aborted. */
export interface Incoming {
  /** Told at once what is really sent, where that is known and somebody wants to know. */
  sent?(headers: AllFields): void;
  /** `header` gives a header by its name in lower case, `all` gives all of them. */
  head(status: number, header: (name: string) => string | undefined, all?: () => AllFields): void;
  /** A part of the body, as it is after decoding. */
  data(chunk: Uint8Array): void;
  /** The end: with an error, the answer is not complete. `delivered`: the request may have reached the server. */
  end(error?: Error, delivered?: boolean): void;
}

/**
 * Sends a request. Returns the function that aborts it. Redirects are not followed. It never throws: a request that cannot be sent
 * ends with an error, because many are sent from timers and callbacks, where nothing would catch the error.
 */
export type HttpSend = (request: Outgoing, incoming: Incoming) => () => void;

/** Most redirects that are followed. */
const MOST = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These keep method and body. A POST must not become a GET behind anybody's back. */
const KEEPS: ReadonlySet<number> = new Set([307, 308]);

/** Follows redirects, but only to the same origin: credentials go nowhere else. What may not be followed ends with an error. */
export const following =
  (send: HttpSend): HttpSend =>
  (request, incoming) => {
    let abort = (): void => {};
    let over = false;
    const go = (url: string, left: number): void => {
      let moved = false;
      const fail = (message: string): void => {
        over = true;
        abort();
        incoming.end(new Error(message), false);
      };
      let early = false;
      abort = () => {
        early = true;
      };
      const real = send(
        { ...request, url },
        {
          head(status, header) {
            const location = REDIRECTS.has(status) ? header('location') : undefined;
            if (location === undefined) return incoming.head(status, header);
            moved = true;
            const next = targetOf(location, url);
            const whither = next === undefined ? 'somewhere that is no address' : `${next.origin}${next.pathname}`;
            if (next === undefined || next.origin !== new URL(url).origin)
              return fail(`The server sends on to ${whither}, which is not followed: it is another origin`);
            if (request.method !== 'GET' && !KEEPS.has(status))
              return fail(`The server moved to ${whither} (status ${status}): connect to that address`);
            if (left === 0) return fail(`The server sends on more than ${MOST} times`);
            abort();
            return go(next.href, left - 1);
          },
          data: (chunk) => (moved ? undefined : incoming.data(chunk)),
          end: (error, delivered) => (moved ? undefined : incoming.end(error, delivered)),
        },
      );
      abort = real;
      if (early) real();
    };
    go(request.url, MOST);
    return () => {
      if (!over) abort();
    };
  };

const targetOf = (location: string, base: string): URL | undefined => {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
};
