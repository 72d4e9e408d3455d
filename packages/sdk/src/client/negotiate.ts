import { abortError, CODE, ConnectionError, type PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { featuresOf, LEGACY, MODERN, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { decodeResult, serverInfoOf } from '../wire/decode.ts';
import type { Agreed } from './conversation.ts';
import { Calls } from './correlate.ts';
import { processEras } from './eras.ts';
import { Exchange } from './exchange.ts';
import type { Link } from './link.ts';
import type { Dialer, HttpDialer } from './dialer.ts';
import type { Settings } from './options.ts';
import { listedIn, probe, supportedIn } from './probe.ts';
import type { Report } from './report.ts';
import type { Agreement } from './types.ts';

const common = (known: readonly Revision[], supported: readonly string[]): Revision | undefined =>
  known.find((revision) => supported.includes(revision));

const mismatch = (supported: readonly string[], wanted: string): ConnectionError =>
  new ConnectionError(
    `The server and this client have no protocol revision in common: it supports ${shown(supported.join(', ') || 'none')}, wanted is ${wanted}`,
    {
      cause: new ProtocolError(CODE.unsupportedVersion, 'Unsupported protocol version', { supported: [...supported] }),
    },
  );

const modernAgreement = (calls: Calls, revision: Revision, result: JsonObject): Agreed => {
  const { capabilities, instructions } = decodeResult('server/discover', result, revision);
  const agreement: Agreement = {
    revision,
    era: 'modern',
    server: serverInfoOf(result),
    capabilities: capabilities as Agreement['capabilities'],
    instructions: instructions as string | undefined,
  };
  return { calls, agreement, converse: (opening) => new Exchange(opening) };
};

/** Finds out what the server speaks, beginning with the newest. */
const discover = async (
  dial: () => Promise<Calls>,
  first: Calls,
  settings: Settings,
  http: HttpDialer | undefined,
): Promise<Agreed> => {
  const pinned = settings.revision;
  const modern = pinned === undefined ? MODERN : [pinned];
  const wanted = pinned ?? 'any';
  let calls = first;
  let version = modern[0]!;
  let asked = 0;
  for (;;) {
    const found = await probe(calls, settings, version, http);
    asked++;
    if (found.is === 'failed') throw found.error;
    if (found.is === 'gone' || found.is === 'legacy') {
      if (pinned !== undefined) {
        if (found.is === 'gone') throw found.error;
        throw found.malformed ?? new ConnectionError(`The server does not speak ${pinned}: ${found.why}`);
      }
      const malformed = found.is === 'legacy' ? found.malformed : undefined;
      // Some old servers die of anything before `initialize`, at once or after an answer: then, and only then, a new process.
      if (found.is === 'gone') calls = await redial(dial, found.error);
      try {
        return await initialize(calls, settings, LEGACY[0]!, asked === 1, malformed);
      } catch (error) {
        if (found.is === 'gone' || !calls.broken) throw error;
        return initialize(await redial(dial, error), settings, LEGACY[0]!, false, malformed);
      }
    }
    if (found.is === 'faulty') {
      if (asked > 1)
        throw new ConnectionError(`The server refuses server/discover: ${shown(found.error.message)}`, {
          cause: found.error,
        });
      continue;
    }
    const revision = common(modern, found.supported);
    if (revision === undefined) {
      const older = pinned === undefined ? common(LEGACY, found.supported) : undefined;
      if (older === undefined) throw mismatch(found.supported, wanted);
      return initialize(calls, settings, older, false);
    }
    if (found.is === 'modern') return modernAgreement(calls, revision, found.result);
    if (asked > 1)
      throw mismatch(
        found.supported.filter((name) => name !== version),
        wanted,
      );
    version = revision;
  }
};

const redial = async (dial: () => Promise<Calls>, gone: unknown): Promise<Calls> => {
  try {
    return await dial();
  } catch {
    throw gone;
  }
};

/**
 * Shakes hands as revisions up to 2025-11-25 do. If that proves the server to be modern after all (it was silent at first, or remembered
 * wrongly), `retry` allows to ask it once more. `malformed`: what was wrong with its answer to `server/discover`.
 */
const initialize = async (
  calls: Calls,
  settings: Settings,
  offer: Revision,
  retry: boolean,
  malformed?: PeerError,
): Promise<Agreed> => {
  // Whoever meets modern servers only does not load what the older ones need.
  const { handshake } = await import('./handshake.ts');
  try {
    return await handshake(calls, settings, offer);
  } catch (error) {
    const older =
      settings.revision === undefined ? common(LEGACY.slice(LEGACY.indexOf(offer) + 1), listedIn(error)) : undefined;
    // Some old servers refuse a version they do not know, and list theirs, instead of answering with one.
    if (older !== undefined) return initialize(calls, settings, older, false, malformed);
    const supported = supportedIn(error);
    const revision = supported === undefined || settings.revision !== undefined ? undefined : common(MODERN, supported);
    if (supported === undefined) throw refused(error, malformed);
    if (revision === undefined || !retry) throw mismatch(supported, settings.revision ?? 'any');
    const found = await probe(calls, settings, revision, undefined);
    if (found.is !== 'modern') throw mismatch(supported, 'any');
    return modernAgreement(calls, revision, found.result);
  }
};

function refused(error: unknown, malformed: PeerError | undefined): unknown {
  if (!(error instanceof ProtocolError)) return error;
  const refusal = `The server refused to initialize: ${shown(error.message)} (error ${error.code})`;
  // A server that does not know the older handshake has to mend its answer to the newer one.
  const message = malformed === undefined ? refusal : `${malformed.message}. ${refusal}`;
  return new ConnectionError(message, { cause: error });
}

/** Where the way in is another one than this client tried, the address may be that of a server of 2024-11-05. */
const notHere = (error: unknown, http: HttpDialer): boolean => {
  if (!(error instanceof ConnectionError)) return false;
  // An error of JSON-RPC has no status of its own.
  const { status = (error.cause instanceof ProtocolError ? http.status() : undefined) ?? 0 } = error;
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
};

/** Shakes hands over HTTP+SSE. If that fails, too, the error tells of both. */
const fallBack = async (http: HttpDialer, dialed: Dialing, settings: Settings, before: Error): Promise<Agreed> => {
  let calls: Calls;
  try {
    calls = await dialed.use(await http.fallback());
  } catch (error) {
    throw new ConnectionError(
      `There is no MCP server at this address: ${before.message}; as a server of 2024-11-05: ${(error as Error).message}`,
      {
        cause: before,
        ...(before instanceof ConnectionError && before.status !== undefined ? { status: before.status } : {}),
      },
    );
  }
  const { revision } = settings;
  return initialize(calls, settings, revision ?? LEGACY[0]!, false);
};

/** The dialer's connections as tables of calls. `current` is the last one: whatever fails, it has to be closed. */
interface Dialing {
  current: Calls | undefined;
  dial(): Promise<Calls>;
  /** Goes on with another link. */
  use(link: Link): Promise<Calls>;
}

const dialing = (dialer: Dialer, settings: Settings, report: Report, stopIfAborted: () => void): Dialing => {
  const dialed: Dialing = {
    current: undefined,
    async use(link) {
      await dialed.current?.close();
      return (dialed.current = new Calls(link, settings.clock, report, settings.limits));
    },
    async dial() {
      if (dialed.current !== undefined && !dialer.reopens)
        throw new ConnectionError('This connection cannot be made again');
      await dialed.current?.close();
      stopIfAborted();
      dialed.current = new Calls(await dialer.open(), settings.clock, report, settings.limits);
      stopIfAborted();
      return dialed.current;
    },
  };
  return dialed;
};

/**
 * Opens a connection and agrees on a revision. On one pipe, without a second process; a new one is started only if the old one
 * ended because of the probe. Rejects with a `ConnectionError`, `TimeoutError`, `PeerError`, or `AbortError`.
 */
export const negotiate = async (
  dialer: Dialer,
  settings: Settings,
  report: Report,
  signal?: AbortSignal,
): Promise<Agreed> => {
  const eras = settings.eras ?? processEras;
  const { key } = dialer;
  const pinned = settings.revision;
  const abort = (): void => void dialed.current?.close('Connecting was aborted').catch(() => {});
  const stopIfAborted = (): void => {
    if (signal?.aborted === true) throw abortError(signal);
  };
  const dialed = dialing(dialer, settings, report, stopIfAborted);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const calls = await dialed.dial();
    const remembered = pinned === undefined && key !== undefined && eras.get(key) === 'legacy';
    const legacy = pinned === undefined ? remembered : featuresOf(pinned).era === 'legacy';
    const { http } = dialer;
    const agreeing = legacy
      ? initialize(calls, settings, pinned ?? LEGACY[0]!, remembered)
      : discover(dialed.dial, calls, settings, http);
    const agreed = await (http === undefined
      ? agreeing
      : agreeing.catch((error: unknown) => {
          const mayBeOld = notHere(error, http) && (pinned === undefined || featuresOf(pinned).era === 'legacy');
          if (!mayBeOld || signal?.aborted === true) throw error;
          return fallBack(http, dialed, settings, error as Error);
        }));
    stopIfAborted();
    if (key !== undefined) eras.set(key, agreed.agreement.era);
    return agreed;
  } catch (error) {
    if (key !== undefined) eras.delete(key);
    await dialed.current
      ?.close()
      .catch((cause: unknown) => report('debug', 'close-failed', 'The connection could not be closed', cause));
    stopIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
};
