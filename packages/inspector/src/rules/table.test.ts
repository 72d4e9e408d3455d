import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clauseOf } from './pages.ts';
import { RULE_GROUPS, RULES, ruleTitle } from './table.ts';
import { WIRE_RULE } from './wire/fits-schema.ts';

const here = import.meta.dirname;
const page = readFileSync(join(here, '../../../../docs/inspector-blame.md'), 'utf8');

/** The expected rows of the page. */
const rows = [...RULE_GROUPS, { title: 'The official schemas', rules: [WIRE_RULE] }].flatMap(({ title, rules }) => [
  `## ${title}`,
  ...rules.map(
    ({ id, title, blame, severity, why }) =>
      `| \`${id}\` | ${blame.join(', ')} | ${severity.join(', ')} | ${title} | ${why} |`,
  ),
]);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

describe('the table of rules', () => {
  it('agrees with docs/inspector-blame.md', () => {
    const written = page.split('\n').filter((line) => line.startsWith('## ') || line.startsWith('| `'));
    assert.deepEqual(written, rows, `It should read:\n${rows.join('\n')}`);
  });

  it('has each id once, in a form that filters accept', () => {
    assert.equal(new Set(RULES.map(({ id }) => id)).size, RULES.length);
    for (const { id } of RULES) assert.match(id, /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
  });

  it('says for each rule which sides it blames and why, and its page', () => {
    for (const { id, title, why, blame, severity, page } of [...RULES, WIRE_RULE]) {
      assert.ok(blame.length > 0 && severity.length > 0, id);
      assert.match(title, /^[A-Z0-9].*[^.]$/, id);
      assert.match(why, /\.$/, id);
      assert.doesNotMatch(title + why, /[|\n]/, id);
      if (page !== undefined) assert.match(clauseOf(page), /^https:\/\/modelcontextprotocol\.io\/specification\/20/);
    }
    assert.equal(ruleTitle('flood'), 'More than 1,000 notifications in a second');
    assert.equal(ruleTitle('wire-schema'), 'A message does not fit the official schema of its revision');
    assert.equal(ruleTitle('no-such-rule'), 'no-such-rule');
  });

  it('has traces that break each rule, and traces that do not', () => {
    const tests = filesIn(here)
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const { id } of RULES) assert.ok(tests.includes(`cases('${id}', {`), id);
  });

  it('reports only ids that the code of the rules contains', () => {
    const code = filesIn(here).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const ids = code.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^ {2}id: '([a-z0-9-]+)',$/gm)].map(([, id]) => id!),
    );
    assert.deepEqual(ids.toSorted(), [...RULES, WIRE_RULE].map(({ id }) => id).toSorted());
  });
});
