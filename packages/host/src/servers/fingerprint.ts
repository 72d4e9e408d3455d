import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommandLaunch, WrittenLaunch } from '../config/server-config.ts';

/** What an approval to start a server is for, part by part: if one changes, it is asked again. Values of variables only as digests. */
export interface Fingerprint {
  readonly parts: Readonly<Record<string, string>>;
  readonly digest: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Larger files are known by size and time of change. */
const MOST_BYTES = 20 * 1024 * 1024;

const digestOfFile = async (path: string): Promise<string | undefined> => {
  try {
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    if (found.size > MOST_BYTES) return `${found.size} bytes of ${found.mtime.toISOString()}`;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
};

/** The file a command stands for, as a shell would find it. */
const programOf = async (command: string, cwd: string): Promise<string | undefined> => {
  if (command.includes('/') || command.includes(sep)) return resolve(cwd, command);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, command);
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
};

/**
 * The fingerprint of what a configuration starts: command, program, arguments, folder, variables, and the content of every file that
 * is named as an argument, such as the script an interpreter is to run. `places`: the same with its places filled in, to find those files.
 */
export const fingerprintOf = async (launch: WrittenLaunch, places: WrittenLaunch = launch): Promise<Fingerprint> => {
  const parts: Record<string, string> = {};
  if (launch.kind === 'stdio') {
    parts['command'] = launch.command;
    parts['arguments'] = JSON.stringify(launch.args);
    for (const [name, value] of Object.entries(launch.env).sort()) parts[`variable ${name}`] = sha256(value);
  } else {
    parts['address'] = launch.url;
    for (const [name, value] of Object.entries(launch.headers).sort()) parts[`header ${name}`] = sha256(value);
    if (launch.oauth !== undefined) parts['login'] = sha256(JSON.stringify(launch.oauth));
  }
  if (places.kind === 'stdio') Object.assign(parts, await filesOf(places));
  return { parts, digest: sha256(JSON.stringify(Object.entries(parts).sort())) };
};

const filesOf = async ({
  command,
  args,
  cwd = process.cwd(),
  envFile,
}: CommandLaunch): Promise<Record<string, string>> => {
  const parts: Record<string, string> = { folder: cwd };
  const program = await programOf(command, cwd);
  if (program !== undefined) parts['program'] = `${program} ${(await digestOfFile(program)) ?? ''}`.trim();
  for (const file of [...args, ...(envFile === undefined ? [] : [envFile])]) {
    const digest = await digestOfFile(resolve(cwd, file));
    if (digest !== undefined) parts[`file ${file}`] = digest;
  }
  return parts;
};

/** What is different, in words. */
export const changesBetween = (before: Fingerprint['parts'], after: Fingerprint['parts']): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    if (before[name] === after[name]) return [];
    if (before[name] === undefined) return [`${name} is new`];
    return [after[name] === undefined ? `${name} is gone` : `${name} changed`];
  });
