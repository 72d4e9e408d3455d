import type { Revision } from 'tenon';

export type { Revision };

/** The revisions that are known, oldest first. Their names are dates, so comparing names compares revisions. */
const KNOWN: Readonly<Record<Revision, 'legacy' | 'modern'>> = {
  '2024-11-05': 'legacy',
  '2025-03-26': 'legacy',
  '2025-06-18': 'legacy',
  '2025-11-25': 'legacy',
  '2026-07-28': 'modern',
};

export const REVISIONS = Object.keys(KNOWN) as readonly Revision[];

/** The newest revision without a handshake, and the newest with one. */
export const MODERN: Revision = '2026-07-28';
export const NEWEST_LEGACY: Revision = '2025-11-25';

export const isRevision = (value: unknown): value is Revision =>
  typeof value === 'string' && Object.hasOwn(KNOWN, value);

export const isModern = (revision: Revision | undefined): boolean =>
  revision !== undefined && KNOWN[revision] === 'modern';

/** Is this a revision that is agreed on by `initialize`? */
export const isLegacy = (value: unknown): value is Revision => isRevision(value) && KNOWN[value] === 'legacy';
