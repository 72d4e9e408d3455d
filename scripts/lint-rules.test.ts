// Runs oxlint with the rules of this repository on code that follows each rule and on code that violates it.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { root } from './lib/files.ts';
import { runTool } from './lib/tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon lint '));
after(() => rmSync(folder, { recursive: true, force: true }));
cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
mkdirSync(join(folder, 'scripts'));
cpSync(join(root, 'scripts/lint'), join(folder, 'scripts/lint'), { recursive: true });

/** The code of a module, and the lines on which the rule reports a problem. */
type Row = readonly [what: string, code: string, lines: readonly number[]];

/** All rows are linted at once, because starting the linter takes longer than linting. */
function lintRows(rule: string, rows: readonly Row[], extension: string) {
  const paths = rows.map((_, index) => `src/${rule}-${index}.${extension}`);
  rows.forEach(([, code], index) => {
    const path = join(folder, paths[index]!);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  });
  const args = ['--deny-warnings', '--allow=all', `--deny=tenon/${rule}`, '--format=json', ...paths];
  const { output } = runTool('oxlint', args, { cwd: folder, capture: true });
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[];
  };
  rows.forEach(([what, , lines], index) => {
    test(`${rule}: ${what}`, () => {
      const found = diagnostics.filter(
        ({ filename, code }) => filename.replaceAll('\\', '/').endsWith(paths[index]!) && code === `tenon(${rule})`,
      );
      assert.deepEqual(
        found.map(({ labels }) => labels[0]?.span.line),
        lines,
      );
    });
  });
}

lintRows(
  'top-level-function',
  [
    ['a declaration is fine', 'export function f() {\n  return 1;\n}\n', []],
    ['a constant with a type of its own is fine', 'export const f: () => number = () => 1;\n', []],
    [
      'a constant whose function is checked against a type is fine',
      'export const f = (() => 1) satisfies () => number;\n',
      [],
    ],
    ['a function inside of another one is fine', 'export function f() {\n  const g = () => 1;\n  return g;\n}\n', []],
    ['a function that is replaced later is fine', 'let f = () => 1;\nf = () => 2;\nexport { f };\n', []],
    ['a constant that holds a function', 'const f = () => 1;\nexport { f };\n', [1]],
    ['an exported one', '/** Doc. */\nexport const f = <T>(x: T): T => x;\n', [2]],
    ['an async one', 'export const f = async () => 1;\n', [1]],
    ['a function expression', 'export const f = function () {\n  return 1;\n};\n', [1]],
    ['a generator', '\nexport const f = function* () {\n  yield 1;\n};\n', [2]],
  ],
  'ts',
);

lintRows(
  'top-level-function',
  [
    [
      'in JavaScript, a type in the comment is one of its own',
      '/** @type {() => number} */\nexport const f = () => 1;\n',
      [],
    ],
    ['in JavaScript, a comment without a type is not', '/** Doc. */\nexport const f = () => 1;\n', [2]],
  ],
  'mjs',
);

const DECLARED = 'declare const c: boolean, x: object;';

function object(...members: string[]): string {
  return [DECLARED, 'export const o = {', ...members, '};', ''].join('\n');
}

const REASON = '// Absent, not undefined: callers count the members.';

lintRows(
  'no-conditional-spread',
  [
    ['a member that may be undefined is fine', object('a: c ? 1 : undefined,'), []],
    ['the spread of an object is fine', object('...x,', '...(c ? x : {}),', '...(c && x),'), []],
    ['a choice between members is fine', object('...(c ? { a: 1 } : { b: 1 }),'), []],
    ['a list is fine', 'declare const c: boolean;\nexport const l = [...(c ? [] : [1])];\n', []],
    ['members or nothing', object('...(c ? { a: 1 } : {}),'), [3]],
    ['nothing or members', object('a: 1,', '...(c ? {} : { a: 1 }),'), [4]],
    ['members behind a condition', object('...(c && { a: 1 }),'), [3]],
    ['members or undefined', object('...(c ? { a: 1 } : undefined),'), [3]],
    ['nothing in one of several cases', object('...(c ? { a: 1 } : x ? { b: 1 } : {}),'), [3]],
    ['several of them', object('...(c ? { a: 1 } : {}),', '...(c ? { b: 1 } : {}),'), [3, 4]],
    ['a reason on the line before allows it', object(REASON, '...(c ? { a: 1 } : {}),'), []],
    ['a reason counts for those that follow', object(REASON, '...(c && { a: 1 }),', '...(c && { b: 1 }),'), []],
    [
      'a reason ends with the next other member',
      object(REASON, '...(c && { a: 1 }),', 'd: 1,', '...(c && { b: 1 }),'),
      [6],
    ],
    ['a reason may have a second line', object(REASON, '// Very often.', '...(c && { a: 1 }),'), []],
    ['a reason above a statement counts', `${DECLARED}\n${REASON}\nexport const o = { ...(c && { a: 1 }) };\n`, []],
    ['a reason above another line', object(REASON, 'b: 1,', '...(c && { a: 1 }),'), [5]],
    ['a comment without a reason', object('// Absent, not undefined:', '...(c ? { a: 1 } : {}),'), [4]],
    ['another comment', object('// Only with a.', '...(c ? { a: 1 } : {}),'), [4]],
  ],
  'ts',
);
