// Entities, results, questions and answers with all members of the newest revision.

import type { Content } from '../src/protocol/content.ts';
import type { PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../src/protocol/entities.ts';
import type { JsonObject } from '../src/protocol/jsonrpc.ts';
import { frozen } from './frozen.ts';

export const meta = { 'com.example/key': { any: [1, null] } };
const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' as const }];
const annotations = {
  audience: ['user' as const, 'assistant' as const],
  priority: 0.5,
  lastModified: '2025-06-18T10:00:00Z',
};
export const info = frozen({
  name: 'n',
  version: '1',
  title: 'T',
  description: 'd',
  websiteUrl: 'https://example.com',
  icons,
});

export const contents: Content[] = frozen([
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
export const tools: ToolEntry[] = frozen([
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
export const resources: ResourceEntry[] = frozen([
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
export const templates: TemplateEntry[] = frozen([
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
export const prompts: PromptEntry[] = frozen([
  {
    name: 'p',
    title: 'P',
    description: 'd',
    arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
    icons,
    _meta: meta,
  },
]);

export const clientCapabilities = frozen({
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  experimental: { x: {} },
});
export const serverCapabilities = frozen({
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

export const QUESTIONS: readonly (readonly [of: string, method: string, params: JsonObject])[] = frozen([
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

export const ANSWERS = frozen([
  ['elicitation/create', { action: 'accept', content: { a: 'x', b: 1, c: true }, _meta: meta }],
  ['elicitation/create', { action: 'decline', content: { a: 'x' }, _meta: meta }],
  ['sampling/createMessage', { role: 'assistant', model: 'm', stopReason: 'endTurn', content: block, _meta: meta }],
  ['sampling/createMessage', { role: 'assistant', model: 'm', content: [block, block] }],
  ['roots/list', { roots: [{ uri: 'file:///a', name: 'a', _meta: meta }], _meta: meta }],
] as const);
