import { createHash } from 'node:crypto';

/** Most characters of a name: what providers of models take. */
const MAX_LENGTH = 64;
/** Of those for the alias, where a name has to be changed. */
const MAX_ALIAS_LENGTH = 32;
const LONG_HASH = 12;

/** How a name that had to be changed tells so. No other name has this. */
const MARK = /--[0-9A-Za-z]{6}(?:[0-9A-Za-z]{6})?(?:--|$)/;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Of exactly these. */
const hashOf = (names: readonly string[], length: number): string => {
  const bytes = createHash('sha256').update(JSON.stringify(names)).digest();
  let left = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; text.length < length; left /= 62n) text += BASE62[Number(left % 62n)]!;
  return text;
};

const isClean = (text: string): boolean => /^[\w-]+$/.test(text);

/** Does the first `__` after it always end it? */
const isUnambiguous = (alias: string): boolean => isClean(alias) && !alias.includes('__') && !alias.endsWith('_');

/** The same as far as it goes. `--` is only around a hash. */
const cleaned = (text: string): string =>
  text
    .replace(/[^\w-]/gu, '_')
    .replace(/-{2,}/g, '-')
    .replace(/^-/, '');

const withoutEnd = (text: string): string => text.replace(/[-_]$/, '');

/**
 * Where the alias is there as it is, only tools of that server could have the same hash. Otherwise another server could try tool names
 * until it has the name of somebody else's tool: that takes too long with a longer hash.
 */
const hashLength = (server: string, alias: string): number =>
  isUnambiguous(server) && server === alias ? 6 : LONG_HASH;

const aliasOf = (server: string): string =>
  withoutEnd(cleaned(server).replace(/_{2,}/g, '_').slice(0, MAX_ALIAS_LENGTH)) || 'server';

/** A name with a hash: at its end, or in the middle of one that is too long. */
const withHash = (alias: string, tool: string, hash: string): string => {
  const full = `${alias}__${cleaned(tool) || 'tool'}`;
  const room = MAX_LENGTH - hash.length - 2;
  if (full.length <= room) return `${full.replace(/-$/, '')}--${hash}`;
  // Names that are long are often told apart by their ends.
  const tailLength = Math.floor((room - 2 - alias.length - 2) / 3);
  const head = full.slice(0, room - 2 - tailLength).replace(/-$/, '');
  return `${head}--${hash}--${full.slice(-tailLength).replace(/^-/, '')}`;
};

/**
 * The name of a tool or prompt of some server: `alias__tool`, at most 64 characters of `[A-Za-z0-9_-]`. It depends on these two alone, so
 * other servers and tools never change it. A pair whose name would be too long, has other characters, or could be taken for another pair's,
 * gets a hash into it: no two pairs have one name. Which pair it stands for is for the caller to remember.
 *
 * @example qualify('github', 'create_issue') // github__create_issue
 * @example qualify('files', 'dir/list') // files__dir_list--XWrVHl
 */
export const qualify = (server: string, tool: string): string => {
  const name = `${server}__${tool}`;
  const isPlain = isUnambiguous(server) && isClean(tool) && name.length <= MAX_LENGTH && !MARK.test(name);
  if (isPlain) return name;
  const alias = aliasOf(server);
  return withHash(alias, tool, hashOf([server, tool], hashLength(server, alias)));
};

/**
 * The name of a tool that would have another tool's name: of the same server, where a configuration renames one to what the other is called.
 * It depends on the tool's own name and the wanted one alone, and is nobody else's.
 *
 * @example qualifyApart('github', 'search', 'find') // github__find--wF0m7M7hviYv
 */
export const qualifyApart = (server: string, own: string, wanted: string): string =>
  withHash(aliasOf(server), wanted, hashOf([server, wanted, own], LONG_HASH));
