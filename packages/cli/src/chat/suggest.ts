import { setTimeout as sleep } from 'node:timers/promises';
import type { Host, HostPrompt } from '@tenon/host';
import type { Draft } from './editor.ts';
import type { Suggest, Suggestion } from './line-prompt.ts';
import { BEFORE_MENTION } from './mentions.ts';
import { lastWord, quoted, wordsOf } from './prompt-words.ts';
import { fixedPart, placeIn } from './template.ts';

/** The description of a command. */
export interface CommandRow {
  readonly name: string;
  readonly meaning: string;
  readonly takes?: string;
}

/** How long to wait after a key before the server is asked for completions, in milliseconds. */
const PAUSE_MS = 60;
const MAX_SUGGESTIONS = 100;

/** A mention that is being typed. */
const MENTION = new RegExp(`(?:^|[${BEFORE_MENTION}])(@\\S*)$`);

const NONE: readonly Suggestion[] = [];

/** The entries that begin with the typed text, then those that contain it. */
function fitting<T>(entries: readonly T[], typed: string, textOf: (entry: T) => string): T[] {
  const wanted = typed.toLowerCase();
  const found = entries.filter((entry) => textOf(entry).toLowerCase().includes(wanted));
  const isFirst = (entry: T): boolean => textOf(entry).toLowerCase().startsWith(wanted);
  return [...found.filter(isFirst), ...found.filter((entry) => !isFirst(entry))].slice(0, MAX_SUGGESTIONS);
}

function about({ title, description }: { readonly title?: string; readonly description?: string }): string {
  return [title, description].filter(Boolean).join(': ');
}

function names(typed: string, commands: readonly CommandRow[], host: Host): Suggestion[] {
  const own = commands.map(({ name, meaning, takes }): Suggestion => ({
    label: `/${name}${takes === undefined ? '' : ` ${takes}`}`,
    hint: meaning,
    from: 0,
    insert: `/${name}${takes === undefined ? '' : ' '}`,
    eager: true,
    whole: true,
  }));
  const theirs = host.prompts().map(({ name, entry }): Suggestion => {
    const takesSome = (entry.arguments ?? []).length > 0;
    return {
      label: `/${name}`,
      hint: about(entry),
      from: 0,
      insert: `/${name}${takesSome ? ' ' : ''}`,
      eager: true,
      whole: !takesSome,
    };
  });
  return fitting([...own, ...theirs], typed, ({ insert }) => insert.slice(1));
}

/** Requests completions from the server when the user pauses typing. */
async function askServer(
  host: Host,
  server: string,
  ref: { readonly prompt: string } | { readonly template: string },
  argument: string,
  typed: string,
  resolved: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string[]> {
  await sleep(PAUSE_MS, undefined, { signal });
  const { values } = await host.complete(server, ref, { argument, value: typed, resolved });
  return values;
}

/** Completes the value of a prompt's argument. */
export function valuesFor(
  host: Host,
  { server, entry }: HostPrompt,
  argument: string,
  known: Readonly<Record<string, string>>,
): Suggest {
  return async ({ text, cursor }, signal) => {
    const typed = text.slice(0, cursor);
    const values = await askServer(host, server, { prompt: entry.name }, argument, typed, known, signal);
    return values.map((value): Suggestion => ({ label: value, from: 0, insert: value }));
  };
}

/** Completes the arguments of a prompt: first the name, then the value. */
function args(prompt: HostPrompt, text: string, start: number, host: Host, signal: AbortSignal) {
  const { entry, server } = prompt;
  const { word, from } = lastWord(text.slice(start));
  const given = wordsOf(text.slice(start, start + from)).args;
  const at = word.indexOf('=');
  const place = start + from;
  if (at === -1) {
    const open = (entry.arguments ?? []).filter(({ name }) => !Object.hasOwn(given, name));
    return fitting(open, word, ({ name }) => name).map(({ name, description, required }): Suggestion => ({
      label: `${name}=`,
      hint: [required === true ? 'required' : undefined, description].filter(Boolean).join(': '),
      from: place,
      insert: `${name}=`,
      eager: word !== '',
    }));
  }
  const name = word.slice(0, at);
  const typed = wordsOf(word).args[name] ?? '';
  return askServer(host, server, { prompt: entry.name }, name, typed, given, signal).then((values) =>
    values.map((value): Suggestion => ({ label: value, from: place + at + 1, insert: `${quoted(value)} ` })),
  );
}

function resources(typed: string, from: number, host: Host): Suggestion[] {
  const fixed = host.resources().map(({ server, entry }) => {
    const name = `@${server}:${entry.uri}`;
    return { label: name, hint: about({ title: entry.title ?? entry.name, ...entry }), insert: `${name} ` };
  });
  const open = host.templates().map(({ server, entry }) => ({
    label: `@${server}:${entry.uriTemplate}`,
    hint: about({ title: entry.title ?? entry.name, ...entry }),
    insert: `@${server}:${fixedPart(entry.uriTemplate)}`,
  }));
  return fitting([...fixed, ...open], typed, ({ label, hint }) => `${label.slice(1)} ${hint}`).map((found) => ({
    ...found,
    from,
    eager: true,
  }));
}

/** Completes the variable of a URI template that is being typed. */
function variables(word: string, from: number, host: Host, signal: AbortSignal): Promise<Suggestion[]> | undefined {
  for (const { server, entry } of host.templates()) {
    const head = `@${server}:`;
    if (!word.startsWith(head)) continue;
    const place = placeIn(entry.uriTemplate, word.slice(head.length));
    if (place === undefined) continue;
    const { variable, typed, resolved, next, write } = place;
    const ref = { template: entry.uriTemplate };
    const start = from + head.length + place.from;
    return askServer(host, server, ref, variable, typed, resolved, signal).then((values) =>
      values.map((value): Suggestion => ({ label: value, hint: variable, from: start, insert: write(value) + next })),
    );
  }
  return undefined;
}

/** Completes the text at the cursor: commands and prompts after `/`, resources after `@`. */
export function suggestFor(host: Host, commands: readonly CommandRow[]): Suggest {
  return ({ text, cursor }: Draft, signal) => {
    const before = text.slice(0, cursor);
    if (/^\/\S*$/.test(before)) return names(before.slice(1), commands, host);
    const [, name] = /^\/(\S+)\s/.exec(before) ?? [];
    const prompt = host.prompts().find((candidate) => candidate.name === name);
    if (prompt !== undefined) return args(prompt, before, name!.length + 2, host, signal);
    const at = MENTION.exec(before);
    if (at === null) return NONE;
    const word = at[1]!;
    const from = cursor - word.length;
    return variables(word, from, host, signal) ?? resources(word.slice(1), from, host);
  };
}
