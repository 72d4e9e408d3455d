import type { FetchOptions, JsonObject, Listing, ResourceEntry, ServerCapabilities } from 'tenon/client';
import { shown } from '@tenon/values/hidden';
import { isObject } from '@tenon/values/is-object';
import { type SkillEntry, SKILLS_EXTENSION } from '../entry.ts';
import { checkEntry } from './check-entry.ts';
import { type LoadedSkill, loadSkill, type Reader } from './loaded-skill.ts';
import { SkillError } from './skill-error.ts';

/** The maximum number of pages of one list. */
const MAX_PAGES = 1_000;

/** Options of `list`. */
export interface ListOptions extends FetchOptions {
  /** Receives the errors of invalid entries, which are then left out. Default: the first invalid entry ends the list with its error. */
  readonly onInvalid?: (error: SkillError) => void;
}

/** The skills of one server. No part of a skill is read before it is loaded, and no file before it is requested. */
export interface ServerSkills {
  /** Does the server declare that it has skills? */
  readonly offered: boolean;
  /** The entries that the server lists. It may have more skills: `load` and `entry` take any URI. */
  list(options?: ListOptions): Listing<SkillEntry>;
  /** The current entry of the skill with this URI, which is that of its `SKILL.md`. */
  entry(uri: string, options?: FetchOptions): Promise<SkillEntry>;
  /**
   * Loads a skill: reads its `SKILL.md`, and checks size, digest and frontmatter against the entry. With a URI, the entry is requested from
   * the server first. Rejects with a `SkillError` if anything differs.
   */
  load(skill: string | SkillEntry, options?: FetchOptions): Promise<LoadedSkill>;
  /**
   * The current contents of a directory, by its URI without a trailing slash. It does not extend a loaded skill, of which only the files in
   * its entry can be read. Rejects with a `SkillError` if the server does not declare `directoryRead`.
   */
  directory(uri: string, options?: FetchOptions): Promise<ResourceEntry[]>;
}

/** The parts of a client that skills need. */
export interface SkillsClient extends Reader {
  /** The capabilities of a client. */
  readonly capabilities: ServerCapabilities;
  /** The `request` of a client. */
  request(method: string, params?: JsonObject, options?: FetchOptions): Promise<JsonObject>;
}

/**
 * The skills of the server that a client is connected to. Sends nothing on its own.
 *
 * @example
 * ```ts
 * import { SKILLS_EXTENSION, skillsOf } from '@tenon/skills/client';
 * import { connect } from 'tenon/client';
 *
 * await using client = await connect('https://mcp.example.com/mcp', { extensions: { [SKILLS_EXTENSION]: {} } });
 * const skills = skillsOf(client);
 * for await (const { uri, frontmatter } of skills.list()) console.log(uri, frontmatter.description);
 * const { instructions, read } = await skills.load('skill://pdf-processing/SKILL.md');
 * ```
 */
export function skillsOf(client: SkillsClient): ServerSkills {
  function settings(): JsonObject | undefined {
    const found = client.capabilities.extensions?.[SKILLS_EXTENSION];
    return isObject(found) ? found : undefined;
  }
  function requireOffered(): void {
    if (settings() === undefined)
      throw new SkillError(
        'not-offered',
        'The server does not declare that it has skills, so it was not asked for them',
      );
  }

  async function* pagesOf(method: string, params: JsonObject, member: string, options: FetchOptions) {
    const cursors = new Set<unknown>();
    let cursor: unknown;
    do {
      const page = await client.request(method, cursor === undefined ? params : { ...params, cursor }, options);
      const items = page[member];
      if (!Array.isArray(items)) throw new SkillError('invalid-entry', `The answer to ${method} has no ${member}`);
      yield items as readonly unknown[];
      cursor = page['nextCursor'];
      if (cursors.has(cursor) || cursors.size >= MAX_PAGES)
        throw new SkillError('endless-list', `The pages of ${method} form a loop, or there are more than ${MAX_PAGES}`);
      cursors.add(cursor);
    } while (typeof cursor === 'string');
  }

  async function* entries({ onInvalid, ...options }: ListOptions): AsyncGenerator<SkillEntry, void> {
    requireOffered();
    for await (const page of pagesOf('skills/list', {}, 'skills', options)) {
      for (const given of page) {
        let entry: SkillEntry;
        try {
          entry = checkEntry(given);
        } catch (error) {
          if (onInvalid === undefined || !(error instanceof SkillError)) throw error;
          onInvalid(error);
          continue;
        }
        yield entry;
      }
    }
  }

  async function entryAt(uri: string, options: FetchOptions = {}): Promise<SkillEntry> {
    requireOffered();
    const entry = checkEntry((await client.request('skills/get', { uri }, options))['skill']);
    if (entry.uri !== uri)
      throw new SkillError(
        'invalid-entry',
        `The server was asked for ${shown(uri)}, and describes ${shown(entry.uri)}`,
      );
    return entry;
  }

  return {
    get offered() {
      return settings() !== undefined;
    },
    list: (options = {}) => ({
      [Symbol.asyncIterator]: () => entries(options),
      async all() {
        const found: SkillEntry[] = [];
        for await (const entry of entries(options)) found.push(entry);
        return found;
      },
    }),
    entry: entryAt,
    async load(skill, options = {}) {
      const entry = typeof skill === 'string' ? await entryAt(skill, options) : checkEntry(skill);
      return loadSkill(client, entry, options);
    },
    async directory(uri, options = {}) {
      if (settings()?.['directoryRead'] !== true)
        throw new SkillError(
          'not-offered',
          'The server does not declare `directoryRead`, so it was not asked for a directory',
        );
      const found: ResourceEntry[] = [];
      for await (const page of pagesOf('resources/directory/read', { uri }, 'resources', options))
        found.push(...(page as readonly ResourceEntry[]));
      return found;
    },
  };
}
