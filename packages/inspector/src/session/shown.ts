import process from 'node:process';
import type { Client } from 'tenon/client';
import type { LaunchParts, LaunchView, ServerView } from '../api/views.ts';
import { createRedactor, type Redactor } from '../record/redact.ts';
import { isSecretName } from '../record/secret-names.ts';
import { GONE } from '../record/secret-patterns.ts';
import { secretsOf } from '../record/secrets.ts';
import { shownCommand, shownWords } from '../record/shown-command.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import type { Target } from './contract.ts';

/** The server's description of itself, without secrets, which it may have read from its environment. */
export type ServerDescription = Pick<ServerView, 'server' | 'instructions' | 'capabilities'>;

export function describe({ server, instructions, capabilities }: Client, redactor: Redactor): ServerDescription {
  return JSON.parse(redactor.clean(JSON.stringify({ server, instructions, capabilities })).text) as ServerDescription;
}

/** The command or the URL. From now on, its secrets are hidden everywhere. */
export function shownTarget({ launch }: Target, redactor: Redactor): string {
  if (!('url' in launch)) return shownCommand(launch.command, launch.args, redactor);
  const { origin, pathname } = new URL(launch.url);
  return redactor.clean(`${origin}${pathname}`).text;
}

function isSecret(name: string, value: string, redactor: Redactor): boolean {
  return isSecretName(name) || secretsOf({ env: { [name]: value } }).length > 0 || redactor.clean(value).redacted;
}

/** Parameter names that are secret in URLs, but not elsewhere. */
const SIGNED = /^(?:sig|signature|code|sid|session|session_?id|hash|k)$/i;

/** The redactor hides all query values anywhere in a text. Here, values that only describe the request stay visible. */
function shownQuery(search: string): string {
  const redactor = createRedactor();
  const parts = search.slice(1).split('&');
  const shown = parts.map((part) => {
    const [name = '', ...rest] = part.split('=');
    const [[decoded, value] = ['', '']] = new URLSearchParams(part);
    if (rest.length === 0) return isSecret('', part, redactor) ? GONE : part;
    return SIGNED.test(decoded) || isSecret(decoded, value, redactor) ? `${name}=${GONE}` : part;
  });
  return search === '' ? '' : `?${shown.join('&')}`;
}

type Command = Extract<Target['launch'], { command: string }>;

/** The parts of a process that a page may change. If a secret spans several arguments, none of them is shown. */
function partsOf(
  { command, args, env = {}, inheritEnv = [], cwd }: Command,
  words: readonly string[],
  redactor: Redactor,
): LaunchParts {
  const [program = GONE, ...shown] = words;
  const isAligned = shown.length === args.length;
  const shownProgram = isAligned ? program : GONE;
  const inherited = inheritEnv.filter((name) => env[name] === undefined);
  return {
    command: { text: shownProgram, secret: shownProgram !== command },
    cwd,
    args: args.map((arg, at) => {
      const text = isAligned ? shown[at]! : GONE;
      return { text, secret: text !== arg };
    }),
    env: [
      ...Object.entries(env).map(([name, value]) =>
        isSecret(name, value, redactor) ? { name, kept: 'secret' as const } : { name, value },
      ),
      ...inherited.map((name) => ({ name, kept: 'inherited' as const })),
    ],
  };
}

/** How a server is started or reached, in parts, without secrets. */
export function shownLaunch({ launch }: Target, redactor: Redactor): LaunchView {
  if ('url' in launch) {
    const { origin, pathname, search } = new URL(launch.url);
    const address = `${redactor.clean(`${origin}${pathname}`).text}${shownQuery(search)}`;
    return { words: [address], env: [], headers: Object.keys(launch.headers ?? {}) };
  }
  const { command, args, env = {}, inheritEnv = [], cwd } = launch;
  const given = Object.entries(env).map(([name, value]) =>
    isSecret(name, value, redactor) ? name : `${name}=${value}`,
  );
  const inherited = inheritEnv.filter((name) => env[name] === undefined && process.env[name] !== undefined);
  const words = shownWords(command, args, redactor);
  return {
    words,
    env: [...given, ...inherited],
    cwd,
    headers: [],
    parts: partsOf(launch, words, redactor),
  };
}

/** Returns whether a session began as in 2024-11-05: with a stream whose first event names the URL for POST requests. */
export function isPair(store: Pick<TraceStore, 'index' | 'read'>, session: string): boolean {
  return store.index.all.some(
    ({ n, kind, from, session: own }) =>
      own === session && kind === 'http' && from === 'server' && store.read(n, n)[0]?.http?.event?.name === 'endpoint',
  );
}
