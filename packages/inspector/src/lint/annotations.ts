import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import type { EntryRule, LintEntry, RuleGroup } from './rule.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function hintsOf({ value }: LintEntry): Readonly<Record<string, unknown>> {
  return isObject(value['annotations']) ? value['annotations'] : {};
}

/** A rule about the form of annotations, on tools or resources. */
function formed(head: Omit<EntryRule, 'see'>, rows: () => readonly Row[]): EntryRule {
  return {
    ...head,
    see({ value }, _context, report) {
      const { annotations } = value;
      if (annotations === undefined) return;
      if (!isObject(annotations)) {
        const fix = 'Write an object, or leave them out.';
        report(`The annotations are ${quoted(annotations)}, not an object`, { at: '/annotations', fix });
        return;
      }
      for (const [member, wanted, fits] of rows()) {
        const given = annotations[member];
        if (given !== undefined && !fits(given))
          report(`${member} is ${quoted(given, 60)}, not ${wanted}`, {
            at: `/annotations/${member}`,
            fix: 'Correct it, or leave it out.',
          });
      }
    },
  };
}

const shape = formed(
  {
    id: 'annotations-type',
    title: 'Hints of a tool that are not true or false',
    why: 'Clients that validate messages drop the tool; others ignore the hint.',
    severity: 'error',
    clause: { page: 'tools#tool', since: '2025-03-26' },
    of: ['tool'],
  },
  () => OF_TOOLS,
);

const shapeOfResources = formed(
  {
    id: 'resource-annotations',
    title: 'Annotations of a resource other than `audience`, `priority` from 0 to 1, and a time',
    why: 'Clients that validate messages drop the resource; others sort it wrongly.',
    severity: 'error',
    clause: { page: 'resources#annotations', since: '2025-06-18' },
    of: ['resource', 'template'],
  },
  () => OF_RESOURCES,
);

type Row = readonly [member: string, wanted: string, fits: (value: unknown) => boolean];
const OF_TOOLS: readonly Row[] = [
  ['title', 'a text', (value) => typeof value === 'string'],
  ...HINTS.map((hint): Row => [hint, 'true or false', (value) => typeof value === 'boolean']),
];
const ROLES = new Set<unknown>(['user', 'assistant']);
const OF_RESOURCES: readonly Row[] = [
  [
    'audience',
    'a list of "user" and "assistant"',
    (value) => Array.isArray(value) && value.every((role) => ROLES.has(role)),
  ],
  ['priority', 'a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1],
  ['lastModified', 'a text', (value) => typeof value === 'string'],
];

/** A date alone is also valid ISO 8601. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

const moment: EntryRule = {
  id: 'resource-last-modified',
  title: 'A `lastModified` that is not an ISO 8601 time',
  why: 'Hosts cannot sort by it, or find new resources.',
  severity: 'warning',
  clause: { page: 'resources#annotations', since: '2025-06-18' },
  of: ['resource', 'template'],
  see(entry, _context, report) {
    const { lastModified } = hintsOf(entry);
    if (typeof lastModified === 'string' && !MOMENT.test(lastModified))
      report(`lastModified is ${quoted(lastModified, 40)}`, {
        at: '/annotations/lastModified',
        fix: 'Write it as in 2025-01-12T15:00:58Z.',
      });
  },
};

const contradiction: EntryRule = {
  id: 'annotations-contradiction',
  title: 'A tool declared both read-only and destructive',
  why: 'A host that trusts the first hint calls it without asking.',
  severity: 'warning',
  of: ['tool'],
  see(entry, _context, report) {
    const { readOnlyHint, destructiveHint } = hintsOf(entry);
    if (readOnlyHint === true && destructiveHint === true)
      report('readOnlyHint and destructiveHint are both true', {
        at: '/annotations/destructiveHint',
        fix: 'Say which of them is right.',
      });
  },
};

const idle: EntryRule = {
  id: 'annotations-idle',
  title: '`destructiveHint` or `idempotentHint` of a tool that only reads',
  why: 'They only have a meaning if `readOnlyHint` is false.',
  severity: 'info',
  of: ['tool'],
  see(entry, _context, report) {
    const hints = hintsOf(entry);
    if (hints['readOnlyHint'] !== true) return;
    const idleHints = ['idempotentHint', ...(hints['destructiveHint'] === true ? [] : ['destructiveHint'])];
    const found = idleHints.filter((hint) => hints[hint] !== undefined);
    if (found.length > 0)
      report(`${found.join(' and ')} ${found.length === 1 ? 'has' : 'have'} no effect beside readOnlyHint: true`, {
        at: `/annotations/${found[0]!}`,
        fix: 'Leave it out.',
      });
  },
};

const WRITES =
  /^(?:delete|remove|drop|destroy|purge|erase|wipe|truncate|uninstall|kill|terminate|overwrite|create|update|write|insert|send|publish|deploy|set|add|edit|move|rename)(?:[_.-]|[A-Z]|$)/;
const DESTROYS =
  /^(?:delete|remove|drop|destroy|purge|erase|wipe|truncate|uninstall|kill|terminate|overwrite)(?:[_.-]|[A-Z]|$)/;

const name: EntryRule = {
  id: 'annotations-name',
  title: 'Hints that contradict the name',
  why: 'A host that trusts the hints lets `delete_file` run without asking.',
  severity: 'warning',
  of: ['tool'],
  see(entry, _context, report) {
    const { readOnlyHint, destructiveHint } = hintsOf(entry);
    if (entry.name === undefined) return;
    if (readOnlyHint === true && WRITES.test(entry.name))
      report(`readOnlyHint is true, and the name is ${quoted(entry.name, 60)}`, {
        at: '/annotations/readOnlyHint',
        fix: 'Correct the hint or the name.',
      });
    else if (destructiveHint === false && readOnlyHint !== true && DESTROYS.test(entry.name))
      report(`destructiveHint is false, and the name is ${quoted(entry.name, 60)}`, {
        at: '/annotations/destructiveHint',
        fix: 'Correct the hint or the name.',
      });
  },
};

const missing: EntryRule = {
  id: 'annotations-missing',
  title: 'A tool without hints',
  why: 'By default it counts as destructive and open-world: hosts ask before each call, or do not offer it.',
  severity: 'info',
  clause: { page: 'tools#tool', since: '2025-03-26' },
  of: ['tool'],
  see(entry, { revision }, report) {
    if (revision < '2025-03-26') return;
    const hints = hintsOf(entry);
    if (!HINTS.some((hint) => hints[hint] !== undefined))
      report('The tool has no hints', {
        at: '/annotations',
        fix: 'Add "annotations": { "readOnlyHint": true }, or the correct hints.',
      });
  },
};

const TASKS = new Set<unknown>(['forbidden', 'optional', 'required']);
const task: EntryRule = {
  id: 'task-support',
  title: '`execution.taskSupport` other than `forbidden`, `optional` and `required`',
  why: 'A client cannot know whether it may call the tool as a task.',
  severity: 'error',
  clause: { page: 'tools#tool', since: '2025-11-25', until: '2025-11-25' },
  of: ['tool'],
  see({ value }, _context, report) {
    const { execution } = value;
    if (execution === undefined) return;
    const support = isObject(execution) ? execution['taskSupport'] : execution;
    if (support !== undefined && !TASKS.has(support))
      report(`taskSupport is ${quoted(support, 60)}`, {
        at: '/execution/taskSupport',
        fix: 'Write forbidden, optional or required.',
      });
  },
};

export const annotationRules: RuleGroup = {
  entry: [shape, shapeOfResources, moment, contradiction, idle, name, missing, task],
};
