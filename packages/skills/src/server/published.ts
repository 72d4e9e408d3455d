import { contents, type Resource, resource } from 'tenon';
import type { CacheHint, Context } from 'tenon';
import { decodeUtf8 } from '@tenon/values/utf8';
import { digestOf } from '../digest.ts';
import { rootOf, SKILL_FILE, type SkillEntry } from '../entry.ts';
import { mediaTypeOf } from '../media-type.ts';
import type { Skill } from './skill.ts';

type FileMap = ReadonlyMap<string, Uint8Array>;

/** The metadata of a file or directory, as `resources/directory/read` lists it. */
export interface Child {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly size?: number;
}

const DIRECTORY = 'inode/directory';

/** A skill as a server publishes it. */
export interface Published {
  readonly skill: Skill;
  /** The URI of its directory. */
  readonly root: string;
  /** Its entry. Digests are computed once. */
  entry(): Promise<SkillEntry>;
  /** Its resources by URI; a dynamic skill has one template. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The bytes of a file by its URI; undefined for another URI, and for a dynamic skill. */
  bytesOf(uri: string): Uint8Array | undefined;
  /** What is in each of its directories, by the URI of the directory. */
  directories(ctx: Context): ReadonlyMap<string, readonly Child[]> | Promise<ReadonlyMap<string, readonly Child[]>>;
}

/** Prepares a skill for publishing by its server. */
export function publish(skill: Skill, cache: CacheHint | undefined): Published {
  const { uri, frontmatter, files } = skill;
  const root = rootOf(uri);
  if (typeof files === 'function') {
    const dynamic: SkillEntry = { uri, frontmatter, resources: 'dynamic' };
    return {
      skill,
      root,
      entry: async () => dynamic,
      resources: new Map([[`${root}/{+path}`, dynamicFiles(skill, root)]]),
      bytesOf: () => undefined,
      directories: async (ctx) => directoriesOf(root, await files(ctx), skill),
    };
  }
  let entry: Promise<SkillEntry> | undefined;
  const directories = directoriesOf(root, files, skill);
  const byUri = new Map(Array.from(files, ([path, bytes]) => [fileUri(root, path), bytes]));
  return {
    skill,
    root,
    entry: () => (entry ??= entryOf(skill, root, files)),
    resources: new Map(Array.from(files, ([path, bytes]) => fileResource(skill, root, path, bytes, cache))),
    bytesOf: (uri) => byUri.get(uri),
    directories: () => directories,
  };
}

/** The URI of a file, in the encoding of `{+path}` in a template. */
function fileUri(root: string, path: string): string {
  return `${root}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function entryOf({ uri, frontmatter }: Skill, root: string, files: FileMap): Promise<SkillEntry> {
  const listed = Array.from(files, async ([path, bytes]) => ({
    uri: fileUri(root, path),
    digest: await digestOf(bytes),
    size: bytes.length,
  }));
  return { uri, frontmatter, resources: await Promise.all(listed) };
}

function fileResource(
  skill: Skill,
  root: string,
  path: string,
  bytes: Uint8Array,
  cache: CacheHint | undefined,
): [uri: string, resource: Resource] {
  const text = decodeUtf8(bytes);
  const { uri, ...options } = childOf(skill, root, path, bytes, text !== undefined);
  return [uri, resource(cache === undefined ? options : { ...options, cache }, () => text ?? bytes)];
}

/** The metadata of a file. `SKILL.md` has the name of the skill. */
function childOf({ frontmatter }: Skill, root: string, path: string, bytes: Uint8Array, isText: boolean): Child {
  const file = { uri: fileUri(root, path), mimeType: mediaTypeOf(path, isText), size: bytes.length };
  return path === SKILL_FILE
    ? { ...file, name: frontmatter.name, description: frontmatter.description }
    : { ...file, name: path.slice(path.lastIndexOf('/') + 1) };
}

/** The files of a dynamic skill as one template, which lists only its `SKILL.md`, because the other files may change. */
function dynamicFiles({ uri, frontmatter, files }: Skill, root: string): Resource {
  const { name, description } = frontmatter;
  const listed = { uri, name, description, mimeType: 'text/markdown' };
  return resource({ name, description, list: () => [listed] }, async ({ path }: { readonly path: string }, ctx) => {
    const bytes = (await (files as (ctx: Context) => Promise<FileMap>)(ctx)).get(path);
    if (bytes === undefined) return undefined;
    const text = decodeUtf8(bytes);
    return contents(fileUri(root, path), text ?? bytes, { mimeType: mediaTypeOf(path, text !== undefined) });
  });
}

function directoriesOf(root: string, files: FileMap, skill: Skill): ReadonlyMap<string, readonly Child[]> {
  const found = new Map<string, Child[]>([[root, []]]);
  for (const [path, bytes] of files) {
    const parts = path.split('/');
    let at = root;
    for (const part of parts.slice(0, -1)) {
      const uri = `${at}/${encodeURIComponent(part)}`;
      addDirectory(found, at, uri, part);
      at = uri;
    }
    found.get(at)!.push(childOf(skill, root, path, bytes, decodeUtf8(bytes) !== undefined));
  }
  return found;
}

/** Adds a directory to its parent, unless it is already there. */
export function addDirectory(directories: Map<string, Child[]>, parent: string, uri: string, name: string): void {
  if (directories.has(uri)) return;
  directories.set(uri, []);
  directories.get(parent)?.push({ uri, name, mimeType: DIRECTORY });
}
