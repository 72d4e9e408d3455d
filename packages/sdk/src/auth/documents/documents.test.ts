// Every member of every document of an authorization server, with values of every wrong kind: refused with a reason, or kept unchanged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError, type AuthStep } from '../../protocol/auth-error.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { createUrlGuard } from '../url-guard.ts';
import { readServer } from '../metadata.ts';
import { INTROSPECTION_ANSWER, REGISTRATION_ANSWER, RESOURCE_METADATA } from './documents.ts';
import { keySetAnswer, readAnswer, sourceOf, tokenAnswer } from './read-answer.ts';
import { readDocument, readMembersOnce } from './read-document.ts';
import { redirectAnswer } from './read-parameters.ts';

/** Replaced by a number that JSON allows and JavaScript cannot represent. */
const ENDLESS = '@endless@';

/** The values of a member. `undefined`: it is missing. */
const KINDS = {
  missing: undefined,
  null: null,
  number: 7,
  zero: 0,
  'negative number': -1,
  fraction: 1.5,
  'number that is not exact': 2 ** 63,
  'huge number': 1e300,
  'endless number': ENDLESS,
  true: true,
  false: false,
  word: 'word',
  words: 'several words',
  'digits in a text': '3600',
  'empty text': '',
  'blank text': ' ',
  'line break': 'a\r\nx-injected: 1',
  'control character': 'a\u0000b',
  'not ASCII': 'é日',
  'half a character': 'a\ud800',
  'huge text': 'x'.repeat(65_537),
  'empty list': [],
  'list of words': ['a', 'b'],
  'list of numbers': [1],
  'list with a space': ['a b'],
  'list with null': ['a', null],
  'list of objects': [{ kty: 'EC' }],
  object: { a: 1 },
  'object of the language': JSON.parse('{"toString":1,"__proto__":null,"length":-1}') as unknown,
} as const;
type Kind = keyof typeof KINDS;

const ABSENT: readonly Kind[] = ['missing', 'null'];
const ANY_TEXT: readonly Kind[] = [
  'word',
  'words',
  'digits in a text',
  'empty text',
  'blank text',
  'line break',
  'control character',
  'not ASCII',
  'half a character',
];
/** RFC 6749, appendix A: `VSCHAR`. */
const VSCHAR: readonly Kind[] = ['word', 'words', 'digits in a text', 'blank text'];
const NAME: readonly Kind[] = ['word', 'digits in a text'];
const LISTS: readonly Kind[] = ['empty list', 'list of words', 'list with a space'];
const LIFETIME: readonly Kind[] = ['number', 'zero', 'fraction'];
const A_TIME: readonly Kind[] = [...LIFETIME, 'negative number'];
const SCOPE: readonly Kind[] = ['word', 'words', 'digits in a text', 'empty text', 'blank text'];
const SCOPES: readonly Kind[] = ['empty list', 'list of words'];
const BOOLEAN: readonly Kind[] = ['true', 'false'];

function optional(...kinds: readonly (readonly Kind[])[]): readonly Kind[] {
  return [...ABSENT, ...kinds.flat()];
}

const guard = createUrlGuard(new URL('https://mcp.example.com/'));

/** A document: a valid one, how it is read, and the kinds of values that each member may have. */
interface Row {
  readonly good: JsonObject;
  read(response: Response): Promise<object>;
  readonly step: AuthStep;
  readonly members: Readonly<Record<string, readonly Kind[]>>;
  /** Members that are also checked as URLs, with the code of the error. */
  readonly addresses?: readonly string[];
}

const CLAIMS: Readonly<Record<string, readonly Kind[]>> = {
  iss: optional(ANY_TEXT),
  sub: optional(['word', 'words', 'digits in a text', 'not ASCII']),
  aud: optional(ANY_TEXT, LISTS),
  exp: optional(A_TIME),
  nbf: optional(A_TIME),
  iat: optional(A_TIME),
  client_id: optional(VSCHAR),
  azp: optional(VSCHAR),
  scope: optional(SCOPE, SCOPES),
  scp: optional(SCOPE, SCOPES),
  cnf: optional(['object', 'object of the language']),
};

const DOCUMENTS: Readonly<Record<string, Row>> = {
  'protected resource metadata': {
    good: { resource: 'https://mcp.example.com/mcp', authorization_servers: ['https://as.example.com'] },
    async read(response) {
      const source = sourceOf('The metadata', 'discovery');
      return readMembersOnce(await readDocument(response, source), RESOURCE_METADATA, source);
    },
    step: 'discovery',
    members: {
      resource: ANY_TEXT,
      authorization_servers: optional(LISTS),
      scopes_supported: optional(SCOPES),
    },
  },
  'authorization server metadata': {
    good: { issuer: 'https://as.example.com' },
    async read(response) {
      return readServer(await readDocument(response, sourceOf('The metadata', 'discovery')), guard, 'The metadata');
    },
    step: 'discovery',
    members: {
      issuer: ANY_TEXT,
      ...Object.fromEntries(
        ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'].map((name) => [
          name,
          ABSENT,
        ]),
      ),
      ...Object.fromEntries(
        [
          'scopes_supported',
          'response_types_supported',
          'code_challenge_methods_supported',
          'token_endpoint_auth_methods_supported',
          'dpop_signing_alg_values_supported',
          'id_token_signing_alg_values_supported',
        ].map((name) => [name, optional(LISTS)]),
      ),
      client_id_metadata_document_supported: optional(BOOLEAN),
      authorization_response_iss_parameter_supported: optional(BOOLEAN),
    },
    addresses: ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'],
  },
  'token answer': {
    good: { access_token: 'token', token_type: 'Bearer' },
    read: async (response) => (await tokenAnswer(response)).json() as Promise<object>,
    step: 'token',
    members: {
      access_token: NAME,
      token_type: NAME,
      expires_in: optional(LIFETIME),
      refresh_token: optional(VSCHAR),
      scope: optional(SCOPE),
      id_token: optional(),
      issued_token_type: optional(NAME),
      error: optional(),
      error_description: optional(ANY_TEXT),
    },
  },
  'registration answer': {
    good: { client_id: 'made' },
    read: async (response) =>
      (await readAnswer(response, REGISTRATION_ANSWER, { what: 'The endpoint', step: 'registration' })).read,
    step: 'registration',
    members: {
      client_id: VSCHAR,
      client_secret: optional(VSCHAR, ['empty text']),
      client_id_issued_at: optional(A_TIME),
      client_secret_expires_at: optional(A_TIME),
      token_endpoint_auth_method: optional(NAME),
      redirect_uris: optional(LISTS),
      error: optional(),
      error_description: optional(ANY_TEXT),
    },
  },
  'introspection answer': {
    good: { active: true },
    read: async (response) =>
      (await readAnswer(response, INTROSPECTION_ANSWER, { what: 'The endpoint', step: 'token' })).read,
    step: 'token',
    members: { active: BOOLEAN, ...CLAIMS, error: optional(), error_description: optional(ANY_TEXT) },
  },
  'set of keys': {
    good: { keys: [{ kty: 'EC' }] },
    read: async (response) => (await keySetAnswer(response)).json() as Promise<object>,
    step: 'token',
    members: { keys: ['empty list', 'list of objects'] },
  },
};

function write(value: unknown): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(ENDLESS), '1e400');
}

function sent(
  body: string | Uint8Array<ArrayBuffer>,
  type: string | null = 'application/json',
  status = 200,
): Response {
  return new Response(body, { status, headers: type === null ? {} : { 'content-type': type } });
}

async function refused(promise: Promise<unknown>, what: string): Promise<AuthError> {
  const error: unknown = await promise.then(
    () => assert.fail(`${what}: it was accepted`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AuthError, `${what}: ${String(error)}`);
  return error;
}

for (const [name, { good, read, step, members, addresses = [] }] of Object.entries(DOCUMENTS)) {
  test(`each member of the ${name} is kept unchanged, or refused with a reason`, async () => {
    for (const [member, accepted] of Object.entries(members))
      for (const kind of Object.keys(KINDS) as Kind[]) {
        const value = KINDS[kind];
        const what = `${member}: ${kind}`;
        const isShortText = typeof value === 'string' && value !== ENDLESS && kind !== 'huge text';
        const { [member]: _, ...others } = good;
        const text = write(value === undefined ? others : { ...others, [member]: value });
        if (accepted.includes(kind)) {
          const found = (await read(sent(text)).catch((error: unknown) =>
            assert.fail(`${what}: ${String(error)}`),
          )) as JsonObject;
          // A member that is only in the response to display is not part of the parsed result.
          if (member in found) assert.deepEqual(found[member], value, what);
          continue;
        }
        // Such a text is a valid error code.
        if (member === 'error' && isShortText && /^[ -~]+$/.test(value)) {
          const { code, oauthError } = await refused(read(sent(text)), what);
          assert.deepEqual([code, oauthError], ['refused', value], what);
          continue;
        }
        const error = await refused(read(sent(text)), what);
        const isAddress = addresses.includes(member) && isShortText;
        assert.deepEqual([error.code, error.step], [isAddress ? 'unsafe-address' : 'invalid-response', step], what);
        assert.match(error.message, new RegExp(`\\b${member}\\b`), what);
        assert.ok(error.message.length < 300 && !/[\p{Cc}\p{Cs}]/u.test(error.message), error.message);
      }
  });

  test(`the ${name} is JSON in UTF-8, of the media type that its specification requires, without repeated members`, async () => {
    const text = write(good);
    await read(sent(text));
    await read(sent(text, 'Application/JSON ; charset="UTF-8"'));
    await read(sent(`\ufeff ${text}`));
    const [first] = Object.keys(good) as [string];
    const wrong: Readonly<Record<string, Response>> = {
      'no type': sent(new TextEncoder().encode(text), null),
      HTML: sent(text, 'text/html'),
      'plain text': sent(text, 'text/plain; charset=utf-8'),
      'a form': sent('access_token=a', 'application/x-www-form-urlencoded'),
      'two types': sent(text, 'application/json, text/html'),
      'another charset': sent(text, 'application/json; charset=iso-8859-1'),
      'not UTF-8': sent(
        new Uint8Array([...new TextEncoder().encode(text.slice(0, -1)), 0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      ),
      'UTF-16': sent(new Uint8Array(new Uint16Array([...text].map((sign) => sign.charCodeAt(0))).buffer)),
      nothing: sent(''),
      'half of it': sent(text.slice(0, -1)),
      'more than it': sent(`${text}{}`),
      'a list': sent(`[${text}]`),
      null: sent('null'),
      'a text': sent('"x"'),
      'too deep': sent(`{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},${text.slice(1)}`),
      'a repeated member': sent(`{${JSON.stringify(first)}:7,${text.slice(1)}`),
      'a repeated member, written in another way': sent(
        `{"\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${first.slice(1)}":7,${text.slice(1)}`,
      ),
    };
    for (const [what, response] of Object.entries(wrong)) {
      const error = await refused(read(response), what);
      assert.deepEqual([error.code, error.step], ['invalid-response', step], what);
    }
  });
}

test('a key set may have its own media type', async () => {
  const { good, read } = DOCUMENTS['set of keys']!;
  await read(sent(write(good), 'application/jwk-set+json'));
  for (const key of [{}, { kty: 7 }, { kty: 'EC', x: 7 }, { kty: 'EC', key_ops: 'sign' }])
    assert.match((await refused(read(sent(write({ keys: [key] }))), write(key))).message, /A key in the set of keys/);
});

test('an error is reported with its code, whatever the status, and only by its status if it cannot be read', async () => {
  const { read } = DOCUMENTS['token answer']!;
  const reported = { error: 'bad_verification_code', error_description: 'Too\r\nlate' };
  for (const status of [200, 400, 401, 403, 500, 503])
    for (const answer of [reported, { ...reported, access_token: 'token', token_type: 'Bearer' }]) {
      const error = await refused(read(sent(write(answer), 'application/json', status)), String(status));
      assert.deepEqual([error.code, error.oauthError], ['refused', 'bad_verification_code']);
      assert.match(
        error.message,
        /^The token endpoint of the authorization server refused: bad_verification_code: Too\\u000d\\u000alate$/,
      );
    }
  for (const [body, type] of [
    ['<h1>Bad gateway', 'text/html'],
    ['', 'application/json'],
    ['{}', 'application/json'],
    ['{"error":7}', 'application/json'],
    ['{"error":{"code":"x"}}', 'application/json'],
  ] as const) {
    const error = await refused(read(sent(body, type, 502)), body);
    assert.deepEqual([error.code, error.oauthError], ['invalid-response', undefined]);
    assert.match(error.message, /^The token endpoint of the authorization server answered with status 502/);
  }
});

test('the redirect has each parameter at most once, in UTF-8, and one without a value counts as missing', () => {
  const source = sourceOf('The answer to the login', 'authorization');
  const read = (query: string): string[][] => [...redirectAnswer(query, source)];
  assert.deepEqual(read('code=a%2Bb+c&state=s&iss=https%3A%2F%2Fas.example&more=1&more=2'), [
    ['code', 'a+b c'],
    ['state', 's'],
    ['iss', 'https://as.example'],
  ]);
  assert.deepEqual(read('code=&state=s&iss&error='), [['state', 's']]);
  assert.deepEqual(read(''), []);
  for (const name of ['code', 'state', 'iss', 'error', 'error_description', 'response', 'id_token', 'token'])
    for (const query of [
      `${name}=a&${name}=a`,
      `${name}=a&${name}`,
      `${name}=a&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=a`,
      `${name}=%ff`,
      `${name}=%c3`,
      `${name}=%`,
      `${name}=${'x'.repeat(70_000)}`,
    ])
      assert.throws(
        () => read(query),
        { name: 'AuthError', code: 'invalid-response', step: 'authorization' },
        query.slice(0, 60),
      );
  for (const name of ['code', 'state', 'error'])
    for (const value of ['%0d%0a', '%00', '%c3%a9', 'a%7f'])
      assert.throws(() => read(`${name}=${value}`), { code: 'invalid-response' }, `${name}=${value}`);
  assert.deepEqual(read('error_description=%c3%a9%0d'), [['error_description', 'é\r']]);
});
