import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decodeUtf8 } from '@tenon/values/utf8';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { checkGitFolder } from './git-folder.ts';
import { locate } from './places.ts';
import { runGit } from './run.ts';

/** Maximum size of the list of settings, in bytes. */
const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;

/** Settings that name a program, with their kind and driver. The name of a driver may be empty. */
const PROGRAMS = /^(filter|diff|merge|hook)\.([\s\S]*)\.(clean|smudge|process|command|textconv|driver|event)$/i;

/**
 * Gives settings that disable all programs in a repository's own settings: filters, diff and merge drivers, hooks. Throws an `AccessError` if
 * the settings cannot be read completely, or come from files outside of the repository.
 */
export async function disablePrograms(
  cwd: string,
  env: NodeJS.ProcessEnv,
  asked: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const args = ['config', '--list', '--show-origin', '--name-only', '-z', '--includes'];
  const { code, out, isCut, isUtf8 } = await runGit(args, cwd, env, signal, '', MAX_SETTINGS_BYTES);
  if (code !== 0 || isCut) throw new AccessError(`The settings of the repository at ${asked} could not be read`);
  // A program under a name that is not UTF-8 could not be disabled, because environment variables would contain a different name.
  if (!isUtf8) throw new AccessError(`The settings of the repository at ${asked} are not text in UTF-8`);
  const settings = new Map<string, string>();
  const fields = out.split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin, name] = [fields[at]!, fields[at + 1]!];
    // An included file could change between this check and the run of git.
    if (/^include(?:if)?\./i.test(name))
      throw new AccessError(`The settings of the repository at ${asked} include others, which is not supported`);
    if (origin.startsWith('file:') && !/(?:^file:|\/)config(?:\.worktree)?$/.test(origin))
      throw new AccessError(`The settings of the repository at ${asked} come from elsewhere`);
    const [, kind, driver = ''] = PROGRAMS.exec(name) ?? [];
    if (kind === undefined) continue;
    settings.set(name, '');
    if (kind.toLowerCase() === 'filter') settings.set(`filter.${driver}.required`, 'false');
    if (kind.toLowerCase() === 'hook') settings.set(`hook.${driver}.enabled`, 'false');
  }
  return settings;
}

const MAX_SUBMODULES = 100;
const MAX_SUBMODULE_DEPTH = 5;

/** The same for submodules: git runs git in them, with their settings. */
export async function disableSubmodulePrograms(
  folders: Folders,
  top: string,
  env: NodeJS.ProcessEnv,
  asked: string,
  signal: AbortSignal | undefined,
  depth = 0,
): Promise<Map<string, string>> {
  const { code, bytes, isCut } = await runGit(['ls-files', '--stage', '-z'], top, env, signal, '', MAX_SETTINGS_BYTES);
  if (code !== 0 || isCut) throw new AccessError(`The index of the repository at ${asked} could not be read`);
  const inside = bytes
    .toString('latin1')
    .split('\0')
    .flatMap((line) => /^160000 [0-9a-f]+ \d\t([\s\S]+)$/.exec(line)?.[1] ?? [])
    .map((path) => decodeUtf8(Buffer.from(path, 'latin1')));
  if (!inside.every((path) => path !== undefined))
    throw new AccessError(`The repository at ${asked} has a submodule whose path is not UTF-8`);
  if (inside.length > MAX_SUBMODULES || (inside.length > 0 && depth >= MAX_SUBMODULE_DEPTH))
    throw new AccessError(`The repository at ${asked} has too many submodules`);
  const settings = new Map<string, string>();
  for (const path of inside) {
    const place = join(top, path);
    if (!existsSync(join(place, '.git'))) continue;
    const dirs = await locate(folders, place, env, asked, signal);
    for (const part of new Set([dirs.gitDir, dirs.common])) await checkGitFolder(folders, part, asked);
    for (const [name, value] of await disablePrograms(place, env, asked, signal)) settings.set(name, value);
    for (const [name, value] of await disableSubmodulePrograms(folders, dirs.top, env, asked, signal, depth + 1))
      settings.set(name, value);
  }
  return settings;
}
