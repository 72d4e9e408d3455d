import { createHash } from 'node:crypto';

/** Maximum length of a name that model providers accept. */
const MAX_LENGTH = 64;
/** Maximum length of the alias in a changed name. */
const MAX_ALIAS_LENGTH = 32;
const LONG_HASH = 12;

/** The mark of a changed name, which other names must not contain. */
const MARK = /--[0-9A-Za-z]{6}(?:[0-9A-Za-z]{6})?(?:--|$)/;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A hash of the names, in base 62. */
function hashOf(names: readonly string[], length: number): string {
  const bytes = createHash('sha256').update(JSON.stringify(names)).digest();
  let remainder = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; text.length < length; remainder /= 62n) text += BASE62[Number(remainder % 62n)]!;
  return text;
}

function isClean(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

/** Whether the first `__` always ends the alias. */
function isUnambiguous(alias: string): boolean {
  return isClean(alias) && !alias.includes('__') && !alias.endsWith('_');
}

/** Replaces invalid characters. `--` is reserved for hashes. */
function replaceInvalid(text: string): string {
  return text
    .replace(/[^\w-]/gu, '_')
    .replace(/-{2,}/g, '-')
    .replace(/^-/, '');
}

function trimEnd(text: string): string {
  return text.replace(/[-_]$/, '');
}

/**
 * The hash is short if the alias is unchanged, because only tools of that server could collide. Otherwise another server could search for a
 * tool name with the same hash, which takes too long with a longer hash.
 */
function hashLength(server: string, alias: string): number {
  return isUnambiguous(server) && server === alias ? 6 : LONG_HASH;
}

function aliasOf(server: string): string {
  return trimEnd(replaceInvalid(server).replace(/_{2,}/g, '_').slice(0, MAX_ALIAS_LENGTH)) || 'server';
}

/** Adds a hash to a name: at its end, or in the middle of a name that is too long. */
function withHash(alias: string, tool: string, hash: string): string {
  const full = `${alias}__${replaceInvalid(tool) || 'tool'}`;
  const room = MAX_LENGTH - hash.length - 2;
  if (full.length <= room) return `${full.replace(/-$/, '')}--${hash}`;
  // Long names often differ only at the end.
  const tailLength = Math.floor((room - 2 - alias.length - 2) / 3);
  const head = full.slice(0, room - 2 - tailLength).replace(/-$/, '');
  return `${head}--${hash}--${full.slice(-tailLength).replace(/^-/, '')}`;
}

/** Whether a qualified name is one of this server, as far as its beginning shows. */
export function isNameOf(server: string, name: string): boolean {
  return name.startsWith(`${isUnambiguous(server) ? server : aliasOf(server)}__`);
}

/**
 * The qualified name of a tool or prompt: `alias__tool`, at most 64 characters of `[A-Za-z0-9_-]`. It depends only on these two, so it
 * never changes because of other servers and tools. If the name would be too long, has other characters or is ambiguous, it contains a
 * hash, so that it is unique. The caller has to remember which pair a name stands for.
 *
 * @example qualify('github', 'create_issue') // github__create_issue
 * @example qualify('files', 'dir/list') // files__dir_list--XWrVHl
 */
export function qualify(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  const isPlain = isUnambiguous(server) && isClean(tool) && name.length <= MAX_LENGTH && !MARK.test(name);
  if (isPlain) return name;
  const alias = aliasOf(server);
  return withHash(alias, tool, hashOf([server, tool], hashLength(server, alias)));
}

/**
 * The name of a tool that a configuration renames to the name of another tool of the same server. It depends only on the tool's own name
 * and the new one, and is unique.
 *
 * @example qualifyApart('github', 'search', 'find') // github__find--wF0m7M7hviYv
 */
export function qualifyApart(server: string, ownName: string, newName: string): string {
  return withHash(aliasOf(server), newName, hashOf([server, newName, ownName], LONG_HASH));
}
