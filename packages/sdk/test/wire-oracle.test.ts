import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Content } from '../src/protocol/content.ts';
import type { PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../src/protocol/entities.ts';
import type { JsonObject } from '../src/protocol/jsonrpc.ts';
import { CACHEABLE_METHODS, methodOf } from '../src/protocol/methods.ts';
import { LIST_KEY } from '../src/protocol/results.ts';
import { featuresOf, MODERN, type Revision, REVISIONS } from '../src/protocol/revision.ts';
import { decodeInputRequired, decodeResult } from '../src/wire/decode.ts';
import { writeClaim } from '../src/wire/claim.ts';
import {
  complete,
  encodeAnswer,
  encodeClientCapabilities,
  encodeCompletion,
  encodeEntry,
  encodeImplementation,
  encodeInputRequest,
  encodeNotification,
  encodeParams,
  encodePromptResult,
  encodeReadResult,
  encodeServerCapabilities,
  encodeToolResult,
  inputRequired,
} from '../src/wire/encode.ts';
import { frozen } from './frozen.ts';
import { checkMessage, type Direction } from './oracle/oracle.ts';

const TO_SERVER: Direction = 'client-to-server';
const TO_CLIENT: Direction = 'server-to-client';

// Everything below says all that the newest shape can say.
const meta = { 'com.example/key': { any: [1, null] } };
const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' as const }];
const annotations = {
  audience: ['user' as const, 'assistant' as const],
  priority: 0.5,
  lastModified: '2025-06-18T10:00:00Z',
};
const info = frozen({
  name: 'n',
  version: '1',
  title: 'T',
  description: 'd',
  websiteUrl: 'https://example.com',
  icons,
});

const contents: Content[] = frozen([
  { type: 'text', text: 't', annotations, _meta: meta },
  { type: 'image', data: 'AA==', mimeType: 'image/png', annotations, _meta: meta },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav', annotations, _meta: meta },
  {
    type: 'resource',
    resource: { uri: 'a:b', mimeType: 'text/plain', text: 't', _meta: meta },
    annotations,
    _meta: meta,
  },
  { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
  {
    type: 'resource_link',
    uri: 'file:///a',
    name: 'a',
    title: 'A',
    description: 'd',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    icons,
    _meta: meta,
  },
]);

const toolBase = { title: 'T', description: 'd', icons, _meta: meta };
const hints = { title: 'H', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const inputSchema = { type: 'object', properties: { any: true, a: { type: 'string' } }, required: ['a'] };
const tools: ToolEntry[] = frozen([
  { ...toolBase, name: 'plain', inputSchema },
  {
    ...toolBase,
    name: 'object',
    inputSchema,
    outputSchema: { type: 'object', properties: { any: true } },
    annotations: hints,
  },
  { ...toolBase, name: 'list', inputSchema, outputSchema: { type: 'array', items: { $ref: '#' } } },
  { ...toolBase, name: 'any', inputSchema, outputSchema: {} },
]);
const resources: ResourceEntry[] = frozen([
  {
    uri: 'a:b',
    name: 'r',
    title: 'R',
    description: 'd',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    icons,
    _meta: meta,
  },
]);
const templates: TemplateEntry[] = frozen([
  {
    uriTemplate: 'a:{b}',
    name: 'r',
    title: 'R',
    description: 'd',
    mimeType: 'text/plain',
    annotations,
    icons,
    _meta: meta,
  },
]);
const prompts: PromptEntry[] = frozen([
  {
    name: 'p',
    title: 'P',
    description: 'd',
    arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
    icons,
    _meta: meta,
  },
]);

/** The finished result of a method as the server sends it. */
const finished = (method: string, result: JsonObject, revision: Revision): JsonObject =>
  complete(result, revision, {
    serverInfo: encodeImplementation(info, revision),
    ...(CACHEABLE_METHODS.has(method) ? { cache: { ttlMs: 5.5, cacheScope: 'public' as const } } : {}),
  });

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

const clientCapabilities = frozen({
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  experimental: { x: {} },
});
const serverCapabilities = frozen({
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
  experimental: { x: {} },
});

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  properties: {
    text: {
      type: 'string',
      title: 'T',
      description: 'D',
      minLength: 1,
      maxLength: 5,
      format: 'email',
      pattern: '.',
      default: 'a',
    },
    number: { type: 'number', minimum: 1, maximum: 9, exclusiveMinimum: 0, default: 2 },
    flag: { type: 'boolean', default: true },
    choice: { type: 'string', enum: ['a', 'b'], default: 'a', minLength: 1 },
    named: { type: 'string', enum: ['a'], enumNames: ['A'] },
    titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'a' },
  },
  required: ['text'],
};
const several = {
  type: 'object',
  properties: {
    many: { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1, maxItems: 1, default: ['a'] },
    titled: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
  },
};
const block = { type: 'text', text: 't', annotations, _meta: meta } as const;
const use = { type: 'tool_use', id: '1', name: 't', input: { a: 1 }, _meta: meta };
const used = {
  type: 'tool_result',
  toolUseId: '1',
  content: contents,
  structuredContent: [1],
  isError: false,
  _meta: meta,
};
const sampling = {
  maxTokens: 5,
  systemPrompt: 's',
  temperature: 0.5,
  stopSequences: ['x'],
  includeContext: 'none',
  metadata: {},
  modelPreferences: { hints: [{ name: 'm' }] },
  _meta: meta,
};

const QUESTIONS: readonly (readonly [of: string, method: string, params: JsonObject])[] = frozen([
  ['a form', 'elicitation/create', { mode: 'form', message: 'm', requestedSchema: schema, _meta: meta }],
  ['several choices', 'elicitation/create', { message: 'm', requestedSchema: several }],
  ['a URL', 'elicitation/create', { mode: 'url', message: 'm', url: 'https://example.com/', _meta: meta }],
  ['a message', 'sampling/createMessage', { ...sampling, messages: [{ role: 'user', content: block, _meta: meta }] }],
  [
    'several blocks',
    'sampling/createMessage',
    { ...sampling, messages: [{ role: 'user', content: [block, contents[1]] }] },
  ],
  ['audio', 'sampling/createMessage', { ...sampling, messages: [{ role: 'user', content: contents[2] }] }],
  [
    'tools',
    'sampling/createMessage',
    {
      ...sampling,
      tools: [{ name: 't', description: 'd', inputSchema }],
      toolChoice: { mode: 'auto' },
      messages: [
        { role: 'assistant', content: [use] },
        { role: 'user', content: [used] },
      ],
    },
  ],
  ['roots', 'roots/list', {}],
]);

const ANSWERS = frozen([
  ['elicitation/create', { action: 'accept', content: { a: 'x', b: 1, c: true }, _meta: meta }],
  ['elicitation/create', { action: 'decline', content: { a: 'x' }, _meta: meta }],
  ['sampling/createMessage', { role: 'assistant', model: 'm', stopReason: 'endTurn', content: block, _meta: meta }],
  ['sampling/createMessage', { role: 'assistant', model: 'm', content: [block, block] }],
  ['roots/list', { roots: [{ uri: 'file:///a', name: 'a', _meta: meta }], _meta: meta }],
] as const);

const asked = (method: string, params: JsonObject, revision: Revision): JsonObject | undefined => {
  const encoded = encodeInputRequest(method, params, revision);
  return 'params' in encoded ? encoded.params : undefined;
};

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
      checkMessage(revision, direction, message, answered === undefined ? undefined : { method: answered }),
      [],
    );

  for (const [method, of, result] of RESULTS) {
    test(`${revision}: the result of ${method} (${of}) is valid by the official schema and decodes without loss`, () => {
      const sent = finished(method, result(revision), revision);
      isValid(TO_CLIENT, response(sent), method);
      const problems: string[] = [];
      assert.deepEqual(decodeResult(method, sent, revision, { report: (problem) => problems.push(problem) }), sent);
      assert.deepEqual(problems, []);
    });
  }

  test(`[BASE-1] ${revision}: the server's words about itself are valid by the official schema`, () => {
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

  test(`[BASE-38] [BASE-39] [BASE-40] ${revision}: the client's words about itself are valid by the official schema`, () => {
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
      isValid(TO_CLIENT, { jsonrpc: '2.0', method, params: encodeNotification(method, frozen(params), revision) });
    }
  });

  for (const [of, method, params] of QUESTIONS) {
    test(`${revision}: a question (${of}) is valid by the official schema, or refused where there are no words for it`, () => {
      const encoded = asked(method, params, revision);
      if (encoded === undefined) {
        // Where the revision has the method, only these have no older form.
        const lost =
          methodOf(revision, method) === undefined || ['several choices', 'a URL', 'audio', 'tools'].includes(of);
        assert.ok(lost && !modern);
      } else if (modern) {
        const result = inputRequired(
          { key: { method, params: encoded } },
          'state',
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
