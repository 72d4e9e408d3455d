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

/** What a server says of itself, without secrets: it may have read them in its environment. */
export type Said = Pick<ServerView, 'server' | 'instructions' | 'capabilities'>;

export function saidBy({ server, instructions, capabilities }: Client, redactor: Redactor): Said {
  return JSON.parse(redactor.clean(JSON.stringify({ server, instructions, capabilities })).text) as Said;
}

/** What is started, or where it is. What is secret in it is hidden from now on. */
export function shownTarget({ launch }: Target, redactor: Redactor): string {
  if (!('url' in launch)) return shownCommand(launch.command, launch.args, redactor);
  const { origin, pathname } = new URL(launch.url);
  return redactor.clean(`${origin}${pathname}`).text;
}

function isSecret(name: string, value: string, redactor: Redactor): boolean {
  return isSecretName(name) || secretsOf({ env: { [name]: value } }).length > 0 || redactor.clean(value).redacted;
}

/** Parameters of addresses that are secret, and nothing where they stand elsewhere. */
const SIGNED = /^(?:sig|signature|code|sid|session|session_?id|hash|k)$/i;

/** All values of a query are hidden where they appear by chance. Here those are wanted that only say what is asked for. */
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

/** What a page may change of a process. Where a secret spans several arguments, none of them is shown. */
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

/** How a server is started or reached, in parts, without what is secret in it. */
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

/** Has a session begun as clients of 2024-11-05 begin: with a stream whose first event says where to post? */
export function isPair(store: Pick<TraceStore, 'index' | 'read'>, session: string): boolean {
  return store.index.all.some(
    ({ n, kind, from, session: own }) =>
      own === session && kind === 'http' && from === 'server' && store.read(n, n)[0]?.http?.event?.name === 'endpoint',
  );
}
