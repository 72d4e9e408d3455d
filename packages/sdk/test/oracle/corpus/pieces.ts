// The objects messages are made of, with every field the revision knows.

import type { Revision } from '../schemas.ts';
import type { Json } from './script.ts';

export const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
export const audio = { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' };
export const link = { type: 'resource_link', uri: 'file:///a.txt', name: 'a' };
export const icons = [
  { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'light' },
];
export const meta = { 'com.example/trace': { anything: [1, null, 1.5] } };
export const when = '2025-06-18T10:00:00Z';

/** True for the revisions from `first` to `last`. Dates compare as text. */
export function within(revision: Revision, first: Revision, last: Revision = '2026-07-28'): boolean {
  return revision >= first && revision <= last;
}

/** The members that the revision adds to a named object: title, `_meta`, icons. */
export function extras(revision: Revision): Json {
  return {
    ...(within(revision, '2025-06-18') && { title: 'A title', _meta: meta }),
    ...(within(revision, '2025-11-25') && { icons }),
  };
}

export function annotations(revision: Revision): Json {
  return {
    audience: ['user', 'assistant'],
    priority: 0.5,
    ...(within(revision, '2025-06-18') && { lastModified: when }),
  };
}

/** Every content block a tool may return on a revision. */
export function contentOf(revision: Revision): Json[] {
  const more = { annotations: annotations(revision), ...(within(revision, '2025-06-18') && { _meta: meta }) };
  const contentsMeta = within(revision, '2025-06-18') ? { _meta: meta } : {};
  return [
    { type: 'text', text: 'hello', ...more },
    { ...image, ...more },
    {
      type: 'resource',
      resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'a', ...contentsMeta },
      ...more,
    },
    { type: 'resource', resource: { uri: 'file:///b.bin', mimeType: 'image/png', blob: 'aGVsbG8=', ...contentsMeta } },
    ...(within(revision, '2025-03-26') ? [{ ...audio, ...more }] : []),
    ...(within(revision, '2025-06-18')
      ? [{ ...link, description: 'A file', mimeType: 'text/plain', size: 5, ...extras(revision), ...more }]
      : []),
  ];
}

export function implementation(revision: Revision): Json {
  return {
    name: 'example',
    version: '1.0.0',
    ...(within(revision, '2025-06-18') && { title: 'Example' }),
    ...(within(revision, '2025-11-25') && { icons, description: 'An example', websiteUrl: 'https://example.com' }),
  };
}

export function clientCapabilities(revision: Revision): Json {
  const settings = { 'com.example/feature': { depth: 1.5, none: null } };
  return {
    experimental: settings,
    roots: within(revision, '2026-07-28') ? {} : { listChanged: true },
    sampling: within(revision, '2025-11-25') ? { context: {}, tools: {} } : {},
    ...(revision === '2025-06-18' && { elicitation: {} }),
    ...(within(revision, '2025-11-25') && { elicitation: { form: {}, url: {} } }),
    ...(revision === '2025-11-25' && {
      tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
    }),
    ...(revision === '2026-07-28' && { extensions: settings }),
  };
}

export function serverCapabilities(revision: Revision): Json {
  return {
    experimental: { 'com.example/feature': { depth: 1.5 } },
    logging: {},
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
    ...(within(revision, '2025-03-26') && { completions: {} }),
    ...(revision === '2025-11-25' && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
    ...(revision === '2026-07-28' && { extensions: { 'io.modelcontextprotocol/ui': {} } }),
  };
}

/** `_meta` every request of 2026-07-28 carries. */
export function requestMeta(more: Json = {}): Json {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': clientCapabilities('2026-07-28'),
    'io.modelcontextprotocol/clientInfo': implementation('2026-07-28'),
    ...more,
  };
}

export function toolOf(revision: Revision): Json {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', pattern: '^[A-Z]' } },
    required: ['city'],
    additionalProperties: false,
  };
  return {
    name: 'forecast',
    description: 'Weather for a city',
    inputSchema: {
      ...schema,
      ...(within(revision, '2025-11-25') && { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    },
    ...extras(revision),
    ...(within(revision, '2025-03-26') && {
      annotations: {
        title: 'Forecast',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
    }),
    ...(within(revision, '2025-06-18') && {
      outputSchema: { type: 'object', properties: { celsius: { type: 'number' } } },
    }),
    ...(revision === '2025-11-25' && { execution: { taskSupport: 'optional' } }),
  };
}

/** The properties of an elicitation form in the subset of the revision. */
export function formOf(revision: Revision): Json {
  const titled = [
    { const: 'a', title: 'A' },
    { const: 'b', title: 'B' },
  ];
  const text = { type: 'string', title: 'Text', description: 'Some text', minLength: 1, maxLength: 9, format: 'email' };
  const number = { type: 'number', title: 'Number', minimum: 0.5, maximum: 9.5 };
  return {
    text,
    number,
    integer: { type: 'integer' },
    yes: { type: 'boolean', default: true },
    legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    ...(within(revision, '2025-11-25') && {
      textWithDefault: { ...text, default: 'a@example.com' },
      numberWithDefault: { ...number, default: 1.5 },
      single: { type: 'string', enum: ['a', 'b'], default: 'a' },
      titled: { type: 'string', oneOf: titled, default: 'a' },
      several: { type: 'array', minItems: 0, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      severalTitled: { type: 'array', items: { anyOf: titled } },
    }),
  };
}

export function elicitation(revision: Revision): Json {
  return {
    ...(within(revision, '2025-11-25') && { mode: 'form' }),
    message: 'Who are you?',
    requestedSchema: {
      ...(within(revision, '2025-11-25') && { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
      type: 'object',
      properties: formOf(revision),
      required: ['text'],
    },
  };
}

export const elicited = { action: 'accept', content: { text: 'a@example.com', number: 1.5, integer: 2, yes: false } };

export function sampling(revision: Revision): Json {
  const toolUse = { type: 'tool_use', id: 'u1', name: 'forecast', input: { city: 'Oslo' }, _meta: meta };
  const toolResult = {
    type: 'tool_result',
    toolUseId: 'u1',
    content: contentOf(revision),
    structuredContent: { celsius: 1 },
    isError: false,
  };
  return {
    messages: [
      { role: 'user', content: { type: 'text', text: 'hi' } },
      { role: 'assistant', content: image },
      ...(within(revision, '2025-03-26') ? [{ role: 'user', content: audio }] : []),
      ...(within(revision, '2025-11-25')
        ? [
            { role: 'assistant', content: [toolUse] },
            { role: 'user', content: [toolResult], _meta: meta },
          ]
        : []),
    ],
    modelPreferences: { hints: [{ name: 'claude' }], costPriority: 0, speedPriority: 0.5, intelligencePriority: 1 },
    systemPrompt: 'Be brief',
    includeContext: 'none',
    temperature: 0.5,
    maxTokens: 100,
    stopSequences: ['.'],
    metadata: { vendor: { deep: [1.5, null] } },
    ...(within(revision, '2025-11-25') && { tools: [toolOf(revision)], toolChoice: { mode: 'auto' } }),
  };
}

export const sampled = {
  role: 'assistant',
  content: { type: 'text', text: 'hello' },
  model: 'a-model',
  stopReason: 'endTurn',
};

export function roots(revision: Revision): Json {
  return { roots: [{ uri: 'file:///home', name: 'home', ...(within(revision, '2025-06-18') && { _meta: meta }) }] };
}

export function progress(revision: Revision, more: Json = {}): Json {
  return {
    progress: 0.5,
    total: 1,
    ...(within(revision, '2025-03-26') && { message: 'half' }),
    ...more,
  };
}
