import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { createRedactor } from './redact.ts';
import { rewriteJson } from './rewrite-json.ts';
import { isSecretName } from './secret-names.ts';

function clean(text: string, ...secrets: string[]): string {
  const redactor = createRedactor();
  secrets.forEach((secret) => redactor.hide(secret));
  const { text: left, redacted } = redactor.clean(text);
  assert.equal(redacted, left !== text);
  return left;
}
function cleanJson(value: unknown, ...secrets: string[]): unknown {
  return JSON.parse(clean(JSON.stringify(value), ...secrets));
}

test('text without secrets stays exactly as it was written', () => {
  for (const text of [
    '{"jsonrpc":"2.0", "id" : 9007199254740993,"method":"tools/call","params":{"_meta":{"progressToken":"abc-12345678"}}}',
    '{"nextPageToken":"x","cursor":"y","maxTokens":100,"token":null,"tokens":[1],"password":true,"x":1.10,"\\u0041":"\\u0042"}',
    '{"properties":{"password":{"type":"string","title":"Password"},"api_key":{"type":"string"}},"required":["password"]}',
    'Server listening on port 3000: key not set, token=undefined, basic authentication, see http://localhost:3000/a?b=c',
    'eyJhbGci is the beginning of a token',
    '',
  ])
    assert.equal(clean(text), text);
});

test('the parameters of a challenge are no token, and a token before a quote is one', () => {
  const challenge = 'Bearer resource_metadata="http://localhost:7104/.well-known/oauth-protected-resource"';
  for (const text of [challenge, `401; www-authenticate: ${challenge}`, JSON.stringify({ challenge })])
    assert.equal(clean(text), text);
  for (const token of ['dGVzdGVy', 'dGVzdGVyMTI=', 'dGVzdGVyMTIz=='])
    for (const end of ['"', '" http://localhost', '","x":1}'])
      assert.equal(clean(`"x: Bearer ${token}${end}`), `"x: Bearer [redacted]${end}`);
});

test('keys of services are recognized by their prefixes', () => {
  for (const key of [
    `sk_live_${'a1'.repeat(12)}`,
    `rk_live_${'a1'.repeat(12)}`,
    `hf_${'aB'.repeat(12)}`,
    `ya29.${'a-1_'.repeat(8)}`,
  ])
    assert.equal(clean(`it is ${key}, they say`), 'it is [redacted], they say', key);
  assert.equal(
    clean('https://hooks.slack.com/services/T000/B000/abcdefgh'),
    'https://hooks.slack.com/services/[redacted]',
  );
});

test('members with secret names are redacted at any depth and in any spelling', () => {
  assert.deepEqual(
    cleanJson({
      password: 'hunter2',
      db_password: 'x',
      accessToken: 'x',
      'refresh-token': 'x',
      ACCESS_TOKEN: 'x',
      apiKey: 12345,
      client_secret: 'x',
      GITHUB_TOKEN: 'x',
      authorization: ['Bearer x', 'y'],
      deep: [{ privateKey: 'x' }, { 'Set-Cookie': 'a=b' }],
      secret: { type: 'string', name: 'kept' },
      message: 'kept',
    }),
    {
      password: '[redacted]',
      db_password: '[redacted]',
      accessToken: '[redacted]',
      'refresh-token': '[redacted]',
      ACCESS_TOKEN: '[redacted]',
      apiKey: '[redacted]',
      client_secret: '[redacted]',
      GITHUB_TOKEN: '[redacted]',
      authorization: ['[redacted]', '[redacted]'],
      deep: [{ privateKey: '[redacted]' }, { 'Set-Cookie': '[redacted]' }],
      secret: { type: 'string', name: 'kept' },
      message: 'kept',
    },
  );
});

test('the text around a secret stays as it was written', () => {
  assert.equal(
    clean('{ "id":9007199254740993,"pass\\u0077ord" : "hunter2" ,"x":1.10, "y":"\\u0041"}'),
    '{ "id":9007199254740993,"pass\\u0077ord" : "[redacted]" ,"x":1.10, "y":"\\u0041"}',
  );
});

test('JSON inside strings is searched', () => {
  const inner = JSON.stringify({ user: 'me', password: 'hunter2', more: JSON.stringify({ token: 'abc' }) });
  const { content } = cleanJson({ content: [{ type: 'text', text: inner }] }) as { content: { text: string }[] };
  assert.deepEqual(JSON.parse(content[0]!.text), {
    user: 'me',
    password: '[redacted]',
    more: '{"token":"[redacted]"}',
  });
});

test('a hidden value is found in every spelling', () => {
  const secret = 'pä"ss/w&rd 1\n';
  const ascii = JSON.stringify(secret).replace('ä', '\\u00e4');
  for (const text of [
    `it is ${secret}!`,
    JSON.stringify({ a: `x${secret}y` }),
    `{"a":${ascii}}`,
    `{"a":${ascii}`.replace('\\u00e4', 'ä'),
    JSON.stringify({ [secret]: 1 }),
    `https://host/?q=${encodeURIComponent(secret)}&x`,
    `q=${encodeURIComponent(secret).replaceAll('%20', '+')}`,
    JSON.stringify({ a: JSON.stringify({ b: secret }) }),
  ]) {
    const left = clean(text, secret);
    assert.ok(left.includes('[redacted]'), text);
    for (const part of ['ss/w', 'ss%2Fw', 'w&rd', 'w%26rd']) assert.equal(left.includes(part), false, left);
  }
});

test('of two secrets of which one is a prefix of the other, nothing is left', () => {
  assert.equal(clean('abcdefgh-ijkl', 'abcdefgh', 'abcdefgh-ijkl'), '[redacted]');
});

test('redacting a secret number keeps the JSON valid, and a longer number stays', () => {
  assert.equal(
    clean('{"a":12345678,"b":912345678,"c":"12345678"}', '12345678'),
    '{"a":"[redacted]","b":912345678,"c":"[redacted]"}',
  );
});

test('a match that spans an escape sequence does not count', () => {
  assert.equal(clean('{"a":"\\next-step-1"}', 'next-step-1'), '{"a":"\\next-step-1"}');
});

test('short values are not hidden: they could appear by chance', () => {
  assert.equal(clean('{"a":"secret1"}', 'secret1'), '{"a":"secret1"}');
});

test('prose about schemes of headers is kept, and their credentials are not', () => {
  for (const prose of [
    'Uses Bearer authentication.',
    'Bearer Authentication is needed',
    'Basic Operation Audit',
    'a Basic Programming course',
    'basic information',
  ])
    assert.equal(clean(JSON.stringify({ a: prose })), JSON.stringify({ a: prose }));
  for (const [text, secret] of [
    ['send Bearer abcdefghijklmnopqrst', 'abcdefghijklmnopqrst'],
    ['send Bearer secret-token', 'secret-token'],
    ['Authorization: Bearer supersecret', 'supersecret'],
    ['use Bearer mysecrettoken', 'mysecrettoken'],
    ['send Bearer AbCdEfGh', 'AbCdEfGh'],
    ['send Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['send Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
  ] as const)
    assert.ok(!clean(JSON.stringify({ a: text })).includes(secret), text);
});

test('text that looks like a secret is redacted, in JSON and elsewhere', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4';
  const shapes: readonly (readonly [string, string])[] = [
    [`Authorization: Bearer ${jwt}`, jwt],
    ['curl -H "Authorization: Bearer abc.def-12345"', 'abc.def-12345'],
    ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    [`token is ${jwt}.`, 'SflKxwRJ'],
    ['ghp_0123456789abcdefghij0123456789abcdef', '0123456789abc'],
    ['github_pat_0123456789abcdefghij_0123456789', '0123456789abc'],
    ['glpat-0123456789abcdefghij', '0123456789abc'],
    ['xoxb-123456789-abcdef', '123456789'],
    ['sk-ant-api03-abcdefghijklmnop', 'abcdefgh'],
    ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    ['AIzaSyA0123456789abcdefghijklmnopqrstuvw', '0123456789abc'],
    ['npm_0123456789abcdefghij0123456789abcd', '0123456789abc'],
    ['postgres://user:s3cret@host:5432/db', 's3cret'],
    ['https://host/cb?code=0123456789abcdef&state=x', '0123456789abcdef'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
    ['password=hunter2 user=me', 'hunter2'],
    ["api_key: 'hunter2',", 'hunter2'],
    ['{"client_secret":"hunter2"', 'hunter2'],
    ['{\\"password\\": \\"hunter2\\"', 'hunter2'],
    ['--db-password=hunter2', 'hunter2'],
    ['grant_type=refresh_token&refresh_token=hunter2&client_id=me', 'hunter2'],
    ['Cookie: session=hunter2', 'hunter2'],
  ];
  for (const [text, secret] of shapes) {
    for (const given of [text, JSON.stringify({ text }), JSON.stringify({ text: JSON.stringify([text]) })]) {
      const left = clean(given);
      assert.equal(left.includes(secret), false, left);
      if (given !== text) assert.ok(JSON.parse(left));
    }
  }
  assert.equal(clean('grant_type=refresh_token&refresh_token=hunter2&client_id=me').endsWith('&client_id=me'), true);
});

test('names of secrets are distinguished from other names', () => {
  for (const name of [
    'PASSWORD',
    'DB_PASS',
    'awsSecretAccessKey',
    'x-api-key',
    'apikey',
    'MY_TOKEN_2',
    'dbConnectionString',
    'code_verifier',
  ])
    assert.equal(isSecretName(name), true, name);
  for (const name of [
    'compass',
    'key',
    'monkey',
    'keyword',
    'progressToken',
    'nextPageToken',
    'tokens',
    'tokenizer',
    'author',
    'passive',
    'secretary',
    'x'.repeat(300),
  ])
    assert.equal(isSecretName(name), false, name);
});

test('any JSON stays valid JSON, and without secrets stays the same text', () => {
  const redactor = createRedactor();
  redactor.hide('12345678');
  redactor.hide('n\\"abcdef');
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('12345678', 'password', 'n\\"abcdef', 'Bearer 0123456789', 'token=abcdefgh'),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree')),
      fc.dictionary(word, tie('tree')),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.constantFrom(0, 2), (value, spaces) => {
      const text = JSON.stringify(value, undefined, spaces);
      const left = redactor.clean(text).text;
      JSON.parse(left);
      assert.equal(left.includes('12345678') && !/\d12345678|12345678\d/.test(left), false, left);
      assert.equal(
        rewriteJson(text, () => undefined),
        text,
      );
    }),
    { numRuns: 500 },
  );
});

test('no text takes long to redact', () => {
  const redactor = createRedactor();
  redactor.hide('a secret value');
  const times = (part: string, length = 2_000_000): string => part.repeat(length / part.length);
  for (const text of [
    times('eyJ'),
    times('bearer '),
    times('password:'),
    times('a='),
    `password${times(' ')}:x`,
    `"token${times('\\')}`,
    `{"a":"token${times('\\"')}"}`,
    `token://${times('a:')}`,
    `-----BEGIN ${times('A')}`,
    `token${times('-----BEGIN PRIVATE KEY-----')}`,
    times('sk-'),
    times('code='),
    `{"token":${times('[', 200_000)}${times(']', 200_000)}}`,
  ]) {
    withinCpuMs(4_000, () => redactor.clean(text), text.slice(0, 40));
  }
});

test('URLs and sentences that begin like a secret stay', () => {
  const { clean } = createRedactor();
  for (const text of [
    'secret://notes/1',
    '{"uri":"secret://notes/1"}',
    'Token: paste it here',
    '{"description":"Password: ask the person for it. Secret: none"}',
    'the token: it is optional',
  ])
    assert.equal(clean(text).text, text);
  assert.equal(clean('password: hunter2').text, 'password: [redacted]');
  assert.equal(clean('password: correcthorsebattery').text, 'password: [redacted]');
  assert.equal(clean('API_KEY=abc').text, 'API_KEY=[redacted]');
});
