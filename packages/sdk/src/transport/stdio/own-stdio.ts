import process from 'node:process';
import { COALESCES, type StreamChannel } from '../../protocol/channel.ts';
import { withLimits } from '../../protocol/limits.ts';
import type { Limits } from '../../protocol/limits.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter, sendTo } from './line-writer.ts';
import { brokenBy, FLUSH_MS, maxUnsent } from './stream-channel.ts';
import { within } from '../promises.ts';

type Output = NodeJS.WriteStream;

/** While this many bytes wait for stderr, more redirected output is dropped, and the loss is reported. */
const REDIRECT_MAX = 16 * 1024 * 1024;

let owned = false;

function sizeOf(chunk: unknown): number {
  return typeof chunk === 'string' ? chunk.length : chunk instanceof Uint8Array ? chunk.byteLength : 0;
}

/** The last function among the arguments of `write` or `end`. */
function callbackOf(args: readonly unknown[]): (() => void) | undefined {
  return args.find((arg): arg is () => void => typeof arg === 'function');
}

/**
 * Redirects everything that other code writes to stdout to stderr (specification, stdio: a server must not write anything to stdout that is
 * not a message). The console writes to the same stream object, even if it was captured earlier.
 */
function redirect(from: Output, to: Output): void {
  let dropped = 0;

  const write = (...args: unknown[]): true => {
    const size = sizeOf(args[0]);
    if (to.destroyed || to.writableLength > REDIRECT_MAX) {
      dropped += size;
      const callback = callbackOf(args);
      if (callback !== undefined) process.nextTick(callback);
    } else {
      if (dropped > 0)
        to.write(`(${dropped} characters of output are missing here: stderr was not read fast enough)\n`);
      dropped = 0;
      Reflect.apply(to.write, to, args);
    }
    // Always true: stdout does not emit `drain` for data that is written to stderr.
    return true;
  };
  // Only the channel may end stdout.
  const end = (...args: unknown[]): Output => {
    if (sizeOf(args[0]) > 0) write(...args);
    else callbackOf(args)?.();
    return from;
  };

  Object.defineProperty(from, 'write', { value: write, writable: true, configurable: true });
  Object.defineProperty(from, 'end', { value: end, writable: true, configurable: true });
}

/**
 * Takes stdin and stdout of this process for the protocol.
 *
 * From now on the output of `console.log` and the like, and of `process.stdout.write`, goes to stderr. Output that bypasses the stream
 * can't be redirected: `fs.writeSync(1, …)` (some loggers do that: point them at file descriptor 2), a child process with `stdio:
 * 'inherit'`, native code. `incoming` ends when stdin does, and throws a `ConnectionError` when stdout is broken. Broken stderr is ignored.
 * Throws an `Error` when called twice.
 *
 * @example
 * ```ts
 * const channel = ownStdio();
 * for await (const text of channel.incoming) channel.send(answer(text));
 * ```
 */
export function ownStdio(options?: { readonly limits?: Partial<Limits> }): StreamChannel {
  const limits = withLimits(options?.limits);
  if (owned) throw new Error('stdin and stdout of this process are already in use for the protocol');
  owned = true;
  const { stdin, stdout, stderr } = process;
  const rawWrite = stdout.write.bind(stdout);
  redirect(stdout, stderr);
  // A handler of uncaught exceptions that logs to a broken stderr would otherwise be called again for that error, in an endless loop.
  stderr.on('error', () => {});

  const reader = new LineReader(stdin, {
    maxBytes: limits.lineBytes,
    onEnd: (error) => reader.inbox.end(error === undefined ? undefined : brokenBy(error)),
    before: () => writer.hold(),
    after: () => writer.release(),
  });
  const writer = new LineWriter(stdout, {
    maxUnsent: maxUnsent(limits),
    onBroken: (error) => reader.inbox.end(brokenBy(error)),
    write: (text) => rawWrite(text, 'utf8'),
  });
  let closed: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    reader.inbox.discard();
    reader.stop();
    // If stdin is not being read, it must not keep the process alive.
    if ('unref' in stdin) stdin.unref();
    await within(
      FLUSH_MS,
      writer.end((last, done) => rawWrite(last, 'utf8', () => done())),
    );
  };

  return {
    send: sendTo(writer),
    incoming: reader.inbox.items,
    [COALESCES]: true,
    close: () => (closed ??= close()),
  };
}
