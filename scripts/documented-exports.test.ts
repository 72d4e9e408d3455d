import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkDocumentedExports } from './lib/documented-exports.ts';

const EXAMPLE = '/**\n * F.\n *\n * ```ts\n * f();\n * ```\n */';

/** The problems of a package whose entry point re-exports another module. */
function check(t: TestContext, declarations: string): string[] {
  const root = mkdtempSync(join(tmpdir(), 'tenon documented '));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const files: Record<string, string> = {
    'packages/sample/package.json': JSON.stringify({
      name: '@tenon/sample',
      type: 'module',
      exports: {
        '.': { types: './dist/index.d.ts' },
        './internal': { types: './dist/internal.d.ts' },
        './package.json': './package.json',
      },
    }),
    'packages/sample/dist/index.d.ts': `export * from './a.js';\n`,
    'packages/sample/dist/internal.d.ts': `export declare const secret: number;\n`,
    // TypeScript ignores a doc comment that follows other code on its line.
    'packages/sample/dist/a.d.ts': declarations.replaceAll('/** ', '\n/** '),
    'packages/values/package.json': JSON.stringify({ name: '@tenon/values', private: true, exports: { './*': './*' } }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkDocumentedExports(root).map((problem) => problem.replace('packages/sample/dist/a.d.ts: ', ''));
}

test('exports that have doc comments, with those of their members, are fine', (t) => {
  const code = `
    ${EXAMPLE} export declare function f(): void;
    /** Options. */
    export interface Options { /** A limit. */ limit: number; [Symbol.dispose](): void; [key: string]: unknown }
    /** One of two. */
    export type Either =
      /** It is a. */
      | { kind: 'a'; a: string }
      /** It is b. */
      | { kind: 'b'; b: string };
    /** An item. */
    export interface Item { kind: 'item' }
    /** An error. */
    export declare class E extends Error { private hidden; readonly name = "E"; /** Why. */ why: string; constructor(); }
    interface NotExported { a: string }
    export {};
  `;
  assert.deepEqual(check(t, code), []);
});

const without: [what: string, code: string, problem: string][] = [
  ['a constant', 'export declare const c: number;', 'c has no doc comment'],
  ['an interface', 'export interface I { /** A. */ a: string }', 'I has no doc comment'],
  ['a member of an interface', '/** I. */ export interface I { a: string }', 'I.a has no doc comment'],
  ['a method of an interface', '/** I. */ export interface I { a(): void }', 'I.a has no doc comment'],
  ['a member of an object type', '/** T. */ export type T = { a: string };', 'T.a has no doc comment'],
  ['a member that is added', '/** T. */ export type T = Date & ({ b: string } & {});', 'T.b has no doc comment'],
  ['a member of a class', '/** C. */ export declare class C { a: string }', 'C.a has no doc comment'],
  ['a renamed export', 'declare const c: number; export { c as d };', 'd has no doc comment'],
];

for (const [what, code, problem] of without) {
  test(`caught: ${what} without a doc comment`, (t) => {
    assert.deepEqual(check(t, code), [problem]);
  });
}

test('caught: a function without a doc comment, or without an example in it', (t) => {
  const problem = 'f has no ```ts example in its doc comment';
  assert.deepEqual(check(t, 'export declare function f(): void;'), [problem, 'f has no doc comment']);
  assert.deepEqual(check(t, '/** F. */ export declare function f(): void;'), [problem]);
  assert.deepEqual(check(t, '/** F. */ export declare const f: () => void;'), [problem]);
  assert.deepEqual(check(t, `${EXAMPLE} export declare function f(): void;`), []);
  assert.deepEqual(check(t, `${EXAMPLE} export declare const f: () => void;`), []);
  assert.deepEqual(check(t, '/** C. */ export declare const c: number;'), []);
});
