import { statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { createTraceWriter, type TraceWriter, type TraceWriterOptions } from '../trace/node/trace-writer.ts';

const MAX_FILES = 10_000;
const TRACE_ENDING = '.mcptrace';

/** Programs that run others: the server is named after the other program. */
const RUNNERS: ReadonlySet<string> = new Set([
  'node',
  'npx',
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'bunx',
  'deno',
  'tsx',
  'python',
  'python3',
  'py',
  'uv',
  'uvx',
  'pipx',
  'docker',
  'podman',
  'sh',
  'bash',
  'cmd',
  'env',
  'tenon',
]);
const ACTIONS: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'tool']);
/** File names that say nothing about the server; their folder does. */
const NOTHING: ReadonlySet<string> = new Set([
  'index',
  'main',
  'cli',
  'server',
  'dist',
  'build',
  'src',
  'lib',
  'bin',
  'out',
]);
const CODE = /\.(?:[cm]?[jt]s|py|exe|cmd)$/i;
const MAX_NAME_LENGTH = 60;

/** Makes a name safe for a file name. */
function plain(name: string): string {
  return name
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, MAX_NAME_LENGTH);
}

/**
 * The name of a server, from the command that starts it: `npx -y @scope/server-x@1.2` → `server-x`.
 *
 * @example
 * ```ts
 * import { nameOfCommand } from '@tenon/inspector/trace';
 *
 * nameOfCommand('npx', ['-y', '@scope/server-x@1.2']); // 'server-x'
 * ```
 */
export function nameOfCommand(command: string, args: readonly string[]): string {
  const words = [command, ...args].filter((word) => !word.startsWith('-') && !word.includes('='));
  const word = words.find((each) => {
    const name = basename(each, extname(each)).toLowerCase();
    return !RUNNERS.has(name) && !ACTIONS.has(name);
  });
  // `@scope/name@1.2`: the version is not part of the name.
  const parts = (word ?? command).split(/[\\/]/).map((part) => plain(part.replace(/(.)@.*$/, '$1').replace(CODE, '')));
  const telling = parts.filter((part) => part !== '' && !NOTHING.has(part)).at(-1);
  return telling ?? parts.findLast((part) => part !== '') ?? 'server';
}

/** `2026-11-21T15-04-05-server-x.mcptrace` */
function nameByTime(name: string, now = new Date()): string {
  return `${now.toISOString().slice(0, 19).replaceAll(':', '-')}-${plain(name) || 'server'}${TRACE_ENDING}`;
}

/**
 * Creates a trace in a new file: the given one, or one named by the time in the current folder. If the file exists, a number is
 * added, because a host starts a server repeatedly with the same command, and a trace is never overwritten. `by`: name and
 * version of the program. Throws if the file cannot be written.
 *
 * @example
 * ```ts
 * import { createNewTrace, nameOfCommand } from '@tenon/inspector/trace';
 *
 * const writer = createNewTrace(undefined, nameOfCommand('npx', ['-y', 'weather']), 'my tool 1.0');
 * console.error(writer.file);
 * ```
 */
export function createNewTrace(
  given: string | undefined,
  name: string,
  by: string,
  options: TraceWriterOptions = {},
): TraceWriter {
  const wanted = resolve(given ?? nameByTime(name));
  const ending = extname(wanted);
  const stem = wanted.slice(0, wanted.length - ending.length);
  for (let next = 1; ; next++) {
    const file = next === 1 ? wanted : `${stem}-${next}${ending}`;
    try {
      return createTraceWriter(file, by, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || next >= MAX_FILES) throw error;
      if (statSync(file).isDirectory())
        throw Object.assign(new Error(`${file} is a folder`), { code: 'EISDIR', path: file });
    }
  }
}
