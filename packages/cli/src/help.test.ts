import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EXITS } from './failure/exit-codes.ts';
import { helpText, verbHelpText } from './help.ts';
import { nearest } from './command-line/nearest.ts';
import { OPTIONS } from './command-line/options.ts';
import { VERBS } from './verbs.ts';

const docs = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

test('help and docs name every exit code with its meaning', () => {
  const help = helpText();
  for (const { exit, meaning } of EXITS) {
    assert.ok(help.includes(`${String(exit).padStart(3)}  ${meaning}`), `${exit} in help`);
    assert.ok(docs.includes(`| ${exit} | ${meaning} |`), `${exit} in docs/cli.md`);
  }
  const documented = [...docs.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(
    documented,
    EXITS.map(({ exit }) => exit),
  );
});

test('help and docs name every verb and every option', () => {
  const help = helpText();
  for (const { name, synopsis, meaning } of VERBS) {
    assert.ok(help.includes(`${name} ${synopsis}`) && help.includes(meaning), name);
    assert.ok(docs.includes(`tenon ${name} `), `${name} in docs/cli.md`);
  }
  for (const { name, meaning } of OPTIONS) {
    assert.ok(help.includes(`--${name}`) && help.includes(meaning), name);
    assert.ok(docs.includes(`\`--${name}`), `--${name} in docs/cli.md`);
  }
});

test('every option belongs to a verb, and help of a verb lists its own', () => {
  const used = new Set(VERBS.flatMap(({ options }) => options));
  for (const { name } of OPTIONS) assert.ok(used.has(name) || name === 'version', name);
  const list = verbHelpText(VERBS.find(({ name }) => name === 'list')!);
  assert.match(list, /--timeout <ms>/);
  assert.doesNotMatch(list, /--frame/);
});

test('a misspelled word gives the nearest one, if it is near enough', () => {
  const words = ['json', 'timeout', 'trace'];
  assert.equal(nearest('jsno', words), 'json');
  assert.equal(nearest('Timout', words), 'timeout');
  assert.equal(nearest('port', words), undefined);
  assert.equal(nearest('x'.repeat(10_000), words), undefined);
});
