import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { MAX_URI_LENGTH, parseTemplate } from './uri-template.ts';

type Expected = Record<string, string | string[]> | undefined;

/** The values that `template` finds in `uri`, as an object, which is easier to compare; no test here uses a name that all objects have. */
function match(template: string, uri: string): Expected {
  const found = parseTemplate(template).match(uri);
  return found && Object.fromEntries(found);
}

const groups: Record<string, readonly (readonly [template: string, uri: string, values: Expected])[]> = {
  '[RES-8] a simple variable matches up to a raw delimiter': [
    ['users://{id}', 'users://7', { id: '7' }],
    ['users://{id}', 'users://', undefined],
    ['users://{id}', 'users://7/posts', undefined],
    ['users://{id}', 'users://7?x', undefined],
    ['users://{id}', 'users://7#x', undefined],
    ['users://{id}/posts/{post}', 'users://7/posts/8', { id: '7', post: '8' }],
    ['mail://{address}', 'mail://a@b.example:25;x=1!', { address: 'a@b.example:25;x=1!' }],
    ['x', 'x', {}],
    ['x', 'y', undefined],
    ['', '', {}],
    ['', 'x', undefined],
  ],
  'a value is decoded once; an encoded delimiter does not delimit': [
    ['x/{a}', 'x/b%2Fc', { a: 'b/c' }],
    ['x/{a}', 'x/%252F', { a: '%2F' }],
    ['x/{a}', 'x/%2e%2E', { a: '..' }],
    ['x/{a}', 'x/..', { a: '..' }],
    ['x/{a}', 'x/%E2%82%AC\u20ac%20 ', { a: '\u20ac\u20ac  ' }],
    ['x/{a}', 'x/%00', { a: '\0' }],
    ['x/{a}', 'x/\u{1F600}%F0%9F%98%80', { a: '\u{1F600}\u{1F600}' }],
    ['x/{a}', 'x/1+1', { a: '1+1' }],
  ],
  'a text that is not a URI does not match': [
    ['{a}', '%', undefined],
    ['{a}', 'b%4', undefined],
    ['{a}', '%zz', undefined],
    ['{a}', '%ff', undefined],
    ['{a}', '%c0%af', undefined],
    ['{a}', '%ed%a0%80', undefined],
    ['{a}', '%f4%90%80%80', undefined],
    ['{a}', 'b\n', undefined],
    ['{a}', 'b\u007f', undefined],
    ['{a}', 'b\ud800', undefined],
    ['{+a}', 'b\\..\\c', undefined],
  ],
  'literals match whichever way their characters are written, reserved ones only as they stand': [
    ['caf\u00e9://{a}', 'caf%C3%A9://b', { a: 'b' }],
    ['caf%C3%A9://{a}', 'caf\u00e9://b', { a: 'b' }],
    ['%41/{a}', 'A/b', { a: 'b' }],
    ['A/{a}', '%41/b', { a: 'b' }],
    ['x/{a}', 'x%2Fb', undefined],
    ['x%2f{a}', 'x%2Fb', { a: 'b' }],
    ['x%2F{a}', 'x/b', undefined],
    ['X/{a}', 'x/b', undefined],
    ["it's/{a}", "it's/b", { a: 'b' }],
    ['{a}aab', 'xaaab', { a: 'xa' }],
    ['{a}aabaaac', 'xaabaaabaaac', { a: 'xaaba' }],
    ['{a}abab{b}', 'xabababy', { a: 'xab', b: 'y' }],
  ],
  'a reserved variable matches across slashes': [
    ['file:///{+path}', 'file:///a/b%20c/../d', { path: 'a/b c/../d' }],
    ['file:///{+path}', 'file:///a?b#c', { path: 'a?b#c' }],
    ['file:///{+path}', 'file:///', undefined],
    ['{+path}/here', '/foo/bar/here', { path: '/foo/bar' }],
    ['up{+path}/{name}', 'up/a/b/c', { path: '/a/b', name: 'c' }],
    ['{+a,b}', 'x/y,z', { a: 'x/y', b: 'z' }],
    ['{+a}', 'x,y', { a: 'x,y' }],
  ],
  'a later query or fragment takes its delimiter from a reserved variable': [
    ['file:///{+path}{?line}', 'file:///a/b?line=3', { path: 'a/b', line: '3' }],
    ['file:///{+path}{?line}', 'file:///a/b', { path: 'a/b' }],
    ['file:///{+path}{?line}', 'file:///a/b?other=3', undefined],
    ['file:///{+path}{#part}', 'file:///a?b#c', { path: 'a?b', part: 'c' }],
  ],
  'a fragment may be absent': [
    ['page{#part}', 'page', {}],
    ['page{#part}', 'page#', { part: '' }],
    ['page{#part}', 'page#a/b?c', { part: 'a/b?c' }],
    ['page{#x,y}', 'page#1,2', { x: '1', y: '2' }],
    ['page{#x,y}', 'page', {}],
    ['page{#x,y}', 'page#1', undefined],
    ['page{#list*}', 'page#a,b', { list: ['a', 'b'] }],
    ['page{#list*}', 'page', { list: [] }],
    ['page{#list*,x}', 'page#a,b,1', { list: ['a', 'b'], x: '1' }],
    ['page{#list*,x}', 'page#,1', { list: [''], x: '1' }],
    ['page{#list*,x}', 'page,1', undefined],
  ],
  'labels and path segments need their lead': [
    ['www{.a}', 'www.example.com', { a: 'example.com' }],
    ['www{.a,b}', 'www.example.com', { a: 'example', b: 'com' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['www{.dom*}', 'www', { dom: [] }],
    ['www{.a}', 'www', undefined],
    ['x{/a}', 'x/1', { a: '1' }],
    ['x{/a}', 'x/', undefined],
    ['x{/a,b}', 'x/1/2', { a: '1', b: '2' }],
    ['x{/a,b}', 'x/1', undefined],
    ['x{/path*}', 'x/a/b%2Fc', { path: ['a', 'b/c'] }],
    ['x{/path*}', 'x', { path: [] }],
    ['x{/path*}', 'x/', { path: [''] }],
    ['x{/path*}/end', 'x/a/b/end', { path: ['a', 'b'] }],
    ['{/a}{/b}{/c*}', '/1/2/3/4', { a: '1', b: '2', c: ['3', '4'] }],
    ['{/a,rest*}', '/1', { a: '1', rest: [] }],
    ['{/rest*,a}', '/1', { rest: [], a: '1' }],
  ],
  'only a variable with * is a list; commas of another belong to its text': [
    ['{a}', '1,2', { a: '1,2' }],
    ['{a*}', '1,2', { a: ['1', '2'] }],
    ['{a*}', '1%2C2', { a: ['1,2'] }],
    ['{a*}', '1', { a: ['1'] }],
    ['x{a*}', 'x', { a: [] }],
    ['{a,b}', '1,2', { a: '1', b: '2' }],
    ['{a,b}', '1', undefined],
    ['{a,b}', '1,2,3', undefined],
    ['{a,rest*}', '1,2,3', { a: '1', rest: ['2', '3'] }],
    ['{a,rest*}', '1', { a: '1', rest: [] }],
    ['{rest*,a}', '1,2,3', { rest: ['1', '2'], a: '3' }],
    ['{rest*,a}', '1', undefined],
    ['{rest*,a}', ',1', undefined],
    ['{?a}', '?a=1,2', { a: '1,2' }],
  ],
  'query members come in any order, each at most once, and may be absent': [
    ['x{?a,b}', 'x', {}],
    ['x{?a,b}', 'x?b=2', { b: '2' }],
    ['x{?a,b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?a=&b', { a: '', b: '' }],
    ['x{?a,b}', 'x?a=1&a=2', undefined],
    ['x{?a,b}', 'x?a=1&c=2', undefined],
    ['x{?a,b}', 'x?', undefined],
    ['x{?a,b}', 'x?a=1&', undefined],
    ['x{?a,b}', 'x?&a=1', undefined],
    ['x{?a,b}', 'x?a=1&&b=2', undefined],
    ['x{?a}', 'x?a=b=c/d?e', { a: 'b=c/d?e' }],
    ['x{?a}', 'x?a=1%262', { a: '1&2' }],
    ['x{?a}', 'x?a%3D1', undefined],
    ['x{?a,ab}', 'x?ab=1&a=2', { a: '2', ab: '1' }],
    ['x{?a,ab}{y}', 'x?ab1', { ab: '', y: '1' }],
    ['x{?a*}', 'x?a=1&a=2', { a: ['1', '2'] }],
    ['x{?a*,b}', 'x?a=1&b=3&a=2', { a: ['1', '2'], b: '3' }],
    ['x{?a*}', 'x', { a: [] }],
    ['x{?a*}', 'x?semi=1', undefined],
    ['x{?a}{#f}', 'x?a=1#2', { a: '1', f: '2' }],
    ['x{?a}{#f}', 'x#2', { f: '2' }],
    ['x{?a}/y', 'x?a=1/y', { a: '1' }],
    ['x?v=1{&a,b}', 'x?v=1&b=2', { b: '2' }],
    ['x?v=1{&a}', 'x?v=1', {}],
    ['x?v=1{&a}', 'x?v=1?a=2', undefined],
    ['x{?a.b}', 'x?a.b=1', { 'a.b': '1' }],
    ['x{?%41}', 'x?A=1', { '%41': '1' }],
  ],
  'path parameters are members as well': [
    ['x{;a,b}', 'x;b=2;a', { a: '', b: '2' }],
    ['x{;a,b}/y', 'x;a=1/y', { a: '1' }],
    ['x{;a,b}', 'x', {}],
    ['x{;a*}', 'x;a=1;a=2', { a: ['1', '2'] }],
    ['x{;a}', 'x;a=1/2', undefined],
  ],
  'a prefix limits the length in characters': [
    ['{a:3}', 'abc', { a: 'abc' }],
    ['{a:3}', 'abcd', undefined],
    ['{a:2}', '%F0%9F%98%80\u00e9', { a: '\u{1F600}\u00e9' }],
    ['{a:2}{b}', 'abcd', { a: 'ab', b: 'cd' }],
    ['{?a:3}', '?a=abc', { a: 'abc' }],
    ['{?a:3}', '?a=abcd', undefined],
  ],
  'a variable in several places has one value': [
    ['{a}/{a}', '1/1', { a: '1' }],
    ['{a}/{a}', '1/2', undefined],
    ['{/a:1,a}', '/d/deploy', { a: 'deploy' }],
    ['{/a:1,a}', '/e/deploy', undefined],
    ['{/a:1,a:3}', '/d/dep', { a: 'dep' }],
    ['{a}{?a}', '1?a=1', { a: '1' }],
    ['{a}{?a}', '1', undefined],
    ['{a}{/a*}', '1,2/1/2', { a: ['1', '2'] }],
  ],
  'of several readings the leftmost variable takes most': [
    ['{name}.{ext}', 'a.b.c', { name: 'a.b', ext: 'c' }],
    ['{a}-{b}', 'x-y-z', { a: 'x-y', b: 'z' }],
    ['{a}{b}', 'xyz', { a: 'xy', b: 'z' }],
    ['{a*}{b}', 'xy', { a: ['x'], b: 'y' }],
    ['{a*}{b}', 'x', { a: [], b: 'x' }],
  ],
};

for (const [name, cases] of Object.entries(groups)) {
  test(name, () => {
    for (const [template, uri, expected] of cases)
      assert.deepEqual(match(template, uri), expected, `${template} and ${uri}`);
  });
}

test('names of prototype members are ordinary variables', () => {
  const found = parseTemplate('x{?__proto__,constructor,toString}').match('x?constructor=1&__proto__=2');
  assert.deepEqual(
    [...(found ?? [])],
    [
      ['__proto__', '2'],
      ['constructor', '1'],
    ],
  );
  assert.equal(parseTemplate('x{?__proto__,constructor,toString}').expand(found ?? {}), 'x?__proto__=2&constructor=1');
});

test('a URI over 64 KiB does not match', () => {
  const template = parseTemplate('{+a}');
  assert.equal(template.match('a'.repeat(MAX_URI_LENGTH))?.get('a')?.length, MAX_URI_LENGTH);
  assert.equal(template.match('a'.repeat(MAX_URI_LENGTH + 1)), undefined);
});

test('hostile URIs are matched or refused in linear time', () => {
  const full = (piece: string) => piece.repeat(Math.floor(MAX_URI_LENGTH / piece.length));
  const templates = [
    '{/id*}',
    '{id*}',
    '{?a*}',
    '{+p}',
    '{/a}{/b}{/c*}',
    '{a}{b}{c}{d}{e}{f}',
    '{+a}{+b}{+c}{+d}x',
    `{+a}${'a'.repeat(8000)}b`,
    '{?a,aa,aaa,aaaa}',
    '{a:1}{a:2}{a:3}{a}',
    '{a,b*,c}{#d*,e}',
  ];
  const uris = [
    `/${','.repeat(50)}`,
    'a'.repeat(100_000),
    'a'.repeat(1024 * 1024),
    full('a'),
    full('/'),
    full('/a'),
    full(','),
    full('%2F'),
    full('\u00e9'),
    `?${full('a=1&').slice(0, -4)}a=1`,
    `?${full('&').slice(1)}`,
    `?${full('aa&').slice(3)}aa`,
  ];
  for (const text of templates) {
    const template = parseTemplate(text);
    for (const uri of uris)
      withinCpuMs(300, () => template.match(uri), `${text.slice(0, 40)} and ${uri.slice(0, 20)}…`);
  }
});
