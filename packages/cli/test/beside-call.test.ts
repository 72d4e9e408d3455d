// Logs, stderr, questions and progress are printed during a call, besides its result.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fixture, peer, TENON, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-beside-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const answers = join(folder, 'answers.json');
writeFileSync(answers, '{"colour":{"colour":"red"},"Which colour?":{"colour":"blue"}}');

const talkative = ['--answers', answers, '--', process.execPath, TENON, 'run', fixture('talkative.ts')];

for (const revision of ['2026-07-28', '2025-11-25'])
  test(`logs, stderr, questions and progress of a call are printed on stderr, in ${revision}`, async () => {
    const run = await tenon(['call', 'work', '--revision', revision, ...talkative]);
    assert.equal(run.code, 0, run.stderr);
    const lines = run.stderr
      .trimEnd()
      .split('\n')
      .filter((line) => !line.includes('random-sealing-key'));
    const wanted = [
      'question colour: Which colour?',
      'answer colour: accept (colour: …)',
      '[info] painting it red',
      'progress 1/2',
      '| brush found',
    ];
    // stderr arrives by another pipe than messages.
    assert.deepEqual(lines.toSorted(), wanted.toSorted());
    assert.match(run.stdout, /done/);
  });

test('--quiet prints only the result, and --log-level selects the log messages', async () => {
  const quiet = await tenon(['call', 'work', '--quiet', ...talkative]);
  assert.deepEqual([quiet.code, quiet.stderr], [0, '']);
  const debug = await tenon(['call', 'work', '--log-level', 'debug', ...talkative]);
  assert.match(debug.stderr, /^\[debug\] a detail\n\[info\] painting/m);
});

test('of an answer the names of its fields are printed, not their contents', async () => {
  const run = await tenon(['call', 'args', '--answers', answers, ...peer('elicit')]);
  assert.equal(run.stderr, 'question: Which colour?\nanswer: accept (colour: …)\n');
  assert.match(run.stdout, /blue/);
});

test('an error that a question is answered with is printed with its message', async () => {
  const run = await tenon(['call', 'args', ...peer('elicit')]);
  assert.match(run.stderr, /^question: Which colour\?$/m);
  assert.match(run.stderr, /^answer: error \(This client does not support elicitation\)$/m);
});
