import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { type WrittenLaunch, writeEntry } from '@tenon/host/formats';
import type { CommandLine } from '../command-line/command-line.ts';
import { withoutScheme } from '../command-line/mistakes.ts';
import { variablesOf } from '../command-line/server-command.ts';
import type { Document, DocumentContent } from '../config/document.ts';
import { editDocument, readDocument } from '../config/edit.ts';
import { type Host, HOSTS } from '../config/hosts.ts';
import { type ConfigFile, filesOf, type ListedServer, listEntry, listServers } from '../config/listing.ts';
import { missingVariable, ownEntry } from '../config/own-entry.ts';
import { printServers } from '../config/print.ts';
import { nearest } from '@tenon/values/nearest';
import { Failure, usage } from '../failure/failure.ts';
import { diskFailure, explainFileError } from '../failure/file-failures.ts';
import { OWN_SERVERS } from '../own-servers.ts';
import type { VerbContext } from '../session/session.ts';

function hostNamed(name: string | undefined): Host {
  const host = HOSTS.find((known) => known.name === name);
  if (host !== undefined) return host;
  const all = HOSTS.map((known) => known.name);
  const near = name === undefined ? undefined : (all.find((known) => known.startsWith(name)) ?? nearest(name, all));
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  const fix = `${meant}--host is one of ${all.join(', ')}.`;
  throw usage(name === undefined ? 'Which host?' : `There is no host ${name}`, fix);
}

/** Whether the command line refers to the project's file, which others share. */
function isShared(line: CommandLine, host: Host): boolean {
  return host.project !== undefined && !line.given.has('user') && !line.given.has('file');
}

/** The host's configuration file: the one of `--file`, the project's in this folder, or the user's. */
function fileOf(line: CommandLine, host: Host): string {
  const named = line.value('file');
  if (named !== undefined) return resolve(named);
  return isShared(line, host) ? join(process.cwd(), host.project!()) : host.user();
}

/** Runs a function that reads or changes a file, and adds the path to its errors. */
async function using<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (diskFailure(error) !== undefined) throw explainFileError(error, path);
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

function reading(path: string, host: Host): Promise<DocumentContent> {
  return using(path, () => readDocument(path, host));
}

/** The entry for output: environment variables and headers by name only, because their values may be secret. */
function shown(launch: WrittenLaunch | undefined): object {
  if (launch === undefined) return { kind: 'unknown' };
  if (launch.kind === 'stdio') {
    const { command, args, env, cwd } = launch;
    return { kind: 'stdio', command, args, cwd, env: Object.keys(env) };
  }
  return { kind: launch.kind, url: launch.url, headers: Object.keys(launch.headers) };
}

function summary(launch: WrittenLaunch): string {
  return launch.kind === 'stdio'
    ? [launch.command, ...launch.args]
        .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)))
        .join(' ')
    : launch.url;
}

function headersOf(line: CommandLine): Record<string, string> {
  return Object.fromEntries(
    line.values('header').map((text): [string, string] => {
      const [, name, value] = /^([^:]+):\s*([\s\S]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw usage(`--header ${text.split(':')[0]}…`, 'Write --header "Name: value"');
      return [name, value];
    }),
  );
}

/** The server that the command line describes. */
function parseLaunch(line: CommandLine, host: Host, name: string): WrittenLaunch {
  const env = Object.fromEntries(
    variablesOf(line).map(([variable, value]) => [variable, value ?? process.env[variable]!]),
  );
  const cwd = line.value('cwd');
  const folder = cwd === undefined ? undefined : resolve(cwd);
  const more = line.words.slice(3);
  const [command, ...args] = line.target ?? [];
  if (command === undefined && OWN_SERVERS.has(name)) {
    const entry = ownEntry(name, more, isShared(line, host), host);
    return { ...entry, env: { ...entry.env, ...env }, cwd: folder };
  }
  const address = more.length === 1 ? withoutScheme(more[0]!) : undefined;
  if (address !== undefined) throw address;
  if (more.length > 0)
    throw usage(
      `Unexpected argument '${more[0]}'`,
      `The command that starts the server goes after --: tenon config add ${name} --host ${host.name} -- ${more.join(' ')}`,
    );
  if (command === undefined)
    throw usage('Which server?', `tenon config add ${name} --host ${host.name} -- <command…>, or a URL.`);
  if (/^https?:\/\//i.test(command) && args.length === 0)
    return { kind: 'http', url: command, headers: headersOf(line) };
  return { kind: 'stdio', command, args, env, cwd: folder };
}

/** A file of this folder in the command of a server, which a host that starts it in another folder does not find. */
function relativeFile({ command, args, cwd }: Extract<WrittenLaunch, { kind: 'stdio' }>): string | undefined {
  if (cwd !== undefined) return undefined;
  return [command, ...args].find((word) => /[./]/.test(word) && !isAbsolute(word) && existsSync(word));
}

/** A script in the command of a server that does not exist. */
function missingScript({ args }: Extract<WrittenLaunch, { kind: 'stdio' }>): string | undefined {
  return args.find((word) => isAbsolute(word) && /\.(?:[cm]?[jt]s|py)$/.test(word) && !existsSync(word));
}

/** What a host has under a name already, as text. */
function existingText(host: Host, path: string, name: string, entry: unknown): string {
  const { launch } = listEntry(host, { path, scope: undefined }, name, entry);
  return launch === undefined ? '' : ` (${summary(launch)})`;
}

async function add(line: CommandLine, { screen }: VerbContext, name: string): Promise<void> {
  const host = hostNamed(line.value('host'));
  const path = fileOf(line, host);
  let launch: WrittenLaunch;
  let fields: Record<string, unknown>;
  try {
    launch = parseLaunch(line, host, name);
    fields = writeEntry(host, name, launch);
  } catch (error) {
    throw error instanceof Failure ? error : usage((error as Error).message);
  }
  const plan = (document: Document): { done: string; text?: string } => {
    const servers = document.servers();
    if (!servers.has(name)) return { done: 'added', text: document.set(name, fields) };
    if (JSON.stringify(servers.get(name)) === JSON.stringify(fields)) return { done: 'was there already' };
    if (line.given.has('replace')) return { done: 'replaced', text: document.set(name, fields) };
    throw usage(
      `${host.title} already has a server ${name} in ${path}${existingText(host, path, name, servers.get(name))}`,
      'Choose another name, or use --replace.',
      'name_in_use',
    );
  };
  const { done } = await using(path, () => editDocument(path, host, plan));
  const next = host.next(isShared(line, host));
  screen.result({
    json: () => JSON.stringify({ server: name, host: host.name, file: path, done, entry: shown(launch), next }),
    text: () => `${name} ${done} in ${path}\n  ${summary(launch)}\n${next}`,
  });
  const script = launch.kind === 'stdio' ? missingScript(launch) : undefined;
  if (script !== undefined) screen.warn(`there is no file ${script}: the host cannot start it`);
  const relative = isShared(line, host) || launch.kind !== 'stdio' ? undefined : relativeFile(launch);
  if (relative !== undefined)
    screen.warn(`hosts start servers in a folder of their own: write ${resolve(relative)} instead of ${relative}`);
  const missing = line.target === undefined && launch.kind === 'stdio' ? missingVariable(name, launch.env) : undefined;
  if (missing !== undefined)
    screen.warn(
      `${name} needs ${missing}, unless the host passes it on. To write it into the file: tenon config add ${name} --host ${host.name} --replace --env ${missing}=… (--env ${missing} takes your own value)`,
    );
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

/** A listed server, as text. */
function listedText({ host, file, scope, name, launch, off, reason }: ListedServer): string {
  const what = launch === undefined ? `(not understood: ${reason})` : summary(launch);
  const turned = off === undefined ? '' : `  (turned off by "${off}")`;
  return `${host}  ${name}  ${what}${turned}\n  ${file}${scope === 'local' ? ' (local: only in this folder)' : ''}`;
}

async function list(line: CommandLine, { screen }: VerbContext): Promise<void> {
  const name = line.value('host');
  const hosts = name === undefined ? HOSTS : [hostNamed(name)];
  const found: ListedServer[] = [];
  for (const host of hosts) {
    const named: ConfigFile[] =
      line.value('file') === undefined
        ? filesOf(host, line.given.has('user'))
        : [{ path: fileOf(line, host), scope: undefined }];
    for (const file of named) {
      // If one file cannot be read, the others are still listed.
      const document = await reading(file.path, host).catch((error: Error) => {
        if (hosts.length === 1 && named.length === 1) throw error;
        screen.warn(error.message);
        return undefined;
      });
      if (document !== undefined) found.push(...listServers(host, file, document));
    }
  }
  screen.result({
    json: () => JSON.stringify(found.map(({ launch, ...rest }) => ({ ...rest, ...shown(launch) }))),
    text: () => (found.length === 0 ? 'No servers' : found.map(listedText).join('\n')),
  });
}

/** Prints servers of one host in the format of another, including secrets. */
async function exportTo(line: CommandLine, { screen }: VerbContext, name: string | undefined): Promise<void> {
  const host = hostNamed(line.value('host'));
  const to = hostNamed(line.value('to'));
  const path = fileOf(line, host);
  const document = await reading(path, host);
  const servers = new Map<string, unknown>();
  for (const [server, data] of document.servers()) {
    if (name !== undefined && name !== server) continue;
    const { launch, reason, off } = listEntry(host, { path, scope: undefined }, server, data);
    if (launch === undefined) {
      screen.warn(`${server} is left out: it is not a server that ${to.title} can start. ${reason}`);
      continue;
    }
    try {
      servers.set(server, writeEntry(to, server, launch));
      if (off !== undefined) screen.warn(`${server} is turned off in ${host.title}, and is on in what is printed`);
    } catch (error) {
      screen.warn(`${server} is left out: ${(error as Error).message}`);
    }
  }
  if (name !== undefined && !servers.has(name))
    throw usage(`${host.title} has no server ${name}`, undefined, 'not_found');
  const text = await printServers(to, Object.fromEntries(servers));
  screen.result({ json: () => text, text: () => text });
}

/** `tenon config add|list|remove|export` */
export async function config(line: CommandLine, context: VerbContext): Promise<void> {
  const [, act, name, more] = line.words;
  if (more !== undefined && act !== 'add') throw usage(`Unexpected argument '${more}'`);
  if (act === 'list' && name === undefined) return list(line, context);
  if (act === 'export') return exportTo(line, context, name);
  if ((act === 'add' || act === 'remove') && name === undefined)
    throw usage('The name of the server is missing', `tenon config ${act} time --host claude-desktop`);
  if (act === 'add') return add(line, context, name!);
  if (act === 'remove') return remove(line, context, name!);
  throw usage('Which action?', 'tenon config add|list|remove|export');
}
