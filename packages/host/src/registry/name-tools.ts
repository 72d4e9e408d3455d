import type { ToolEntry } from 'tenon/client';
import { escapeHidden } from '@tenon/values/hidden';
import { truncate } from '../values/plain-text.ts';
import type { ToolChoice } from '../config/server-config.ts';
import { matches } from '../policy/glob.ts';
import { qualify, qualifyApart } from './names.ts';
import type { HostTool } from './toolbox.ts';

/** The selected tools of a server, with their qualified names. */
export interface NamedTools {
  readonly tools: readonly HostTool[];
  /** The problems with names, in plain sentences. */
  readonly problems: readonly string[];
}

/** Maximum names in one message. */
const MAX_SHOWN = 5;

function isChosen({ allow, deny = [] }: ToolChoice, name: string): boolean {
  return (
    (allow === undefined || allow.some((glob) => matches(glob, name))) && !deny.some((glob) => matches(glob, name))
  );
}

function quoteNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => `'${truncate(escapeHidden(name), 60)}'`);
  const omitted = names.length - shown.length;
  return omitted === 0 ? shown.join(', ') : `${shown.join(', ')} and ${omitted} more`;
}

/** Keeps the first entry of each name, and reports duplicates. */
export function withoutDuplicates<T extends { readonly name: string }>(
  entries: readonly T[],
  kind: 'tool' | 'prompt',
): { readonly entries: readonly T[]; readonly problems: readonly string[] } {
  const first = new Map<string, T>();
  const duplicates = new Set<string>();
  for (const entry of entries) {
    if (first.has(entry.name)) duplicates.add(entry.name);
    else first.set(entry.name, entry);
  }
  const problem = `It lists the ${kind}${duplicates.size === 1 ? '' : 's'} ${quoteNames([...duplicates])} more than once. The first is used; its author should choose unique names.`;
  return { entries: [...first.values()], problems: duplicates.size === 0 ? [] : [problem] };
}

/** The name according to the configuration. */
function wantedName({ rename }: ToolChoice, ownName: string): string {
  return rename !== undefined && Object.hasOwn(rename, ownName) ? rename[ownName]! : ownName;
}

/** Selects and names the tools of a server. Names are unique, and a renamed tool never takes the name of another one. */
export function nameTools(server: string, all: readonly ToolEntry[], choice: ToolChoice): NamedTools {
  const { entries, problems } = withoutDuplicates(
    all.filter(({ name }) => isChosen(choice, name)),
    'tool',
  );
  const tools = new Map<string, HostTool>();
  const conflicting: ToolEntry[] = [];
  const take = (name: string, entry: ToolEntry): boolean => {
    if (tools.has(name)) return false;
    tools.set(name, { name, server, entry });
    return true;
  };
  const renamed = new Map<string, ToolEntry[]>();
  for (const entry of entries) {
    const newName = wantedName(choice, entry.name);
    if (newName !== entry.name) renamed.set(newName, [...(renamed.get(newName) ?? []), entry]);
    else if (!take(qualify(server, newName), entry)) conflicting.push(entry);
  }
  for (const [newName, group] of renamed) {
    // If several tools have the same new name, none gets it, because the order must not decide.
    if (group.length > 1 || !take(qualify(server, newName), group[0]!)) conflicting.push(...group);
  }
  const unnamed = conflicting.filter(
    (entry) => !take(qualifyApart(server, entry.name, wantedName(choice, entry.name)), entry),
  );
  const hashed = conflicting.filter((entry) => !unnamed.includes(entry)).map(({ name }) => name);
  return {
    tools: [...tools.values()],
    problems: [
      ...problems,
      ...(hashed.length === 0
        ? []
        : [
            `The new name of ${quoteNames(hashed)} is already in use, so a hash is added. Choose other names in "rename".`,
          ]),
      ...(unnamed.length === 0
        ? []
        : [`${quoteNames(unnamed.map(({ name }) => name))} cannot be given unique names, and are left out.`]),
    ],
  };
}
