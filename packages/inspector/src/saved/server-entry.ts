import { resolve } from 'node:path';
import process from 'node:process';
import type { LaunchView } from '../api/views.ts';
import { createRedactor } from '../record/redact.ts';
import { GONE } from '../record/secret-patterns.ts';
import { secretsOf } from '../record/secrets.ts';
import { hideEnvironment } from '../record/shown-command.ts';
import type { Target } from '../session/contract.ts';
import { shownLaunch } from '../session/shown.ts';

/** What of a server stands in a file of tests. */
interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocol?: string;
}

/** A variable of whoever runs the tests: its value is not written down. */
function variable(name: string): string {
  const words = name.replaceAll(/[^A-Za-z\d]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return `\${${/^[A-Za-z]/.test(words) ? words.toUpperCase() : 'SECRET'}}`;
}

/** The name before a value. The user name before the password in a URL is not one. */
const ASSIGNING = /(?<![\w./])([A-Za-z][\w.-]*)["']?[=:]\s*["']?(?:(?:bearer|basic|token)\s+)?$/i;
const OPTION = /^--?[A-Za-z][\w-]*$/;

/** A text as readers of the file take it: what looks like a variable is none, what was secret is one that tells what for. */
function written(text: string, before = ''): string {
  const plain = text.replaceAll('${', '${DOLLAR:-$}{');
  return plain.replaceAll(GONE, (_, at: number) => {
    const [, name] = ASSIGNING.exec(plain.slice(0, at)) ?? [];
    return variable(name ?? (at === 0 && OPTION.test(before) ? before : ''));
  });
}

/** The variable of the same name. Some names need to be told from what else may stand in braces. */
function own(name: string): string {
  return `\${${/^[A-Za-z_]\w*$/.test(name) ? '' : 'env:'}${name}}`;
}

function envEntry(env: LaunchView['env']): Record<string, string> {
  return Object.fromEntries(
    env.map((text) => {
      const at = text.indexOf('=');
      return at === -1 ? [text, own(text)] : [text.slice(0, at), written(text.slice(at + 1))];
    }),
  );
}

function entryOf({ launch, revision }: Target): Entry {
  const redactor = createRedactor();
  for (const secret of secretsOf(launch)) redactor.hide(secret);
  // A configuration may have put them into arguments.
  hideEnvironment(process.env, redactor);
  const { words, env, cwd, headers } = shownLaunch({ id: '', name: '', launch }, redactor);
  const [first = '', ...args] = words;
  if ('url' in launch) {
    const values = Object.fromEntries(headers.map((name) => [name, variable(name)]));
    return { url: written(first), headers: headers.length === 0 ? undefined : values, protocol: revision };
  }
  return {
    command: written(first),
    args: args.map((word, index) => written(word, words[index])),
    env: env.length === 0 ? undefined : envEntry(env),
    cwd: cwd === undefined ? undefined : written(cwd),
    protocol: revision,
  };
}

/**
 * A server as a file of tests names it, as JSON: nothing secret is in it, but the variables that it is to come from.
 *
 * @example
 * ```ts
 * import { serverEntry } from '@tenon/inspector';
 *
 * serverEntry({ id: 'weather', name: 'weather', launch: { url: 'https://weather.example/mcp' } });
 * // '{ "url": "https://weather.example/mcp" }'
 * ```
 */
export function serverEntry(target: Target): string {
  return spaced(entryOf(target));
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(', ')} }`;
}

/** A text that somebody wrote stands for another one if that has something in the place of each of its variables. */
function standsFor(one: string, other: string): boolean {
  if (one === other || !one.includes('${')) return one === other;
  const pieces = one.split(/\$\{[^}]*\}/).map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[^]*')}$`).test(other);
}

function standForAll(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => standsFor(one, others[index]!));
}

/** A file that a person wrote may contain anything. */
function flat({ command, args, url, env }: Entry): readonly string[] {
  return [
    ...(url === undefined
      ? ['command', String(command), ...(Array.isArray(args) ? args.map(String) : [])]
      : ['url', String(url)]),
    ...Object.entries(env ?? {})
      .map(([name, value]): [string, string] => [name, String(value)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat(),
  ];
}

function folderOf({ cwd }: Entry): string {
  return resolve(typeof cwd === 'string' ? cwd : '.');
}

/** Are two entries of the same server? How it is spoken to does not matter, nor who says to be asking. */
export function isSameServer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (JSON.parse(text) ?? {}) as Entry) as [Entry, Entry];
  return standForAll(flat(a), flat(b)) && standsFor(folderOf(a), folderOf(b));
}
