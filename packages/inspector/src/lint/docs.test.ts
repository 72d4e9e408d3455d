import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHANGE_KINDS } from '../compare/change.ts';
import { MODERN } from '../rules/revisions.ts';
import { addressOf } from './lint-surface.ts';
import { headsOf, LINT_GROUPS } from './table.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/inspector-rules.md'), 'utf8');

/** The section of the page under a heading, up to the next heading of the same level. */
function section(heading: string): string {
  const level = heading.split(' ')[0]!;
  const [, after = ''] = page.split(`\n${heading}\n`);
  return after.split(`\n${level} `)[0]!;
}

/** The table rows in a section whose first cell is code. */
function rowsIn(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

function clauses(text: string): string {
  const [, address = text] = /\]\((.*)\)/.exec(text) ?? [];
  return address;
}

test('docs/inspector-rules.md has every rule of the lint, and no other', () => {
  for (const [subject, group] of LINT_GROUPS) {
    const expected = headsOf(group).map(({ id, severity, title, why, clause }) => [
      `\`${id}\``,
      severity,
      title,
      why,
      clause === undefined ? '' : addressOf(clause, MODERN),
    ]);
    const rows = rowsIn(section('## Lint').split(`\n### ${subject}\n`)[1]?.split('\n### ')[0] ?? '');
    assert.deepEqual(
      rows.map(([id, severity, title, why, clause = '']) => [id, severity, title, why, clauses(clause)]),
      expected,
      subject,
    );
  }
  const subjects = [...section('## Lint').matchAll(/^### (.*)$/gm)].map(([, subject]) => subject);
  assert.deepEqual(
    subjects,
    LINT_GROUPS.map(([subject]) => subject),
  );
});

test('docs/inspector-rules.md has every kind of change with its levels, and no other', () => {
  const rows = rowsIn(section('## Changes between two surfaces'));
  const expected = [...CHANGE_KINDS].map(([kind, { what, level }]) => {
    const [input, output] = typeof level === 'string' ? [level, level] : level;
    return [`\`${kind}\``, what, ...(typeof level === 'string' ? [level] : [input, output])];
  });
  assert.deepEqual(rows, expected);
});
