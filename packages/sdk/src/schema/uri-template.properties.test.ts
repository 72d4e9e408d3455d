import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { DefinitionError } from '../protocol/errors.ts';
import { parseTemplate } from './uri-template.ts';
import type { MatchedValues, TemplateValue } from './uri-template.ts';

const runs = { numRuns: 1000 };

/** Any text that may occur in a URI, with more delimiters and escapes than chance would give. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', '/', '?', '#', ',', '.', ';', '&', '=', '%', '%2F', '%25', '..', ' ', '\u00e9'),
  }),
);
const someText = text.filter((value) => value !== '');
/** Reserved expansion copies triplets as they are, so a value that contains one is not read back (RFC 6570, section 3.2.3). */
function noTriplet(value: string) {
  return !/%[0-9A-Fa-f]{2}/.test(value);
}

/** A piece of a template whose value can be distinguished from what follows, and values for it. */
interface Piece {
  readonly text: (name: string) => string;
  readonly value: fc.Arbitrary<TemplateValue>;
}

const list = fc.array(text, { maxLength: 4 });
/** A list whose only element is empty is written like an empty list. */
const visibleList = list.filter((items) => items.length !== 1 || items[0] !== '');
function noDots(items: readonly string[]) {
  return items.every((item) => !item.includes('.'));
}

const pieces: readonly Piece[] = [
  { text: (name) => `/{${name}}`, value: someText },
  { text: (name) => `{/${name}}`, value: someText },
  { text: (name) => `/x{.${name}}`, value: someText },
  { text: (name) => `/{${name}*}`, value: visibleList },
  { text: (name) => `/x{.${name}*}`, value: list.filter(noDots) },
  { text: (name) => `/{${name}:5}`, value: someText.filter((value) => Array.from(value).length <= 5) },
  { text: (name) => `/x{;${name}}`, value: fc.option(text, { nil: undefined }) },
  { text: (name) => `/x{;${name}*}`, value: list },
];
const tails: readonly Piece[] = [
  { text: () => '', value: fc.constant(undefined) },
  { text: (name) => `/tail{/${name}*}`, value: list },
  { text: (name) => `/{+${name}}`, value: someText.filter((value) => noTriplet(value) && !/[?#]/.test(value)) },
];
const queries: readonly Piece[] = [
  { text: () => '', value: fc.constant(undefined) },
  { text: (name) => `{?${name}}`, value: fc.option(text, { nil: undefined }) },
  { text: (name) => `{?${name}*}`, value: list },
  { text: (name) => `{?one,${name}*,two}`, value: list },
  { text: (name) => `?fixed=1{&${name}}`, value: fc.option(text, { nil: undefined }) },
];
const fragments: readonly Piece[] = [
  { text: () => '', value: fc.constant(undefined) },
  { text: (name) => `{#${name}}`, value: fc.option(text.filter(noTriplet), { nil: undefined }) },
];

const names = ['a', 'b.c', '__proto__', 'constructor', 'toString', 'x_1', 'e%20e'];

/** A template without ambiguity and values for all its variables. */
const unambiguous = fc
  .tuple(
    fc.array(fc.constantFrom(...pieces), { maxLength: 4 }),
    fc.constantFrom(...tails),
    fc.constantFrom(...queries),
    fc.constantFrom(...fragments),
  )
  .chain(([middle, tail, query, fragment]) => {
    const used = [...middle, tail, query, fragment].map((piece, at) => ({ piece, name: names[at] as string }));
    const template = `scheme://host${used.map(({ piece, name }) => piece.text(name)).join('')}`;
    return fc.tuple(
      fc.constant(template),
      fc.tuple(...used.map(({ piece, name }) => piece.value.map((value) => [name, value] as const))),
    );
  });

function defined(entries: readonly (readonly [string, TemplateValue])[], variables: readonly string[]): MatchedValues {
  return new Map(entries.filter(([name, value]) => value !== undefined && variables.includes(name))) as MatchedValues;
}

test('[RES-8] a URI written by an unambiguous template is read back', () => {
  fc.assert(
    fc.property(unambiguous, ([source, entries]) => {
      const template = parseTemplate(source);
      const uri = template.expand(new Map(entries));
      assert.deepEqual(template.match(uri), defined(entries, template.variables));
    }),
    runs,
  );
});

test('[RES-8] query members are read in any order', () => {
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), text), { selector: ([name]) => name });
  fc.assert(
    fc.property(members, (entries) => {
      const template = parseTemplate(`x{?${names.join(',')}}`);
      const uri = entries
        .map(([name, value], at) => `${at === 0 ? '?' : '&'}${name}=${encodeURIComponent(value)}`)
        .join('');
      const found = template.match(`x${uri}`);
      assert.deepEqual(new Map([...(found ?? [])].sort()), new Map([...entries].sort()));
    }),
    runs,
  );
});

const signs = ['a', 'b', '/', '.', ',', ';', '?', '&', '#', '=', '%41', '%2F', '%2C', '\u00e9'];
const sourceText = fc
  .array(
    fc.constantFrom(
      '{a}',
      '{b}',
      '{+a}',
      '{#b}',
      '{.a}',
      '{/a}',
      '{;a,b}',
      '{?a,b}',
      '{&a*}',
      '{a,b}',
      '{b*}',
      '{/b*}',
      '{a:2}',
      '{.b*,a}',
      '{b*,a}',
      '{#b*,a}',
      'a',
      '/',
      ',',
      'b',
    ),
    { maxLength: 6 },
  )
  .map((list) => list.join(''));
const shortUri = fc.array(fc.constantFrom(...signs), { maxLength: 14 }).map((list) => list.join(''));

test('a match can be expanded again to the same URI, up to encoding and order of members', () => {
  const letters = (uri: string) => Array.from(decodeURIComponent(uri).replaceAll('=', '')).sort().join('');
  let matches = 0;
  fc.assert(
    fc.property(sourceText, shortUri, (source, uri) => {
      const template = parseTemplate(source);
      const found = template.match(uri);
      if (!found) return;
      matches++;
      const again = template.expand(found);
      // `a` and `a=` are the same member, so equal signs are ignored here.
      assert.equal(letters(again), letters(uri), `${source} wrote ${again}`);
      if (!/[;?&]/.test(source)) assert.equal(decodeURIComponent(again), decodeURIComponent(uri), source);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(matches > 500, `only ${matches} matches`);
});

/** A backtracking regular expression for a template without named members: slow for hostile input, but obviously correct. */
function oracle(source: string): RegExp {
  const one = '[^/?#]';
  const rules: readonly (readonly [string, string])[] = [
    ['{a}', `(?<x>${one}+)`],
    ['{+a}', '(?<x>[^]+)'],
    ['{#a}', '(?:#(?<x>[^]*))?'],
    ['{.a}', `\\.(?<x>${one}+)`],
    ['{/a}', `/(?<x>${one}+)`],
    ['{a:2}', `(?<x>${one}{1,2})`],
    ['{a*}', `(?<x>${one}+)?`],
    ['{/a*}', '(?<x>(?:/[^/?#]*)+)?'],
    ['{.a*}', `(?<x>\\.${one}*)?`],
    ['{a,b}', '(?<x>[^/?#,]+),(?<y>[^/?#,]+)'],
  ];
  const found = rules.find(([expression]) => source === expression);
  return new RegExp(found ? found[1] : source.replace(/[.?]/g, '\\$&'));
}

const unnamed = [
  '{a}',
  '{+a}',
  '{#a}',
  '{.a}',
  '{/a}',
  '{a:2}',
  '{a*}',
  '{/a*}',
  '{.a*}',
  '{a,b}',
  'a',
  '/',
  '.',
  ',',
  '?',
];

test('values equal those of a backtracking regular expression', () => {
  const plainUri = fc
    .array(fc.constantFrom('a', 'b', '/', '.', ',', '?', '#'), { maxLength: 12 })
    .map((list) => list.join(''));
  let matches = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...unnamed), { minLength: 1, maxLength: 5 }), plainUri, (sources, uri) => {
      // Each expression gets its own names. With `{#…}` after `{+…}` the number sign belongs to the fragment.
      const renamed = sources.map((source, at) => source.replace(/[ab](?=[:*,}])/g, (name) => `${name}${at}`));
      const pattern = sources.map((source, at) => {
        const later = sources.slice(at + 1).includes('{#a}');
        const part = oracle(source).source.replace('<x>', `<a${at}>`).replace('<y>', `<b${at}>`);
        return source === '{+a}' && later ? part.replace('[^]', '[^#]') : part;
      });
      const template = parseTemplate(renamed.join(''));
      const expected = new RegExp(`^${pattern.join('')}$`).exec(uri);
      const found = template.match(uri);
      assert.equal(found !== undefined, expected !== null, template.text);
      if (!found) return;
      matches++;
      for (const [name, value] of found) {
        const at = Number(name.slice(1));
        const separator = sources[at] === '{/a*}' ? '/' : sources[at] === '{.a*}' ? '.' : ',';
        const lead = separator === ',' ? '' : separator;
        const plain = Array.isArray(value) ? (value.length === 0 ? undefined : lead + value.join(separator)) : value;
        assert.equal(plain, expected?.groups?.[name], `${template.text}: ${name}`);
      }
    }),
    { numRuns: 20_000 },
  );
  assert.ok(matches > 500, `only ${matches} matches`);
});

test('any text is a template or a definition error, any URI matches or does not: no other error is thrown', () => {
  const template = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('{', '}', '+', '#', '/', '?', '&', ';', '.', ',', '*', ':', '1', 'a', '%', '%41', '{a}'),
    }),
    sourceText,
  );
  const uri = fc.oneof(
    fc.string({ unit: 'binary' }),
    text,
    shortUri,
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  );
  fc.assert(
    fc.property(template, uri, (source, target) => {
      try {
        const found = parseTemplate(source).match(target);
        assert.ok(found === undefined || found instanceof Map);
      } catch (error) {
        if (!(error instanceof DefinitionError)) throw error;
      }
    }),
    { numRuns: 5000 },
  );
});
