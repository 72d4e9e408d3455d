import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import type { EntryKind, EntryRule, RuleGroup } from './rule.ts';
import { step } from '../values/schema/walk-schema.ts';

const ALL: readonly EntryKind[] = ['server', 'tool', 'resource', 'template', 'prompt'];
const META = { page: 'messages#meta', since: '2025-06-18' } as const;

const LABEL = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/i;
const NAME = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)?$/i;
const RESERVED = new Set(['mcp', 'modelcontextprotocol']);
/** The keys under reserved prefixes that the specification and official extensions define for entries of lists. */
const DEFINED = /^io\.modelcontextprotocol\/(?:serverInfo|ui|skill|skills|related-task)(?:$|[./])/;
const MAX_KEYS = 200;

/** The labels of the prefix, and the name. */
function partsOf(key: string): { readonly labels: readonly string[]; readonly name: string } {
  const slash = key.indexOf('/');
  return { labels: slash === -1 ? [] : key.slice(0, slash).split('.'), name: key.slice(slash + 1) };
}

/** Why a text is not a valid key of `_meta`. Undefined: it is valid. */
export function keyProblem(key: string): string | undefined {
  const { labels, name } = partsOf(key);
  const bad = labels.find((label) => !LABEL.test(label));
  if (bad !== undefined)
    return `the part ${quoted(bad, 40)} of its prefix does not begin with a letter and end with a letter or digit`;
  return NAME.test(name) ? undefined : `its name ${quoted(name, 40)} does not begin and end with a letter or digit`;
}

/** The second label decides since 2025-11-25, the last but one in 2025-06-18. */
export function isReserved(key: string, revision: string): boolean {
  const { labels } = partsOf(key);
  const label = revision >= '2025-11-25' ? labels[1] : labels.at(-2);
  return RESERVED.has(label?.toLowerCase() ?? '');
}

const format: EntryRule = {
  id: 'meta-key',
  title: 'An invalid key of `_meta`',
  why: 'A client may reject the entry; a proxy may drop the key.',
  severity: 'error',
  clause: META,
  of: ALL,
  see({ value }, _context, report) {
    const { _meta } = value;
    if (_meta === undefined) return;
    if (!isObject(_meta)) {
      report(`_meta is ${quoted(_meta)}, not an object`, { at: '/_meta', fix: 'Write an object, or leave it out.' });
      return;
    }
    for (const key of Object.keys(_meta).slice(0, MAX_KEYS)) {
      const problem = keyProblem(key);
      // Extensions themselves use such keys: `ui/resourceUri`.
      if (problem !== undefined)
        report(`The key ${quoted(key, 60)} is invalid: ${problem}`, {
          at: `/_meta${step(key)}`,
          fix: 'Write it as in com.example/name.',
        });
    }
  },
};

const reserved: EntryRule = {
  id: 'meta-reserved',
  title: 'A key of `_meta` under a prefix that is reserved for MCP',
  why: 'A later revision may give it a meaning of its own.',
  severity: 'warning',
  clause: META,
  of: ALL,
  see({ value }, { revision }, report) {
    if (!isObject(value['_meta'])) return;
    for (const key of Object.keys(value['_meta']).slice(0, MAX_KEYS))
      if (isReserved(key, revision) && !DEFINED.test(key))
        report(`The prefix of ${quoted(key, 60)} is reserved`, {
          at: `/_meta${step(key)}`,
          fix: 'Use a prefix of a domain of your own: com.example/name.',
        });
  },
};

export const metaRules: RuleGroup = { entry: [format, reserved] };
