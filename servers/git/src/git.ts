import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { inTurn } from '../../shared/turns.ts';
import { checkAlternates, checkParts } from './parts.ts';

/** Most bytes of what git says that are used. */
const MOST_BYTES = 1024 * 1024;
const MOST_MS = 30_000;
/** How long git may take to end when it is asked to. */
const PATIENCE_MS = 2_000;
/** Most bytes of the names of settings. */
const MOST_SETTINGS = 8 * 1024 * 1024;

/** What a repository could have git run, or reach; whatever it says, this is what counts. */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'true'],
  ['core.askPass', 'true'],
  ['core.sshCommand', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['interactive.diffFilter', ''],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['submodule.recurse', 'false'],
  ['diff.submodule', 'short'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['rerere.enabled', 'false'],
  ['core.excludesFile', '/dev/null'],
  ['log.mailmap', 'false'],
  ['mailmap.file', '/dev/null'],
  ['commit.template', ''],
  ['status.submoduleSummary', 'false'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '0'],
];

/** What git gets to see of the environment, and what it is told besides. */
const environment = (ceiling: string): NodeJS.ProcessEnv => {
  const { PATH, Path, SystemRoot, TMPDIR, TEMP } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(Path === undefined ? {} : { Path }),
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(TEMP === undefined ? {} : { TEMP }),
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    // No repository above what is allowed is found by accident.
    GIT_CEILING_DIRECTORIES: ceiling,
  };
};

/** What became of a run of git. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  /** There was more than is used. */
  readonly isCut: boolean;
}

/** Runs git as it is, without a shell. */
const spawned = (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
  input = '',
  most = MOST_BYTES,
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', [...args], { cwd, env, shell: false, timeout: MOST_MS });
    // It takes its locks away when it is asked to end.
    let patience: ReturnType<typeof setTimeout> | undefined;
    const abort = (): void => {
      child.kill('SIGTERM');
      patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    };
    signal?.addEventListener('abort', abort, { once: true });
    let size = 0;
    const out: Buffer[] = [];
    let error = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) out.push(chunk);
      else {
        out.push(chunk.subarray(0, Math.max(0, chunk.length - (size - most))));
        child.kill('SIGTERM');
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error = (error + text).slice(-4_000)));
    child.stdin.on('error', () => {}).end(input);
    child.once('error', (cause) => reject(new Error(`git could not be started: ${cause.message}`, { cause })));
    child.once('close', (code) => {
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted === true) return reject(signal.reason as Error);
      clearTimeout(patience);
      const isCut = size > most;
      resolve({ code: isCut ? 0 : (code ?? 1), out: Buffer.concat(out).toString(), error, isCut });
    });
  });

type Setting = readonly [name: string, value: string];

/** Settings that count more than those of any repository, whatever is in their names. */
const settingsAs = (settings: readonly Setting[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
});

/** Settings of a repository that name a program, by the kind of thing they belong to. The name of a driver may be empty. */
const PROGRAMS = /^(filter|diff|merge|hook)\.([\s\S]*)\.(clean|smudge|process|command|textconv|driver|event)$/i;

/**
 * Takes programs away that a repository names itself: filters, diff and merge drivers, hooks. Throws an `AccessError` where it cannot be
 * known which there are, or where settings come from somewhere else than the repository's own files.
 */
const withoutPrograms = async (
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
const withoutProgramsInside = async (
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

/** Where a repository is, with all its parts. Throws an `AccessError` when one of them is not inside of what is allowed. */
const placesOf = async (
  folders: Folders,
  cwd: string,
  env: NodeJS.ProcessEnv,
  asked: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly top: string; readonly gitDir: string; readonly common: string }> => {
  const none = (why = ''): AccessError => new AccessError(`There is no repository at ${asked}${why}`);
  const args = ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const probe = await spawned(args, cwd, env, signal).catch((error: unknown) => {
    // A file is no folder to work in.
    if ((error as { cause?: { code?: string } }).cause?.code === 'ENOTDIR') throw none();
    throw error;
  });
  if (probe.code !== 0) throw none(`: ${said(probe)}`);
  const lines = probe.out.replace(/\n$/, '').split('\n');
  // A line break in one of them would be taken for the end of it.
  if (lines.length !== 3) throw none(': its path has a line break in it');
  const places: string[] = [];
  for (const line of lines) {
    const real = await realpath(isAbsolute(line) ? line : join(cwd, line)).catch(() => undefined);
    if (real === undefined || !folders.contains(real))
      throw new AccessError(`A part of the repository at ${asked} is not in an allowed folder`);
    places.push(real);
  }
  const [top = '', gitDir = '', common = ''] = places;
  return { top, gitDir, common };
};

/** A repository inside the folders that are allowed. */
export interface Repository {
  /** Runs git in it. Throws an `AccessError` with what git said when it failed. */
  run(args: readonly string[], options?: { readonly input?: string; readonly codes?: readonly number[] }): Promise<Ran>;
  /** The commit that something names. Throws an `AccessError` when it names none. */
  commit(name: string): Promise<string>;
}

const said = ({ error, out }: Ran): string => (error.trim() === '' ? out : error).trim().slice(0, 2_000);

/** A name that could not be taken for an option, or for more than one argument. */
export const checkName = (name: string, what: string): string => {
  // oxlint-disable-next-line no-control-regex
  if (name === '' || name.startsWith('-') || /[\0-\x1f\x7f]/.test(name) || name.length > 1_000)
    throw new AccessError(`Invalid ${what}: ${JSON.stringify(name.slice(0, 100))}`);
  return name;
};

/** What the user has told git once and for all, as far as it is used here. */
export interface UserSettings {
  /** Environment that says who commits, where the repository does not. */
  readonly identity: Readonly<Record<string, string>>;
  /** Repositories of others that the user trusts. */
  readonly safe: readonly string[];
}

export const readUserSettings = async (): Promise<UserSettings> => {
  const get = async (...what: string[]): Promise<string> => {
    const args = ['config', '--global', ...what];
    const found = await spawned(args, process.cwd(), process.env, undefined).catch(() => undefined);
    return found?.code === 0 ? found.out.trim() : '';
  };
  const [name, email] = [await get('--get', 'user.name'), await get('--get', 'user.email')];
  const safe = (await get('--get-all', 'safe.directory')).split('\n').filter((line) => line !== '');
  const identity: Readonly<Record<string, string>> =
    name === '' || email === ''
      ? {}
      : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  return { identity, safe };
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
    return use(repositoryAt(cwd, { ...safe, ...(own.code === 0 ? {} : identity) }, signal));
  });
};

const repositoryAt = (cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Repository => {
  const repository: Repository = {
    async run(args, { input = '', codes = [0] } = {}) {
      const ran = await spawned(['--no-pager', ...args], cwd, env, signal, input);
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
