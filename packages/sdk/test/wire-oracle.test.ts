import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../src/protocol/jsonrpc.ts';
import { CACHEABLE_METHODS } from '../src/protocol/cacheable-methods.ts';
import { methodOf } from '../src/protocol/methods.ts';
import { LIST_KEY } from '../src/protocol/results.ts';
import { featuresOf, MODERN, type Revision, REVISIONS } from '../src/protocol/revision.ts';
import { decodeResult } from '../src/wire/decode.ts';
import { decodeInputRequired } from '../src/wire/decode-input-required.ts';
import { writeClaim } from '../src/wire/write-claim.ts';
import { complete, encodeNotification, interimResult } from '../src/wire/encode.ts';
import {
  encodeCompletion,
  encodePromptResult,
  encodeReadResult,
  encodeToolResult,
} from '../src/wire/encode-results.ts';
import { encodeEntry } from '../src/wire/encode-entry.ts';
import { encodeClientCapabilities, encodeServerCapabilities } from '../src/wire/capabilities.ts';
import { encodeImplementation, encodeParams } from '../src/wire/encode-params.ts';
import { encodeAnswer } from '../src/wire/input-answer.ts';
import { encodeInputRequest } from '../src/wire/input-request.ts';
import { asSent } from './as-sent.ts';
import { frozen } from './frozen.ts';
import { checkMessage, type Direction } from './oracle/oracle.ts';
import {
  ANSWERS,
  clientCapabilities,
  contents,
  info,
  meta,
  prompts,
  QUESTIONS,
  resources,
  serverCapabilities,
  templates,
  tools,
} from './wire-samples.ts';

const TO_SERVER: Direction = 'client-to-server';
const TO_CLIENT: Direction = 'server-to-client';

/** The finished result of a method as the server sends it. */
function finished(method: string, result: JsonObject, revision: Revision): JsonObject {
  return complete(result, revision, {
    serverInfo: encodeImplementation(info, revision),
    ...(CACHEABLE_METHODS.has(method) ? { cache: { ttlMs: 5.5, cacheScope: 'public' as const } } : {}),
  });
}

const RESULTS: readonly (readonly [method: string, of: string, result: (revision: Revision) => JsonObject])[] = [
  [
    'tools/list',
    'tools',
    (r) => ({ [LIST_KEY['tools/list']]: tools.map((tool) => encodeEntry('tools/list', tool, r)), nextCursor: '' }),
  ],
  [
    'resources/list',
    'resources',
    (r) => ({ resources: resources.map((entry) => encodeEntry('resources/list', entry, r)) }),
  ],
  [
    'resources/templates/list',
    'templates',
    (r) => ({ resourceTemplates: templates.map((entry) => encodeEntry('resources/templates/list', entry, r)) }),
  ],
  ['prompts/list', 'prompts', (r) => ({ prompts: prompts.map((entry) => encodeEntry('prompts/list', entry, r)) })],
  [
    'tools/call',
    'every content',
    (r) => encodeToolResult(frozen({ content: contents, isError: true, _meta: meta }), r),
  ],
  ...[{ a: 1 }, [1], null, 'a', 5].flatMap((value) =>
    [undefined, { wrap: true }].map((wrap): [string, string, (revision: Revision) => JsonObject] => [
      'tools/call',
      `${JSON.stringify(value)}${wrap === undefined ? '' : ', wrapped if need be'}`,
      (r) => encodeToolResult(frozen({ content: [], structuredContent: value }), r, wrap),
    ]),
  ),
  [
    'tools/call',
    'a value beside an independent text',
    (r) => encodeToolResult(frozen({ content: contents, structuredContent: [1], _meta: meta }), r),
  ],
  [
    'prompts/get',
    'every content',
    (r) =>
      encodePromptResult(
        frozen({
          description: 'd',
          messages: contents.map((content) => ({ role: 'user' as const, content })),
          _meta: meta,
        }),
        r,
      ),
  ],
  [
    'resources/read',
    'text and blob',
    (r) =>
      encodeReadResult(
        frozen({
          contents: [
            { uri: 'a:b', text: '', mimeType: 'text/plain', _meta: meta },
            { uri: 'a:c', blob: 'AA==' },
          ],
          ttlMs: 1,
          cacheScope: 'private' as const,
        }),
        r,
      ),
  ],
  ['completion/complete', 'too many values', () => encodeCompletion({ values: Array.from({ length: 150 }, String) })],
];

function asked(method: string, params: JsonObject, revision: Revision): JsonObject | undefined {
  const encoded = encodeInputRequest(method, params, revision);
  return 'params' in encoded ? encoded.params : undefined;
}

for (const revision of REVISIONS) {
  const modern = featuresOf(revision).era === 'modern';
  const request = (method: string, params: JsonObject): JsonObject => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: modern
      ? writeClaim({ revision, capabilities: clientCapabilities, client: info, logLevel: 'info' }, params)
      : params,
  });
  const response = (result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 1, result });
  const isValid = (direction: Direction, message: JsonObject, answered?: string): void =>
    assert.deepEqual(
      checkMessage(revision, direction, asSent(message), answered === undefined ? undefined : { method: answered }),
      [],
    );

  for (const [method, of, result] of RESULTS) {
    test(`${revision}: the result of ${method} (${of}) is valid by the official schema and decodes without loss`, () => {
      const sent = finished(method, result(revision), revision);
      isValid(TO_CLIENT, response(sent), method);
      const problems: string[] = [];
      // The method determines the type of the result.
      const { resultType: _, ...kept } = sent;
      assert.deepEqual(decodeResult(method, sent, revision, { report: (problem) => problems.push(problem) }), kept);
      assert.deepEqual(problems, []);
    });
  }

  test(`${revision}: the server's information is valid by the official schema`, () => {
    const capabilities = encodeServerCapabilities(serverCapabilities, revision);
    const instructions = 'i';
    if (modern) {
      const discovered = { supportedVersions: [...MODERN], capabilities, instructions };
      isValid(TO_CLIENT, response(finished('server/discover', discovered, revision)), 'server/discover');
      return;
    }
    const initialized = {
      protocolVersion: revision,
      capabilities,
      serverInfo: encodeImplementation(info, revision),
      instructions,
    };
    isValid(TO_CLIENT, response(finished('initialize', initialized, revision)), 'initialize');
  });

  test(`[BASE-38] [BASE-39] [BASE-40] ${revision}: the client's information is valid by the official schema`, () => {
    if (modern) {
      isValid(TO_SERVER, request('server/discover', { _meta: { progressToken: 1 } }));
      return;
    }
    const capabilities = encodeClientCapabilities(clientCapabilities, revision);
    isValid(
      TO_SERVER,
      request('initialize', {
        protocolVersion: revision,
        capabilities,
        clientInfo: encodeImplementation(info, revision),
      }),
    );
  });

  test(`${revision}: a completion request is valid by the official schema`, () => {
    for (const ref of [
      { type: 'ref/prompt', name: 'p', title: 'P' },
      { type: 'ref/resource', uri: 'a:{b}' },
    ]) {
      const params = frozen({ ref, argument: { name: 'a', value: 'v' }, context: { arguments: { b: 'c' } } });
      isValid(TO_SERVER, request('completion/complete', encodeParams('completion/complete', params, revision)));
    }
  });

  test(`${revision}: notifications are valid by the official schema`, () => {
    for (const [method, params] of [
      ['notifications/progress', { progressToken: 't', progress: 1, total: 2, message: 'm', _meta: meta }],
      ['notifications/message', { level: 'info', logger: 'l', data: { message: 'm' }, _meta: meta }],
    ] as const) {
      isValid(TO_CLIENT, JSON.parse(encodeNotification(method, frozen(params), revision)));
    }
  });

  for (const [of, method, params] of QUESTIONS) {
    test(`${revision}: an input request (${of}) is valid by the official schema, or refused if the revision cannot represent it`, () => {
      const encoded = asked(method, params, revision);
      if (encoded === undefined) {
        // If the revision has the method, only these have no older form.
        const lost =
          methodOf(revision, method) === undefined || ['several choices', 'a URL', 'audio', 'tools'].includes(of);
        assert.ok(lost && !modern);
      } else if (modern) {
        const result = interimResult(
          'input_required',
          { inputRequests: { key: { method, params: encoded } }, requestState: 'state' },
          encodeImplementation(info, revision),
        );
        isValid(TO_CLIENT, response(result), 'tools/call');
        assert.deepEqual([...decodeInputRequired(result).requests], [['key', { method, params: encoded }]]);
      } else {
        isValid(TO_CLIENT, { jsonrpc: '2.0', id: 1, method, params: encoded });
      }
    });
  }

  for (const [index, [method, answer]] of ANSWERS.entries()) {
    test(`${revision}: an answer to ${method} (${index}) is valid by the official schema`, () => {
      if (!modern && methodOf(revision, method) === undefined) return;
      const encoded = encodeAnswer(method, answer as never, revision);
      if (modern)
        isValid(TO_SERVER, request('tools/call', { name: 't', inputResponses: { key: encoded }, requestState: 's' }));
      else isValid(TO_SERVER, response(encoded), method);
    });
  }
}
