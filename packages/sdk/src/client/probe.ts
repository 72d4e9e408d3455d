import { CODE, ConnectionError, PeerError, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import { writeClaim } from '../wire/claim.ts';
import type { Timer } from './clock.ts';
import type { Calls } from './correlate.ts';
import type { HttpDialer } from './dialer.ts';
import type { Settings } from './options.ts';

/** A package runner may download the server first: so long nothing need be heard. */
const COLD_MS = 20_000;
/** Once something was heard, the answer should follow. */
const WARM_MS = 4_000;

/** What the answer to the probe proves. See "Backward compatibility" of the stdio transport. */
export type Finding =
  | { readonly is: 'modern'; readonly result: JsonObject; readonly supported: readonly string[] }
  /** The server is modern but does not speak the version it was asked in. */
  | { readonly is: 'refused'; readonly supported: readonly string[] }
  /** The server is modern and did not like the probe. */
  | { readonly is: 'faulty'; readonly error: ProtocolError }
  /** `malformed`: it may as well be a modern server that answers wrongly. */
  | { readonly is: 'legacy'; readonly why: string; readonly malformed?: PeerError }
  | { readonly is: 'gone'; readonly error: ConnectionError }
  /** It proves nothing: the network failed, or the server wants to know first who is calling. */
  | { readonly is: 'failed'; readonly error: ConnectionError };

const strings = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined;

/** The versions a server says it supports in an error that only modern servers send. */
export const supportedIn = (error: unknown): string[] | undefined =>
  error instanceof ProtocolError && error.code === CODE.unsupportedVersion && isObject(error.data)
    ? strings(error.data['supported'])
    : undefined;

/** The versions listed in an error of any kind. */
export const listedIn = (error: unknown): string[] =>
  (error instanceof ProtocolError && isObject(error.data) ? strings(error.data['supported']) : undefined) ?? [];

/** What a failed HTTP request proves ("Client on HTTP", Versioning): a refusal by an old server has a status of 4xx. */
const findingOverHttp = (error: ConnectionError, opaque: boolean): Finding => {
  const { status } = error;
  const old = status === undefined ? opaque : status < 500 && ![401, 403, 408, 429].includes(status);
  return old ? { is: 'legacy', why: `server/discover failed: ${error.message}` } : { is: 'failed', error };
};

const findingOf = (error: unknown, http: HttpDialer | undefined): Finding => {
  if (error instanceof ConnectionError)
    return http === undefined ? { is: 'gone', error } : findingOverHttp(error, http.opaque);
  if (error instanceof ProtocolError) {
    const supported = supportedIn(error);
    if (supported !== undefined) return { is: 'refused', supported };
    const names = isObject(error.data) && isObject(error.data['requiredCapabilities']);
    if (error.code === CODE.headerMismatch || (error.code === CODE.missingCapability && names))
      return { is: 'faulty', error };
    return { is: 'legacy', why: `it answered server/discover with error ${error.code}` };
  }
  return error instanceof PeerError ? malformed(error) : { is: 'legacy', why: (error as Error).message };
};

const malformed = (error: PeerError): Finding => ({ is: 'legacy', why: error.message, malformed: error });

/** Asks `server/discover`. Whatever else arrives meanwhile is ignored: an old server may log, or send requests. */
export const probe = async (
  calls: Calls,
  settings: Settings,
  version: Revision,
  http: HttpDialer | undefined,
): Promise<Finding> => {
  const id = `probe-${crypto.randomUUID()}`;
  const { info, capabilities, clock } = settings;
  const over = new AbortController();
  let timer: Timer;
  const wait = (ms: number): void => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(
      () => (calls.held ? wait(ms) : over.abort(`it did not answer server/discover for ${ms} ms`)),
      ms,
    );
  };
  wait(calls.heard ? WARM_MS : COLD_MS);
  calls.onHeard = () => wait(WARM_MS);
  calls.inbound = {
    batch: false,
    request() {},
    notification() {},
    // Nothing else was sent, so this is about the probe.
    unreadable: (error) => over.abort(`it could not read server/discover (error ${error.code})`),
  };
  try {
    const params = writeClaim({ revision: version, capabilities, client: info }, undefined);
    const result = await calls.request(id, 'server/discover', params, {
      timeout: Infinity,
      last: Infinity,
      signal: over.signal,
      cancellable: false,
    });
    const supported = strings(result['supportedVersions']);
    return supported === undefined
      ? malformed(new PeerError('The result of server/discover is malformed: supportedVersions must be an array'))
      : { is: 'modern', result, supported };
  } catch (error) {
    return findingOf(error, http);
  } finally {
    clock.clearTimeout(timer);
    calls.onHeard = undefined;
  }
};
