import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import type { CommandLine } from '../command-line/command-line.ts';
import { type Document, isFields } from '../config/document.ts';
import { editDocument, readDocument } from '../config/edit.ts';
import type { ServerEntry } from '../config/entry.ts';
import { type Host, HOSTS } from '../config/hosts.ts';
import { Failure, usage } from '../failure/failure.ts';
import { OWN_SERVERS } from '../own-servers.ts';
import type { VerbContext } from '../session/session.ts';

function hostNamed(name: string | undefined): Host {
  const host = HOSTS.find((known) => known.name === name);
  if (host !== undefined) return host;
  const all = HOSTS.map((known) => known.name).join(', ');
  throw usage(name === undefined ? 'Which host?' : `There is no host ${name}`, `--host is one of ${all}.`);
}

/** The host's configuration file: the one of `--file`, the project's in this folder, or the user's. */
function fileOf(line: CommandLine, host: Host): string {
  const named = line.value('file');
  if (named !== undefined) return resolve(named);
  return host.project === undefined || line.given.has('user') ? host.user() : join(process.cwd(), host.project);
}

/** Runs a function that reads or changes a file, and adds the path to its errors. */
async function using<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'usage',
      'not_a_config',
      `${path} cannot be used, and was not changed: ${(error as Error).message}`,
      {
        blame: 'you',
      },
    );
  }
}

function reading(path: string, host: Host): Promise<Document> {
  return using(path, () => readDocument(path, host));
}

/** The server entry of a host; undefined if it cannot be started as a server. */
function entryOf(host: Host, found: unknown): ServerEntry | undefined {
  return isFields(found) ? host.dialect.read(found) : undefined;
}

/** The entry for output: environment variables and headers by name only, because their values may be secret. */
function shown(entry: ServerEntry | undefined): object {
  if (entry === undefined) return { kind: 'unknown' };
  if (entry.kind === 'stdio') {
    const { command, args, env, cwd } = entry;
    return { kind: 'stdio', command, args, cwd, env: Object.keys(env) };
  }
  return { kind: entry.kind, url: entry.url, headers: Object.keys(entry.headers) };
}

function summary(entry: ServerEntry | undefined): string {
  return entry === undefined
    ? '(something else)'
    : entry.kind === 'stdio'
      ? [entry.command, ...entry.args]
          .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)))
          .join(' ')
      : entry.url;
}

/** The entry of a server of this project: by the full path of this command in a user's file, by its name in a shared file. */
function ownServer(name: string, isShared: boolean): ServerEntry {
  const script = realpathSync(process.argv[1]!);
  return isShared
    ? { kind: 'stdio', command: 'tenon', args: ['run', name], env: {} }
    : { kind: 'stdio', command: process.execPath, args: [script, 'run', name], env: {} };
}

function pairs(line: CommandLine, option: 'env' | 'header', split: RegExp): Record<string, string> {
  return Object.fromEntries(
    line.values(option).map((text): [string, string] => {
      const [, name, value] = split.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw usage(
          `--${option} ${text.split(/[=:]/)[0]}…`,
          option === 'env' ? 'Write --env NAME=value' : 'Write --header "Name: value"',
        );
      return [name, value];
    }),
  );
}

/** The server entry that the command line describes. */
function parseEntry(line: CommandLine, name: string, isShared: boolean): ServerEntry {
  const env = pairs(line, 'env', /^([^=]+)=([\s\S]*)$/);
  const [command, ...args] = line.target ?? [];
  if (command === undefined) {
    if (!OWN_SERVERS.has(name))
      throw usage('Which server?', `tenon config add ${name} --host cursor -- <command…>, or a URL.`);
    return { ...ownServer(name, isShared), env } as ServerEntry;
  }
  if (/^https?:\/\//i.test(command) && args.length === 0)
    return { kind: 'http', url: command, headers: pairs(line, 'header', /^([^:]+):\s*([\s\S]*)$/) };
  const cwd = line.value('cwd');
  return { kind: 'stdio', command, args, env, cwd: cwd === undefined ? undefined : resolve(cwd) };
}

async function add(line: CommandLine, { screen }: VerbContext, name: string): Promise<void> {
  const host = hostNamed(line.value('host'));
  const path = fileOf(line, host);
  const isShared = host.project !== undefined && !line.given.has('user') && !line.given.has('file');
  const entry = parseEntry(line, name, isShared);
  let fields: Record<string, unknown>;
  try {
    fields = host.dialect.write(name, entry);
  } catch (error) {
    throw usage((error as Error).message);
  }
  const plan = (document: Document): { done: string; text?: string } => {
    const servers = document.servers();
    if (!servers.has(name)) return { done: 'added', text: document.set(name, fields) };
    if (JSON.stringify(servers.get(name)) === JSON.stringify(fields)) return { done: 'was there already' };
    if (line.given.has('replace')) return { done: 'replaced', text: document.set(name, fields) };
    throw usage(
      `${host.title} already has a server ${name} in ${path}`,
      'Choose another name, or use --replace.',
      'name_in_use',
    );
  };
  const { done } = await using(path, () => editDocument(path, host, plan));
  screen.result({
    json: () => JSON.stringify({ server: name, host: host.name, file: path, done, entry: shown(entry) }),
    text: () => `${name} ${done} in ${path}\n  ${summary(entry)}`,
  });
}

async function remove(line: CommandLine, { screen }: VerbContext, name: string): Promise<void> {
  const host = hostNamed(line.value('host'));
  const path = fileOf(line, host);
  const plan = (document: Document): { text: string } => {
    const servers = document.servers();
    if (servers.has(name)) return { text: document.set(name, undefined) };
    const all = [...servers.keys()].join(', ');
    throw usage(
      `${host.title} has no server ${name} in ${path}`,
      all === '' ? 'It has none.' : `It has ${all}.`,
      'not_found',
    );
  };
  await using(path, () => editDocument(path, host, plan));
  screen.result({
    json: () => JSON.stringify({ server: name, host: host.name, file: path, done: 'removed' }),
    text: () => `${name} removed from ${path}`,
  });
}

async function list(line: CommandLine, { screen }: VerbContext): Promise<void> {
  const name = line.value('host');
  const hosts = name === undefined ? HOSTS : [hostNamed(name)];
  const found: { host: string; file: string; name: string; entry: ServerEntry | undefined }[] = [];
  for (const host of hosts) {
    const files =
      line.value('file') === undefined && name === undefined
        ? [...(host.project === undefined ? [] : [join(process.cwd(), host.project)]), host.user()]
        : [fileOf(line, host)];
    for (const file of files) {
      // If one file cannot be read, the others are still listed.
      const document = await reading(file, host).catch((error: Error) => {
        if (hosts.length === 1) throw error;
        screen.warn(error.message);
        return undefined;
      });
      for (const [server, fields] of document?.servers() ?? [])
        found.push({ host: host.name, file, name: server, entry: entryOf(host, fields) });
    }
  }
  screen.result({
    json: () => JSON.stringify(found.map(({ entry, ...rest }) => ({ ...rest, ...shown(entry) }))),
    text: () =>
      found.length === 0
        ? 'No servers'
        : found
            .map(({ host, file, name: server, entry }) => `${host}  ${server}  ${summary(entry)}\n  ${file}`)
            .join('\n'),
  });
}

/** Prints servers of one host in the format of another, including secrets. */
async function exportTo(line: CommandLine, { screen }: VerbContext, name: string | undefined): Promise<void> {
  const host = hostNamed(line.value('host'));
  const to = hostNamed(line.value('to'));
  const document = await reading(fileOf(line, host), host);
  const servers: Record<string, unknown> = {};
  for (const [server, fields] of document.servers()) {
    if (name !== undefined && name !== server) continue;
    const entry = entryOf(host, fields);
    if (entry === undefined) {
      screen.warn(`${server} is left out: it is not a server that ${to.title} can start`);
      continue;
    }
    try {
      servers[server] = to.dialect.write(server, entry);
    } catch (error) {
      screen.warn(`${server} is left out: ${(error as Error).message}`);
    }
  }
  if (name !== undefined && !(name in servers))
    throw usage(`${host.title} has no server ${name}`, undefined, 'not_found');
  const whole = { [to.member]: servers };
  const { stringify } = await import('yaml');
  const text = to.syntax === 'yaml' ? stringify(whole).trimEnd() : JSON.stringify(whole, undefined, 2);
  screen.result({ json: () => text, text: () => text });
}

/** `tenon config add|list|remove|export` */
export async function config(line: CommandLine, context: VerbContext): Promise<void> {
  const [, act, name, more] = line.words;
  if (more !== undefined) throw usage(`Unexpected argument '${more}'`);
  if (act === 'list' && name === undefined) return list(line, context);
  if (act === 'export') return exportTo(line, context, name);
  if ((act === 'add' || act === 'remove') && name === undefined) throw usage('The name of the server is missing');
  if (act === 'add') return add(line, context, name!);
  if (act === 'remove') return remove(line, context, name!);
  throw usage('Which action?', 'tenon config add|list|remove|export');
}
