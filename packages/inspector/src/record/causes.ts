import type { HttpPart } from '../trace/line.ts';

/** What brought which line about, as far as HTTP tells: a message travels in an exchange. */
export interface Causes {
  /** The cause of a message. `exchange`: the one it travels in, where that is known. */
  message(text: string, exchange: number | undefined): number | undefined;
  /** The cause of a part of an exchange. */
  part(http: Pick<HttpPart, 'exchange' | 'part'>, body?: string): number | undefined;
  /** Remembers the line that was written for what was asked about last. */
  wrote(n: number): void;
}

interface Exchange {
  /** The message that its request carries. */
  message?: number;
  request?: number;
  /** The last thing that came back. */
  last?: number;
}

/** More exchanges at a time, and more and longer messages that were sent, are not remembered. */
const MAX_EXCHANGES = 10_000;
const MAX_SENT = 100;
const MAX_SENT_LENGTH = 100_000;

/** Keeps a map from growing: the oldest goes. */
function keepUnder(map: Map<unknown, unknown>, most: number): void {
  if (map.size <= most) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}

export function createCauses(): Causes {
  const exchanges = new Map<number, Exchange>();
  /** Messages of which it is not known in which exchange they travel, by their text. One may travel again. */
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
      // What came in an exchange was brought by it; what is to travel in it brings it about.
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
      // Its number may be another's next.
      remember = part === 'end' ? () => void exchanges.delete(number) : (n) => void (exchange.last = n);
      return exchange.request;
    },
    wrote: (n) => remember(n),
  };
}
