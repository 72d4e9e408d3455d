import { type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { DefinitionError } from 'tenon';
import { MAX_BYTES, MAX_FILES, SKILL_FILE } from '../entry.ts';
import { skill, type Skill, type SkillOptions } from '../server/skill.ts';

/** The maximum nesting of directories. */
const MAX_DEPTH = 32;

/**
 * Reads the skills in a folder: the folder itself if it has a `SKILL.md`, else each directory below it that has one. Directories around
 * them become part of their URIs. Directories inside a skill belong to it, and are not separate skills. Names that begin with a dot are
 * left out. Rejects with a `DefinitionError` for anything that cannot be published: symbolic links, a skill whose directory has another
 * name than the skill, or a skill that is too large. The files are read once: restart the program after a change.
 *
 * @example
 * ```ts
 * import { skills } from '@tenon/skills';
 * import { readSkills } from '@tenon/skills/node';
 * import { server } from 'tenon';
 *
 * const app = server({ name: 'docs', providers: [skills(await readSkills('./skills'))] });
 * ```
 */
export async function readSkills(folder: string, { under }: SkillOptions = {}): Promise<Skill[]> {
  const found: Skill[] = [];
  await findSkills(resolve(folder), under === undefined ? [] : [under], 0, found);
  if (found.length === 0) throw unusable(folder, `there is no ${SKILL_FILE} in it or below`);
  return found;
}

async function findSkills(folder: string, under: readonly string[], depth: number, found: Skill[]): Promise<void> {
  if (depth > MAX_DEPTH) throw unusable(folder, `it has more than ${MAX_DEPTH} levels of directories`);
  const entries = await entriesOf(folder);
  if (entries.some(({ name }) => name === SKILL_FILE)) {
    found.push(await readSkill(folder, under));
    return;
  }
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    // The location of a skill is that of its parent directory.
    const around = depth === 0 ? under : [...under, basename(folder)];
    await findSkills(path, around, depth + 1, found);
  }
}

async function readSkill(folder: string, under: readonly string[]): Promise<Skill> {
  const files: Record<string, Uint8Array> = {};
  const size = { files: 0, bytes: 0 };
  await readFiles(folder, '', 0, files, size);
  let made: Skill;
  try {
    made = skill(files, under.length === 0 ? {} : { under: under.join('/') });
  } catch (cause) {
    throw unusable(folder, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const { name } = made.frontmatter;
  if (name !== basename(folder)) throw unusable(folder, `its directory must be called '${name}', as the skill is`);
  return made;
}

async function readFiles(
  folder: string,
  prefix: string,
  depth: number,
  files: Record<string, Uint8Array>,
  size: { files: number; bytes: number },
): Promise<void> {
  if (depth > MAX_DEPTH) throw unusable(folder, `it has more than ${MAX_DEPTH} levels of directories`);
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await readFiles(path, `${prefix}${entry.name}/`, depth + 1, files, size);
      continue;
    }
    if (!entry.isFile()) throw unusable(path, 'it is neither a file nor a directory');
    // Checked first, so that no file is read that could not be published.
    size.bytes += (await stat(path)).size;
    if (++size.files > MAX_FILES) throw unusable(path, `its skill has more than ${MAX_FILES} files`);
    if (size.bytes > MAX_BYTES) throw unusable(path, `its skill has more than ${MAX_BYTES} bytes`);
    files[prefix + entry.name] = new Uint8Array(await readFile(path));
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.'));
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link !== undefined) {
    throw unusable(
      join(folder, link.name),
      'it is a symbolic link, which is not followed. Put the file itself there, or take the link away',
    );
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function unusable(path: string, reason: string, cause?: unknown): DefinitionError {
  return new DefinitionError('invalid-definition', `${path} cannot be published: ${reason}`, cause);
}
