import { canonicalJson } from '../../store/canonical-json.ts';
import type { Question } from './question.ts';

/**
 * Enforces the rules for the questions of a call that hold in every era: a name stands for one question, each question is asked once, and
 * nothing is asked while a `once` is running.
 */
export class AskLedger {
  readonly #fingerprints: Map<string, string>;
  readonly #answers = new Map<string, Promise<unknown>>();
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #running = new Set<string>();

  constructor(asked: Iterable<readonly [string, string]> = []) {
    this.#fingerprints = new Map(asked);
  }

  get asked(): [string, string][] {
    return [...this.#fingerprints];
  }

  /** Runs `get` when the question is asked for the first time; every later call returns the same promise. */
  question<T>(question: Question, get: () => Promise<T>): Promise<T> {
    const [running] = this.#running;
    if (running !== undefined) {
      throw new TypeError(
        `The question '${question.name}' was asked while once('${running}') is running. Ask first, then act.`,
      );
    }
    const print = fingerprint(question);
    const known = this.#fingerprints.get(question.name);
    if (known !== undefined && known !== print) {
      throw new TypeError(
        `The name '${question.name}' is used for two different questions in one call. Give each its own name, ` +
          'and let no part of a question change when the handler runs again, such as a time or a random number.',
      );
    }
    this.#fingerprints.set(question.name, print);
    return remember(this.#answers, question.name, get) as Promise<T>;
  }

  /** Runs `act` the first time; every later call returns the same promise. */
  once(name: string, act: () => Promise<unknown>): Promise<unknown> {
    return remember(this.#results, name, async () => {
      this.#running.add(name);
      try {
        return await act();
      } finally {
        this.#running.delete(name);
      }
    });
  }

  /** Resolves when no `once` is running. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#results.values());
  }
}

function remember<T>(known: Map<string, Promise<T>>, name: string, get: () => Promise<T>): Promise<T> {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = get();
  // A handler may not await this promise. A rejection must not end the process then: the call itself reports it.
  made.catch(() => {});
  known.set(name, made);
  return made;
}

/**
 * 53 bits (cyrb53): detects two different questions under one name, which is a mistake of the author. It need not resist attacks: the state
 * that carries it is sealed.
 */
function fingerprint({ method, params }: Question): string {
  const text = canonicalJson([method, params]);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** The value as JSON carries it; throws if that is a different value. `undefined` is allowed at the top level. */
export function checkJson(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  let back: unknown;
  try {
    back = JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new TypeError(`The result of once('${name}') is not JSON: return plain data`, { cause });
  }
  if (!isPlainJson(value))
    throw new TypeError(
      `The result of once('${name}') is not JSON: return plain data, not class instances, dates or functions`,
    );
  return back;
}

/** Does JSON carry this value unchanged? Members that are `undefined` may be missing. */
function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  // `Array.from` also visits holes.
  if (Array.isArray(value)) return Array.from(value).every(isPlainJson);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.values(value).every((member) => member === undefined || isPlainJson(member));
}
