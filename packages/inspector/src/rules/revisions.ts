import {
  CODE,
  featuresOf,
  isRevision,
  LEGACY,
  MODERN as MODERN_REVISIONS,
  type Revision,
  REVISIONS,
} from 'tenon/internal';

export { isRevision, type Revision };

/** Their names are dates, so comparing names compares revisions. */
export const OLDEST: Revision = REVISIONS.at(-1)!;

/** The newest revision without a handshake, and the newest with one. */
export const MODERN: Revision = MODERN_REVISIONS[0]!;
export const NEWEST_LEGACY: Revision = LEGACY[0]!;

export function isModern(revision: Revision | undefined): boolean {
  return revision !== undefined && featuresOf(revision).era === 'modern';
}

/** Returns whether this is a revision negotiated with `initialize`. */
export function isLegacy(value: unknown): value is Revision {
  return isRevision(value) && featuresOf(value).era === 'legacy';
}

/** Error codes that only exist in revisions without a handshake, from the range reserved for the specification. */
export const MODERN_CODES: ReadonlySet<unknown> = new Set([
  CODE.headerMismatch,
  CODE.missingCapability,
  CODE.unsupportedVersion,
]);
