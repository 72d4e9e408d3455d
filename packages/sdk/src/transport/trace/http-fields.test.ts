import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownFields, shownUrl, describeHeaders } from './http-fields.ts';

test('a field that is not known to be harmless is shown without its value', () => {
  const secret = [
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'mcp-session-id',
    'dpop',
    'dpop-nonce',
    'x-api-key',
    'x-forwarded-for',
    'sec-websocket-key',
    'anything',
  ];
  const shown = shownFields(secret.map((name) => [name.toUpperCase(), 'SECRET']));
  assert.deepEqual(shown, Object.fromEntries(secret.map((name) => [name, '…'])));
});

test('a public field is shown as it is, by its name in lower case', () => {
  const fields = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': 12,
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Param-Region': 'eu',
    'Access-Control-Allow-Origin': '*',
    'Sec-Fetch-Site': 'same-origin',
    Vary: ['Origin', 'Accept'],
    'WWW-Authenticate': 'Bearer scope="x"',
    Absent: undefined,
  });
  assert.deepEqual(shownFields(fields), {
    'content-type': 'application/json; charset=utf-8',
    'content-length': '12',
    'mcp-protocol-version': '2026-07-28',
    'mcp-param-region': 'eu',
    'access-control-allow-origin': '*',
    'sec-fetch-site': 'same-origin',
    vary: 'Origin, Accept',
    'www-authenticate': 'Bearer scope="x"',
  });
});

test('URLs are shown without their queries and fragments', () => {
  const { location, link } = shownFields([
    ['location', 'https://h.example/a?code=SECRET#SECRET'],
    ['link', '<https://h.example/a?t=SECRET>; rel="next", </b#SECRET>; rel=up'],
  ]);
  assert.equal(location, 'https://h.example/a?…');
  assert.equal(link, '<https://h.example/a?…>; rel="next", </b?…>; rel=up');
  assert.deepEqual(shownUrl('https://h.example/mcp?key=SECRET#SECRET'), {
    url: 'https://h.example/mcp',
    text: 'https://h.example/mcp?…',
  });
  assert.equal(shownUrl('http://h.example:8080/mcp').text, 'http://h.example:8080/mcp');
});

test('any name that a peer chose is treated as an ordinary name', () => {
  const shown = shownFields([['__proto__', 'x']]);
  assert.deepEqual(Object.keys(shown), ['__proto__']);
  assert.equal(Object.getPrototypeOf(shown), Object.prototype);
});

test('a line contains the requested fields that exist', () => {
  assert.equal(describeHeaders('200', { allow: 'GET', date: 'now' }, ['content-type', 'allow']), '200; allow: GET');
});

test('the original values are available separately, and are in no copy and no JSON', () => {
  const shown = shownFields([['Authorization', 'Bearer abc']]);
  const asSent = (shown as { [key: symbol]: unknown })[Symbol.for('tenon.fieldsAsSent')] as Map<string, string>;
  assert.equal(asSent.get('authorization'), 'Bearer abc');
  assert.ok(!JSON.stringify({ ...shown }).includes('abc'));
  assert.deepEqual(Reflect.ownKeys({ ...shown }), ['authorization']);
});
