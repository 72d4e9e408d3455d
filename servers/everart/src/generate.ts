// Waits until images are generated.
import { ToolError } from 'tenon';
import type { ApiClock } from '../../shared/api/clock.ts';
import type { Everart, Generation } from './everart-client.ts';

/** How long to wait before asking again, in milliseconds: a tenth of the time so far, within these limits. */
const MIN_POLL_MS = 2_000;
const MAX_POLL_MS = 10_000;
/** How long to wait at all, in milliseconds. */
const MAX_MS = 900_000;

export const GENERATION_TEMPLATE = 'everart://generations/{id}';

function uriOf({ id }: Generation): string {
  return `everart://generations/${id}`;
}

function isRunning({ status }: Generation): boolean {
  return status === 'STARTING' || status === 'PROCESSING';
}

/** Waits until all of these are done, and reports how many are. */
export async function waitForImages(
  everart: Everart,
  generations: readonly Generation[],
  { clock, signal }: { readonly clock: ApiClock; readonly signal: AbortSignal },
): Promise<readonly Generation[]> {
  const start = clock.now();
  let all = generations;
  for (;;) {
    const running = all.filter(isRunning);
    if (running.length === 0) return all;
    const elapsed = clock.now() - start;
    if (elapsed >= MAX_MS)
      throw new ToolError(
        `EverArt has not finished in ${MAX_MS / 60_000} minutes. Later the images may be at: ${running.map(uriOf).join(', ')}`,
      );
    await everart.report(`${all.length - running.length} of ${all.length} images are done`);
    await clock.sleep(Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, elapsed / 10)), signal);
    all = await readStates(everart, all, signal);
  }
}

/** Reads the states of those that are running. If that fails, the error says where the images are, because they are paid for. */
async function readStates(everart: Everart, generations: readonly Generation[], signal: AbortSignal) {
  try {
    return await Promise.all(generations.map((one) => (isRunning(one) ? everart.fetch(one.id) : one)));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolError)) throw error;
    const places = generations.map(uriOf).join(', ');
    throw new ToolError(`${error.message} The images are being generated nevertheless, and may be at: ${places}`);
  }
}
