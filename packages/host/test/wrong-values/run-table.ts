// Tries the places of the table in its own process, which any error outside of a call ends.
// Arguments: the part of the table, the number of parts, and a step: each place is tried with every n-th kind of value, starting with
// another kind at each place. Writes a line of JSON for each place.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { TABLE } from './table.ts';
import { ALL_KINDS, type Kind } from './kinds.ts';
import { type Outcome, type Row, tryRow } from './try-row.ts';

/** The result for one place. */
export interface Verdict {
  readonly era: Row['era'];
  readonly document: string;
  readonly path: string;
  /** The deviations from the expected behaviour. */
  readonly faults: readonly string[];
}

/** Words of engines and libraries, which do not help people to understand a fault of a server. */
const ENGINE =
  /\[object Object\]|is not a function|Cannot (?:read|convert)|iterable|Invalid array|call stack|of undefined|(?:Type|Range|Reference|Zod)Error|AI_/;
/** Maximum length of a message of a host to a person. */
const MAX_MESSAGE_LENGTH = 2_000;

/** Documents with texts that determine the names of files in the state folder. */
const KEPT: ReadonlySet<string> = new Set([
  'tools/list tools.0.name',
  'initialize serverInfo.name',
  'initialize instructions',
  'resources/list resources.0.uri',
  'form params.message',
  'form params.requestedSchema',
  'page params.url',
]);

function nameOf(path: string): string {
  return path
    .split(/(?<!\.)\.(?!\.)/)
    .findLast((step) => !/^\d+$/.test(step))!
    .replaceAll('..', '.');
}

function faultsOf(kind: string, { told, problems }: Outcome, isTaken: boolean, says: RegExp): string[] {
  const all = [...told, ...problems];
  return [
    ...(isTaken || all.some((text) => says.test(text))
      ? []
      : [`${kind}: nothing like ${says} is said, but ${JSON.stringify(all)}`]),
    ...all.flatMap((text) => (ENGINE.test(text) ? [`${kind}: words of an engine: ${text.slice(0, 300)}`] : [])),
    ...problems.flatMap((text) =>
      text.length > MAX_MESSAGE_LENGTH || /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\ud800]/u.test(text)
        ? [`${kind}: a message that is too long, or cannot be seen: ${JSON.stringify(text.slice(0, 300))}`]
        : [],
    ),
  ];
}

/** Files in the state folder that have unexpected names. */
async function strayFiles(state: string): Promise<string[]> {
  const files = await readdir(state, { recursive: true });
  return files.filter((file) => !/^(?:[a-z0-9_-]+\/){0,2}[a-z0-9_-]+(?:\.json|\.jsonl|\.lock|\.key)*$/.test(file));
}

async function verdictOn(
  row: Row,
  kinds: readonly Kind[],
  taken: readonly string[],
  says: RegExp | undefined,
): Promise<Verdict> {
  const { era, document, path } = row;
  const state = KEPT.has(`${document} ${path}`) ? await mkdtemp(join(tmpdir(), 'wrong-values-')) : undefined;
  const wanted = says ?? new RegExp(nameOf(path === '' ? 'result' : path).replaceAll(/[$]/g, String.raw`\$&`));
  try {
    const outcomes = await tryRow({ ...row, state }, kinds);
    const faults = [...outcomes].flatMap(([kind, outcome]) => faultsOf(kind, outcome, taken.includes(kind), wanted));
    const stray = state === undefined ? [] : await strayFiles(state);
    return {
      era,
      document,
      path,
      faults: [...faults, ...stray.map((file) => `a file that no host names so: ${file}`)],
    };
  } catch (error) {
    return { era, document, path, faults: [error instanceof Error ? error.stack! : String(error)] };
  } finally {
    if (state !== undefined) await rm(state, { recursive: true, force: true });
  }
}

const [part, parts, step] = process.argv.slice(2).map(Number) as [number, number, number];
const places = TABLE.flatMap(([era, document, rows]) =>
  rows.map(([path, taken, says]) => ({ row: { era, document, path }, taken, says })),
);
for (const [index, { row, taken, says }] of places.entries()) {
  if (index % parts !== part) continue;
  const kinds = ALL_KINDS.filter((_, at) => (index + at) % step === 0);
  process.stdout.write(`${JSON.stringify(await verdictOn(row, kinds, taken, says))}\n`);
}
