import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** How long npm may take, in milliseconds. */
const INSTALL_MS = 300_000;
/** How much of the output of npm is kept, in characters. */
const MAX_OUTPUT = 4_000;

/** The folder of this user for files that can be made again. */
function cacheFolder({ XDG_CACHE_HOME: xdg, LOCALAPPDATA: local }: NodeJS.ProcessEnv): string {
  // The XDG Base Directory Specification says that relative paths must be ignored.
  if (xdg?.startsWith('/') === true) return join(xdg, 'tenon');
  if (process.platform === 'win32') return join(local ?? join(homedir(), 'AppData', 'Local'), 'tenon', 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'tenon');
  return join(homedir(), '.cache', 'tenon');
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

/** The npm that started this process, the one that came with this Node, or the one on the PATH. */
function npmCommand({ npm_execpath: started }: NodeJS.ProcessEnv): Command {
  const beside = dirname(process.execPath);
  const script = [
    started,
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ].find((path) => path !== undefined && /npm-cli\.c?js$/.test(path) && existsSync(path));
  if (script !== undefined) return { file: process.execPath, args: [script], shell: false };
  // Node runs .cmd files only with a shell.
  const isWindows = process.platform === 'win32';
  return { file: isWindows ? 'npm.cmd' : 'npm', args: [], shell: isWindows };
}

/** The line of npm's output that says what is wrong. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim());
  return lines.find((line) => line !== '' && !line.startsWith('code ')) ?? 'npm failed without a message';
}

/** Installs a package into the folder. Rejects with the reason. */
async function install(spec: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  // Without a manifest npm would install into a folder further up.
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const { file, args, shell } = npmCommand(env);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // stdout may belong to the protocol.
  const child = spawn(file, [...args, 'install', ...options, spec], {
    cwd: folder,
    env,
    shell,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: INSTALL_MS,
    windowsHide: true,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, MAX_OUTPUT);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', ({ message }) => reject(new Error(`npm could not be started: ${message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(signal === null ? reasonIn(output) : `npm was ended by ${signal}`));
    });
  });
}

/**
 * The folder of a package in exactly this version. The first time, npm installs it into a cache of this user, without running scripts, and
 * `onInstall` is called before. Rejects with npm's reason if it cannot.
 */
export async function npmPackage(
  { name, version }: { readonly name: string; readonly version: string },
  onInstall: () => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const parent = join(cacheFolder(env), 'packages');
  const folder = join(parent, `${name.replace('/', '+')}@${version}`);
  const found = join(folder, 'node_modules', name);
  if (existsSync(found)) return found;
  onInstall();
  await mkdir(parent, { recursive: true });
  const temporary = await mkdtemp(join(parent, 'installing-'));
  try {
    await install(`${name}@${version}`, temporary, env);
    // Another process may have been faster.
    await rename(temporary, folder).catch((error: Error) => {
      if (!existsSync(found)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return found;
}
