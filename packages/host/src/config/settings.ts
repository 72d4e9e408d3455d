import { revisions } from 'tenon/client';
import { shown } from './config-error.ts';
import { type Data, type Fields, given, isFields } from './document.ts';
import { type Entry, flag, named, text, texts, time } from './fields.ts';
import type { ConfigSource, ServerConfig, ToolChoice } from './server-config.ts';

type Settings = Omit<ServerConfig, 'alias' | 'launch' | 'source'>;

/** How a host calls what a server may and how it is treated. */
export interface Dialect {
  /** What its `timeout` counts in, in milliseconds. */
  readonly timeoutUnit: 1 | 1000;
  /** More names for the time that a request may take, in seconds. */
  readonly timeoutSeconds?: readonly string[];
  /** The list of the tools that are there. `emptyIsAll`: where it names none, all are. */
  readonly allowed?: { readonly name: string; readonly emptyIsAll: boolean };
}

/** The revision or era to speak: ours is `protocol`, that of MCP Inspector `protocolEra`. */
const protocolOf = (entry: Entry): Pick<Settings, 'revision' | 'era'> => {
  const name = given(entry.fields, 'protocol') === undefined ? 'protocolEra' : 'protocol';
  const wanted = text(entry, name);
  if (wanted === undefined || wanted === 'auto') return {};
  if (wanted === 'legacy' || wanted === 'modern') return { era: wanted };
  const revision = revisions.find((each) => each === wanted);
  if (revision !== undefined) return { revision };
  entry.refuse(
    name,
    `"${name}" is "${shown(wanted)}". It can be auto, legacy, modern or one of ${revisions.join(', ')}.`,
  );
  return {};
};

/** Paths or `file://` URIs, as texts or as `{ uri }`. */
const rootsOf = (entry: Entry): readonly string[] | undefined => {
  const data = given(entry.fields, 'roots');
  if (data === undefined) return undefined;
  if (!Array.isArray(data)) return entry.refuse('roots', '"roots" is no list. Write one of folders: ["/work/app"].');
  const root = (item: Data, index: number): string | undefined => {
    const uri = isFields(item) ? given(item, 'uri') : item;
    if (typeof uri !== 'string' || uri.trim() === '' || uri.includes('\0')) {
      return entry.refuse(['roots', index], 'This root is no folder. Write its path, or a file:// URI.');
    }
    // One letter is a drive of Windows.
    if (/^(?!file:)[a-z][a-z\d+.-]+:/i.test(uri)) {
      return entry.refuse(['roots', index], 'A root is a folder. Write its path, or a file:// URI.');
    }
    if (isFields(item) && typeof item['server_uri_alias'] === 'string') {
      return entry.refuse(['roots', index], 'Roots have no other names here. Take "server_uri_alias" out.');
    }
    return uri;
  };
  return (data as readonly Data[]).map(root).filter((item) => item !== undefined);
};

const chosen = (entry: Entry, data: Fields): ToolChoice => {
  const unknown = Object.keys(data).find((name) => !['allow', 'deny', 'rename'].includes(name));
  if (unknown !== undefined) {
    entry.refuse(['tools', unknown], `"tools" has no "${shown(unknown)}". It can have allow, deny and rename.`);
  }
  const allow = texts(entry, 'allow', data, ['tools']);
  const deny = texts(entry, 'deny', data, ['tools']);
  const rename = named(entry, 'rename', data, ['tools']);
  if (Object.values(rename ?? {}).some((name) => name.trim() === '')) {
    entry.refuse(['tools', 'rename'], 'A tool would have no name. Write one.');
  }
  return {
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(rename === undefined ? {} : { rename }),
  };
};

const toolsOf = (entry: Entry, { allowed }: Dialect): ToolChoice | undefined => {
  const data = given(entry.fields, 'tools');
  if (Array.isArray(data)) return { allow: texts(entry, 'tools') ?? [] };
  if (isFields(data)) return chosen(entry, data);
  if (data !== undefined) {
    return entry.refuse('tools', '"tools" is no object. Write { "allow": ["…"], "deny": ["…"] }.');
  }
  if (allowed === undefined || given(entry.fields, allowed.name) === undefined) return undefined;
  const allow = texts(entry, allowed.name);
  return allow === undefined || (allow.length === 0 && allowed.emptyIsAll) ? undefined : { allow };
};

const trustedOf = (entry: Entry, trust: ConfigSource['trust']): boolean | undefined => {
  const trusted = flag(entry, 'trusted');
  if (trusted !== true || trust === 'user') return trusted;
  return entry.note(
    'trusted',
    'What comes with a project cannot say that a server is to be trusted: this is not heeded. Say it in a configuration of your own.',
  );
};

/** Less is hardly meant in milliseconds. */
const SHORTEST = 1000;

const timeoutOf = (entry: Entry, { timeoutUnit, timeoutSeconds = [] }: Dialect): number | undefined => {
  const has = (name: string): boolean => given(entry.fields, name) !== undefined;
  if (has('timeoutMs')) return time(entry, 'timeoutMs', 1);
  const seconds = timeoutSeconds.find(has);
  if (seconds !== undefined) return time(entry, seconds, 1000);
  const name = has('timeout') ? 'timeout' : 'requestTimeout';
  const found = time(entry, name, timeoutUnit);
  if (found === undefined || found >= SHORTEST) return found;
  return entry.note(
    name,
    `"${name}" counts milliseconds, and ${found} are too few to be meant: it is not heeded. Write "timeoutMs".`,
  );
};

/** Everything of a server beside how it is reached. */
export const readSettings = (entry: Entry, dialect: Dialect, trust: ConfigSource['trust']): Settings => {
  const roots = rootsOf(entry);
  const tools = toolsOf(entry, dialect);
  const trusted = trustedOf(entry, trust);
  const timeout = timeoutOf(entry, dialect);
  const idleMs = time(entry, 'idleMs', 1);
  return {
    ...protocolOf(entry),
    ...(roots === undefined ? {} : { roots }),
    ...(tools === undefined ? {} : { tools }),
    ...(trusted === undefined ? {} : { trusted }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(idleMs === undefined ? {} : { idleMs }),
  };
};
