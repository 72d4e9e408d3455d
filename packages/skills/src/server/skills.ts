import {
  type CacheHint,
  CODE,
  type Context,
  DefinitionError,
  type JsonObject,
  ProtocolError,
  type Provider,
} from 'tenon';
import type { Resource } from 'tenon';
import { shown } from '@tenon/values/hidden';
import { type SkillEntry, SKILLS_EXTENSION } from '../entry.ts';
import { pageAfter } from './page.ts';
import { addDirectory, type Child, publish, type Published } from './published.ts';
import type { Skill } from './skill.ts';

/** Options of `skills`. */
export interface SkillsOptions {
  /** How long clients may cache entries and files, and whether caches may share them. Default: not at all. */
  readonly cache?: CacheHint;
}

/**
 * Publishes skills with the extension `io.modelcontextprotocol/skills`: a provider for `server`. Clients of revisions before 2026-07-28, and
 * those that do not know the extension, see their files as resources. Throws a `DefinitionError` if two skills have the same URI.
 *
 * @example
 * ```ts
 * import { skill, skills } from '@tenon/skills';
 * import { server } from 'tenon';
 *
 * const git = skill({ 'SKILL.md': '---\nname: git\ndescription: How we use Git\n---\nRebase; never merge.' });
 * const app = server({ name: 'team', providers: [skills([git])] });
 * ```
 */
export function skills(list: readonly Skill[], { cache }: SkillsOptions = {}): Provider {
  const published = list.map((skill) => publish(checked(skill), cache));
  const byUri = new Map(published.map((one) => [one.skill.uri, one]));
  if (byUri.size < published.length) throw new DefinitionError('invalid-definition', 'Two skills have the same URI');
  const resources = resourcesOf(published);
  const prefixes = prefixesOf(published);
  const hint = { ttlMs: cache?.ttlMs ?? 0, cacheScope: cache?.scope ?? 'private' };

  async function listSkills({ cursor }: JsonObject): Promise<object> {
    const { items, nextCursor } = pageAfter(
      published.map((one) => ({ uri: one.skill.uri, one })),
      cursor,
      ({ one }) => one.resources.size,
    );
    const found: SkillEntry[] = await Promise.all(items.map(({ one }) => one.entry()));
    return { skills: found, nextCursor, ...hint };
  }

  async function getSkill({ uri }: JsonObject): Promise<object> {
    const found = typeof uri === 'string' ? byUri.get(uri) : undefined;
    if (found === undefined) throw new ProtocolError(CODE.invalidParams, `No skill is served at ${shown(uri)}`);
    return { skill: await found.entry(), ...hint };
  }

  async function readDirectory({ uri, cursor }: JsonObject, ctx: Context): Promise<object> {
    const children = typeof uri === 'string' ? await childrenOf(uri, published, prefixes, ctx) : undefined;
    if (children === undefined) throw new ProtocolError(CODE.invalidParams, `There is no directory at ${shown(uri)}`);
    const { items, nextCursor } = pageAfter(children, cursor, () => 1);
    return { resources: items, nextCursor };
  }

  return {
    resources: { list: () => resources, get: (uri) => resources.get(uri) },
    extension: {
      id: SKILLS_EXTENSION,
      settings: { directoryRead: true },
      methods: { 'skills/list': listSkills, 'skills/get': getSkill, 'resources/directory/read': readDirectory },
    },
  };
}

function checked(skill: Skill): Skill {
  if (skill?.kind === 'skill') return skill;
  throw new DefinitionError(
    'invalid-definition',
    'Make each skill with skill(files), or read it with readSkills(folder)',
  );
}

/**
 * All resources by URI. A file of a nested skill also belongs to the skill around it: it has to be the same in both, because only one is
 * served, and fits only one digest.
 */
function resourcesOf(published: readonly Published[]): ReadonlyMap<string, Resource> {
  const all = new Map<string, Resource>();
  const served = new Map<string, Uint8Array>();
  for (const one of published) {
    for (const [uri, file] of one.resources) {
      const bytes = one.bytesOf(uri);
      const before = served.get(uri);
      if (before !== undefined && bytes !== undefined && !isSame(before, bytes))
        throw new DefinitionError(
          'invalid-definition',
          `Two skills have the file ${uri}, and it is not the same in both`,
        );
      if (!all.has(uri)) all.set(uri, file);
      if (bytes !== undefined) served.set(uri, bytes);
    }
  }
  return all;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** The directories above the skills, by URI: `skill://acme` has `skill://acme/billing`. */
function prefixesOf(published: readonly Published[]): ReadonlyMap<string, readonly Child[]> {
  const found = new Map<string, Child[]>();
  for (const { root } of published) {
    const parts = root.slice('skill://'.length).split('/');
    for (let count = 1; count <= parts.length; count++) {
      const parent = `skill://${parts.slice(0, count - 1).join('/')}`;
      addDirectory(found, parent, `skill://${parts.slice(0, count).join('/')}`, parts[count - 1]!);
    }
  }
  return found;
}

/** The contents of a directory, from all skills and parent directories that it belongs to. */
async function childrenOf(
  uri: string,
  published: readonly Published[],
  prefixes: ReadonlyMap<string, readonly Child[]>,
  ctx: Context,
): Promise<readonly Child[] | undefined> {
  const found = new Map<string, Child>();
  let isDirectory = prefixes.has(uri);
  for (const child of prefixes.get(uri) ?? []) found.set(child.uri, child);
  for (const one of published) {
    if (uri !== one.root && !uri.startsWith(`${one.root}/`)) continue;
    const children = (await one.directories(ctx)).get(uri);
    if (children === undefined) continue;
    isDirectory = true;
    for (const child of children) found.set(child.uri, child);
  }
  return isDirectory ? [...found.values()] : undefined;
}
