import type { FetchOptions, ReadResourceResult, ResourceContents } from 'tenon/client';
import { canonicalJson } from '@tenon/values/canonical-json';
import { shown } from '@tenon/values/hidden';
import { isObject } from '@tenon/values/is-object';
import { decodeUtf8 } from '@tenon/values/utf8';
import { digestOf } from '../digest.ts';
import { MAX_BYTES, pathOf, rootOf, SKILL_FILE, type SkillEntry, type SkillFile } from '../entry.ts';
import { readSkillText, type SkillText } from '../frontmatter.ts';
import { SkillError } from './skill-error.ts';

/** A file of a loaded skill. */
export interface SkillContent {
  /** The URI that was read. */
  readonly uri: string;
  /** The media type, according to the server. */
  readonly mimeType: string | undefined;
  /** Its bytes. */
  readonly bytes: Uint8Array;
  /** Its text; undefined if it is not UTF-8. */
  readonly text: string | undefined;
}

/**
 * A loaded skill. Its files are read on request, and checked against the entry with which it was loaded: a file that was changed or added
 * later is an error.
 */
export interface LoadedSkill {
  /** The approved entry, against which everything is checked. */
  readonly entry: SkillEntry;
  /** The text of `SKILL.md` without its frontmatter: untrusted text of the server. */
  readonly instructions: string;
  /** The paths of all files; undefined if they are not known, because the skill is dynamic. */
  readonly files: readonly string[] | undefined;
  /**
   * Reads a file by its path in the skill, such as `references/FORMS.md`. Rejects with a `SkillError` if the entry does not list it, or if
   * it differs from the entry. A `SKILL.md` in a subdirectory is plain text: its frontmatter has no effect.
   */
  read(path: string, options?: FetchOptions): Promise<SkillContent>;
}

/** Reads resources: the part of a client that loading needs. */
export interface Reader {
  /** The `read` of a client. */
  read(uri: string, options?: FetchOptions): Promise<ReadResourceResult>;
}

/** Loads a skill whose entry has been checked: reads only its `SKILL.md`. */
export async function loadSkill(client: Reader, entry: SkillEntry, options: FetchOptions): Promise<LoadedSkill> {
  const files = new SkillFiles(client, entry);
  const { text } = await files.read(SKILL_FILE, options);
  if (text === undefined) throw changed(entry, 'it is not text');
  const { frontmatter, instructions } = textOf(entry, text);
  const names = new Set([...Object.keys(frontmatter), ...Object.keys(entry.frontmatter)]);
  const different = [...names].find((name) => !isEqual(frontmatter, entry.frontmatter, name));
  if (different !== undefined) throw changed(entry, `its '${shown(different)}' is not what the entry says`);
  return {
    entry,
    instructions,
    files: files.paths,
    read: (path, chosen = {}) => files.read(path, chosen),
  };
}

function isEqual(a: object, b: object, name: string): boolean {
  const [one, other] = [a, b].map((fields) =>
    Object.hasOwn(fields, name) ? canonicalJson((fields as Record<string, unknown>)[name]) : undefined,
  );
  return one === other;
}

function textOf(entry: SkillEntry, text: string): SkillText {
  try {
    return readSkillText(text);
  } catch (cause) {
    throw changed(entry, cause instanceof Error ? cause.message : 'it cannot be read', cause);
  }
}

function changed({ uri }: SkillEntry, problem: string, cause?: unknown): SkillError {
  return new SkillError('wrong-frontmatter', `The skill ${shown(uri)} is not loaded: in ${SKILL_FILE}, ${problem}`, {
    cause,
  });
}

/** The files of one skill, read one by one. */
class SkillFiles {
  readonly paths: readonly string[] | undefined;
  readonly #client: Reader;
  readonly #root: string;
  /** The files that the entry lists, by path; undefined if the skill is dynamic. */
  readonly #listed: ReadonlyMap<string, SkillFile> | undefined;
  /** The number of bytes of a dynamic skill that were read. */
  #bytes = 0;

  constructor(client: Reader, { uri, resources }: SkillEntry) {
    this.#client = client;
    this.#root = rootOf(uri);
    if (resources === 'dynamic') return;
    this.#listed = new Map(resources.map((file) => [pathOf(file.uri, this.#root), file]));
    this.paths = [...this.#listed.keys()];
  }

  async read(path: string, options: FetchOptions): Promise<SkillContent> {
    const file = this.#listed?.get(path);
    const uri = file?.uri ?? this.#dynamicUri(path);
    // Not from the cache, which may be older than the entry.
    const content = contentOf(await this.#client.read(uri, { ...options, fresh: true }), uri);
    if (file === undefined) this.#count(content.bytes.length);
    else await check(content, file);
    return content;
  }

  /** The URI of a file that is not listed in an entry. Throws if it is not one of a dynamic skill. */
  #dynamicUri(path: string): string {
    const parts = path.split('/');
    const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
    if (this.#listed !== undefined || !isPlain) {
      throw new SkillError(
        'not-listed',
        `${shown(path)} is not a file of the skill ${shown(this.#root)}. If it was added later, load the skill again, and ask for approval again`,
      );
    }
    return `${this.#root}/${parts.map(encodeURIComponent).join('/')}`;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BYTES)
      throw new SkillError('too-large', `More than ${MAX_BYTES} bytes of the skill ${shown(this.#root)} were read`);
  }
}

async function check({ uri, bytes }: SkillContent, { size, digest }: SkillFile): Promise<void> {
  const again = 'Load the skill again to get its current version, and ask for approval again';
  if (bytes.length !== size)
    throw new SkillError('wrong-size', `${shown(uri)} has ${bytes.length} bytes instead of ${size}. ${again}`);
  if ((await digestOf(bytes)) !== digest)
    throw new SkillError('wrong-digest', `${shown(uri)} does not match its digest. ${again}`);
}

/** The only item of a read result, which is the file. */
function contentOf({ contents }: ReadResourceResult, uri: string): SkillContent {
  const [item] = Array.isArray(contents) && contents.length === 1 ? (contents as readonly ResourceContents[]) : [];
  const bytes = isObject(item) && item.uri === uri ? bytesOf(item) : undefined;
  if (bytes === undefined)
    throw new SkillError('not-readable', `The server did not answer with the file ${shown(uri)}`);
  const { mimeType } = item!;
  return { uri, mimeType, bytes, text: decodeUtf8(bytes) };
}

function bytesOf({ text, blob }: { readonly text?: unknown; readonly blob?: unknown }): Uint8Array | undefined {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  if (typeof blob !== 'string') return undefined;
  try {
    return Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
