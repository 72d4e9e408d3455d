import type { SchemaNode } from '../values/schema/walk-schema.ts';
import { listed, quoted } from '../values/words.ts';
import { FORMATS } from './keywords.ts';
import type { LintRule, LintSchema, RuleGroup } from './rule.ts';

type SchemaRule = LintRule<LintSchema>;

// Valid JSON Schema that model providers reject, or hosts do not show. Reported once for each schema.

const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'];

const root: SchemaRule = {
  id: 'portable-root',
  title: 'Arguments whose root has `anyOf`, `oneOf`, `allOf`, `not`, `enum`, `const` or `$ref`',
  why: 'Some model providers reject it there, and with it the whole request; a form has no fields.',
  severity: 'warning',
  see({ role, schema }, _context, report) {
    if (role !== 'input') return;
    const found = NOT_AT_ROOT.filter((keyword) => schema[keyword] !== undefined);
    if (found.length > 0)
      report(`The root has ${listed(found)}`, {
        at: `/${found[0]!}`,
        fix: 'List all arguments in "properties", and check in the tool which go together.',
      });
  },
};

const PLAIN_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const names: SchemaRule = {
  id: 'portable-argument-name',
  title: 'Arguments with names other than 1 to 64 letters, digits, `_`, `-` and `.`',
  why: 'Some model providers reject the tool, and with it the whole request.',
  severity: 'warning',
  see({ role, nodes }, _context, report) {
    if (role !== 'input') return;
    // All providers accept any names of nested properties.
    const odd = nodes.filter(({ name, depth }) => depth === 1 && name !== undefined && !PLAIN_KEY.test(name));
    if (odd.length > 0)
      report(`The argument ${quoted(odd[0]!.name, 60)} has such a name`, { at: odd[0]!.at, fix: 'Rename it.' });
  },
};

/** A rule about schemas in which some subschemas have a property. */
function having(
  head: Omit<SchemaRule, 'see'>,
  what: (node: SchemaNode) => string | undefined,
  fix: string,
): SchemaRule {
  return {
    ...head,
    see({ role, nodes }, _context, report) {
      if (role !== 'input') return;
      const found = nodes.flatMap((node) => what(node) ?? []);
      const first = nodes.find((node) => what(node) !== undefined);
      if (first === undefined) return;
      const kinds = [...new Set(found)];
      report(`${listed(kinds)}${found.length > 1 ? `, ${found.length} times` : ''}`, { at: first.at, fix });
    },
  };
}

const tuple = having(
  {
    id: 'portable-tuple',
    title: 'Arguments that are arrays with a schema for each position',
    why: 'Several model providers and most forms support only arrays with one kind of item.',
    severity: 'info',
  },
  ({ schema }) =>
    Array.isArray(schema['prefixItems']) || Array.isArray(schema['items']) ? 'A positional array' : undefined,
  'Use an object with a name for each place.',
);

const format = having(
  {
    id: 'portable-format',
    title: 'A `format` that JSON Schema does not define',
    why: 'It is never checked, and some model providers reject it.',
    severity: 'info',
  },
  ({ schema }) =>
    typeof schema['format'] === 'string' && !FORMATS.has(schema['format'])
      ? `The format ${quoted(schema['format'], 40)}`
      : undefined,
  'Say it in the description, or with a pattern or bounds.',
);

const typeList = having(
  {
    id: 'portable-type-list',
    title: 'A `type` that is an array',
    why: 'Some model providers support only one type, and forms show a plain text field.',
    severity: 'info',
  },
  ({ schema }) => (Array.isArray(schema['type']) ? 'A list of types' : undefined),
  'Make the argument optional instead of null, or use anyOf.',
);

const CONDITIONAL = [
  'if',
  'not',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'patternProperties',
];
const conditional = having(
  {
    id: 'portable-keywords',
    title:
      'Arguments with `if`, `not`, `dependent…`, `unevaluated…`, `contains`, `propertyNames` or `patternProperties`',
    why: 'Some model providers drop or reject them: the model does not know about them, and the call fails.',
    severity: 'info',
  },
  ({ schema }) => CONDITIONAL.find((keyword) => schema[keyword] !== undefined),
  'Say it in the description too, and check it in the tool.',
);

const MAX_REFS = 2_000;
const recursive: SchemaRule = {
  id: 'portable-recursion',
  title: 'Arguments whose schema contains itself',
  why: 'Hosts that inline references cannot do so, and some model providers reject it.',
  severity: 'info',
  see({ role, nodes }, _context, report) {
    if (role !== 'input') return;
    const references = nodes.flatMap(({ schema: { $ref }, at }) =>
      typeof $ref === 'string' && /^#(?:$|\/)/.test($ref) ? [{ at, target: decoded($ref.slice(1)) }] : [],
    );
    const found = references.length <= MAX_REFS ? cycleAmong(references) : undefined;
    if (found !== undefined)
      report(`The schema at ${quoted(found, 80)} contains itself`, {
        at: found,
        fix: 'Bound the depth, or take the inner part as JSON text.',
      });
  },
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The target of a reference that can be reached from inside itself. */
function cycleAmong(references: readonly { readonly at: string; readonly target: string }[]): string | undefined {
  const inside = (target: string): string[] =>
    references.filter(({ at }) => at === target || at.startsWith(`${target}/`)).map((each) => each.target);
  const targets = [...new Set(references.map(({ target }) => target))];
  const next = new Map(targets.map((target) => [target, [...new Set(inside(target))]]));
  const done = new Set<string>();
  for (const first of targets) {
    const open: string[] = [];
    const stack: { readonly target: string; readonly left: string[] }[] = [];
    const enter = (target: string): void => {
      open.push(target);
      stack.push({ target, left: [...(next.get(target) ?? [])] });
    };
    if (!done.has(first)) enter(first);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = top.left.pop();
      if (target === undefined) {
        done.add(top.target);
        open.pop();
        stack.pop();
      } else if (open.includes(target)) return target;
      else if (!done.has(target)) enter(target);
    }
  }
  return undefined;
}

export const portableRules: RuleGroup = {
  schema: [root, names, tuple, format, typeList, conditional, recursive],
};
