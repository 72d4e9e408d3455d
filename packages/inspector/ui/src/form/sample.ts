import { isLossy } from '../../../src/values/exact-json.ts';
import { numbersIn } from '../../../src/values/json-text.ts';
import { sampleOf, type SampleOptions } from '../../../src/sample/sample-of.ts';
import { exactNumber, plain, readExact, writeExact } from '../json/exact.ts';
import { inWords2020, isNode, type Sample } from './form-schema.ts';

// Samples of what a schema allows, with the numbers of the schema as they are written there.

/** Each sample reads the whole schema; rows and choices beyond this many begin empty. */
const MAX_SAMPLES = 60;

const EMPTY = new Map<unknown, unknown>([
  ['string', ''],
  ['number', 0],
  ['integer', 0],
  ['boolean', false],
]);

/** Gives samples for the parts of a schema's form. `server`: the schema as it was read for the form. */
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

/** Numbers that JavaScript would change, put back as the schema has them. */
function exactly(value: unknown, written: ReadonlyMap<number, string>): unknown {
  if (typeof value === 'number') return written.has(value) ? exactNumber(written.get(value)!) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => exactly(item, written));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactly(member, written)]));
}

/** Arguments that a tool takes, for example. `schema`: JSON as the server wrote it. */
export function sampleText(schema: string, options: Pick<SampleOptions, 'optional' | 'seed'> = {}): string {
  const { value } = sampleOf(plain(readExact(schema)), options);
  const lossy = [...numbersIn(schema)].filter(isLossy);
  const written = new Map(lossy.map((text) => [Number(text), text]));
  return writeExact(isNode(value) ? exactly(value, written) : {}, '  ');
}
