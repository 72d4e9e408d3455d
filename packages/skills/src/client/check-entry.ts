import { isObject } from '@tenon/values/is-object';
import { shown } from '@tenon/values/hidden';
import {
  type Frontmatter,
  isSkillName,
  MAX_BYTES,
  MAX_FILES,
  pathOf,
  rootOf,
  SKILL_FILE,
  type SkillEntry,
  type SkillFile,
} from '../entry.ts';
import { SkillError } from './skill-error.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * A private copy of an entry that a server sent. Throws a `SkillError` if the entry is invalid, or if the skill is larger than clients have
 * to accept: such a skill must not be read.
 */
export function checkEntry(given: unknown): SkillEntry {
  if (!isObject(given)) throw invalid('an entry', 'it is not an object');
  const { uri, frontmatter, resources } = given;
  const what = `the skill ${shown(uri)}`;
  if (typeof uri !== 'string' || !uri.endsWith(`/${SKILL_FILE}`))
    throw invalid(what, `its URI does not end in /${SKILL_FILE}`);
  if (!isObject(frontmatter)) throw invalid(what, 'it has no frontmatter');
  const { name, description } = frontmatter;
  const root = rootOf(uri);
  if (!isSkillName(name) || root.slice(root.lastIndexOf('/') + 1) !== name)
    throw invalid(what, 'the last directory of its URI is not called as the skill is');
  if (typeof description !== 'string' || description === '') throw invalid(what, 'it has no description');
  return {
    uri,
    frontmatter: structuredClone(frontmatter) as Frontmatter,
    resources: resources === 'dynamic' ? resources : checkFiles(resources, uri, what),
  };
}

function checkFiles(given: unknown, uri: string, what: string): readonly SkillFile[] {
  if (!Array.isArray(given)) throw invalid(what, 'it does not say which files it has');
  if (given.length > MAX_FILES)
    throw new SkillError('too-large', `${what} has ${given.length} files; at most ${MAX_FILES} are accepted`);
  const files = new Map<string, SkillFile>();
  const paths = new Set<string>();
  let total = 0;
  for (const file of given) {
    const { uri: at, digest, size } = isObject(file) ? file : {};
    if (typeof at !== 'string' || !isWithin(at, rootOf(uri)))
      throw invalid(what, `${shown(at)} is no file in its directory`);
    const path = pathOf(at, rootOf(uri));
    if (paths.has(path)) throw invalid(what, `it has ${shown(at)} twice`);
    paths.add(path);
    if (typeof digest !== 'string' || !DIGEST.test(digest)) throw invalid(what, `${shown(at)} has no SHA-256 digest`);
    if (!Number.isSafeInteger(size) || (size as number) < 0) throw invalid(what, `${shown(at)} has no size`);
    files.set(at, { uri: at, digest, size: size as number });
    total += size as number;
  }
  if (!files.has(uri)) throw invalid(what, `${SKILL_FILE} is not among its files`);
  if (total > MAX_BYTES)
    throw new SkillError('too-large', `${what} has ${total} bytes; at most ${MAX_BYTES} are accepted`);
  return [...files.values()];
}

/**
 * Is the URI in the directory, even if a program uses it as a file path? `..` would leave the directory in any spelling, and so would an
 * escaped separator or a backslash.
 */
function isWithin(uri: string, root: string): boolean {
  const path = uri.slice(root.length + 1);
  if (!uri.startsWith(`${root}/`) || /[\\\p{Cc}]|%(?:2f|5c|[01][\da-f]|7f)/iu.test(path)) return false;
  return path.split('/').every((part) => part !== '' && !/^(?:\.|%2e){1,2}$/i.test(part));
}

function invalid(what: string, problem: string): SkillError {
  return new SkillError('invalid-entry', `The server describes ${what} wrongly, so it is not loaded: ${problem}`);
}
