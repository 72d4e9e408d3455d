import type { HttpPart } from '../trace/line.ts';

/** Determines which line caused which, as far as HTTP shows it: each message is part of an exchange. */
export interface Causes {
  /** The cause of a message. `exchange`: the exchange that it is part of, if known. */
  message(text: string, exchange: number | undefined): number | undefined;
  /** The cause of a part of an exchange. */
  part(http: Pick<HttpPart, 'exchange' | 'part'>, body?: string): number | undefined;
  /** Records the number of the line about which the last call asked. */
  wrote(n: number): void;
}

interface Exchange {
  /** The message in the body of its request. */
  message?: number;
  request?: number;
  /** The last line received. */
  last?: number;
}

/** The most exchanges, and sent messages, kept at a time, and the longest message kept. */
const MAX_EXCHANGES = 10_000;
const MAX_SENT = 100;
const MAX_SENT_LENGTH = 100_000;

/** Removes the oldest entry of a map that exceeds a size. */
function keepUnder(map: Map<unknown, unknown>, most: number): void {
  if (map.size <= most) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}

export function createCauses(): Causes {
  const exchanges = new Map<number, Exchange>();
  /** Sent messages whose exchange is not known, by their text. A message may be sent again. */
  const sent = new Map<string, number>();
  let remember: (n: number) => void = () => {};

  const exchangeOf = (number: number): Exchange => {
    let found = exchanges.get(number);
    if (found === undefined) {
      exchanges.set(number, (found = {}));
      keepUnder(exchanges, MAX_EXCHANGES);
    }
    return found;
  };

  return {
    message(text, number) {
      if (number === undefined) {
        remember = (n) => {
          if (text.length > MAX_SENT_LENGTH) return;
          sent.set(text, n);
          keepUnder(sent, MAX_SENT);
        };
        return undefined;
      }
      const exchange = exchangeOf(number);
      // A message received in an exchange was caused by it; a message to be sent causes the exchange.
      const cause = exchange.last ?? exchange.request;
      remember = cause === undefined ? (n) => void (exchange.message = n) : () => {};
      return cause;
    },
    part({ exchange: number, part }, body) {
      const exchange = exchangeOf(number);
      if (part === 'request') {
        const carried = exchange.message ?? (body === undefined ? undefined : sent.get(body));
        remember = (n) => {
          exchange.request = n;
          delete exchange.last;
        };
        return carried;
      }
      // The next exchange may reuse its number.
      remember = part === 'end' ? () => void exchanges.delete(number) : (n) => void (exchange.last = n);
      return exchange.request;
    },
    wrote: (n) => remember(n),
  };
}
