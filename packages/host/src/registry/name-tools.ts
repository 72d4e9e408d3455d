import type { ToolEntry } from 'tenon/client';
import { escapeHidden } from '@tenon/values/hidden';
import { truncate } from '../values/plain-text.ts';
import type { ToolChoice } from '../config/server-config.ts';
import { matches } from '../policy/glob.ts';
import { qualify, qualifyApart } from './names.ts';
import type { HostTool } from './toolbox.ts';

/** The tools of a server that are chosen, each under a name of its own. */
export interface NamedTools {
  readonly tools: readonly HostTool[];
  /** What is wrong with the names, in plain sentences. */
  readonly problems: readonly string[];
}

/** Most names in one problem. */
const MAX_SHOWN = 5;

const isChosen = ({ allow, deny = [] }: ToolChoice, name: string): boolean =>
  (allow === undefined || allow.some((glob) => matches(glob, name))) && !deny.some((glob) => matches(glob, name));

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_SHOWN).map((name) => `'${truncate(escapeHidden(name), 60)}'`);
  const gone = names.length - shown.length;
  return gone === 0 ? shown.join(', ') : `${shown.join(', ')} and ${gone} more`;
};

/** The first of each name. */
export const withoutDuplicates = <T extends { readonly name: string }>(
  entries: readonly T[],
  kind: 'tool' | 'prompt',
): { readonly entries: readonly T[]; readonly problems: readonly string[] } => {
  const first = new Map<string, T>();
  const twice = new Set<string>();
  for (const entry of entries) {
    if (first.has(entry.name)) twice.add(entry.name);
    else first.set(entry.name, entry);
  }
  const problem = `It lists the ${kind}${twice.size === 1 ? '' : 's'} ${listed([...twice])} more than once. The first is used; its author should give each a name of its own.`;
  return { entries: [...first.values()], problems: twice.size === 0 ? [] : [problem] };
};

/** What the configuration calls it. */
const wantedName = ({ rename }: ToolChoice, own: string): string =>
  rename !== undefined && Object.hasOwn(rename, own) ? rename[own]! : own;

/** Names the tools that are chosen. No two have one name, and what a server calls a tool is never taken from it by a renamed one. */
export const nameTools = (server: string, all: readonly ToolEntry[], choice: ToolChoice): NamedTools => {
  const { entries, problems } = withoutDuplicates(
    all.filter(({ name }) => isChosen(choice, name)),
    'tool',
  );
  const tools = new Map<string, HostTool>();
  const apart: ToolEntry[] = [];
  const take = (name: string, entry: ToolEntry): boolean => {
    if (tools.has(name)) return false;
    tools.set(name, { name, server, entry });
    return true;
  };
  const renamed = new Map<string, ToolEntry[]>();
  for (const entry of entries) {
    const wanted = wantedName(choice, entry.name);
    if (wanted !== entry.name) renamed.set(wanted, [...(renamed.get(wanted) ?? []), entry]);
    else if (!take(qualify(server, wanted), entry)) apart.push(entry);
  }
  for (const [wanted, group] of renamed) {
    // Which of several came first would decide: none gets it.
    if (group.length > 1 || !take(qualify(server, wanted), group[0]!)) apart.push(...group);
  }
  const lost = apart.filter((entry) => !take(qualifyApart(server, entry.name, wantedName(choice, entry.name)), entry));
  const kept = apart.filter((entry) => !lost.includes(entry)).map(({ name }) => name);
  return {
    tools: [...tools.values()],
    problems: [
      ...problems,
      ...(kept.length === 0
        ? []
        : [
            `Another tool has the name that ${listed(kept)} would have: a hash is added. Choose other names in "rename".`,
          ]),
      ...(lost.length === 0
        ? []
        : [`${listed(lost.map(({ name }) => name))} cannot be told from other tools by name, and are left out.`]),
    ],
  };
};
