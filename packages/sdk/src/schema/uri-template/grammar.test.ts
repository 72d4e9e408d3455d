import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DefinitionError } from '../../protocol/errors.ts';
import { parseTemplate } from '../uri-template.ts';

const malformed: readonly (readonly [template: string, position: number, problem: RegExp])[] = [
  ['a{b', 1, /'{' without '}'/],
  ['ab}', 2, /'}' must be percent-encoded/],
  ['{a{b}}', 1, /not a variable name/],
  ['x{}', 2, /empty expression/],
  ['{+}', 2, /needs a name/],
  ['{a,}', 3, /needs a name/],
  ['{?a,b c}', 4, /'b c' is not a variable name/],
  ['{user-id}', 1, /'user-id' is not a variable name/],
  ['{.a.}', 2, /'a\.' is not a variable name/],
  ['{a..b}', 1, /not a variable name/],
  ['{caf\u00e9}', 1, /not a variable name/],
  ['{%4}', 1, /not a variable name/],
  ['{=a}', 1, /operator '=' is reserved/],
  ['{|a}', 1, /operator '\|' is reserved/],
  ['{!a}', 1, /operator '!' is reserved/],
  ['{@a}', 1, /operator '@' is reserved/],
  ['{a:0}', 3, /prefix length/],
  ['{a:03}', 3, /prefix length/],
  ['{a:10000}', 3, /prefix length/],
  ['{a:}', 3, /prefix length/],
  ['{a:3*}', 1, /not a variable name/],
  ['{a**}', 1, /not a variable name/],
  ['100%{a}', 3, /'%' without two/],
  ['a b', 1, /' ' must be percent-encoded/],
  ['a\u0000', 1, /'\\u0000' must be percent-encoded/],
  ['a\\b', 1, /must be percent-encoded/],
  ['a\ud800', 1, /must be percent-encoded/],
  ['a%FFb', 0, /not UTF-8/],
  ['{?x%FF}', 2, /not UTF-8/],
];

test('a malformed template is a definition error with the position', () => {
  for (const [template, position, problem] of malformed) {
    assert.throws(
      () => parseTemplate(template),
      (error: unknown) => {
        assert.ok(error instanceof DefinitionError, template);
        assert.match(error.message, problem, template);
        assert.ok(error.message.endsWith(` at position ${position}`), `${template}: ${error.message}`);
        return true;
      },
    );
  }
});

test('a template that exceeds a limit is refused', () => {
  assert.throws(() => parseTemplate('a'.repeat(8193)), /longer than 8192 characters/);
  assert.throws(() => parseTemplate('{a}'.repeat(101)), /more than 100 expressions at position 300/);
  assert.throws(() => parseTemplate(`{${'a,'.repeat(100)}a}`), /more than 100 variables/);
  assert.throws(() => parseTemplate('{param}'.repeat(10_000)), DefinitionError);
  assert.equal(parseTemplate('{a}'.repeat(100)).variables.length, 1);
  assert.equal(parseTemplate('a'.repeat(8192)).specificity, 8192);
});

test('names may have inner dots, digits, underscores and escapes', () => {
  assert.deepEqual(parseTemplate('{a.b_1,%41,0}').variables, ['a.b_1', '%41', '0']);
});

test('variables are listed once, in order; specificity counts literal characters', () => {
  const template = parseTemplate('file:///{+path}/x{?path,__proto__,b}');
  assert.deepEqual(template.variables, ['path', '__proto__', 'b']);
  assert.equal(template.specificity, 'file:////x'.length);
  assert.equal(template.text, 'file:///{+path}/x{?path,__proto__,b}');
});
