import type { Characters } from './characters.ts';
import { readCharacters } from './characters.ts';
import type { Part, Variable } from './grammar.ts';

/** A variable at one place of the template. */
export interface Place extends Variable {
  /** The index among the places of the template. */
  readonly index: number;
}

/** `name` or `name=value` in a query or among path parameters. */
export interface Member {
  readonly name: Characters;
  readonly place: Place;
}

/**
 * A template as a sequence of steps that consume characters from left to right.
 * - `literal`: these characters.
 * - `run`: at least `min` and at most `max` characters, none of them in `excluded`; the value of one place. With `separator` the value is a
 * list and the separators are part of the run.
 * - `optional`: the next `count` steps, or none of them.
 * - `members`: nothing, or `first` and members in any order with `separator` between them.
 */
export type Step =
  | { readonly kind: 'literal'; readonly characters: Characters }
  | {
      readonly kind: 'run';
      readonly place: Place;
      readonly min: number;
      readonly max: number;
      readonly excluded: number;
      readonly separator: number | undefined;
    }
  | { readonly kind: 'optional'; readonly count: number }
  | {
      readonly kind: 'members';
      readonly first: number;
      readonly separator: number;
      readonly excluded: number;
      readonly members: readonly Member[];
    };

/** The delimiters; each has a bit, so that a set of them is one number. */
const DELIMITERS = '/?#,.;&';
function bit(delimiter: string): number {
  return 1 << DELIMITERS.indexOf(delimiter);
}
const NOT_IN_PATH = /* @__PURE__ */ ['/', '?', '#'].reduce((set, delimiter) => set | bit(delimiter), 0);
const BITS = /* @__PURE__ */ Uint8Array.from({ length: 0x80 }, (_, code) => {
  const delimiter = String.fromCharCode(code);
  return DELIMITERS.includes(delimiter) ? bit(delimiter) : 0;
});

/** The delimiter bit of each character; 0 if it is not a delimiter, or encoded. One more 0 for the end. */
export function delimiterBits(characters: Characters): Uint8Array {
  const bits = new Uint8Array(characters.length + 1);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as number;
    if (character < 0x80) bits[at] = BITS[character] as number;
  }
  return bits;
}

type Expression = Extract<Part, { kind: 'expression' }>;

/**
 * The delimiters that a value of an unnamed expression must not contain raw. RFC 6570 lets `+` and `#` write any reserved character; a
 * query or fragment expression further right excludes its own delimiter.
 */
function excludedIn({ operator }: Expression, rest: readonly Part[]): number {
  if (!operator.reserved) return NOT_IN_PATH;
  if (operator.first === '#') return 0;
  const follows = (first: string) => rest.some((part) => part.kind === 'expression' && part.operator.first === first);
  return (follows('?') ? bit('?') : 0) | (follows('#') ? bit('#') : 0);
}

function literalStep(text: string): Step {
  return { kind: 'literal', characters: readCharacters(text) as Characters };
}

function unnamedSteps(expression: Expression, places: readonly Place[], rest: readonly Part[]): Step[] {
  const { first, separator } = expression.operator;
  const fragment = first === '#';
  const always = excludedIn(expression, rest);
  const steps: Step[] = [];
  places.forEach((place, index) => {
    const lead = index === 0 ? first : separator;
    const leading = lead === '' ? [] : [literalStep(lead)];
    const split = places.length > 1 || place.explode ? bit(separator) : 0;
    if (!place.explode) {
      steps.push(...leading, {
        kind: 'run',
        place,
        min: fragment ? 0 : 1,
        max: place.prefix ?? Infinity,
        excluded: always | split,
        separator: undefined,
      });
      return;
    }
    const run: Step = {
      kind: 'run',
      place,
      min: lead === '' ? 1 : 0,
      max: Infinity,
      excluded: always & ~split,
      separator: separator.charCodeAt(0),
    };
    // A list may be missing, with its first character, unless the next variable needs a separator.
    const required = index === 0 && places.length > 1 && first !== separator;
    steps.push(...(required ? [] : [{ kind: 'optional', count: leading.length + 1 } as const]), ...leading, run);
  });
  return fragment ? [{ kind: 'optional', count: steps.length }, ...steps] : steps;
}

function membersStep({ operator }: Expression, places: readonly Place[]): Step {
  return {
    kind: 'members',
    first: operator.first.charCodeAt(0),
    separator: operator.separator.charCodeAt(0),
    excluded: operator.separator === ';' ? NOT_IN_PATH | bit(';') : bit('&') | bit('#'),
    // The longest name first: if two match, the longer one is right.
    members: places
      .map((place) => ({ name: readCharacters(place.name) as Characters, place }))
      .sort((a, b) => b.name.length - a.name.length),
  };
}

/** The steps of a template, and its places in order. */
export function compileSteps(parts: readonly Part[]): {
  readonly steps: readonly Step[];
  readonly places: readonly Place[];
} {
  const steps: Step[] = [];
  const places: Place[] = [];
  parts.forEach((part, at) => {
    if (part.kind === 'literal') {
      steps.push(literalStep(part.text));
      return;
    }
    const here = part.variables.map((variable, offset) => ({ ...variable, index: places.length + offset }));
    places.push(...here);
    steps.push(...(part.operator.named ? [membersStep(part, here)] : unnamedSteps(part, here, parts.slice(at + 1))));
  });
  return { steps, places };
}
