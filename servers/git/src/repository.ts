import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { inTurn } from '../../shared/turns.ts';
import { locksIn, unfinished } from './locks.ts';
import { checkAlternates, checkParts } from './parts.ts';
import { placesOf } from './places.ts';
import { withoutPrograms, withoutProgramsInside } from './programs.ts';
import { type Ran, runToEnd, said, spawned } from './run.ts';
import { environment, type Setting, SETTINGS, settingsAs } from './settings.ts';
import type { UserSettings } from './user.ts';

/** A repository inside the folders that are allowed. */
export interface Repository {
  /** Runs git in it. Throws an `AccessError` with what git said when it failed. */
  run(args: readonly string[], options?: { readonly input?: string; readonly codes?: readonly number[] }): Promise<Ran>;
  /** The commit that something names. Throws an `AccessError` when it names none. */
  commit(name: string): Promise<string>;
}

/** A name that could not be taken for an option, or for more than one argument. */
export const checkName = (name: string, what: string): string => {
  // oxlint-disable-next-line no-control-regex
  if (name === '' || name.startsWith('-') || /[\0-\x1f\x7f]/.test(name) || name.length > 1_000)
    throw new AccessError(`Invalid ${what}: ${JSON.stringify(name.slice(0, 100))}`);
  return name;
};

/**
 * Uses the repository at a path, one after the other: what is looked at is what is used. Throws an `AccessError` when there is none, or a part
 * of it is outside of what is allowed.
 */
export const withRepository = async <T>(
  folders: Folders,
  asked: string,
  { identity, safe: trusted }: UserSettings,
  signal: AbortSignal,
  use: (repository: Repository) => Promise<T>,
): Promise<T> => {
  const cwd = await realpath(folders.absolute(asked)).catch(() => undefined);
  if (cwd === undefined || !folders.contains(cwd)) throw new AccessError(`There is no repository at ${asked}`);
  const ceiling = folders.given.map((folder) => join(folder, '..')).join(process.platform === 'win32' ? ';' : ':');
  const fixed: Setting[] = [...SETTINGS, ...trusted.map((folder): Setting => ['safe.directory', folder])];
  const env = { ...environment(ceiling), ...settingsAs(fixed) };
  const places = await placesOf(folders, cwd, env, asked, signal);
  return inTurn(`git ${places.common}`, async () => {
    const { top, gitDir, common } = await placesOf(folders, cwd, env, asked, signal);
    for (const part of new Set([gitDir, common])) await checkParts(folders, part, asked);
    await checkAlternates(folders, join(common, 'objects'), asked);
    const outer = await withoutPrograms(cwd, env, asked, signal);
    const inner = await withoutProgramsInside(folders, top, env, asked, signal);
    const safe = { ...env, ...settingsAs([...fixed, ...outer, ...inner]) };
    const own = await spawned(['config', '--get', 'user.email'], cwd, safe, signal);
    return use(repositoryAt(cwd, [gitDir, common], { ...safe, ...(own.code === 0 ? {} : identity) }, signal));
  });
};

/**
 * Commands that take no locks and can be ended at any time; all others are allowed to finish. `git diff` is not one of them: it writes the
 * index when files have new times and the same content.
 */
const READS: ReadonlySet<string | undefined> = new Set([
  'check-ref-format',
  'diff-tree',
  'for-each-ref',
  'log',
  'rev-parse',
  'status',
]);

const repositoryAt = (
  cwd: string,
  gitDirs: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Repository => {
  const change = async (args: readonly string[], input: string): Promise<Ran> => {
    signal.throwIfAborted();
    const ran = await runToEnd(args, cwd, env, input);
    if ('code' in ran) return ran;
    throw new AccessError(unfinished(ran, await locksIn(gitDirs)));
  };
  const repository: Repository = {
    async run(args, { input = '', codes = [0] } = {}) {
      const all = ['--no-pager', ...args];
      const ran = await (READS.has(args[0]) ? spawned(all, cwd, env, signal, input) : change(all, input));
      if (!codes.includes(ran.code)) throw new AccessError(said(ran) || `git ended with code ${ran.code}`);
      return ran;
    },
    async commit(name) {
      checkName(name, 'revision');
      const ran = await repository.run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], {
        codes: [0, 1, 128],
      });
      const hash = ran.out.trim();
      if (ran.code !== 0 || !/^[0-9a-f]{40,64}$/.test(hash)) throw new AccessError(`There is no revision '${name}'`);
      return hash;
    },
  };
  return repository;
};
