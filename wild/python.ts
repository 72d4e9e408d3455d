// Programs of others in Python. Each file `python/<name>.txt` pins the packages of one environment, which is made before the first run.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const FOLDER = join(import.meta.dirname, 'python');
/** What the official package needs. */
const LEAST = '3.10';

function folderOf(environment: string): string {
  return join(FOLDER, '.venv', environment);
}

function pinsOf(environment: string): string {
  return readFileSync(join(FOLDER, `${environment}.txt`), 'utf8');
}

/** The version of a package in an environment. */
export function pythonVersion(environment: string, name: string): string {
  const line = pinsOf(environment)
    .split('\n')
    .find((each) => each.startsWith(`${name}==`));
  if (line === undefined) throw new Error(`python/${environment}.txt does not pin ${name}`);
  return line.slice(name.length + 2);
}

/** A program in an environment: `python`, or one of its packages. */
export function pythonProgram(environment: string, name: string): string {
  return process.platform === 'win32'
    ? join(folderOf(environment), 'Scripts', `${name}.exe`)
    : join(folderOf(environment), 'bin', name);
}

function run(command: string, ...args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(
    `${error?.message ?? `${command} ended with ${status}`}. These programs need Python ${LEAST} or newer with venv and pip. In Debian: apt install python3-venv`,
  );
  process.exit(1);
}

function install(environment: string): void {
  const folder = folderOf(environment);
  const stamp = join(folder, 'installed.txt');
  const pins = pinsOf(environment);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pins) return;
  console.log(`Installing the programs in Python (wild/python/${environment}.txt)`);
  rmSync(folder, { recursive: true, force: true });
  run(process.platform === 'win32' ? 'python' : 'python3', '-m', 'venv', folder);
  const options = ['--no-deps', '--no-input', '--disable-pip-version-check', '--quiet'];
  run(
    pythonProgram(environment, 'python'),
    '-m',
    'pip',
    'install',
    ...options,
    '-r',
    join(FOLDER, `${environment}.txt`),
  );
  writeFileSync(stamp, pins);
}

/** Makes the environments that are missing, or whose pins have changed. Ends the process if that fails. */
export function installEnvironments(): void {
  for (const file of readdirSync(FOLDER)) if (file.endsWith('.txt')) install(file.replace(/\.txt$/, ''));
}
