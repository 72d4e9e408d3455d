import { homedir } from 'node:os';
import { basename, sep } from 'node:path';
import process from 'node:process';
import { ConfigError, shown } from './config-error.ts';
import { mapTexts, type TextPlace } from './each-text.ts';
import { addressProblem } from './launch.ts';
import type { ServerConfig } from './server-config.ts';
import { type PlaceName, type Reference, referencesIn, replaceReferences } from './template.ts';

/** A value of this machine or of the person that a server would receive. */
export interface Variable {
  /** The name of the environment variable, or the id of the input. */
  readonly name: string;
  readonly kind: 'machine' | 'input';
  readonly into: TextPlace;
}

/** The values of variables. */
export interface Values {
  /** The environment variables. Default: those of this process. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** `${userHome}`. Default: the user's home folder. */
  readonly home?: string | undefined;
  /** `${workspaceFolder}`. */
  readonly folder?: string | undefined;
  /** Asks the person for `${input:id}`. Called once for each, one after the other; undefined stands for no answer. */
  readonly input?: ((id: string) => string | undefined | Promise<string | undefined>) | undefined;
}

/** Variables that exist on every machine, and contain nothing secret. */
const HARMLESS: ReadonlySet<string> = new Set(
  `HOME USER LOGNAME SHELL PATH PWD LANG LC_ALL TERM TZ TMPDIR TMP TEMP XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
  XDG_RUNTIME_DIR USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) SYSTEMDRIVE
  SYSTEMROOT WINDIR CLAUDE_PROJECT_DIR`.split(/\s+/),
);

/** The places that are meant for secrets. Elsewhere they would end up in URLs, process lists and logs. */
const FOR_SECRETS: ReadonlySet<TextPlace> = new Set<TextPlace>(['env', 'headers', 'secret']);

function isHarmless(name: string): boolean {
  return HARMLESS.has(process.platform === 'win32' ? name.toUpperCase() : name);
}

function formatReference({ kind, name }: Reference): string {
  return `\${${kind === 'input' ? 'input:' : ''}${shown(name)}}`;
}

/** The member of the configuration that contains a text. */
function memberOf(into: TextPlace): string {
  return into === 'secret' ? 'oauth' : into;
}

/** Why a variable must not be used in a place, or undefined. */
function referenceProblem(reference: Reference, into: TextPlace, config: ServerConfig): string | undefined {
  if (reference.kind === 'unknown') return `${formatReference(reference)} is not a known variable. ${reference.why}`;
  if (reference.kind !== 'machine' || FOR_SECRETS.has(into) || isHarmless(reference.name)) return undefined;
  if (config.source?.trust !== 'project') return undefined;
  return (
    `${formatReference(reference)} would expose a value of this machine in "${memberOf(into)}", and this setting comes from the project, not from you. ` +
    `Move it to "env" or "headers", or define the server in your own configuration.`
  );
}

/** The variables that must not be filled in, each once. */
export function variableProblems(config: ServerConfig): { into: string; message: string }[] {
  const found = new Map<string, { into: string; message: string }>();
  mapTexts(config, (text, into) => {
    for (const reference of referencesIn(text)) {
      const message = referenceProblem(reference, into, config);
      if (message !== undefined) found.set(message, { into: memberOf(into), message });
    }
    return text;
  });
  return [...found.values()];
}

/** The values of this machine and of the person that a server would receive, to show them before. Each is listed once for each place. */
export function variablesOf(config: ServerConfig): Variable[] {
  const found = new Map<string, Variable>();
  mapTexts(config, (text, into) => {
    for (const { kind, name } of referencesIn(text)) {
      if (kind === 'machine' || kind === 'input') found.set(JSON.stringify([kind, name, into]), { name, kind, into });
    }
    return text;
  });
  return [...found.values()];
}

function placeOf(name: PlaceName, { home = homedir(), folder }: Values): string | undefined {
  if (name === 'userHome') return home;
  if (name === 'workspaceFolder') return folder;
  if (name === 'workspaceFolderBasename') return folder === undefined ? undefined : basename(folder);
  return sep;
}

/** Asks the person for the inputs of a server. */
async function askInputs(config: ServerConfig, { input }: Values): Promise<ReadonlyMap<string, string | undefined>> {
  const answers = new Map<string, string | undefined>();
  for (const { kind, name } of variablesOf(config)) {
    if (kind === 'input' && !answers.has(name)) answers.set(name, await input?.(name));
  }
  return answers;
}

/** Returns a function that looks up variables. Undefined if a variable has no value. */
function createLookup(values: Values, answers: ReadonlyMap<string, string | undefined>) {
  const { variables = process.env } = values;
  return (reference: Reference): string | undefined => {
    if (reference.kind === 'unknown') return undefined;
    if (reference.kind === 'input') return answers.get(reference.name);
    const { kind, name, fallback } = reference;
    if (kind === 'place') return placeOf(name, values) ?? fallback;
    return (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? fallback;
  };
}

/** The problem of a text after values were filled in, or undefined. It does not contain the values. */
function valueProblem(text: string, into: TextPlace, name: string | undefined): string | undefined {
  const where = name === undefined ? `"${memberOf(into)}"` : `"${shown(name)}" in "${memberOf(into)}"`;
  if (text.includes('\0')) return `A variable puts a NUL character into ${where}. Remove it from the value.`;
  if (into === 'headers' && /[\r\n]/.test(text))
    return `A variable puts a line break into ${where}. Remove it from the value.`;
  if (into === 'command' && text.trim() === '') return `With its variables, ${where} is empty. Set a value.`;
  const address = into === 'url' ? addressProblem(text) : undefined;
  return address === undefined ? undefined : `With its variables, ${where} is wrong. ${address}`;
}

function unusableServer(config: ServerConfig, problems: readonly string[]): ConfigError {
  return new ConfigError(
    'unusable-server',
    `The server "${shown(config.alias)}" cannot be used. ${problems.join(' ')}`,
  );
}

/**
 * Fills in the variables of a server, after its start was approved. Values are inserted literally, also if they look like variables.
 * Rejects with a `ConfigError` that names what is missing or not permitted.
 */
export async function expand(config: ServerConfig, values: Values = {}): Promise<ServerConfig> {
  const refused = variableProblems(config);
  if (refused.length > 0)
    throw unusableServer(
      config,
      refused.map(({ message }) => message),
    );

  const valueOf = createLookup(values, await askInputs(config, values));
  const missing = new Set<string>();
  const wrong: string[] = [];
  const expanded = mapTexts(config, (text, into, name) => {
    const unresolved = referencesIn(text).filter((reference) => valueOf(reference) === undefined);
    for (const reference of unresolved) missing.add(formatReference(reference));
    const result = replaceReferences(text, (reference) => valueOf(reference) ?? '');
    const message = unresolved.length > 0 ? undefined : valueProblem(result, into, name);
    if (message !== undefined) wrong.push(message);
    return result;
  });
  if (missing.size > 0) {
    wrong.unshift(`There is no value for ${[...missing].join(', ')}. Set it, or write a default: \${NAME:-default}.`);
  }
  if (wrong.length > 0) throw unusableServer(config, wrong);
  return expanded;
}
