import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/entities.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../protocol/log.ts';
import { META, type Meta } from '../protocol/meta.ts';
import { byEra, type Revision, REVISIONS, type RevisionsByEra } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';

/** The metadata about its sender that a modern request carries in `_meta`. */
export interface Claim {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  /** Chosen by the client: for display and logs only. */
  readonly client: Implementation | undefined;
  /** Log messages below this level are not sent; undefined: no log messages are sent. */
  readonly logLevel: LogLevel | undefined;
}

const ALL_REVISIONS = byEra(REVISIONS);

/** Does the `_meta` of a request name its protocol version? Then the request is modern. */
export function hasClaim(meta: Meta): boolean {
  return meta[META.protocolVersion] !== undefined;
}

/**
 * Reads the metadata that every modern request carries in `_meta`. Throws a `ProtocolError`: -32022 with `{ supported, requested }` for a
 * version that is not among the modern ones of `supported`, -32602 for a key that is missing or has the wrong type. See "_meta" and
 * "Protocol version negotiation" of the specification.
 */
export function readClaim(meta: Meta, supported: RevisionsByEra = ALL_REVISIONS): Claim {
  const version = meta[META.protocolVersion];
  if (typeof version !== 'string')
    throw invalid(META.protocolVersion, 'a string', Object.hasOwn(meta, META.protocolVersion));
  const revision = supported.modern.find((name) => name === version);
  if (revision === undefined) throw unsupportedVersion(version, supported);
  const capabilities = readCapabilities(meta[META.clientCapabilities]);
  if (capabilities === undefined) {
    throw invalid(
      META.clientCapabilities,
      'an object of capability objects',
      Object.hasOwn(meta, META.clientCapabilities),
    );
  }
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw invalid(META.logLevel, `one of ${LOG_LEVELS.join(', ')}`, true);
  return { revision, capabilities, client: readImplementation(meta[META.clientInfo]), logLevel };
}

/**
 * The error for a version that a request cannot claim. Its data names only the modern revisions, because clients retry with one of those in
 * the same way; for the others, which begin with `initialize`, see the message.
 */
export function unsupportedVersion(requested: string, { modern, legacy }: RevisionsByEra): ProtocolError {
  const older = legacy.length === 0 ? '' : `; after "initialize": ${legacy.join(', ')}`;
  return new ProtocolError(
    CODE.unsupportedVersion,
    `Protocol version ${shown(requested, 40)} is not supported; supported: ${modern.join(', ')}${older}`,
    { supported: [...modern], requested },
  );
}

function invalid(key: string, expected: string, present: boolean): ProtocolError {
  return new ProtocolError(
    CODE.invalidParams,
    present ? `_meta "${key}" must be ${expected}` : `_meta "${key}" is missing`,
  );
}

const CAPABILITIES = ['roots', 'sampling', 'elicitation', 'experimental', 'extensions'] as const;

/** Reads client capabilities of a peer: undefined if they are not an object of objects. Unknown keys stay; `null` counts as missing. */
export function readCapabilities(value: unknown): ClientCapabilities | undefined {
  if (!isObject(value)) return undefined;
  let out: JsonObject = value;
  for (const name of CAPABILITIES) {
    const capability = value[name];
    if (capability === undefined || isObject(capability)) continue;
    if (capability !== null) return undefined;
    if (out === value) out = { ...value };
    delete out[name];
  }
  return out;
}

/** Reads the name and version of a peer: undefined if either is missing. */
export function readImplementation(value: unknown): Implementation | undefined {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
    ? (value as unknown as Implementation)
    : undefined;
}
