import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { envFilePath, readEnvFile } from '../config/env-file.ts';
import type { CommandLaunch, WrittenLaunch } from '../config/server-config.ts';
import { sha256 } from '../values/sha256.ts';

/**
 * The parts that the approval of a start is bound to. If a part changes, the person is asked again. Values that may be secret are digests.
 */
export interface Fingerprint {
  readonly parts: Readonly<Record<string, string>>;
  readonly digest: string;
}

/** Files that are larger are identified by size and modification time. */
const MAX_HASHED_BYTES = 20 * 1024 * 1024;

async function digestOfFile(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await digestOfPackage(path);
    if (!found.isFile()) return undefined;
    if (found.size > MAX_HASHED_BYTES) return `${found.size} bytes of ${found.mtime.toISOString()}`;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

/** The digest of a folder that an interpreter would run as a program. Undefined for any other folder. */
async function digestOfPackage(folder: string): Promise<string | undefined> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  const named = manifest === undefined ? undefined : (JSON.parse(manifest) as { main?: unknown }).main;
  const main = typeof named === 'string' ? named : 'index.js';
  const candidates = [main, `${main}.js`, join(main, 'index.js'), '__main__.py'].map((name) => resolve(folder, name));
  const digests = await Promise.all(
    candidates.map(async (path) => ((await isFile(path)) ? ((await digestOfFile(path)) ?? '') : '')),
  );
  return digests.some((digest) => digest !== '') ? sha256(JSON.stringify([manifest, digests])) : undefined;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The file that a command runs, found on the PATH that the server is started with. */
async function programOf(command: string, cwd: string, path: string): Promise<string | undefined> {
  if (command.includes('/') || command.includes(sep)) return resolve(cwd, command);
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, command);
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}

/** Arguments that may be file names: as a whole, or after `=`. */
function filesNamed(args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const value = /^-{1,2}[\w-]+=(.+)$/s.exec(arg)?.[1];
    return value === undefined ? [arg] : [arg, value];
  });
}

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.py'];

/**
 * The fingerprint of a launch: command, program, arguments, folder, variables, and the content of every file that an argument names, such
 * as the script of an interpreter. `expanded` is the launch with the variables of this machine filled in. A relative `envFile` is resolved
 * against `folder`.
 */
export async function fingerprintOf(
  launch: WrittenLaunch,
  expanded: WrittenLaunch = launch,
  folder: string = process.cwd(),
): Promise<Fingerprint> {
  const parts: Record<string, string> = {};
  if (launch.kind === 'stdio') {
    parts['command'] = launch.command;
    for (const [name, value] of Object.entries(launch.env).sort()) parts[`variable ${name}`] = sha256(value);
  } else {
    for (const [name, value] of Object.entries(launch.headers).sort()) parts[`header ${name}`] = sha256(value);
    if (launch.oauth !== undefined) parts['login'] = sha256(JSON.stringify(launch.oauth));
  }
  if (expanded.kind === 'stdio') Object.assign(parts, await filesOf(expanded, folder));
  else parts['address'] = sha256(expanded.url);
  return { parts, digest: sha256(JSON.stringify(Object.entries(parts).sort())) };
}

async function filesOf(launch: CommandLaunch, folder: string): Promise<Record<string, string>> {
  const { command, args, env, cwd = process.cwd(), envFile } = launch;
  const parts: Record<string, string> = { arguments: sha256(JSON.stringify(args)), folder: cwd };
  const given = envFile === undefined ? {} : await readEnvFile(envFilePath(launch, folder)).catch(() => ({}));
  const { PATH = process.env['PATH'] ?? '' }: Readonly<Record<string, string>> = { ...given, ...env };
  const program = await programOf(command, cwd, PATH);
  if (program !== undefined) parts['program'] = `${program} ${(await digestOfFile(program)) ?? ''}`.trim();
  if (envFile !== undefined) {
    const digest = await digestOfFile(envFilePath(launch, folder));
    if (digest !== undefined) parts[`file of variables ${envFile}`] = digest;
  }
  for (const file of filesNamed(args)) {
    for (const ending of ENDINGS) {
      const digest = await digestOfFile(resolve(cwd, `${file}${ending}`));
      if (digest === undefined) continue;
      parts[`file ${file}${ending}`] = digest;
      break;
    }
  }
  return parts;
}

/** The differences, in words. */
export function changesBetween(before: Fingerprint['parts'], after: Fingerprint['parts']): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    if (before[name] === after[name]) return [];
    if (before[name] === undefined) return [`${name} is new`];
    return [after[name] === undefined ? `${name} is gone` : `${name} changed`];
  });
}
