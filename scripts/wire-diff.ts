// Compares the wire traffic of two builds of the SDK: `npm run wire-diff -- <folder of another checkout>`. Both are recorded with the same
// inputs on every transport in every revision (scripts/wire). The other checkout must be built. Exits with 1 on any difference that is
// not expected.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from './lib/files.ts';
import { type Difference, differencesOf } from './wire/difference.ts';
import { type Recording, TRANSPORTS } from './wire/exchange.ts';
import { isExpected, readExpected } from './wire/expected.ts';
import { MASKS } from './wire/mask.ts';

const USAGE = `Usage: npm run wire-diff -- <folder of another checkout, built> [options]
Instead of a folder, also of the one behind --against, a recording can be given that --keep has kept.
  --against <folder>  compare with this checkout instead of the one the command belongs to
  --expect <file>     differences that are meant: a JSON list of { input, transports?, revisions?, kinds?, details?, reason }
  --only <name>       only this transport, or only this scenario (several times for more)
  --keep <folder>     keep both recordings there: before.json and now.json
  --most <number>     print no more than so many differences (default 50)
  --masks             list the fields that are not compared, with the reasons`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string', default: root },
    expect: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    keep: { type: 'string' },
    most: { type: 'string', default: '50' },
    masks: { type: 'boolean', default: false },
  },
});

/** Records a build in a separate process. */
async function record(folder: string, file: string): Promise<Recording> {
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, 'scripts/wire/record.ts'), folder, file, ...values.only], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((settle) => child.on('close', settle));
  if (code !== 0) throw new Error(`${folder} could not be recorded; the messages are above`);
  const recording = readRecording(file);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${recording.exchanges.length} exchanges with ${folder} (${seconds} s)`);
  if (recording.exchanges.length === 0) throw new Error('Nothing was recorded: the scenario is not for this transport');
  return recording;
}

function readRecording(file: string): Recording {
  return JSON.parse(readFileSync(file, 'utf8')) as Recording;
}

function isRecording(place: string): boolean {
  return place.endsWith('.json') && existsSync(place);
}

/** The part of a recording with the named transports and scenarios. */
function onlyNamed({ folder, exchanges }: Recording, only: readonly string[]): Recording {
  const transports = only.filter((name) => TRANSPORTS.some((transport) => transport === name));
  const scenarios = only.filter((name) => !transports.includes(name));
  return {
    folder,
    exchanges: exchanges.filter(
      ({ transport, input }) =>
        (transports.length === 0 || transports.includes(transport)) &&
        (scenarios.length === 0 || scenarios.some((name) => input.startsWith(`${name} / `))),
    ),
  };
}

/** The given recording, or a new one of the checkout in this folder. */
function recordingOf(place: string, file: string): Recording | Promise<Recording> {
  return isRecording(place) ? onlyNamed(readRecording(place), values.only) : record(resolve(place), file);
}

function print(differences: readonly Difference[], most: number): void {
  let last = '';
  for (const { key, kind, details, sent } of differences.slice(0, most)) {
    if (key !== last) console.log(`\n${key}\n  sent: ${sent.slice(0, 200)}`);
    last = key;
    console.log(`  ${kind}: ${details}`);
  }
  if (differences.length > most) console.log(`\n… and ${differences.length - most} more (--most)`);
}

async function main(): Promise<number> {
  if (values.masks) {
    for (const { name, pattern, reason } of MASKS) console.log(`${name}: ${reason}\n  ${String(pattern)}`);
    return 0;
  }
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) {
    console.error(USAGE);
    return 2;
  }
  for (const place of [folder, values.against])
    if (!isRecording(place) && !existsSync(join(place, 'packages/sdk/package.json'))) {
      console.error(`${place} is neither a recording nor a checkout: it has no packages/sdk/package.json`);
      return 2;
    }
  const expected = values.expect === undefined ? [] : readExpected(values.expect);
  const scratch = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'tenon-wire-')) : resolve(values.keep);
  mkdirSync(scratch, { recursive: true });
  try {
    const before = await recordingOf(folder, join(scratch, 'before.json'));
    const now = await recordingOf(values.against, join(scratch, 'now.json'));
    const differences = differencesOf(before, now);
    const meant = differences.filter((difference) => expected.some((entry) => isExpected(difference, entry)));
    const others = differences.filter((difference) => !meant.includes(difference));
    const unused = expected.filter((entry) => !differences.some((difference) => isExpected(difference, entry)));
    print(others, Number(values.most));
    for (const entry of expected) {
      const count = meant.filter((difference) => isExpected(difference, entry)).length;
      console.log(`expected: ${count} × ${entry.input}: ${entry.reason}`);
    }
    for (const { input } of unused) console.log(`Nothing differs in '${input}': remove it from the list`);
    console.log(`\n${others.length} differences, ${meant.length} expected ones`);
    return others.length + unused.length === 0 ? 0 : 1;
  } finally {
    if (values.keep === undefined) rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
