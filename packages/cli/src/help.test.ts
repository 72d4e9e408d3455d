import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EXITS } from './failure/exit-codes.ts';
import { helpText, verbHelpText } from './help.ts';
import { nearest } from '@tenon/values/nearest';
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

test('help names every verb under its heading, and docs name every verb and every option', () => {
  const help = helpText();
  for (const { name, meaning, group } of VERBS) {
    const [part] = help.slice(help.indexOf(`\n${group}\n`)).split('\n\n');
    assert.match(part!, new RegExp(`^  ${name} +${meaning.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'm'));
    assert.ok(docs.includes(`tenon ${name} `), `${name} in docs/cli.md`);
  }
  for (const { name } of OPTIONS) assert.ok(docs.includes(`\`--${name}`), `--${name} in docs/cli.md`);
});

test('every option is in the help of each verb that has it, and the help of all fits on two screens', () => {
  for (const verb of VERBS) {
    const help = verbHelpText(verb);
    assert.ok(help.startsWith(`tenon ${verb.name} [options] ${verb.synopsis}\n`), verb.name);
    for (const { name, meaning } of OPTIONS)
      assert.equal(
        help.includes(`--${name}`) && help.includes(meaning),
        verb.options.includes(name),
        `${verb.name} ${name}`,
      );
  }
  assert.ok(helpText().split('\n').length <= 96);
});

test('every option belongs to a verb, and help of a verb lists its own', () => {
  const used = new Set(VERBS.flatMap(({ options }) => options));
  for (const { name } of OPTIONS) assert.ok(used.has(name) || name === 'version', name);
  const list = verbHelpText(VERBS.find(({ name }) => name === 'list')!);
  assert.match(list, /--timeout <ms>/);
  assert.doesNotMatch(list, /--frame/);
});

test('the nearest word is suggested for a misspelled one, if it is near enough', () => {
  const words = ['json', 'timeout', 'trace'];
  assert.equal(nearest('jsno', words), 'json');
  assert.equal(nearest('Timout', words), 'timeout');
  assert.equal(nearest('port', words), undefined);
  assert.equal(nearest('x'.repeat(10_000), words), undefined);
});
