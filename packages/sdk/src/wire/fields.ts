import type { JsonObject } from '../protocol/jsonrpc.ts';
import { type Features, featuresOf, type Revision, REVISIONS } from '../protocol/revision.ts';

/** A member of an object on the wire. */
interface Member {
  /** The feature that a revision must have to know the member. */
  readonly needs?: keyof Features;
  /** The kind of its value (a key of `KINDS`); without it the value is sent unchanged. */
  readonly kind?: string;
  /** The value is an array of that kind. */
  readonly many?: true;
}

const PLAIN: Member = {};
const TITLE: Member = { needs: 'title' };
const ICONS: Member = { needs: 'icons' };
const ENTITY_META: Member = { needs: 'entityMeta' };
const HINTS: Member = { kind: 'annotations' };
const BLOCK = { type: PLAIN, annotations: HINTS, _meta: ENTITY_META };

/** The members of all objects that differ between revisions. Members that are not listed here are never sent. */
const KINDS = {
  implementation: { name: PLAIN, version: PLAIN, title: TITLE, description: ICONS, websiteUrl: ICONS, icons: ICONS },
  tool: {
    name: PLAIN,
    title: TITLE,
    description: PLAIN,
    inputSchema: PLAIN,
    outputSchema: { needs: 'structured' },
    annotations: { needs: 'toolAnnotations' },
    execution: { needs: 'coreTasks' },
    icons: ICONS,
    _meta: ENTITY_META,
  },
  resource: {
    uri: PLAIN,
    name: PLAIN,
    title: TITLE,
    description: PLAIN,
    mimeType: PLAIN,
    size: PLAIN,
    annotations: HINTS,
    icons: ICONS,
    _meta: ENTITY_META,
  },
  template: {
    uriTemplate: PLAIN,
    name: PLAIN,
    title: TITLE,
    description: PLAIN,
    mimeType: PLAIN,
    annotations: HINTS,
    icons: ICONS,
    _meta: ENTITY_META,
  },
  prompt: {
    name: PLAIN,
    title: TITLE,
    description: PLAIN,
    arguments: { kind: 'argument', many: true },
    icons: ICONS,
    _meta: ENTITY_META,
  },
  argument: { name: PLAIN, title: TITLE, description: PLAIN, required: PLAIN },
  annotations: { audience: PLAIN, priority: PLAIN, lastModified: { needs: 'lastModified' } },
  text: { ...BLOCK, text: PLAIN },
  image: { ...BLOCK, data: PLAIN, mimeType: PLAIN },
  audio: { ...BLOCK, data: PLAIN, mimeType: PLAIN },
  embedded: { ...BLOCK, resource: { kind: 'contents' } },
  link: {
    ...BLOCK,
    uri: PLAIN,
    name: PLAIN,
    title: TITLE,
    description: PLAIN,
    mimeType: PLAIN,
    size: PLAIN,
    icons: ICONS,
  },
  contents: { uri: PLAIN, mimeType: PLAIN, text: PLAIN, blob: PLAIN, _meta: ENTITY_META },
  toolUse: { type: PLAIN, id: PLAIN, name: PLAIN, input: PLAIN, _meta: PLAIN },
  toolResult: { type: PLAIN, toolUseId: PLAIN, content: PLAIN, structuredContent: PLAIN, isError: PLAIN, _meta: PLAIN },
  callResult: { content: PLAIN, structuredContent: { needs: 'structured' }, isError: PLAIN, _meta: PLAIN },
  readResult: { contents: { kind: 'contents', many: true }, ttlMs: PLAIN, cacheScope: PLAIN, _meta: PLAIN },
  clientCapabilities: {
    roots: { kind: 'rootsCapability' },
    sampling: { kind: 'samplingCapability' },
    elicitation: { needs: 'elicitation' },
    experimental: PLAIN,
    extensions: PLAIN,
  },
  rootsCapability: { listChanged: { needs: 'rootsListChanged' } },
  samplingCapability: { context: { needs: 'samplingTools' }, tools: { needs: 'samplingTools' } },
  serverCapabilities: {
    tools: PLAIN,
    resources: PLAIN,
    prompts: PLAIN,
    completions: { needs: 'completionsCapability' },
    logging: PLAIN,
    tasks: { needs: 'coreTasks' },
    experimental: PLAIN,
    extensions: PLAIN,
  },
  progress: {
    progressToken: PLAIN,
    progress: PLAIN,
    total: PLAIN,
    message: { needs: 'progressMessage' },
    _meta: PLAIN,
  },
  completeParams: {
    ref: { kind: 'reference' },
    argument: PLAIN,
    context: { needs: 'completionContext' },
    _meta: PLAIN,
  },
  reference: { type: PLAIN, name: PLAIN, title: TITLE, uri: PLAIN },
  elicitForm: { mode: PLAIN, message: PLAIN, requestedSchema: PLAIN, _meta: { needs: 'inputMeta' } },
  elicitUrl: {
    mode: PLAIN,
    message: PLAIN,
    url: PLAIN,
    elicitationId: { needs: 'elicitationId' },
    _meta: { needs: 'inputMeta' },
  },
  sampleParams: {
    messages: PLAIN,
    maxTokens: PLAIN,
    systemPrompt: PLAIN,
    temperature: PLAIN,
    stopSequences: PLAIN,
    includeContext: PLAIN,
    modelPreferences: PLAIN,
    metadata: PLAIN,
    tools: { needs: 'samplingTools' },
    toolChoice: { needs: 'samplingTools' },
    _meta: { needs: 'inputMeta' },
  },
  sampleMessage: { role: PLAIN, content: PLAIN, _meta: { needs: 'samplingTools' } },
  sampleResult: { role: PLAIN, content: PLAIN, model: PLAIN, stopReason: PLAIN, _meta: PLAIN },
  elicitResult: { action: PLAIN, content: PLAIN, _meta: { needs: 'inputMeta' } },
  rootsResult: { roots: { kind: 'root', many: true }, _meta: { needs: 'inputMeta' } },
  root: { uri: PLAIN, name: PLAIN, _meta: ENTITY_META },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Member>>>>;

/** A kind of object whose members differ between revisions. */
export type Kind = keyof typeof KINDS;

/** The members of a kind in one revision; the revision does not know any others. */
type Members = ReadonlyMap<string, { readonly nested: Kind | undefined; readonly many: boolean }>;

function compile(revision: Revision): ReadonlyMap<Kind, Members> {
  const features = featuresOf(revision);
  const knows = ([, member]: [string, Member]): boolean => {
    const feature = member.needs === undefined ? true : features[member.needs];
    return feature !== false && feature !== 'none';
  };
  return new Map(
    (Object.entries(KINDS) as [Kind, Record<string, Member>][]).map(([kind, members]) => [
      kind,
      new Map(
        Object.entries(members)
          .filter(knows)
          .map(([name, member]) => [name, { nested: member.kind as Kind | undefined, many: member.many === true }]),
      ),
    ]),
  );
}

const BY_REVISION: ReadonlyMap<Revision, ReadonlyMap<Kind, Members>> = new Map(
  REVISIONS.map((revision) => [revision, compile(revision)]),
);

/**
 * An object with only the members that `revision` knows, nested objects included. The same object if nothing has to be removed; the input
 * is never changed.
 */
export function restrict(kind: Kind, value: object, revision: Revision): JsonObject {
  return restrictBy(BY_REVISION.get(revision)!, kind, value as JsonObject);
}

function restrictBy(kinds: ReadonlyMap<Kind, Members>, kind: Kind, value: JsonObject): JsonObject {
  const members = kinds.get(kind)!;
  let out: JsonObject | undefined;
  for (const name in value) {
    const member = members.get(name);
    if (member === undefined) {
      out ??= { ...value };
      delete out[name];
      continue;
    }
    const was = value[name];
    if (member.nested === undefined || typeof was !== 'object' || was === null) continue;
    const nested = member.nested;
    const now = member.many
      ? mapSame(was as readonly JsonObject[], (item) => restrictBy(kinds, nested, item))
      : restrictBy(kinds, nested, was as JsonObject);
    if (now !== was) {
      out ??= { ...value };
      out[name] = now;
    }
  }
  return out ?? value;
}

/** Like `map`, but returns the same array if every element stays the same. */
export function mapSame<T>(list: readonly T[], change: (item: T, index: number) => T): readonly T[] {
  let out: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const was = list[index] as T;
    const now = change(was, index);
    if (out === undefined && now !== was) out = list.slice(0, index);
    out?.push(now);
  }
  return out ?? list;
}
