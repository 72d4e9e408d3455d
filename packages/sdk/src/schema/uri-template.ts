import { readCharacters, textOf } from './uri-template/characters.ts';
import type { Characters } from './uri-template/characters.ts';
import { expandParts } from './uri-template/expand.ts';
import type { TemplateValues } from './uri-template/expand.ts';
import { parseParts } from './uri-template/grammar.ts';
import { findValues } from './uri-template/match.ts';
import type { Found } from './uri-template/match.ts';
import { compileSteps } from './uri-template/steps.ts';
import type { Place } from './uri-template/steps.ts';

export type { TemplateValue, TemplateValues } from './uri-template/expand.ts';

/** Values read from a URI: a list for a variable with `*`, a string for every other. */
export type MatchedValues = Map<string, string | string[]>;

/** A URI template (RFC 6570, level 4) that writes and reads URIs. */
export interface UriTemplate {
  /** The text as it was written. */
  readonly text: string;
  /** The names of the variables, without duplicates, in order. */
  readonly variables: readonly string[];
  /** The number of literal characters. Of two templates that match, the one with more is more specific. */
  readonly specificity: number;
  /**
   * The URI for these values (RFC 6570, section 3). A variable without a value is left out. Throws a `TypeError` for a lone surrogate, and
   * for a list or object if the template has a prefix modifier for it.
   *
   * @example
   * ```ts
   * import { parseTemplate } from 'tenon/schema';
   *
   * parseTemplate('/search{?q,lang}').expand({ q: 'a b' }); // '/search?q=a%20b'
   * ```
   */
  expand(values: TemplateValues): string;
  /**
   * The values with which `expand` writes this URI, or undefined if there are none; never throws. Values are percent-decoded **once** and
   * otherwise untouched: they may be `..`, start with `/` or contain an encoded slash. Code that makes a path of them must check where it
   * leads.
   *
   * @example
   * ```ts
   * import { parseTemplate } from 'tenon/schema';
   *
   * parseTemplate('file:///{+path}').match('file:///a%20b/c'); // Map { 'path' => 'a b/c' }
   * ```
   */
  match(uri: string): MatchedValues | undefined;
}

/** The maximum length of a URI that is matched, in UTF-16 units. */
export const MAX_URI_LENGTH = 64 * 1024;

type Value = string | string[] | undefined;

function split(characters: Characters, { start, end, separator }: Found): string[] {
  const items: string[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && characters[at] !== separator) continue;
    items.push(textOf(characters, from, at));
    from = at + 1;
  }
  return items;
}

/** The values of all places; undefined if a member that is not a list occurs twice, or a prefix is too long. */
function valuesOf(places: readonly Place[], found: readonly Found[], uri: Characters): Value[] | undefined {
  const values: Value[] = places.map(({ explode }) => (explode ? [] : undefined));
  for (const one of found) {
    const { place, start, end, separator } = one;
    const known = values[place.index];
    if (separator !== undefined) values[place.index] = split(uri, one);
    else if (Array.isArray(known)) known.push(textOf(uri, start, end));
    else if (known !== undefined || end - start > (place.prefix ?? Infinity)) return undefined;
    else values[place.index] = textOf(uri, start, end);
  }
  return values;
}

function asText(value: Value): string | undefined {
  if (!Array.isArray(value)) return value;
  return value.length === 0 ? undefined : value.join(',');
}

function starts(value: string | undefined, length: number): string | undefined {
  return value === undefined ? undefined : Array.from(value).slice(0, length).join('');
}

/** The value of a variable that occurs in several places, if they agree: a whole one if there is one, else the longest prefix. */
function agreed(places: readonly Place[], values: readonly Value[]): { readonly value: Value } | undefined {
  const rank = (place: Place) => (place.explode ? Infinity : (place.prefix ?? 10_000));
  const best = places.reduce((a, b) => (rank(b) > rank(a) ? b : a));
  const value = values[best.index];
  const whole = asText(value);
  const agree = places.every((place) => {
    const here = asText(values[place.index]);
    return here === whole || (place.prefix !== undefined && here === starts(whole, place.prefix));
  });
  return agree ? { value } : undefined;
}

/** A cheap comparison of the literal start of the URI. A difference at a `%` may only be one of encoding. */
function startDiffers(uri: string, literal: string): boolean {
  if (uri.startsWith(literal)) return false;
  let at = 0;
  while (at < literal.length && at < uri.length && uri[at] === literal[at]) at++;
  return uri[at] !== '%';
}

function groupByName(places: readonly Place[]): ReadonlyMap<string, readonly Place[]> {
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const group = groups.get(place.name);
    if (group) group.push(place);
    else groups.set(place.name, [place]);
  }
  return groups;
}

/**
 * Parses a URI template. Throws a `DefinitionError` with the position if it is malformed, longer than 8 KiB, or has more than 100
 * expressions or variables.
 *
 * Matching takes time proportional to the length of the URI × the parts of the template, whatever both contain; a URI over 64 KiB does not
 * match. The parts match:
 *
 * | expression | matches |
 * |---|---|
 * | `{a}` `{.a}` `{/a}` | one or more characters except raw `/` `?` `#` |
 * | `{+a}` | one or more characters, `/` included; `?` or `#` only if no `{?…}` or `{#…}` follows |
 * | `{#a}` | nothing, or `#` and the rest |
 * | `{a,b}` `{+a,b}` `{/a,b}` `{.a,b}` | all of them, split at the raw separator |
 * | `{;a,b}` `{?a,b}` `{&a,b}` | members in any order, each at most once, all optional; other members do not match |
 * | `{a*}` `{/a*}` … | a list, split at the raw separator; a missing one is empty. Named: the values of all members `a` |
 * | `{a:3}` | at most 3 characters |
 *
 * - A variable without `*` is always a string, even with raw commas in it; one with `*` is always a list. A missing member has no entry in
 * the map. Objects are only written, never read.
 * - Where several readings are possible, a variable further left takes as much as it can.
 * - A variable in several places must have the same value in all of them (`{a:1}/{a}`).
 * - An encoded character and a raw one are the same unless the character is reserved (RFC 3986, section 2.2): `%2F` is neither a separator
 * nor a literal `/`, but becomes `/` in the value. Matching is case-sensitive.
 * - `expand(match(uri))` is the same URI up to encoding and the order of members, with one exception: `{+a}` and `{#a}` write triplets as
 * they are, so `%252F`, read as `%2F`, is written as `%2F`. To pass a URI on, pass the URI.
 * - Invalid escapes, bytes that are not UTF-8, raw control characters and raw backslashes do not match.
 *
 * @example
 * ```ts
 * import { parseTemplate } from 'tenon/schema';
 *
 * const template = parseTemplate('users://{id}/posts{?tag*}');
 * template.match('users://7/posts?tag=a&tag=b'); // Map { 'id' => '7', 'tag' => ['a', 'b'] }
 * template.expand({ id: 7, tag: ['a', 'b'] }); // 'users://7/posts?tag=a&tag=b'
 * ```
 */
export function parseTemplate(text: string): UriTemplate {
  const parts = parseParts(text);
  const { steps, places } = compileSteps(parts);
  const groups = groupByName(places);
  const first = parts[0]?.kind === 'literal' ? parts[0].text : '';
  const plainStart = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*/.exec(first)?.[0] ?? '';
  return {
    text,
    variables: [...groups.keys()],
    specificity: parts.reduce((sum, part) => sum + (part.kind === 'literal' ? part.text.length : 0), 0),
    expand: (values) => expandParts(parts, values),
    match(uri) {
      if (uri.length > MAX_URI_LENGTH || startDiffers(uri, plainStart)) return undefined;
      const characters = readCharacters(uri);
      const found = characters && findValues(steps, characters);
      const values = found && valuesOf(places, found, characters);
      if (!values) return undefined;
      const matched: MatchedValues = new Map();
      for (const [name, group] of groups) {
        const result = agreed(group, values);
        if (!result) return undefined;
        if (result.value !== undefined) matched.set(name, result.value);
      }
      return matched;
    },
  };
}
