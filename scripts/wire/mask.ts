// Values that differ between runs regardless of the code. Everything else is compared.

import type { Exchange } from './exchange.ts';

interface Mask {
  readonly name: string;
  /** The first group is the text before the value, which is kept; the second group is the value. */
  readonly pattern: RegExp;
  readonly reason: string;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const MASKS: readonly Mask[] = [
  { name: 'date', pattern: /^(date: )(.*)$/gim, reason: 'The Date header is the time of the answer.' },
  {
    name: 'session',
    pattern: new RegExp(`^(mcp-session-id: )(${UUID})$`, 'gim'),
    reason: 'A session id is random. The same id gets the same number, so mixing up two sessions is a difference.',
  },
  {
    name: 'pair',
    pattern: new RegExp(`(\\?sessionId=)(${UUID}\\.${UUID})`, 'g'),
    reason: 'The session id of HTTP+SSE is random.',
  },
  {
    name: 'stream',
    pattern: new RegExp(`^(id: (?:call|note)-)(${UUID})(?=_\\d)`, 'gm'),
    reason: 'An event id begins with the random name of its stream. The count behind it is compared.',
  },
  {
    name: 'error',
    pattern: /(under error )([0-9a-f]{8})(?=\.)/g,
    reason: 'The id of an internal failure is random: it leads the operator to the log.',
  },
  {
    name: 'state',
    pattern: /("requestState":")([\w-]+)(?=")/g,
    reason: 'A request state is sealed with a random initialization vector and a time limit.',
  },
  {
    name: 'cursor',
    pattern: /("nextCursor":")([\w-]+)(?=")/g,
    reason: 'A cursor is sealed with a random initialization vector. The pages that it leads to are compared.',
  },
  {
    name: 'elicitation',
    pattern: new RegExp(`("elicitationId":")(${UUID})`, 'g'),
    reason: 'The id of a URL elicitation begins with the random id of its call.',
  },
  {
    name: 'port',
    pattern: /((?:127\.0\.0\.1|localhost):)(\d{4,5})/g,
    reason: 'The server listens on any free port.',
  },
];

/** Replaces the values of one conversation with numbers, in the order of their first occurrence. */
class Masker {
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  text(text: string): string {
    let masked = text;
    for (const { name, pattern } of MASKS) {
      masked = masked.replace(
        pattern,
        (_, before: string, value: string) => `${before}<${name} ${this.#number(name, value)}>`,
      );
    }
    return masked;
  }

  header([name, value]: readonly [string, string]): [string, string] {
    const masked = this.text(`${name}: ${value}`);
    return [name, masked.slice(name.length + 2)];
  }

  #number(name: string, value: string): number {
    // All dates become the same value, because the duration of a recording is not compared.
    const key = name === 'date' ? name : `${name} ${value}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, number);
    this.#numbers.set(key, number);
    return number;
  }
}

/** Masks the exchanges of one conversation. Numbers are assigned in the order of the exchanges, whichever ended first. */
export function masked(exchanges: readonly Exchange[]): Exchange[] {
  const masker = new Masker();
  return exchanges.map((exchange) => ({
    ...exchange,
    sent: masker.text(exchange.sent),
    headers: exchange.headers?.map((header) => masker.header(header)),
    posted: exchange.posted === undefined ? undefined : masker.text(exchange.posted),
    frames: exchange.frames.map((frame) => masker.text(frame)),
  }));
}
