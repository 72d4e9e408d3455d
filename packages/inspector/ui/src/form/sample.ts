import { isLossy } from '../../../src/values/exact-json.ts';
import { numbersIn } from '../../../src/values/json-text.ts';
import { sampleOf, type SampleOptions } from '../../../src/sample/sample-of.ts';
import { exactNumber, plain, readExact, writeExact } from '../json/exact.ts';
import { inWords2020, isNode, type Sample } from './form-schema.ts';

// Sample values for schemas, with numbers spelled as in the schema.

/** Each sample reads the whole schema, so further rows and choices begin empty. */
const MAX_SAMPLES = 60;

const EMPTY = new Map<unknown, unknown>([
  ['string', ''],
  ['number', 0],
  ['integer', 0],
  ['boolean', false],
]);

/** Returns a function that generates samples for parts of a form's schema. `server`: the schema as parsed for the form. */
export function sampler(server: unknown): Sample {
  const root = plain(server);
  let left = MAX_SAMPLES;
  return (part) => {
    if (left <= 0) return isNode(part) ? EMPTY.get(part['type']) : undefined;
    left -= 1;
    return sampleOf(
      inWords2020(part, (ref) => ref),
      { root },
    ).value;
  };
}

/** Restores the numbers that JavaScript would change to their spelling in the schema. */
function exactly(value: unknown, written: ReadonlyMap<number, string>): unknown {
  if (typeof value === 'number') return written.has(value) ? exactNumber(written.get(value)!) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => exactly(item, written));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactly(member, written)]));
}

/** Example arguments for a tool. `schema`: JSON as the server sent it. */
export function sampleText(schema: string, options: Pick<SampleOptions, 'optional' | 'seed'> = {}): string {
  const { value } = sampleOf(plain(readExact(schema)), options);
  const lossy = [...numbersIn(schema)].filter(isLossy);
  const written = new Map(lossy.map((text) => [Number(text), text]));
  return writeExact(isNode(value) ? exactly(value, written) : {}, '  ');
}
