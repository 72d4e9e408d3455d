// Common mistakes in the way a server is given, and what was probably meant.
import { accessSync, constants, existsSync } from 'node:fs';
import { type Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import type { CommandLine } from './command-line.ts';

/** A host and a port, or a name of this machine, without the scheme of a URL. */
const ADDRESS =
  /^(?:(?:localhost|127(?:\.\d{1,3}){3}|\[[\da-f:]+\])(?::\d{1,5})?|[\w-]+(?:\.[\w-]+)*:\d{1,5})(?:\/\S*)?$/i;
/** A domain and a path. */
const SITE = /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\/\S*$/i;

/** Programs that start servers. */
const PROGRAMS: ReadonlySet<string> = new Set(
  'bun bunx cargo deno docker dotnet go java node npm npx php pnpm pnpx podman python python3 ruby sh bash tsx ts-node uv uvx yarn tenon'.split(
    ' ',
  ),
);

/** The failure for a word that looks like the URL of a server without its scheme; undefined for any other word. */
export function withoutScheme(word: string): Failure | undefined {
  const isAddress = ADDRESS.test(word) || (SITE.test(word) && !/\.[cm]?[jt]sx?$|\.py$/i.test(word));
  if (!isAddress || existsSync(word)) return undefined;
  const scheme = ADDRESS.test(word) ? 'http' : 'https';
  return usage(`${oneLine(word, 200)} is not a URL`, `Write ${scheme}://${oneLine(word, 200)}`);
}

/** The failure for a URL that is not that of a server; undefined for any other word. */
export function wrongScheme(word: string): Failure | undefined {
  if (!/^[a-z][\w+.-]*:\/\//i.test(word) || /^https?:/i.test(word)) return undefined;
  return usage(
    `${oneLine(word, 200)} is not the URL of a server`,
    'The URL of a server begins with http:// or https://.',
  );
}

/** A file of a script, which is not a program by itself. */
const SCRIPT = /\.(?:[cm]?[jt]s|py)$/i;

function isProgram(word: string): boolean {
  return PROGRAMS.has(word) || /^\.{0,2}\/\S/.test(word) || (/^[\w@./-]+$/.test(word) && SCRIPT.test(word));
}

/** The command that runs a script as a server. A module that only exports a server needs `tenon run`. */
function commandFor(script: string, args: readonly string[]): string {
  const words = [script, ...args].map(quoted).join(' ');
  if (/\.py$/i.test(script)) return `-- python ${words}`;
  const alone = args.length === 0 ? `, or -- tenon run ${words} if it exports the server` : '';
  return `-- node ${words}${alone}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // Windows has no such permission.
    return process.platform !== 'win32';
  } catch {
    return false;
  }
}

/** The failure for a script in the place of a program; undefined for any other command. */
export function scriptAsProgram(command: string, args: readonly string[]): Failure | undefined {
  if (!SCRIPT.test(command) || !existsSync(command) || isExecutable(command)) return undefined;
  return usage(`${oneLine(command, 200)} is not a program`, `Write ${oneLine(commandFor(command, args), 300)}`);
}

/** Whether a word is a whole command, as when it was put in quotes. */
function isWholeCommand(word: string): boolean {
  const [first = '', second] = word.trim().split(/\s+/);
  // A path may have spaces, too.
  const begins = PROGRAMS.has(first) || (isProgram(first) && existsSync(first));
  return second !== undefined && begins && !existsSync(word);
}

/** The failure for a command whose words were quoted together; undefined for any other. */
export function quotedCommand(command: string, args: readonly string[]): Failure | undefined {
  if (args.length > 0 || !isWholeCommand(command)) return undefined;
  return usage(
    `There is no program '${oneLine(command, 200)}'`,
    `Without quotes around all of it: -- ${oneLine(command.trim(), 300)}`,
  );
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word);
}

/** The command line with `--` before the command that starts the server; undefined if no word looks like a command. */
export function forgottenDashes(words: readonly string[], from: number): Failure | undefined {
  const at = words.findIndex((word, index) => index >= from && (isProgram(word) || isWholeCommand(word)));
  if (at === -1) return undefined;
  const command = words.slice(at).map((word) => (isWholeCommand(word) ? word.trim() : quoted(word)));
  const before = words.slice(0, at).map(quoted).join(' ');
  const [first = '', ...args] = words.slice(at);
  const isScript = SCRIPT.test(first) && !isWholeCommand(first) && !isExecutable(first);
  const meant = `${before} ${isScript ? commandFor(first, args) : `-- ${command.join(' ')}`}`;
  return usage('No server is given', `The command that starts it goes after --: tenon ${oneLine(meant, 300)}`);
}

/** The failure for a command line without a server, with what was probably meant. `from`: the first word that can belong to a server. */
export function missingServer({ words }: CommandLine, from: number): Failure | undefined {
  const last = words.at(-1);
  return (last === undefined || words.length <= from ? undefined : withoutScheme(last)) ?? forgottenDashes(words, from);
}
