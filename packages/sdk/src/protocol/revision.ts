/** The protocol revisions in use, newest first. */
export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** A protocol revision, named by its date. */
export type Revision = (typeof REVISIONS)[number];

/**
 * How peers communicate: `legacy` revisions agree on everything once, with `initialize`; `modern` ones carry version, capabilities and
 * identity in the `_meta` of every request.
 */
export type Era = 'legacy' | 'modern';

/** The features of a revision. Every difference between revisions is a row here or a rule in `wire/`. */
export interface Features {
  readonly era: Era;
  /** JSON-RPC batches may be received. */
  readonly batch: boolean;
  /** `audio` content. */
  readonly audio: boolean;
  /** `resource_link` content. */
  readonly resourceLink: boolean;
  /** `title` on tools, prompts, arguments, resources, templates and implementations. */
  readonly title: boolean;
  /** `icons` on tools, prompts, resources, templates and implementations; `description`, `websiteUrl` on implementations. */
  readonly icons: boolean;
  /** `_meta` on entities and content blocks. */
  readonly entityMeta: boolean;
  /** `annotations.lastModified`. */
  readonly lastModified: boolean;
  /** Tool `annotations`. */
  readonly toolAnnotations: boolean;
  /** Tool `outputSchema` and `structuredContent`: not at all, JSON objects only, or any JSON value. */
  readonly structured: 'none' | 'object' | 'any';
  /** `message` of a progress notification. */
  readonly progressMessage: boolean;
  /** The `completions` capability. */
  readonly completionsCapability: boolean;
  /** `context` of a completion request. */
  readonly completionContext: boolean;
  /** Elicitation: none, form with the first schema subset, or form and URL with the full one. */
  readonly elicitation: 'none' | 'form' | 'full';
  /** `elicitationId` of a URL elicitation. */
  readonly elicitationId: boolean;
  /** `tools` and `toolChoice` in sampling, content arrays in its messages. */
  readonly samplingTools: boolean;
  /** `listChanged` of the client's `roots` capability. */
  readonly rootsListChanged: boolean;
  /** The `extensions` capability. */
  readonly extensions: boolean;
  /** `_meta` in the params of elicitation and sampling, and in the answers to elicitation and roots. */
  readonly inputMeta: boolean;
  /** A stream over HTTP may begin with an event that has only an id, and the client may disconnect and resume it. */
  readonly polling: boolean;
  /** Tasks as a capability of the core. In later revisions they are an extension. */
  readonly coreTasks: boolean;
  /** The error code for an unknown resource. */
  readonly resourceNotFound: -32002 | -32602;
}

const V24: Features = {
  era: 'legacy',
  batch: false,
  audio: false,
  resourceLink: false,
  title: false,
  icons: false,
  entityMeta: false,
  lastModified: false,
  toolAnnotations: false,
  structured: 'none',
  progressMessage: false,
  completionsCapability: false,
  completionContext: false,
  elicitation: 'none',
  elicitationId: false,
  samplingTools: false,
  rootsListChanged: true,
  extensions: false,
  inputMeta: true,
  polling: false,
  coreTasks: false,
  resourceNotFound: -32002,
};
const V03: Features = {
  ...V24,
  batch: true,
  audio: true,
  toolAnnotations: true,
  progressMessage: true,
  completionsCapability: true,
};
const V06: Features = {
  ...V03,
  batch: false,
  resourceLink: true,
  title: true,
  entityMeta: true,
  lastModified: true,
  structured: 'object',
  completionContext: true,
  elicitation: 'form',
};
const V11: Features = {
  ...V06,
  icons: true,
  elicitation: 'full',
  elicitationId: true,
  samplingTools: true,
  polling: true,
  coreTasks: true,
};
const V26: Features = {
  ...V11,
  era: 'modern',
  structured: 'any',
  elicitationId: false,
  rootsListChanged: false,
  extensions: true,
  inputMeta: false,
  polling: false,
  coreTasks: false,
  resourceNotFound: -32602,
};

const FEATURES: ReadonlyMap<string, Features> = new Map<Revision, Features>([
  ['2026-07-28', V26],
  ['2025-11-25', V11],
  ['2025-06-18', V06],
  ['2025-03-26', V03],
  ['2024-11-05', V24],
]);

/** The features of `revision`. */
export function featuresOf(revision: Revision): Features {
  return FEATURES.get(revision)!;
}

/** Is this a revision that Tenon supports? */
export function isRevision(value: unknown): value is Revision {
  return typeof value === 'string' && FEATURES.has(value);
}

/** The revisions of one era, newest first. */
function revisionsOf(era: Era): readonly Revision[] {
  return REVISIONS.filter((revision) => featuresOf(revision).era === era);
}

/** Revisions without a handshake, newest first. */
export const MODERN: readonly Revision[] = revisionsOf('modern');

/** Revisions with a handshake, newest first. */
export const LEGACY: readonly Revision[] = revisionsOf('legacy');

/** Revisions by era, newest first. */
export interface RevisionsByEra {
  readonly modern: readonly Revision[];
  readonly legacy: readonly Revision[];
}

/** Sorts revisions by era. */
export function byEra(revisions: readonly Revision[]): RevisionsByEra {
  return {
    modern: revisions.filter((revision) => featuresOf(revision).era === 'modern'),
    legacy: revisions.filter((revision) => featuresOf(revision).era === 'legacy'),
  };
}

/** The first revision with authorization: its servers may be their own authorization servers. */
export const FIRST_AUTHORIZED: Revision = '2025-03-26';
