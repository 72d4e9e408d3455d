import { win32 } from 'node:path';
import process from 'node:process';

/** Arguments for `child_process.spawn`. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are already quoted. */
  readonly verbatim: boolean;
}

/** Characters with a meaning in cmd.exe. */
const META = /[()\][%!^"`<>&|;, *?]/g;

/** Quotes one argument by the rules of the C runtime, then escapes it for cmd.exe; twice, because the script expands it again. */
function quoted(arg: string): string {
  const inner = arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1');
  return `"${inner}"`.replace(META, '^$&').replace(META, '^$&');
}

/**
 * Windows starts programs, not scripts: `npx` is `npx.cmd`, which only cmd.exe can run. Resolves a name (`PATH`, then `PATHEXT`) and wraps
 * `.cmd` and `.bat`. Follows the documented quoting rules; our tests do not run on Windows.
 */
export function windowsProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  options: { cwd?: string | undefined; exists?: (path: string) => boolean } = {},
): Program {
  const { cwd = '.', exists = process.getBuiltinModule('node:fs').existsSync } = options;
  const value = (name: string): string | undefined =>
    Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
  const folders = /[\\/]/.test(command) ? [cwd] : (value('PATH') ?? '').split(';').filter(Boolean);
  const endings = (value('PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const names = win32.extname(command) === '' ? endings.map((ending) => command + ending) : [command];
  const file = folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name))).find(exists) ?? command;
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const line = [file.replace(META, '^$&'), ...args.map(quoted)].join(' ');
  const shell = value('COMSPEC') ?? win32.join(value('SYSTEMROOT') ?? 'C:\\Windows', 'System32', 'cmd.exe');
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}
