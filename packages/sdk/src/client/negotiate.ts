import { onAbort } from '../protocol/on-abort.ts';
import { abortError } from '../protocol/abort-error.ts';
import { CODE, ConnectionError, type PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { featuresOf, LEGACY, MODERN, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { decodeResult, serverInfoOf } from '../wire/decode.ts';
import type { NegotiationResult } from './server-connection.ts';
import { RpcConnection } from './rpc-connection.ts';
import { processEras } from './eras.ts';
import { ModernConnection } from './modern-connection.ts';
import type { ClientTransport } from './client-transport.ts';
import type { Dialer, HttpDialer } from './dialer.ts';
import type { Settings } from './options.ts';
import { listedIn, probe, supportedIn } from './probe.ts';
import type { Report } from './report.ts';
import type { Agreement } from './types.ts';

function firstCommon(ours: readonly Revision[], supported: readonly string[]): Revision | undefined {
  return ours.find((revision) => supported.includes(revision));
}

function mismatch(supported: readonly string[], wanted: string): ConnectionError {
  return new ConnectionError(
    'unsupported-revision',
    `There is no protocol revision in common: the server supports ${shown(supported.join(', ') || 'none')}, the client wants ${wanted}`,
    {
      cause: new ProtocolError(CODE.unsupportedVersion, 'Unsupported protocol version', { supported: [...supported] }),
    },
  );
}

function modernAgreement(rpc: RpcConnection, revision: Revision, result: JsonObject): NegotiationResult {
  const { capabilities, instructions } = decodeResult('server/discover', result, revision);
  const agreement: Agreement = {
    revision,
    era: 'modern',
    server: serverInfoOf(result),
    capabilities: capabilities as Agreement['capabilities'],
    instructions: instructions as string | undefined,
  };
  return { rpc, agreement, start: (context) => new ModernConnection(context) };
}

/** Finds out which revision the server supports, the newest first. */
async function discover(
  dial: () => Promise<RpcConnection>,
  first: RpcConnection,
  settings: Settings,
  http: HttpDialer | undefined,
): Promise<NegotiationResult> {
  const pinned = settings.revision;
  const modern = pinned === undefined ? MODERN : [pinned];
  const wanted = pinned ?? 'any';
  let rpc = first;
  let version = modern[0]!;
  let asked = 0;
  for (;;) {
    const found = await probe(rpc, settings, version, http);
    asked++;
    if (found.is === 'failed') throw found.error;
    if (found.is === 'gone' || found.is === 'legacy') {
      if (pinned !== undefined) {
        if (found.is === 'gone') throw found.error;
        throw (
          found.malformed ??
          new ConnectionError('unsupported-revision', `The server does not support ${pinned}: ${found.why}`)
        );
      }
      const { malformed, silentMs = 0 } = found.is === 'legacy' ? found : { malformed: undefined };
      const timeout = settings.timeout - silentMs;
      // Some old servers exit on any message before `initialize`, at once or after a response: only then, a new process is started.
      if (found.is === 'gone') rpc = await redial(dial, found.error);
      try {
        return await initialize(rpc, { ...settings, timeout }, LEGACY[0]!, asked === 1, malformed);
      } catch (error) {
        if (found.is === 'gone' || !rpc.broken) throw error;
        return initialize(await redial(dial, error), settings, LEGACY[0]!, false, malformed);
      }
    }
    if (found.is === 'faulty') {
      if (asked > 1)
        throw new ConnectionError(
          'handshake-refused',
          `The server refuses server/discover: ${shown(found.error.message)}`,
          {
            cause: found.error,
          },
        );
      continue;
    }
    const revision = firstCommon(modern, found.supported);
    if (revision === undefined) {
      const older = pinned === undefined ? firstCommon(LEGACY, found.supported) : undefined;
      if (older === undefined) throw mismatch(found.supported, wanted);
      return initialize(rpc, settings, older, false);
    }
    if (found.is === 'modern') return modernAgreement(rpc, revision, found.result);
    if (asked > 1)
      throw mismatch(
        found.supported.filter((name) => name !== version),
        wanted,
      );
    version = revision;
  }
}

async function redial(dial: () => Promise<RpcConnection>, gone: unknown): Promise<RpcConnection> {
  try {
    return await dial();
  } catch {
    throw gone;
  }
}

/**
 * Does the `initialize` handshake of revisions up to 2025-11-25. If it shows that the server is modern after all (it did not answer at first,
 * or the era memory is outdated), `retry` allows one more probe. `malformed`: what was wrong with its answer to `server/discover`.
 */
async function initialize(
  rpc: RpcConnection,
  settings: Settings,
  offer: Revision,
  retry: boolean,
  malformed?: PeerError,
): Promise<NegotiationResult> {
  // Loaded on demand: only legacy servers need it.
  const { handshake } = await import('./handshake.ts');
  try {
    return await handshake(rpc, settings, offer);
  } catch (error) {
    const older =
      settings.revision === undefined
        ? firstCommon(LEGACY.slice(LEGACY.indexOf(offer) + 1), listedIn(error))
        : undefined;
    // Some old servers reject an unknown version with a list of theirs, instead of answering with a version of their own.
    if (older !== undefined) return initialize(rpc, settings, older, false, malformed);
    const supported = supportedIn(error);
    const revision =
      supported === undefined || settings.revision !== undefined ? undefined : firstCommon(MODERN, supported);
    if (supported === undefined) throw initializeError(error, malformed);
    if (revision === undefined || !retry) throw mismatch(supported, settings.revision ?? 'any');
    const found = await probe(rpc, settings, revision, undefined);
    if (found.is !== 'modern') throw mismatch(supported, 'any');
    return modernAgreement(rpc, revision, found.result);
  }
}

function initializeError(error: unknown, malformed: PeerError | undefined): unknown {
  if (!(error instanceof ProtocolError)) return error;
  const refusal = `The server refused to initialize: ${shown(error.message)} (error ${error.code})`;
  // If the server does not support the legacy handshake either, its invalid answer to the modern one is the problem to fix.
  const message = malformed === undefined ? refusal : `${malformed.message}. ${refusal}`;
  return new ConnectionError('handshake-refused', message, { cause: error });
}

/** Does this error allow for a server of 2024-11-05 at the URL, which uses HTTP+SSE? */
function mayBeHttpSse(error: unknown, http: HttpDialer): boolean {
  // A server that began a session and has forgotten it is not one of those.
  if (!(error instanceof ConnectionError) || error.code === 'session-lost') return false;
  // A JSON-RPC error has no HTTP status of its own.
  const { status = (error.cause instanceof ProtocolError ? http.status() : undefined) ?? 0 } = error;
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

/** Connects over HTTP+SSE. If that fails too, the error names both failures. */
async function connectOverSse(
  http: HttpDialer,
  opener: LinkOpener,
  settings: Settings,
  before: Error,
): Promise<NegotiationResult> {
  let rpc: RpcConnection;
  try {
    rpc = await opener.use(await http.fallback());
  } catch (error) {
    throw new ConnectionError(
      'not-mcp',
      `There is no MCP server at this address: ${before.message}; as a server of 2024-11-05: ${(error as Error).message}`,
      { cause: before, status: before instanceof ConnectionError ? before.status : undefined },
    );
  }
  const { revision } = settings;
  return initialize(rpc, settings, revision ?? LEGACY[0]!, false);
}

/** Opens transports, one at a time. `current` is the last connection, which must be closed if negotiation fails. */
interface LinkOpener {
  current: RpcConnection | undefined;
  dial(): Promise<RpcConnection>;
  /** Replaces the current connection with one over another transport. */
  use(transport: ClientTransport): Promise<RpcConnection>;
}

function createLinkOpener(dialer: Dialer, settings: Settings, report: Report, stopIfAborted: () => void): LinkOpener {
  const opener: LinkOpener = {
    current: undefined,
    async use(transport) {
      await opener.current?.close();
      return (opener.current = new RpcConnection(transport, settings.clock, report, settings.limits));
    },
    async dial() {
      if (opener.current !== undefined && !dialer.reopens)
        throw new ConnectionError('closed', 'This connection cannot be reopened');
      await opener.current?.close();
      stopIfAborted();
      opener.current = new RpcConnection(await dialer.open(), settings.clock, report, settings.limits);
      stopIfAborted();
      return opener.current;
    },
  };
  return opener;
}

/**
 * Opens a connection and negotiates a revision. A command is started once; a second time only if the process ended because of the probe.
 * Rejects with a `ConnectionError`, `TimeoutError`, `PeerError`, or `AbortError`.
 */
export async function negotiate(
  dialer: Dialer,
  given: Settings,
  report: Report,
  signal?: AbortSignal,
): Promise<NegotiationResult> {
  const timeout = given.connectTimeout;
  const settings = { ...given, timeout, maxTimeout: Math.max(timeout, given.maxTimeout) };
  const eras = settings.eras ?? processEras;
  const { key } = dialer;
  const pinned = settings.revision;
  const stopIfAborted = (): void => {
    if (signal?.aborted === true) throw abortError(signal);
  };
  const opener = createLinkOpener(dialer, settings, report, stopIfAborted);
  const stopListening = onAbort(signal, () => void opener.current?.close('Connecting was aborted').catch(() => {}));
  try {
    const rpc = await opener.dial();
    const remembered = pinned === undefined && key !== undefined && eras.get(key) === 'legacy';
    const legacy = pinned === undefined ? remembered : featuresOf(pinned).era === 'legacy';
    const { http } = dialer;
    const negotiating = legacy
      ? initialize(rpc, settings, pinned ?? LEGACY[0]!, remembered)
      : discover(opener.dial, rpc, settings, http);
    const negotiated = await (http === undefined
      ? negotiating
      : negotiating.catch((error: unknown) => {
          const mayBeOld = mayBeHttpSse(error, http) && (pinned === undefined || featuresOf(pinned).era === 'legacy');
          if (!mayBeOld || signal?.aborted === true) throw error;
          return connectOverSse(http, opener, settings, error as Error);
        }));
    stopIfAborted();
    // A client that wants a legacy revision learns nothing of whether the server has a modern one.
    const { era } = negotiated.agreement;
    if (key !== undefined && (pinned === undefined || era === 'modern')) eras.set(key, era);
    return negotiated;
  } catch (error) {
    if (key !== undefined) eras.delete(key);
    await opener.current
      ?.close()
      .catch((cause: unknown) => report('debug', 'close-failed', 'The connection could not be closed', cause));
    stopIfAborted();
    throw error;
  } finally {
    stopListening();
  }
}
