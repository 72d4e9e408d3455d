// Compares the tests with the requirements of the protocol: which have a test, which have none, which wait for an unbuilt feature.
// Fails if a MUST or MUST NOT of a finished group has no test, or if a test names an unknown id.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, root } from './lib/files.ts';
import { requirementIds } from './lib/requirement-ids.ts';

type Requirement = {
  id: string;
  revisions: string;
  actor: string;
  strength: 'M' | 'MN' | 'S' | 'SN';
  text: string;
  status?: 'waiting';
  /** The feature that must be built before it can be tested; `host`: the responsibility of the program that uses the SDK. */
  waits?: string;
  reason?: string;
};

type Tally = {
  covered: number;
  must: Requirement[];
  should: Requirement[];
  waiting: Map<string, number>;
  early: string[];
};

const { finished, requirements } = JSON.parse(readFileSync(join(root, 'conformance/requirements.json'), 'utf8')) as {
  finished: string[];
  requirements: Requirement[];
};

/** Threats and faults: tests name these, too, and are counted, but their groups need not be complete. */
const { threats } = JSON.parse(readFileSync(join(root, 'conformance/threats.json'), 'utf8')) as {
  threats: { id: string; text: string }[];
};

const files = ['packages', 'examples']
  .flatMap((folder) => filesUnder(folder))
  .filter((path) => path.endsWith('.test.ts'));
const tested = new Map<string, string>();
for (const path of files) {
  for (const id of requirementIds(readFileSync(join(root, path), 'utf8'), path)) tested.set(id, path);
}

const groups = new Map<string, Tally>();
for (const requirement of requirements) {
  const name = requirement.id.replace(/-\d+$/, '');
  const tally: Tally = groups.get(name) ?? { covered: 0, must: [], should: [], waiting: new Map(), early: [] };
  groups.set(name, tally);
  const { status, waits = '?', strength, id } = requirement;
  if (status === 'waiting') {
    tally.waiting.set(waits, (tally.waiting.get(waits) ?? 0) + 1);
    // A test for a feature that is declared unbuilt: one of the two is out of date.
    if (tested.has(id)) tally.early.push(id);
  } else if (tested.has(id)) tally.covered += 1;
  else if (strength === 'M' || strength === 'MN') tally.must.push(requirement);
  else tally.should.push(requirement);
}

function pad(value: string | number, width: number) {
  return String(value).padStart(width);
}
console.log('group     covered   no test: MUST  SHOULD   waiting for');
for (const [name, tally] of groups) {
  const waiting = [...tally.waiting].map(([what, count]) => `${what} ${count}`).join(', ');
  const mark = finished.includes(name) ? ' finished' : '';
  const counts = `${pad(tally.covered, 6)}${pad(tally.must.length, 17)}${pad(tally.should.length, 8)}`;
  console.log(`${name.padEnd(8)} ${counts}   ${waiting || '-'}${mark}`);
}

console.log(
  `\nattacks and faults with a test: ${threats.filter(({ id }) => tested.has(id)).length} of ${threats.length} (conformance/threats.json)`,
);

const problems: string[] = [];
for (const name of finished) {
  for (const { id, strength, revisions, text } of groups.get(name)?.must ?? []) {
    problems.push(`${id} (${strength === 'M' ? 'MUST' : 'MUST NOT'}, ${revisions}) has no test: ${text}`);
  }
}
const known = new Set([...requirements, ...threats].map(({ id }) => id));
const groupNames = new Set(groups.keys());
for (const [id, path] of tested) {
  // Rules without an RFC 2119 keyword have ids too and are not listed; only a number that can't exist is a mistake.
  if (!known.has(id) && !groupNames.has(id.replace(/-\d+$/, '')))
    problems.push(`${id} in ${path} is not a requirement`);
}

if (process.argv.includes('--should')) {
  for (const name of finished)
    for (const { id, text } of groups.get(name)?.should ?? []) console.log(`${id} (SHOULD) has no test: ${text}`);
}
const early = [...groups.values()].flatMap((tally) => tally.early);
if (early.length > 0) console.log(`\nNamed by a test, but marked as waiting and not counted: ${early.join(', ')}`);
if (problems.length > 0) {
  console.log(`\n${problems.join('\n')}`);
  console.log(`\n${problems.length} problems in the finished groups.`);
  process.exitCode = 1;
} else {
  console.log(`\nEvery MUST of the finished groups has a test: ${finished.join(' ')}.`);
}
