import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import type { LintRule, LintSchema, RuleGroup } from './rule.ts';
import { step, type SchemaNode } from '../values/schema/walk-schema.ts';

type NodeRule = LintRule<{ readonly node: SchemaNode; readonly of: LintSchema }>;

const enumeration: NodeRule = {
  id: 'enum-values',
  title: 'An `enum` that is empty, repeats a value, or has values that are never valid',
  why: 'An empty one accepts nothing; a value of the wrong type is offered and then rejected.',
  severity: 'warning',
  see({ node, of }, _context, report) {
    const values = node.schema['enum'];
    if (!Array.isArray(values)) return;
    const at = `${node.at}/enum`;
    if (values.length === 0)
      report('The enum is empty: no value fits', { at, fix: 'List the values, or leave it out.' });
    const seen = new Set<unknown>();
    for (const [index, value] of values.slice(0, 500).entries()) {
      if (typeof value !== 'object' && seen.has(value))
        report(`The enum has ${quoted(value)} twice`, { at: at + step(index), fix: 'Remove one.' });
      seen.add(value);
      const [issue] = of.read.check(value, node.at);
      if (issue !== undefined)
        report(`The value ${quoted(value)} can never be given: it ${issue.message}`, {
          at: at + step(index),
          fix: 'Correct the value or the type.',
        });
    }
  },
};

const given: NodeRule = {
  id: 'default-invalid',
  title: 'A `default`, `const` or example that the schema rejects',
  why: 'A form starts with an error, a model copies it, and the call of a client that fills in defaults is rejected.',
  severity: 'warning',
  see({ node, of }, _context, report) {
    const { schema, at } = node;
    const look = (value: unknown, place: string, what: string): void => {
      const [issue] = of.read.check(value, at);
      if (issue === undefined) return;
      const where = issue.path.length === 0 ? 'it' : `its ${quoted(issue.path.join('.'), 60)}`;
      report(`The ${what} ${quoted(value, 60)} does not fit: ${where} ${issue.message}`, {
        at: at + place,
        fix: `Correct the ${what} or the schema.`,
      });
    };
    if (schema['default'] !== undefined) look(schema['default'], '/default', 'default');
    if (schema['const'] !== undefined) look(schema['const'], '/const', 'const');
    const { examples } = schema;
    if (Array.isArray(examples))
      examples.slice(0, 50).forEach((value, index) => look(value, `/examples/${index}`, 'example'));
  },
};

const RANGES: readonly (readonly [least: string, most: string])[] = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
];

const bounds: NodeRule = {
  id: 'bounds-impossible',
  title: 'Bounds that no value can satisfy',
  why: 'Every call is rejected, whatever the value.',
  severity: 'warning',
  see({ node, of }, _context, report) {
    const { schema, at } = node;
    const fix = 'Correct the bounds.';
    const number = (keyword: string): number | undefined =>
      typeof schema[keyword] === 'number' ? schema[keyword] : undefined;
    for (const [least, most] of RANGES) {
      const [min, max] = [number(least), number(most)];
      if (min !== undefined && max !== undefined && min > max)
        report(`${least} ${min} is more than ${most} ${max}`, { at: `${at}/${least}`, fix });
    }
    const range = numberRange(number, schema['type'] === 'integer');
    if (range !== undefined) report(range, { at, fix });
    const names = Array.isArray(schema['required']) ? new Set(schema['required']).size : 0;
    const most = number('maxProperties');
    if (most !== undefined && names > most)
      report(`${names} properties are required, and ${most} allowed`, { at: `${at}/maxProperties`, fix });
    const list = of.read.dialect === '2020-12' ? schema['prefixItems'] : schema['items'];
    const rest = of.read.dialect === '2020-12' ? schema['items'] : schema['additionalItems'];
    const items = number('minItems');
    if (Array.isArray(list) && rest === false && items !== undefined && items > list.length)
      report(`minItems is ${items}, and there are ${list.length} items at most`, { at: `${at}/minItems`, fix });
  },
};

function numberRange(number: (keyword: string) => number | undefined, whole: boolean): string | undefined {
  const [min = -Infinity, above = -Infinity] = [number('minimum'), number('exclusiveMinimum')];
  const [max = Infinity, below = Infinity] = [number('maximum'), number('exclusiveMaximum')];
  const low = Math.max(min, above);
  const high = Math.min(max, below);
  const open = above >= min || below <= max;
  if (low > high || (low === high && open && Number.isFinite(low)))
    return `No number is at the same time above ${low} and below ${high}`;
  if (!whole || !Number.isFinite(low) || !Number.isFinite(high)) return undefined;
  const first = above >= min ? Math.floor(low) + 1 : Math.ceil(low);
  const last = below <= max ? Math.ceil(high) - 1 : Math.floor(high);
  return first > last ? `There is no integer from ${low} to ${high}` : undefined;
}

const pattern: NodeRule = {
  id: 'pattern',
  title: 'A `pattern` that is not a regular expression, or that can take for ever',
  why: 'It is never checked, or it stops the program that checks it: a text of 30 characters is enough for some loops.',
  severity: 'warning',
  see({ node }, { memo }, report) {
    for (const { source, at } of patternsOf(node)) {
      const problem = memo.patternProblem(source);
      if (problem === undefined || problem.kind === 'refused') continue;
      const slow = problem.kind === 'exponential';
      report(
        `The pattern ${quoted(source, 60)} ${slow ? 'can take for ever' : 'is not a regular expression'}: ${problem.message}`,
        {
          at,
          fix: slow
            ? 'Write it so that each text can be read in one way only.'
            : 'Write it as in ECMAScript with the flag u.',
        },
      );
    }
  },
};

const patternFeatures: NodeRule = {
  id: 'pattern-features',
  title: 'A `pattern` with backreferences or lookaround',
  why: 'Engines with linear time (Go, Rust, RE2, this one) reject it: they ignore the pattern, or the whole tool.',
  severity: 'info',
  see({ node }, { memo }, report) {
    for (const { source, at } of patternsOf(node)) {
      const problem = memo.patternProblem(source);
      if (problem?.kind === 'refused')
        report(`The pattern ${quoted(source, 60)} is refused by some: ${problem.message}`, {
          at,
          fix: 'Check that part in the tool.',
        });
    }
  },
};

function patternsOf({ schema, at }: SchemaNode): { readonly source: string; readonly at: string }[] {
  return [
    ...(typeof schema['pattern'] === 'string' ? [{ source: schema['pattern'], at: `${at}/pattern` }] : []),
    ...(isObject(schema['patternProperties'])
      ? Object.keys(schema['patternProperties']).map((source) => ({
          source,
          at: `${at}/patternProperties${step(source)}`,
        }))
      : []),
  ];
}

const precision: NodeRule = {
  id: 'number-precision',
  title: 'An integer beyond ±(2^53 − 1) that has to be given exactly',
  why: 'JavaScript, and every client written in it, reads and sends a different number.',
  severity: 'warning',
  see({ node }, _context, report) {
    const { schema, at } = node;
    const look = (value: unknown, place: string): void => {
      if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
        report(`The integer ${value} cannot be distinguished from its neighbours`, {
          at: at + place,
          fix: 'Use a text of digits.',
        });
    };
    look(schema['const'], '/const');
    look(schema['default'], '/default');
    if (Array.isArray(schema['enum']))
      schema['enum'].slice(0, 500).forEach((value, index) => look(value, `/enum/${index}`));
  },
};

export const valueRules: RuleGroup = { node: [enumeration, given, bounds, pattern, patternFeatures, precision] };
