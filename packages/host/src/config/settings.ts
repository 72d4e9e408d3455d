import { revisions } from 'tenon/client';
import { shown } from './config-error.ts';
import { type Data, type Fields, presentMember, isFields } from './document.ts';
import { type Entry, booleanField, textMapField, textField, textListField, durationField } from './fields.ts';
import type { ConfigSource, ServerConfig, ToolChoice } from './server-config.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

type Settings = Omit<ServerConfig, 'alias' | 'launch' | 'source'>;

/** The names and units that a host uses for the settings of a server. */
export interface Dialect {
  /** The unit of its `timeout`, in milliseconds. */
  readonly timeoutUnit: 1 | 1000;
  /** Further names for the request timeout, in seconds. */
  readonly timeoutSeconds?: readonly string[];
  /** The list of available tools. `emptyIsAll`: an empty list stands for all tools. */
  readonly allowed?: { readonly name: string; readonly emptyIsAll: boolean };
  /** The list of tools that are not available. */
  readonly denied?: string;
}

/** Reads the revision or era: `protocol`, or `protocolEra` of MCP Inspector. */
function protocolOf(entry: Entry): Pick<Settings, 'revision' | 'era'> {
  const name = presentMember(entry.fields, 'protocol') === undefined ? 'protocolEra' : 'protocol';
  const wanted = textField(entry, name);
  if (wanted === undefined || wanted === 'auto') return {};
  if (wanted === 'legacy' || wanted === 'modern') return { era: wanted };
  const revision = revisions.find((each) => each === wanted);
  if (revision !== undefined) return { revision };
  entry.refuse(
    name,
    `"${name}" is "${shown(wanted)}". It must be auto, legacy, modern or one of ${revisions.join(', ')}.`,
  );
  return {};
}

/** Reads the roots: paths or `file://` URIs, as texts or as `{ uri }`. */
function rootsOf(entry: Entry): readonly string[] | undefined {
  const data = presentMember(entry.fields, 'roots');
  if (data === undefined) return undefined;
  if (!Array.isArray(data))
    return entry.refuse('roots', '"roots" is not a list. Write a list of folders: ["/work/app"].');
  const root = (item: Data, index: number): string | undefined => {
    const uri = isFields(item) ? presentMember(item, 'uri') : item;
    if (typeof uri !== 'string' || uri.trim() === '' || uri.includes('\0')) {
      return entry.refuse(['roots', index], 'This root is not a folder. Write its path, or a file:// URI.');
    }
    // A single letter is a Windows drive.
    if (/^(?!file:)[a-z][a-z\d+.-]+:/i.test(uri)) {
      return entry.refuse(['roots', index], 'A root must be a folder. Write its path, or a file:// URI.');
    }
    if (isFields(item) && typeof item['server_uri_alias'] === 'string') {
      return entry.refuse(['roots', index], 'Aliases of roots are not supported. Remove "server_uri_alias".');
    }
    return uri;
  };
  return (data as readonly Data[]).map(root).filter((item) => item !== undefined);
}

function readToolChoice(entry: Entry, data: Fields): ToolChoice {
  const unknown = Object.keys(data).find((name) => !['allow', 'deny', 'rename'].includes(name));
  if (unknown !== undefined) {
    entry.refuse(
      ['tools', unknown],
      `"tools" has an unknown member "${shown(unknown)}". It can have allow, deny and rename.`,
    );
  }
  const allow = textListField(entry, 'allow', data, ['tools']);
  const deny = textListField(entry, 'deny', data, ['tools']);
  const rename = textMapField(entry, 'rename', data, ['tools']);
  if (Object.values(rename ?? {}).some((name) => name.trim() === '')) {
    entry.refuse(['tools', 'rename'], 'A new name is empty. Write one.');
  }
  return withoutUndefined({ allow, deny, rename });
}

function toolsOf(entry: Entry, { allowed, denied }: Dialect): ToolChoice | undefined {
  const data = presentMember(entry.fields, 'tools');
  if (Array.isArray(data)) return { allow: textListField(entry, 'tools') ?? [] };
  if (isFields(data)) return readToolChoice(entry, data);
  if (data !== undefined) {
    return entry.refuse('tools', '"tools" is not an object. Write { "allow": ["…"], "deny": ["…"] }.');
  }
  const listed = allowed === undefined ? undefined : textListField(entry, allowed.name);
  const allow = listed?.length === 0 && allowed?.emptyIsAll === true ? undefined : listed;
  const deny = denied === undefined ? undefined : textListField(entry, denied);
  return allow === undefined && deny === undefined ? undefined : withoutUndefined({ allow, deny });
}

function trustedOf(entry: Entry, trust: ConfigSource['trust']): boolean | undefined {
  const trusted = booleanField(entry, 'trusted');
  if (trusted !== true || trust === 'user') return trusted;
  return entry.note(
    'trusted',
    'The configuration of a project cannot make a server trusted: this is ignored. Set it in your own configuration.',
  );
}

/** A shorter timeout is probably not meant as milliseconds. */
const MIN_TIMEOUT_MS = 1000;

function timeoutOf(entry: Entry, { timeoutUnit, timeoutSeconds = [] }: Dialect): number | undefined {
  const has = (name: string): boolean => presentMember(entry.fields, name) !== undefined;
  if (has('timeoutMs')) return durationField(entry, 'timeoutMs', 1);
  const seconds = timeoutSeconds.find(has);
  if (seconds !== undefined) return durationField(entry, seconds, 1000);
  const name = has('timeout') ? 'timeout' : 'requestTimeout';
  const found = durationField(entry, name, timeoutUnit);
  if (found === undefined || found >= MIN_TIMEOUT_MS) return found;
  return entry.note(
    name,
    `"${name}" is in milliseconds, and ${found} is too short to be intended: it is ignored. Write "timeoutMs".`,
  );
}

/** Reads all settings of a server except its launch. */
export function readSettings(entry: Entry, dialect: Dialect, trust: ConfigSource['trust']): Settings {
  const roots = rootsOf(entry);
  const tools = toolsOf(entry, dialect);
  const trusted = trustedOf(entry, trust);
  const timeout = timeoutOf(entry, dialect);
  const idleMs = durationField(entry, 'idleMs', 1);
  return withoutUndefined({ ...protocolOf(entry), roots, tools, trusted, timeout, idleMs });
}
