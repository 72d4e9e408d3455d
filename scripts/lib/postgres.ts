// A real PostgreSQL server for tests: found on this machine or installed, with a data directory of its own, on a free port.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { apt } from './apt.ts';
import { freePort } from './free-port.ts';

/** Where Debian installs every version. */
const DEBIAN = '/usr/lib/postgresql';

/** The password of the superuser `postgres`. */
export const SUPERUSER_PASSWORD = 'super-sesame-7';

function installed(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [process.env['POSTGRES_BIN'] ?? '', ...versions.map((version) => join(DEBIAN, version, 'bin'))];
  return folders.find((folder) => folder !== '' && existsSync(join(folder, 'initdb')));
}

function install(): string | undefined {
  console.error('Installing PostgreSQL with apt');
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'postgresql');
  return installed();
}

/** The folder with the programs of PostgreSQL. If it is missing, installs it with apt, which needs root. Throws an error that says what to do. */
function findPostgres(): string {
  const found = installed() ?? install();
  if (found !== undefined) return found;
  throw new Error(
    'PostgreSQL was not found, and apt could not install it. Install it, or set POSTGRES_BIN to the folder with initdb',
  );
}

/** The user to run as, since PostgreSQL refuses to run as root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody'])
    try {
      const id = (option: string): number => Number(execFileSync('id', [option, name], { encoding: 'utf8' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // There is no such user: try the next one.
    }
  throw new Error("PostgreSQL refuses to run as root, and neither the user 'postgres' nor 'nobody' exists to run it");
}

/** A server that a test started. */
export interface PostgresServer {
  readonly port: number;
  /** The folder with the socket, for connections without TCP. */
  readonly folder: string;
  /** Stops the server at once, as a crash would. */
  stop(): Promise<void>;
  /** Starts it again, with the same data and port. */
  start(): Promise<void>;
  /** Stops it, and deletes its data. */
  delete(): Promise<void>;
}

/** Starts a server. `settings`: lines for postgresql.conf. `files`: files in its data directory, such as certificates. */
export async function startPostgres({
  settings = [],
  files = {},
}: {
  readonly settings?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
} = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'tenon-postgres-'));
  const data = join(folder, 'data');
  const own = (path: string): void => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  };
  own(folder);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, SUPERUSER_PASSWORD, { mode: 0o600 });
  own(passwordFile);
  const where = { cwd: folder, ...user, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const init = ['-U', 'postgres', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), ['-D', data, ...init, `--pwfile=${passwordFile}`], { ...where, stdio: 'pipe' });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    own(join(data, name));
  }
  const port = await freePort();
  const all = [
    `port = ${port}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${folder}'`,
    'fsync = off',
    'max_prepared_transactions = 5',
    ...settings,
  ];
  writeFileSync(join(data, 'postgresql.auto.conf'), `${all.join('\n')}\n`);
  let child: ChildProcess | undefined;
  const server: PostgresServer = {
    port,
    folder,
    async start() {
      // When this process ends in any way, its end of the pipe closes, and the server is stopped. Commands in the background read from
      // /dev/null unless they are told otherwise.
      const script =
        'exec 3<&0; "$0" "$@" </dev/null 3<&- & pid=$!; (cat <&3; kill -QUIT $pid 2>/dev/null) & wait $pid';
      const started = spawn('sh', ['-c', script, join(bin, 'postgres'), '-D', data], {
        ...where,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      child = started;
      let log = '';
      await new Promise<void>((resolve, reject) => {
        started.stderr.setEncoding('utf8').on('data', (text: string) => {
          log = `${log}${text}`.slice(-10_000);
          if (log.includes('is ready to accept connections')) resolve();
        });
        started.once('error', reject);
        started.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
      });
    },
    async stop() {
      const stopped = child;
      child = undefined;
      if (stopped === undefined || stopped.exitCode !== null) return;
      const ended = once(stopped, 'exit');
      process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT');
      stopped.stdin?.end();
      await ended;
    },
    async delete() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
