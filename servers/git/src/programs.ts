import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { checkParts } from './parts.ts';
import { placesOf } from './places.ts';
import { spawned } from './run.ts';

/** Most bytes of the names of settings. */
const MOST_SETTINGS = 8 * 1024 * 1024;

/** Settings of a repository that name a program, by the kind of thing they belong to. The name of a driver may be empty. */
const PROGRAMS = /^(filter|diff|merge|hook)\.([\s\S]*)\.(clean|smudge|process|command|textconv|driver|event)$/i;

/**
 * Takes programs away that a repository names itself: filters, diff and merge drivers, hooks. Throws an `AccessError` where it cannot be
 * known which there are, or where settings come from somewhere else than the repository's own files.
 */
export const withoutPrograms = async (
  cwd: string,
  env: NodeJS.ProcessEnv,
  asked: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> => {
  const args = ['config', '--list', '--show-origin', '--name-only', '-z', '--includes'];
  const { code, out, isCut } = await spawned(args, cwd, env, signal, '', MOST_SETTINGS);
  if (code !== 0 || isCut) throw new AccessError(`The settings of the repository at ${asked} could not be read`);
  const settings = new Map<string, string>();
  const fields = out.split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin, name] = [fields[at]!, fields[at + 1]!];
    // What another file says could change in between, or be read by nobody else.
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
};

const MOST_SUBMODULES = 100;
const MOST_NESTED = 5;

/** The same of the repositories inside of it: git runs git in them, which listens to their settings. */
export const withoutProgramsInside = async (
  folders: Folders,
  top: string,
  env: NodeJS.ProcessEnv,
  asked: string,
  signal: AbortSignal | undefined,
  depth = 0,
): Promise<Map<string, string>> => {
  const { code, out, isCut } = await spawned(['ls-files', '--stage', '-z'], top, env, signal, '', MOST_SETTINGS);
  if (code !== 0 || isCut) throw new AccessError(`What is in the repository at ${asked} could not be read`);
  const inside = out.split('\0').flatMap((line) => /^160000 [0-9a-f]+ \d\t([\s\S]+)$/.exec(line)?.[1] ?? []);
  if (inside.length > MOST_SUBMODULES || (inside.length > 0 && depth >= MOST_NESTED))
    throw new AccessError(`There are too many repositories in the repository at ${asked}`);
  const settings = new Map<string, string>();
  for (const path of inside) {
    const place = join(top, path);
    if (!existsSync(join(place, '.git'))) continue;
    const dirs = await placesOf(folders, place, env, asked, signal);
    for (const part of new Set([dirs.gitDir, dirs.common])) await checkParts(folders, part, asked);
    for (const [name, value] of await withoutPrograms(place, env, asked, signal)) settings.set(name, value);
    for (const [name, value] of await withoutProgramsInside(folders, dirs.top, env, asked, signal, depth + 1))
      settings.set(name, value);
  }
  return settings;
};
