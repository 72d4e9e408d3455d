import { resolve } from 'node:path';
import process from 'node:process';
import type { LaunchView } from '../api/views.ts';
import { createRedactor } from '../record/redact.ts';
import { GONE } from '../record/secret-patterns.ts';
import { secretsOf } from '../record/secrets.ts';
import { hideEnvironment } from '../record/shown-command.ts';
import type { Target, TargetLogin } from '../session/contract.ts';
import { shownLaunch } from '../session/shown.ts';

/** The entry of a server in a test file. */
interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: Readonly<Record<string, unknown>>;
  readonly protocol?: string;
}

/** An environment variable of the test run: its value is not saved. */
function variable(name: string): string {
  const words = name.replaceAll(/[^A-Za-z\d]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return `\${${/^[A-Za-z]/.test(words) ? words.toUpperCase() : 'SECRET'}}`;
}

/** The name before a value. The user name before a password in a URL does not count. */
const ASSIGNING = /(?<![\w./])([A-Za-z][\w.-]*)["']?[=:]\s*["']?(?:(?:bearer|basic|token)\s+)?$/i;
const OPTION = /^--?[A-Za-z][\w-]*$/;

/** Text for the file: escapes text that looks like a variable, and replaces secrets by variables with telling names. */
function written(text: string, before = ''): string {
  const plain = text.replaceAll('${', '${DOLLAR:-$}{');
  return plain.replaceAll(GONE, (_, at: number) => {
    const [, name] = ASSIGNING.exec(plain.slice(0, at)) ?? [];
    return variable(name ?? (at === 0 && OPTION.test(before) ? before : ''));
  });
}

/** The variable of the same name. Some names need a prefix to be distinguished from other uses of braces. */
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

function loginEntry({ client, scopes, callbackPort }: TargetLogin): Entry['oauth'] {
  const textOf = (text: string | undefined): string | undefined => (text === undefined ? undefined : written(text));
  return {
    clientId: textOf(client?.id),
    clientSecret: client?.secret === undefined ? undefined : variable('CLIENT_SECRET'),
    issuer: textOf(client?.issuer),
    scopes: scopes?.map((scope) => written(scope)),
    callbackPort,
  };
}

function entryOf({ launch, revision }: Target): Entry {
  const redactor = createRedactor();
  for (const secret of secretsOf(launch)) redactor.hide(secret);
  // A configuration may have copied secrets into arguments.
  hideEnvironment(process.env, redactor);
  const { words, env, cwd, headers } = shownLaunch({ id: '', name: '', launch }, redactor);
  const [first = '', ...args] = words;
  if ('url' in launch) {
    const values = Object.fromEntries(headers.map((name) => [name, variable(name)]));
    return {
      url: written(first),
      headers: headers.length === 0 ? undefined : values,
      oauth: launch.login === undefined ? undefined : loginEntry(launch.login),
      protocol: revision,
    };
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
 * The entry of a server for a test file, as JSON. It contains no secrets, only variables in their place.
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

/** Returns whether a text with variables matches another text. */
function standsFor(one: string, other: string): boolean {
  if (one === other || !one.includes('${')) return one === other;
  const pieces = one.split(/\$\{[^}]*\}/).map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[^]*')}$`).test(other);
}

function standForAll(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => standsFor(one, others[index]!));
}

/** A file written by a person may contain anything. */
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

/** Returns whether two entries are of the same server. Revision and headers do not matter. */
export function isSameServer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (JSON.parse(text) ?? {}) as Entry) as [Entry, Entry];
  return standForAll(flat(a), flat(b)) && standsFor(folderOf(a), folderOf(b));
}
