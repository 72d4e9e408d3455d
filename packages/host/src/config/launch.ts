import { shown } from './config-error.ts';
import { type Fields, presentMember, isFields, member } from './document.ts';
import { type Entry, textMapField, textField, textListField } from './fields.ts';
import type { AddressLaunch, CommandLaunch, LoginSettings, WrittenLaunch } from './server-config.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

/** The names that a host uses for the members that define the launch. */
export interface Names {
  readonly type: string;
  readonly command: string;
  readonly env: string;
  readonly url: string;
}

const KINDS: Readonly<Record<string, WrittenLaunch['kind']>> = {
  stdio: 'stdio',
  local: 'stdio',
  remote: 'http',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  sse: 'sse',
};

/** Members that must not be ignored, because the server would be a different one without them. */
const REFUSED: Readonly<Record<string, string>> = {
  headersHelper: 'Programs for headers are not supported. Write the headers in "headers".',
  '<<': 'Merge keys (<<) are not supported. Write the members out.',
};

/** The kind of launch: as declared by the type, or according to the other members. */
function kindOf(entry: Entry, names: Names): WrittenLaunch['kind'] | undefined {
  const { command, url } = names;
  const has = (name: string): boolean => presentMember(entry.fields, name) !== undefined;
  if (has(command) && has(url)) {
    return entry.refuse([], `It has both "${command}" and "${url}". Remove one of them.`);
  }
  if (!has(command) && !has(url)) {
    return entry.refuse([], `It has neither "${command}" nor "${url}". Write one of them.`);
  }
  const inferred = has(command) ? 'stdio' : 'http';
  const type = textField(entry, names.type);
  if (type === undefined) return inferred;
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type]! : undefined;
  if (kind === undefined) {
    return entry.refuse(names.type, `"${names.type}" is "${shown(type)}". It must be stdio, http or sse.`);
  }
  if ((kind === 'stdio') !== (inferred === 'stdio')) {
    const missing = kind === 'stdio' ? command : url;
    return entry.refuse(names.type, `The "${names.type}" ${shown(type)} needs "${missing}". Add it.`);
  }
  return kind;
}

function isTrue(fields: Fields, name: string): boolean {
  return member(fields, name) === true;
}

function readCommand(entry: Entry, names: Names): CommandLaunch | undefined {
  if (isTrue(entry.fields, 'sandboxEnabled')) {
    return entry.refuse('sandboxEnabled', 'Sandboxes are not supported. Remove this to start the server without one.');
  }
  const command = textField(entry, names.command);
  const args = textListField(entry, 'args');
  const env = textMapField(entry, names.env);
  for (const name of Object.keys(env ?? {})) {
    if (!/^[^=\0]+$/.test(name))
      entry.refuse([names.env, name], 'This is not a valid name of a variable. Write one without "=".');
  }
  const envFile = textField(entry, 'envFile');
  const cwd = textField(entry, 'cwd');
  return command === undefined
    ? undefined
    : withoutUndefined<CommandLaunch>({ kind: 'stdio', command, args: args ?? [], env: env ?? {}, envFile, cwd });
}

/** Why a text is not the URL of a server, or undefined. */
export function addressProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'This is not a URL. Write one like https://example.com/mcp.';
  const { protocol } = new URL(url);
  return protocol === 'http:' || protocol === 'https:'
    ? undefined
    : `${shown(protocol)} is not supported. Write a URL that begins with https:// or http://.`;
}

/** Reads the port of the redirect URI. `at`: the member with the login settings. */
function portField(entry: Entry, login: Fields, at: string): number | undefined {
  const port = presentMember(login, 'callbackPort');
  if (port === undefined || (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535))
    return port;
  return entry.refuse([at, 'callbackPort'], '"callbackPort" is not a port. Write a whole number from 1 to 65535.');
}

/** Reads the login settings, under all the names that hosts use for them. */
function readLogin(entry: Entry): LoginSettings | undefined {
  const name = presentMember(entry.fields, 'oauth') === undefined ? 'auth' : 'oauth';
  const data = presentMember(entry.fields, name);
  // The login takes place when the server asks for it.
  if (data === undefined || data === 'oauth') return undefined;
  if (!isFields(data)) return entry.refuse(name, `"${name}" is not an object. Write credentials in "headers".`);
  const nested = presentMember(data, 'oauth');
  const fields = isFields(nested) ? nested : data;
  for (const other of ['api_key', 'authServerMetadataUrl']) {
    if (presentMember(data, other) === undefined) continue;
    entry.note(name, `"${other}" is not supported.${other === 'api_key' ? ' Write the key in "headers".' : ''}`);
  }

  const firstText = (...names: string[]): string | undefined => {
    const found = names.find((each) => presentMember(fields, each) !== undefined);
    const value = found === undefined ? undefined : presentMember(fields, found);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    return entry.refuse([name, found!], `"${found}" is not a string. Write one in quotes.`);
  };
  const clientId = firstText('clientId', 'CLIENT_ID', 'client_id');
  const clientSecret = firstText('clientSecret', 'CLIENT_SECRET', 'client_secret');
  const issuer = firstText('issuer');
  const listed = presentMember(fields, 'scopes');
  const scopes =
    typeof listed === 'string' ? listed.split(/\s+/).filter(Boolean) : textListField(entry, 'scopes', fields, [name]);
  return withoutUndefined({ clientId, clientSecret, issuer, scopes, callbackPort: portField(entry, fields, name) });
}

function readAddress(entry: Entry, names: Names, kind: AddressLaunch['kind']): AddressLaunch | undefined {
  const url = textField(entry, names.url);
  // A URL with variables is checked after they were filled in.
  const wrong = url === undefined || url.includes('${') ? undefined : addressProblem(url);
  if (wrong !== undefined) entry.refuse(names.url, wrong);
  const headers = textMapField(entry, 'headers') ?? {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      entry.refuse(['headers', name], 'This is not a valid name of a header. Write letters, digits and "-".');
    }
    if (/[\r\n]/.test(value)) entry.refuse(['headers', name], 'This header has a line break. Remove it.');
  }
  if (Object.keys(textMapField(entry, names.env) ?? {}).length > 0) {
    entry.note(names.env, 'A remote server gets no environment variables. Write what it needs in "headers".');
  }
  const login = readLogin(entry);
  return url === undefined ? undefined : withoutUndefined({ kind, url, headers, oauth: login });
}

/** Reads how a server is started or reached. Undefined if the entry was refused. */
export function readLaunch(entry: Entry, names: Names): WrittenLaunch | undefined {
  for (const [name, message] of Object.entries(REFUSED)) {
    if (member(entry.fields, name) !== undefined) entry.refuse(name, message);
  }
  const kind = kindOf(entry, names);
  if (kind === undefined) return undefined;
  return kind === 'stdio' ? readCommand(entry, names) : readAddress(entry, names, kind);
}
