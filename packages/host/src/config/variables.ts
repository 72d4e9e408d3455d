import { homedir } from 'node:os';
import { basename, sep } from 'node:path';
import process from 'node:process';
import { ConfigError, shown } from './config-error.ts';
import { eachText, type Into } from './each-text.ts';
import { addressProblem } from './launch.ts';
import type { ServerConfig } from './server-config.ts';
import { type PlaceName, type Reference, referencesIn, replaceReferences } from './template.ts';

/** Something of this machine, or of the person, that a server would be given. */
export interface Variable {
  /** The variable of the environment, or the id of the input. */
  readonly name: string;
  readonly kind: 'machine' | 'input';
  readonly into: Into;
}

/** What variables stand for. */
export interface Values {
  /** The environment. Default: that of this process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** `${userHome}`. Default: that of the user. */
  readonly home?: string;
  /** `${workspaceFolder}`. */
  readonly folder?: string;
  /** What the person says to `${input:id}`. Called once for each, one after the other; undefined: nothing. */
  readonly input?: (id: string) => string | undefined | Promise<string | undefined>;
}

/** Variables of every machine, with nothing in them that others must not know. */
const HARMLESS: ReadonlySet<string> = new Set(
  `HOME USER LOGNAME SHELL PATH PWD LANG LC_ALL TERM TZ TMPDIR TMP TEMP XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
  XDG_RUNTIME_DIR USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) SYSTEMDRIVE
  SYSTEMROOT WINDIR CLAUDE_PROJECT_DIR`.split(/\s+/),
);

/** Where a secret is meant to be. Everywhere else it would get into addresses, lists of processes and logs. */
const FOR_SECRETS: ReadonlySet<Into> = new Set<Into>(['env', 'headers', 'secret']);

const isHarmless = (name: string): boolean => HARMLESS.has(process.platform === 'win32' ? name.toUpperCase() : name);

const written = ({ kind, name }: Reference): string => `\${${kind === 'input' ? 'input:' : ''}${shown(name)}}`;

/** The member of a server that people know a text by. */
const memberOf = (into: Into): string => (into === 'secret' ? 'oauth' : into);

/** Why a variable must not be there; undefined: it may. */
const refusalOf = (reference: Reference, into: Into, config: ServerConfig): string | undefined => {
  if (reference.kind === 'unknown') return `${written(reference)} is no variable that is known here. ${reference.why}`;
  if (reference.kind !== 'machine' || FOR_SECRETS.has(into) || isHarmless(reference.name)) return undefined;
  if (config.source?.trust !== 'project') return undefined;
  return (
    `${written(reference)} would put something of this machine into "${memberOf(into)}", where others can see it, and the project says so, not you. ` +
    `Put it into "env" or "headers", or name the server in a configuration of your own.`
  );
};

/** Variables that are not put in, whatever they stand for. Each once. */
export const variableProblems = (config: ServerConfig): { into: string; message: string }[] => {
  const found = new Map<string, { into: string; message: string }>();
  eachText(config, (text, into) => {
    for (const reference of referencesIn(text)) {
      const message = refusalOf(reference, into, config);
      if (message !== undefined) found.set(message, { into: memberOf(into), message });
    }
    return text;
  });
  return [...found.values()];
};

/** What a server would be given of this machine and of the person, to be shown before it is. Each once for each use. */
export const variablesOf = (config: ServerConfig): Variable[] => {
  const found = new Map<string, Variable>();
  eachText(config, (text, into) => {
    for (const { kind, name } of referencesIn(text)) {
      if (kind === 'machine' || kind === 'input') found.set(JSON.stringify([kind, name, into]), { name, kind, into });
    }
    return text;
  });
  return [...found.values()];
};

const placeOf = (name: PlaceName, { home = homedir(), folder }: Values): string | undefined => {
  if (name === 'userHome') return home;
  if (name === 'workspaceFolder') return folder;
  if (name === 'workspaceFolderBasename') return folder === undefined ? undefined : basename(folder);
  return sep;
};

/** What the person says to the inputs of a server. */
const askInputs = async (config: ServerConfig, { input }: Values): Promise<ReadonlyMap<string, string | undefined>> => {
  const answers = new Map<string, string | undefined>();
  for (const { kind, name } of variablesOf(config)) {
    if (kind === 'input' && !answers.has(name)) answers.set(name, await input?.(name));
  }
  return answers;
};

/** What variables stand for; undefined: nothing that is known. */
const createLookup = (values: Values, answers: ReadonlyMap<string, string | undefined>) => {
  const { variables = process.env } = values;
  return (reference: Reference): string | undefined => {
    if (reference.kind === 'unknown') return undefined;
    if (reference.kind === 'input') return answers.get(reference.name);
    const { kind, name, fallback } = reference;
    if (kind === 'place') return placeOf(name, values) ?? fallback;
    return (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? fallback;
  };
};

/** What is wrong with a text now that there are values in it; undefined: nothing. The values are not repeated. */
const wrongIn = (text: string, into: Into, name: string | undefined): string | undefined => {
  const where = name === undefined ? `"${memberOf(into)}"` : `"${shown(name)}" in "${memberOf(into)}"`;
  if (text.includes('\0')) return `A variable puts a NUL character into ${where}. Take it out of its value.`;
  if (into === 'headers' && /[\r\n]/.test(text))
    return `A variable puts a line break into ${where}. Take it out of its value.`;
  if (into === 'command' && text.trim() === '') return `With its variables, ${where} is empty. Give them values.`;
  const address = into === 'url' ? addressProblem(text) : undefined;
  return address === undefined ? undefined : `With its variables, ${where} is wrong. ${address}`;
};

const unusable = (config: ServerConfig, problems: readonly string[]): ConfigError =>
  new ConfigError(`The server "${shown(config.alias)}" cannot be used. ${problems.join(' ')}`);

/**
 * Puts the values of variables into a server, once somebody has approved that it gets them. A value is put in as it is, also where it
 * looks like a variable. Rejects with a `ConfigError` that names what is missing or must not be there.
 */
export const expand = async (config: ServerConfig, values: Values = {}): Promise<ServerConfig> => {
  const refused = variableProblems(config);
  if (refused.length > 0)
    throw unusable(
      config,
      refused.map(({ message }) => message),
    );

  const valueOf = createLookup(values, await askInputs(config, values));
  const missing = new Set<string>();
  const wrong: string[] = [];
  const expanded = eachText(config, (text, into, name) => {
    const without = referencesIn(text).filter((reference) => valueOf(reference) === undefined);
    for (const reference of without) missing.add(written(reference));
    const result = replaceReferences(text, (reference) => valueOf(reference) ?? '');
    const message = without.length > 0 ? undefined : wrongIn(result, into, name);
    if (message !== undefined) wrong.push(message);
    return result;
  });
  if (missing.size > 0) {
    wrong.unshift(`There is no value for ${[...missing].join(', ')}. Set it, or write a default: \${NAME:-default}.`);
  }
  if (wrong.length > 0) throw unusable(config, wrong);
  return expanded;
};
