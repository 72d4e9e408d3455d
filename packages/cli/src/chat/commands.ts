import type { Host } from '@tenon/host';
import { schemaSummary } from './tool-line.ts';
import { textIn } from './message-text.ts';
import { cut, paint } from './paint.ts';
import { textsIn } from './prompt-words.ts';
import type { ServerOff } from './chat-servers.ts';
import type { CommandRow } from './suggest.ts';
import { counted } from '@tenon/values/counted';
import { foldersIn, isFolder } from '../command-line/roots.ts';
import type { Message, Roots } from './types.ts';

/** The arguments of a command. */
export interface CommandContext {
  readonly host: Host;
  readonly state: string;
  readonly session: string;
  readonly modelName: string;
  readonly roots: Roots;
  readonly off: readonly ServerOff[];
  show(lines: readonly string[]): void;
}

export interface Command extends CommandRow {
  readonly run: (context: CommandContext, rest: string) => Promise<void> | void;
}

/** Commands that the main loop carries out itself. */
export const OWN: readonly CommandRow[] = [
  { name: 'new', meaning: 'start a new conversation' },
  { name: 'resume', meaning: 'continue an earlier conversation' },
  { name: 'quit', meaning: 'stop the servers and quit' },
];

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['ready', paint('green', '✓')],
  ['failed', paint('red', '✗')],
  ['refused', paint('red', '✗')],
]);

function offLine({ alias, path }: ServerOff): string {
  return `  ${paint('dim', `– ${cut(alias, 100)}  turned off, by ${cut(path, 200)}`)}`;
}

/** One line for each server, and below it the reason if it is not available; then those that are turned off. */
export function serverLines(host: Host, off: readonly ServerOff[] = []): string[] {
  const lines = host.servers().flatMap(({ alias, state, problem, revision, startMs, serverInfo }) => {
    const count = host.tools().filter(({ server }) => server === alias).length;
    const facts = [
      state,
      revision,
      serverInfo === undefined ? undefined : `${serverInfo.name} ${serverInfo.version}`,
      state === 'ready' ? counted(count, 'tool') : undefined,
      startMs === undefined ? undefined : `${Math.round(startMs)} ms`,
    ];
    const line = facts
      .filter((fact) => fact !== undefined)
      .map((fact) => cut(fact, 100))
      .join(' · ');
    return [
      `  ${SIGNS.get(state) ?? paint('yellow', '…')} ${paint('bold', cut(alias, 100))}  ${paint('dim', line)}`,
      ...(problem === undefined ? [] : [`    ${cut(problem, 1_000)}`]),
      ...(state === 'refused' || state === 'failed'
        ? [paint('dim', `    /restart ${cut(alias, 100)} starts it again`)]
        : []),
    ];
  });
  return [...lines, ...off.map(offLine)];
}

function none(what: string): string[] {
  return [paint('dim', `  There are no ${what}.`)];
}

function listed(
  rows: readonly (readonly [name: string, about: string | undefined])[],
  wanted: string,
  what: string,
): string[] {
  const found = rows.filter((row) => row.join(' ').toLowerCase().includes(wanted.toLowerCase()));
  if (found.length === 0) return none(what);
  return found.map(
    ([name, about]) => `  ${paint('bold', cut(name, 200))}${about ? `  ${paint('dim', cut(about, 300))}` : ''}`,
  );
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString('en', { hour12: false });
}

function decisionLines(host: Host, rest: string): string[] {
  const records = host.decisions().slice(-(Number(rest) || 10));
  if (records.length === 0) return [paint('dim', '  There are no decisions yet.')];
  return records.map(({ at, act, server, target, allow, why }) => {
    const head = `  ${paint('dim', timeOf(at))} ${paint(allow ? 'green' : 'red', allow ? 'yes' : 'no ')} ${act} ${cut(server, 100)}`;
    return `${head}${target === server ? '' : ` ${cut(target, 200)}`}: ${cut(why, 500)}`;
  });
}

/** The first user message of a conversation, shortened. */
export function titleOf(messages: readonly Message[]): string {
  const first = messages.find(({ role }) => role === 'user');
  return first === undefined ? '' : cut(textIn(first), 60);
}

function rootLine(root: string): string {
  return `  ${cut(root, 1_000)}${isFolder(root) ? '' : paint('yellow', '  there is no such folder')}`;
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'help',
    meaning: 'list the commands',
    run({ show }) {
      const rows = [...COMMANDS, ...OWN].map(
        ({ name, takes, meaning }) =>
          `  ${paint('bold', `/${name}${takes === undefined ? '' : ` ${takes}`}`.padEnd(20))} ${meaning}`,
      );
      show([
        ...rows,
        '',
        '  /prompt name=value  uses a prompt of a server; Tab completes',
        '  @server:uri         attaches a resource; Tab completes',
        '  Ctrl-J              inserts a line break',
        '  Ctrl-C              stops the current run; at the prompt, or twice, it quits',
      ]);
    },
  },
  {
    name: 'servers',
    meaning: 'the servers, and why one is not available',
    run({ host, off, show }) {
      const lines = serverLines(host, off);
      show(lines.length === 0 ? none('servers') : lines);
    },
  },
  {
    name: 'tools',
    takes: '[text]',
    meaning: 'the tools of all servers',
    run: ({ host, show }, rest) =>
      show(
        listed(
          host
            .tools()
            .map(({ name, entry }) => [`${name}${schemaSummary(entry.inputSchema)}`, entry.description ?? entry.title]),
          rest,
          'tools',
        ),
      ),
  },
  {
    name: 'prompts',
    takes: '[text]',
    meaning: 'the prompts of all servers',
    run: ({ host, show }, rest) =>
      show(
        listed(
          host.prompts().map(({ name, entry }) => [`/${name}`, entry.description ?? entry.title]),
          rest,
          'prompts',
        ),
      ),
  },
  {
    name: 'resources',
    takes: '[text]',
    meaning: 'the resources of all servers',
    run({ host, show }, rest) {
      const fixed = host
        .resources()
        .map(({ server, entry }) => [`@${server}:${entry.uri}`, entry.description ?? entry.name] as const);
      const open = host
        .templates()
        .map(({ server, entry }) => [`@${server}:${entry.uriTemplate}`, entry.description ?? entry.name] as const);
      show(listed([...fixed, ...open], rest, 'resources'));
    },
  },
  {
    name: 'why',
    takes: '[count]',
    meaning: 'the latest decisions, and the reason for each',
    run: ({ host, show }, rest) => show(decisionLines(host, rest)),
  },
  {
    name: 'restart',
    takes: '<server>',
    meaning: 'restart a server',
    async run({ host, show }, rest) {
      const alias = host.servers().find((server) => server.alias === rest.trim())?.alias;
      if (alias === undefined)
        return show([
          `  Which server? ${host
            .servers()
            .map((server) => cut(server.alias, 100))
            .join(', ')}`,
        ]);
      await host.restart(alias);
      show(serverLines(host));
    },
  },
  {
    name: 'roots',
    takes: '[folder…]',
    meaning: 'the folders that servers may work in; with folders, replaces them, with none, removes them',
    async run({ roots, show }, rest) {
      const given = textsIn(rest);
      if (given.length > 0) await roots.set(given.join() === 'none' ? [] : foldersIn(given));
      const now = roots.list();
      show(now.length === 0 ? none('roots') : now.map(rootLine));
    },
  },
  {
    name: 'status',
    meaning: 'the model, the conversation and where it is saved',
    run: ({ show, modelName, session, state }) =>
      show([
        `  model         ${cut(modelName, 200)}`,
        `  conversation  ${session}`,
        `  saved in      ${cut(state, 1_000)}`,
      ]),
  },
];
