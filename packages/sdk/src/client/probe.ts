import { CODE, ConnectionError, PeerError, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import { writeClaim } from '../wire/write-claim.ts';
import type { Timer } from './clock.ts';
import type { RpcConnection } from './rpc-connection.ts';
import type { HttpDialer } from './dialer.ts';
import type { Settings } from './options.ts';

/** How long to wait for the first message, in milliseconds: a package runner may have to download the server first. At most half the timeout. */
const FIRST_MESSAGE_MS = 20_000;
/** How long to wait for the response after that, in milliseconds. At most half the timeout. */
const ANSWER_MS = 4_000;

/** The conclusion from the response to the probe. See "Backward compatibility" of the stdio transport. */
export type ProbeResult =
  | { readonly is: 'modern'; readonly result: JsonObject; readonly supported: readonly string[] }
  /** The server is modern but does not support the version of the probe. */
  | { readonly is: 'refused'; readonly supported: readonly string[] }
  /** The server is modern and rejected the probe. */
  | { readonly is: 'faulty'; readonly error: ProtocolError }
  /** `malformed`: it may also be a modern server with an invalid response. `silentMs`: it said nothing at all for this time. */
  | { readonly is: 'legacy'; readonly why: string; readonly malformed?: PeerError; readonly silentMs?: number }
  | { readonly is: 'gone'; readonly error: ConnectionError }
  /** The probe shows nothing: the network failed, or the server needs authorization first. */
  | { readonly is: 'failed'; readonly error: ConnectionError };

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined;
}

/** The versions a server says it supports in an error that only modern servers send. */
export function supportedIn(error: unknown): string[] | undefined {
  return error instanceof ProtocolError && error.code === CODE.unsupportedVersion && isObject(error.data)
    ? strings(error.data['supported'])
    : undefined;
}

/** The versions listed in an error of any kind. */
export function listedIn(error: unknown): string[] {
  return (error instanceof ProtocolError && isObject(error.data) ? strings(error.data['supported']) : undefined) ?? [];
}

/** The conclusion from a failed HTTP request ("Client on HTTP", Versioning): a legacy server rejects the probe with a 4xx status. */
function resultOverHttp(error: ConnectionError, opaque: boolean): ProbeResult {
  const { status } = error;
  const old = status === undefined ? opaque : status < 500 && ![401, 403, 408, 429].includes(status);
  return old ? { is: 'legacy', why: `server/discover failed: ${error.message}` } : { is: 'failed', error };
}

function resultOfError(error: unknown, http: HttpDialer | undefined): ProbeResult {
  if (error instanceof ConnectionError)
    return http === undefined ? { is: 'gone', error } : resultOverHttp(error, http.opaque);
  if (error instanceof ProtocolError) {
    const supported = supportedIn(error);
    if (supported !== undefined) return { is: 'refused', supported };
    const names = isObject(error.data) && isObject(error.data['requiredCapabilities']);
    if (error.code === CODE.headerMismatch || (error.code === CODE.missingCapability && names))
      return { is: 'faulty', error };
    return { is: 'legacy', why: `it answered server/discover with error ${error.code}` };
  }
  return error instanceof PeerError ? malformed(error) : { is: 'legacy', why: (error as Error).message };
}

function malformed(error: PeerError): ProbeResult {
  return { is: 'legacy', why: error.message, malformed: error };
}

/** Sends `server/discover`. Anything else that arrives meanwhile is ignored: a legacy server may log, or send requests. */
export async function probe(
  rpc: RpcConnection,
  settings: Settings,
  version: Revision,
  http: HttpDialer | undefined,
): Promise<ProbeResult> {
  const id = `probe-${crypto.randomUUID()}`;
  const { info, capabilities, clock, timeout } = settings;
  const first = Math.min(FIRST_MESSAGE_MS, timeout / 2);
  const answer = Math.min(ANSWER_MS, timeout / 2);
  const gaveUp = new AbortController();
  let timer: Timer;
  const wait = (ms: number): void => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(
      () => (rpc.isPaused ? wait(ms) : gaveUp.abort(`it did not answer server/discover for ${ms} ms`)),
      ms,
    );
  };
  wait(rpc.inputs > 0 ? answer : first);
  rpc.onInput = () => wait(answer);
  rpc.inbound = {
    batch: false,
    request() {},
    notification() {},
    // Nothing else has been sent, so this error is about the probe.
    unreadable: (error) => gaveUp.abort(`it could not read server/discover (error ${error.code})`),
  };
  try {
    const params = writeClaim({ revision: version, capabilities, client: info }, undefined);
    const result = await rpc.request(id, 'server/discover', params, {
      timeout: Infinity,
      deadline: Infinity,
      signal: gaveUp.signal,
      cancellable: false,
    });
    const supported = strings(result['supportedVersions']);
    return supported === undefined
      ? malformed(
          new PeerError(
            'invalid-answer',
            'The result of server/discover is malformed: supportedVersions must be an array',
          ),
        )
      : { is: 'modern', result, supported };
  } catch (error) {
    const { aborted, reason } = gaveUp.signal;
    if (aborted) return { is: 'legacy', why: String(reason), silentMs: rpc.inputs > 0 ? 0 : first };
    return resultOfError(error, http);
  } finally {
    clock.clearTimeout(timer);
    rpc.onInput = undefined;
  }
}
