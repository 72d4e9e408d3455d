import { readFile, stat } from 'node:fs/promises';
import process from 'node:process';
import { type Logger, silent } from '../../protocol/log.ts';
import { rateLimitedLogger } from '../../protocol/rate-limited-logger.ts';
import { MIN_SECRET } from '../lazy-sealer.ts';

/** The keys in a file, as they are now. */
export interface KeyFile extends Iterable<string> {
  /** Stops reading the file. The keys stay as they are. */
  close(): void;
}

/** Options of `keysInFile`. */
export interface KeyFileOptions {
  /** Receives warnings, such as that the file cannot be read any more. Default: none. */
  readonly log?: Logger;
  /** How often the file is checked, in milliseconds. Default 5,000. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/**
 * Reads the keys in a file: one on each line, the first one seals, all of them open. The file is read again when it changes, is replaced, or
 * is a link that changes. Content that cannot be used, such as an empty file, is reported, and the keys stay as they were. Rejects with an
 * `Error` if the file cannot be used at first.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { keysInFile, serveHttp } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * await serveHttp(app, { keys: await keysInFile('/run/secrets/tenon-keys') });
 * ```
 */
export async function keysInFile(path: string, options: KeyFileOptions = {}): Promise<KeyFile> {
  const { everyMs = EVERY_MS, log = silent } = options;
  const file = new WatchedKeys(path, rateLimitedLogger(log));
  await file.load();
  const timer = setInterval(() => void file.check(), everyMs);
  // The process does not stay for it.
  timer.unref();
  return { [Symbol.iterator]: () => file.keys[Symbol.iterator](), close: () => clearInterval(timer) };
}

class WatchedKeys {
  keys: readonly string[] = [];
  readonly #path: string;
  readonly #log: Logger;
  /** The content with these keys. */
  #used = '';
  /** A changed content. It is used if it is still the same at the next check: another program may be writing it. */
  #next: string | undefined;
  #checking = false;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  async load(): Promise<void> {
    const text = await this.#read();
    this.keys = keysOf(text);
    this.#used = text;
    await this.#checkMode();
  }

  /** Reads the file again. Never rejects. The content is compared, because links and network folders hide changes of a file. */
  async check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    try {
      const text = await this.#read();
      const isStable = text === this.#next;
      this.#next = text;
      if (text === this.#used || !isStable) return;
      this.keys = keysOf(text);
      this.#used = text;
      this.#log({
        level: 'info',
        event: 'keys-changed',
        message: `The sealing keys were read again: ${this.keys.length}`,
      });
      await this.#checkMode();
    } catch (error) {
      this.#warn('The sealing keys stay as they were: the file with them cannot be used', error);
    } finally {
      this.#checking = false;
    }
  }

  async #read(): Promise<string> {
    const { size } = await stat(this.#path);
    if (size > MAX_BYTES) throw new Error(`The file with the sealing keys is larger than ${MAX_BYTES} bytes`);
    return readFile(this.#path, 'utf8');
  }

  async #checkMode(): Promise<void> {
    const { mode } = await stat(this.#path);
    if (process.platform === 'win32' || (mode & 0o077) === 0) return;
    this.#warn('Other users of this machine can read the file with the sealing keys: give it the mode 600');
  }

  #warn(message: string, details?: unknown): void {
    this.#log({ level: 'warn', event: 'keys-file', message, details });
  }
}

/** The keys in the content of a file. Throws an `Error` that does not contain them. */
function keysOf(text: string): readonly string[] {
  const keys = text.split('\n').flatMap((line) => line.trim() || []);
  if (keys.length === 0) throw new Error('The file with the sealing keys is empty: write one key on each line');
  if (keys.some((key) => key.length < MIN_SECRET))
    throw new Error(
      `A key in the file with the sealing keys has fewer than ${MIN_SECRET} characters; use 32 random bytes`,
    );
  return keys;
}
