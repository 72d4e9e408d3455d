import { spawn } from 'node:child_process';
import { access, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** Most bytes of what git says that are used. */
const MOST_BYTES = 1024 * 1024;
const MOST_MS = 60_000;

/** What a repository could have git run, or reach; whatever it says, this is what counts. */
const SETTINGS: readonly string[] = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.editor=true',
  'core.askPass=true',
  'core.sshCommand=false',
  'core.attributesFile=/dev/null',
  'credential.helper=',
  'diff.external=',
  'interactive.diffFilter=',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'log.showSignature=false',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'diff.submodule=short',
  'status.submoduleSummary=false',
  'maintenance.auto=false',
  'gc.auto=0',
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
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', [...args], { cwd, env, shell: false, timeout: MOST_MS, killSignal: 'SIGKILL' });
    const abort = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    let size = 0;
    const out: Buffer[] = [];
    let error = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BYTES) out.push(chunk);
      else {
        out.push(chunk.subarray(0, Math.max(0, chunk.length - (size - MOST_BYTES))));
        child.kill('SIGKILL');
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error = (error + text).slice(-4_000)));
    child.stdin.on('error', () => {}).end(input);
    child.once('error', (cause) => reject(new Error(`git could not be started: ${cause.message}`, { cause })));
    child.once('close', (code) => {
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const isCut = size > MOST_BYTES;
      resolve({ code: isCut ? 0 : (code ?? 1), out: Buffer.concat(out).toString(), error, isCut });
    });
  });

/** Settings of a repository that name a program, by the kind of thing they belong to. */
const PROGRAMS = /^(filter|diff|merge)\.(.+)\.(clean|smudge|process|command|textconv|driver)$/is;

/** Takes programs away that a repository names itself: filters, diff and merge drivers. */
const withoutPrograms = async (
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<string[]> => {
  const { code, out } = await spawned(['config', '--list', '--name-only', '-z', '--includes'], cwd, env, signal);
  if (code !== 0) return [];
  const settings = new Set<string>();
  for (const name of out.split('\0')) {
    const [, kind, driver] = PROGRAMS.exec(name) ?? [];
    if (kind === undefined) continue;
    settings.add(`${name}=`);
    if (kind.toLowerCase() === 'filter') settings.add(`filter.${driver}.required=false`);
  }
  return [...settings];
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

/** Who commits, where the repository does not say: what the user has told git once and for all. */
export const readIdentity = async (): Promise<Readonly<Record<string, string>>> => {
  const get = async (name: string): Promise<string> => {
    const args = ['config', '--global', '--get', name];
    const found = await spawned(args, process.cwd(), process.env, undefined).catch(() => undefined);
    return found?.code === 0 ? found.out.trim() : '';
  };
  const [name, email] = [await get('user.name'), await get('user.email')];
  return name === '' || email === ''
    ? {}
    : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
};

/** Opens the repository at a path. Throws an `AccessError` when there is none, or a part of it is outside of what is allowed. */
export const openRepository = async (
  folders: Folders,
  asked: string,
  identity: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Repository> => {
  const cwd = await realpath(folders.absolute(asked)).catch(() => undefined);
  if (cwd === undefined || !folders.contains(cwd)) throw new AccessError(`There is no repository at ${asked}`);
  const ceiling = folders.given.map((folder) => join(folder, '..')).join(process.platform === 'win32' ? ';' : ':');
  const env = environment(ceiling);
  const safe = SETTINGS.flatMap((setting) => ['-c', setting]);
  const probe = await spawned(
    [...safe, 'rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    cwd,
    env,
    signal,
  ).catch((error: unknown) => {
    // A file is no folder to work in.
    if ((error as { cause?: { code?: string } }).cause?.code === 'ENOTDIR')
      throw new AccessError(`There is no repository at ${asked}`);
    throw error;
  });
  if (probe.code !== 0) throw new AccessError(`There is no repository at ${asked}: ${said(probe)}`);
  const places = probe.out.trimEnd().split('\n');
  for (const place of places) {
    const real = await realpath(isAbsolute(place) ? place : join(cwd, place)).catch(() => undefined);
    if (real === undefined || !folders.contains(real))
      throw new AccessError(`A part of the repository at ${asked} is not in an allowed folder`);
  }
  const common = places[2]!;
  await checkAlternates(folders, isAbsolute(common) ? common : join(cwd, common), asked);
  const all = [...safe, ...(await withoutPrograms(cwd, env, signal)).flatMap((setting) => ['-c', setting])];
  const own = await spawned([...all, 'config', '--get', 'user.email'], cwd, env, signal);
  const as = own.code === 0 ? {} : identity;

  const repository: Repository = {
    async run(args, { input = '', codes = [0] } = {}) {
      const ran = await spawned([...all, '--no-pager', ...args], cwd, { ...env, ...as }, signal, input);
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

/** Objects may be borrowed from other repositories: only from those that are allowed. */
const checkAlternates = async (folders: Folders, common: string, asked: string): Promise<void> => {
  const file = join(common, 'objects', 'info', 'alternates');
  if (
    !(await access(file).then(
      () => true,
      () => false,
    ))
  )
    return;
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const real = await realpath(isAbsolute(line) ? line : join(common, 'objects', line)).catch(() => undefined);
    if (real === undefined || !folders.contains(real))
      throw new AccessError(`The repository at ${asked} borrows from one that is not in an allowed folder`);
  }
};
