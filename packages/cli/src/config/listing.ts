// The servers in the configuration files of hosts.
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseEntry, type WrittenLaunch } from '@tenon/host/formats';
import { type DocumentContent, type Fields, isFields } from './document.ts';
import type { Host } from './hosts.ts';

/** The scope of a server's configuration: all users of a project, the user everywhere, or the user in this folder. */
export type ConfigScope = 'project' | 'user' | 'local';

/** A file of a host, and its scope; undefined for a file that was given explicitly. */
export interface ConfigFile {
  readonly path: string;
  readonly scope: Exclude<ConfigScope, 'local'> | undefined;
}

/** A server in a file of a host. */
export interface ListedServer {
  readonly host: string;
  readonly file: string;
  readonly scope: ConfigScope | undefined;
  readonly name: string;
  /** Undefined for an invalid entry. */
  readonly launch: WrittenLaunch | undefined;
  /** The member that turns it off. */
  readonly off: string | undefined;
  /** Why the entry is invalid. */
  readonly reason: string | undefined;
}

/** The files in which a host keeps the servers of this folder and of the user. */
export function filesOf(host: Host, isUserOnly: boolean): ConfigFile[] {
  const project = host.project?.();
  const own: ConfigFile = { path: host.user(), scope: 'user' };
  return project === undefined || isUserOnly ? [own] : [{ path: join(process.cwd(), project), scope: 'project' }, own];
}

/** The servers in the user's file that are for this folder only. */
function localServers(host: Host, data: Fields): Fields {
  const [projects, , member] = host.local?.('') ?? [];
  const all = projects === undefined ? undefined : data[projects];
  if (!isFields(all)) return {};
  const folder = Object.keys(all).find((path) => resolve(path) === process.cwd());
  const project = folder === undefined ? undefined : all[folder];
  const servers = isFields(project) ? project[member!] : undefined;
  return isFields(servers) ? servers : {};
}

/** Reads one entry. */
export function listEntry(
  host: Host,
  { path, scope }: { readonly path: string; readonly scope: ConfigScope | undefined },
  name: string,
  data: unknown,
): ListedServer {
  const { server, off, problems } = parseEntry(host, name, data, path);
  const launch = server?.launch;
  return {
    host: host.name,
    file: path,
    scope,
    name,
    launch: launch?.kind === 'value' ? undefined : launch,
    off,
    reason:
      launch === undefined ? (problems[0]?.message.replace(/ The server is left out\.$/, '') ?? 'unknown') : undefined,
  };
}

/** All servers of a file of a host. */
export function listServers(host: Host, file: ConfigFile, document: DocumentContent): ListedServer[] {
  const local = file.scope === 'user' ? Object.entries(localServers(host, document.data)) : [];
  return [
    ...local.map(([name, data]) => listEntry(host, { path: file.path, scope: 'local' }, name, data)),
    ...[...document.servers()].map(([name, data]) => listEntry(host, file, name, data)),
  ];
}
