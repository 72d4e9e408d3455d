import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { withoutSecrets } from './secrets.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';
/** Assembled here, so that secret scanners find nothing in this repository. */
const secrets = [
  ['sk', 'proj-abcdEFGH1234ijklMNOP'].join('-'),
  ['sk', 'ant-api03-abcdEFGH1234ijklMNOP'].join('-'),
  ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_'),
  ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_'),
  ['github', 'pat', '11ABCDEFG0abcdefghijkl'].join('_'),
  ['glpat', 'abcdEFGH1234ijklMNOP'].join('-'),
  ['xoxb', '1234567890-abcdefghij'].join('-'),
  ['AKIA', 'IOSFODNN7EXAMPLE'].join(''),
  ['AIza', 'SyA1234567890abcdefghijklmnopqrstuvw'].join(''),
  ['npm', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_'),
  ['hf', 'abcdefghijklmnopqrstuvwx'].join('_'),
  jwt,
];

test('tokens and keys are replaced anywhere in a text', () => {
  for (const secret of secrets) {
    for (const text of [secret, `a ${secret} b`, `tool:${secret}`, `"${secret}"`, `key (${secret})`]) {
      const clean = withoutSecrets(text);
      assert.ok(clean.includes('[redacted]') && !clean.includes(secret.slice(6)), clean);
    }
  }
});

test('credentials of headers, pairs and private keys are replaced', () => {
  assert.equal(withoutSecrets('Authorization: Bearer abc.def-123'), 'Authorization: Bearer [redacted]');
  assert.equal(withoutSecrets('basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='), 'basic [redacted]');
  assert.equal(withoutSecrets('DB_PASSWORD=hunter2 x'), 'DB_PASSWORD=[redacted] x');
  assert.equal(withoutSecrets('{"api_key": "abc"}'), '{"api_key": "[redacted]"}');
  assert.equal(withoutSecrets('-----BEGIN RSA PRIVATE KEY-----\nMIIE'), '[redacted]');
});

test('every secret of a text is replaced, wherever it is and whatever else is there', () => {
  const pairs = ['PASSWORD=hunter2!', 'api-Key: hunter2!', 'BEARER hunter2!', 'x://hunter2!@host', '/?q=hunter2!'];
  const texts = ['', ' ', '\n', 'task_7', 'é', '日本', ': ', '"', ' = ', 'ſecret ', '\u212aey=', 'x'.repeat(200)];
  const withAround = fc.array(fc.constantFrom(...texts)).map((some) => some.join(''));
  const withSecret = fc.constantFrom(...secrets, ...pairs);
  fc.assert(
    fc.property(fc.array(fc.tuple(withAround, withSecret), { minLength: 1, maxLength: 3 }), (parts) => {
      const clean = withoutSecrets(parts.map(([around, secret]) => `${around} ${secret} `).join(''));
      assert.ok(!clean.includes('hunter2') && secrets.every((secret) => !clean.includes(secret)), clean);
    }),
  );
});

test('URLs lose their credentials and the values of their query and fragment', () => {
  assert.equal(
    withoutSecrets('https://ann:p@ss@example.com:8080/a?q=me&page=2#access_token=abc'),
    'https://[redacted]@example.com:8080/a?q=[redacted]&page=[redacted]#access_token=[redacted]',
  );
  assert.equal(withoutSecrets('postgres://u:p@db/x'), 'postgres://[redacted]@db/x');
});

test('texts that are not secrets stay', () => {
  for (const text of [
    'files__read_file',
    'file:///home/ann/notes.txt',
    'https://example.com/a/b',
    'task-management-of-the-team',
    'Basic authentication',
    'ask: destructive tools of servers that are not trusted',
    'ann@example.com',
  ])
    assert.equal(withoutSecrets(text), text);
});

test('redaction takes linear time', () => {
  const parts = [
    'eyJ',
    'eyJ-',
    'a.',
    '://',
    '@',
    '?a',
    '=',
    'Bearer ',
    'token',
    'sk-',
    ' ',
    '-----BEGIN ',
    'password"',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }), (some) => {
      const text = some.join('');
      withinCpuMs(1_000, () => withoutSecrets(text.repeat(4_000).slice(0, 4_000)), text);
    }),
    { numRuns: 300 },
  );
});
