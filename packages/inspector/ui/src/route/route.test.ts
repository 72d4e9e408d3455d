import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, formatRoute, parseRoute, type Route, withQuery } from './route.ts';

function route(some: Partial<Route>): Route {
  return {
    screen: 'explore',
    server: undefined,
    rest: [],
    query: new Map(),
    ...some,
  };
}

test('a route survives being written and read, whatever the names contain', () => {
  for (const name of ['add', 'a/b', 'a?b=c&d', '%41', '100%', 'ü 漢 \u202e', '#', '-', '..', 'file:///x/{y}?z#w']) {
    const before = route({ server: 'weather', rest: ['tools', name], query: new Map([['as', name]]) });
    assert.deepEqual(parseRoute(formatRoute(before)), before, name);
  }
});

test('a lone surrogate in a name is replaced', () => {
  assert.equal(formatRoute(route({ rest: ['\ud800 alone'] })), '#/explore/-/%EF%BF%BD%20alone');
});

test('a route without a server keeps its position', () => {
  assert.equal(formatRoute(route({ rest: ['x'] })), '#/explore/-/x');
  assert.deepEqual(parseRoute('#/explore/-/x'), route({ rest: ['x'] }));
  assert.equal(formatRoute(route({})), '#/explore');
  assert.deepEqual(parseRoute('#/explore'), route({}));
});

test('an invalid route is empty', () => {
  for (const hash of ['', '#', '#/', `#/${'x'.repeat(10_000)}`]) assert.equal(parseRoute(hash).screen, '', hash);
  assert.equal(parseRoute('#/explore/%E0%A4%A').server, '%E0%A4%A');
});

test('a part of the query is changed or removed, the rest stays', () => {
  const before = route({ query: new Map([['as', 'json']]) });
  const opened = withQuery(before, { line: '12' });
  assert.equal(formatRoute(opened), '#/explore?as=json&line=12');
  assert.deepEqual(withQuery(opened, { line: undefined }), before);
});

test('the code is read from the fragment only if it is one', () => {
  assert.equal(codeOf('#code=aB3-_'), 'aB3-_');
  for (const hash of ['', '#code=', '#/explore', '#/explore?code=x']) assert.equal(codeOf(hash), undefined, hash);
});
