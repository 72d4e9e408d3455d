import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { runExclusive } from '../../shared/exclusive.ts';
import { locksIn, unfinished } from './locks.ts';
import { checkAlternates, checkGitFolder } from './git-folder.ts';
import { locate } from './places.ts';
import { disablePrograms, disableSubmodulePrograms } from './programs.ts';
import { type GitResult, runGitToEnd, messageOf, READ_MS, runGit } from './run.ts';
import { environment, type Setting, SETTINGS, settingsEnvironment } from './settings.ts';
import type { UserSettings } from './user.ts';

/** A repository inside of the allowed folders. */
export interface Repository {
  /** Runs git in it. Throws an `AccessError` with git's message if the exit code is not one of `codes`. */
  run(
    args: readonly string[],
    options?: { readonly input?: string; readonly codes?: readonly number[] },
  ): Promise<GitResult>;
  /** The hash of the commit that a revision names. Throws an `AccessError` if there is none. */
  commit(name: string): Promise<string>;
}

/** Checks that git cannot take a name for an option or for several arguments. Throws an `AccessError`. */
export function checkName(name: string, what: string): string {
  // oxlint-disable-next-line no-control-regex
  if (name === '' || name.startsWith('-') || /[\0-\x1f\x7f]/.test(name) || name.length > 1_000)
    throw new AccessError(`Invalid ${what}: ${JSON.stringify(name.slice(0, 100))}`);
  return name;
}

/**
 * Uses the repository at a path, exclusively, so that the repository that was checked is the one that is used. Throws an `AccessError` if there
 * is none, or if a part of it is outside of the allowed folders.
 */
export async function withRepository<T>(
  folders: Folders,
  asked: string,
  { identity, safe: trusted }: UserSettings,
  signal: AbortSignal,
  use: (repository: Repository) => Promise<T>,
): Promise<T> {
  const cwd = await realpath(folders.absolute(asked)).catch(() => undefined);
  if (cwd === undefined || !folders.contains(cwd)) throw new AccessError(`There is no repository at ${asked}`);
  const ceiling = folders.given.map((folder) => join(folder, '..')).join(process.platform === 'win32' ? ';' : ':');
  const fixed: Setting[] = [...SETTINGS, ...trusted.map((folder): Setting => ['safe.directory', folder])];
  const env = { ...environment(ceiling), ...settingsEnvironment(fixed) };
  const places = await locate(folders, cwd, env, asked, signal);
  return runExclusive(`git ${places.common}`, async () => {
    const { top, gitDir, common } = await locate(folders, cwd, env, asked, signal);
    for (const part of new Set([gitDir, common])) await checkGitFolder(folders, part, asked);
    await checkAlternates(folders, join(common, 'objects'), asked);
    const outer = await disablePrograms(cwd, env, asked, signal);
    const inner = await disableSubmodulePrograms(folders, top, env, asked, signal);
    const safe = { ...env, ...settingsEnvironment([...fixed, ...outer, ...inner]) };
    const own = await runGit(['config', '--get', 'user.email'], cwd, safe, signal);
    return use(repositoryAt(cwd, [gitDir, common], { ...safe, ...(own.code === 0 ? {} : identity) }, signal));
  });
}

/**
 * Commands that take no locks, so they can be stopped at any time; all others run to their end. `git diff` is not one of them: it writes the
 * index if files have new times but the same content.
 */
const READS: ReadonlySet<string | undefined> = new Set([
  'check-ref-format',
  'diff-index',
  'diff-tree',
  'for-each-ref',
  'log',
  'ls-files',
  'rev-parse',
  'status',
  'symbolic-ref',
]);

/** Says why git ended without an exit code. */
function whyEnded(signal: NodeJS.Signals, isRead: boolean): string {
  if (isRead && signal === 'SIGTERM') return `took more than ${READ_MS / 1_000} seconds, and was stopped`;
  // This server never sends SIGKILL to a change. Usually the system does, when memory is low.
  const why = signal === 'SIGKILL' ? ', perhaps because there was not enough memory' : '';
  return `was ended by ${signal}${why}`;
}

function repositoryAt(
  cwd: string,
  gitDirs: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Repository {
  const change = async (args: readonly string[], input: string): Promise<GitResult> => {
    signal.throwIfAborted();
    const ran = await runGitToEnd(args, cwd, env, input);
    if ('code' in ran) return ran;
    throw new AccessError(unfinished(ran, await locksIn(gitDirs)));
  };
  const repository: Repository = {
    async run(args, { input = '', codes = [0] } = {}) {
      const all = ['--no-pager', ...args];
      const ran = await (READS.has(args[0]) ? runGit(all, cwd, env, signal, input) : change(all, input));
      if (codes.includes(ran.code) && ran.signal === undefined) return ran;
      const said = messageOf(ran);
      if (ran.signal === undefined)
        throw new AccessError(said || `git ended with code ${ran.code}, and gave no reason`);
      throw new AccessError(`git ${whyEnded(ran.signal, READS.has(args[0]))}${said === '' ? '' : `: ${said}`}`);
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
}
