// The expected report of the script, for each pairing. The base is the report of two peers of the newest revision; the other tables contain
// what an older revision does not have, and where the official SDK behaves differently.

import * as menu from './menu.ts';
import type { Report } from './script.ts';

export type Revision = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';
export type Maker = 'tenon' | 'v1' | 'v2';

export interface Pairing {
  readonly client: Maker;
  readonly server: Maker;
  readonly revision: Revision;
  /** True if they are connected over HTTP. */
  readonly http?: true;
}

const steps = [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` }));
const failed = { isError: true };
function user(text: string) {
  return { role: 'user', content: { type: 'text', text } };
}
function asPrompt(blocks: readonly unknown[]) {
  return blocks.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
}
function argument(name: string, required: boolean) {
  return { name, required };
}

const base: Report = {
  revision: '2026-07-28',
  server: { name: 'menu', version: '1.2.3' },
  'server: what newer revisions know': { title: 'The menu', websiteUrl: 'https://example.com/menu' },
  instructions: menu.instructions,
  capabilities: {
    logging: {},
    completions: {},
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
  },
  tools: [
    ...['add', 'both', 'cancellations', 'chatter', 'confirm', 'contents', 'crash', 'echo', 'fail', 'grow', 'numbers'],
    ...['progress', 'roots', 'sample', 'sample_tools', 'shrink', 'slow', 'touch', 'two', 'typed', 'visit'],
  ],
  'tools: echo': {
    title: 'Echo',
    description: 'Gives the text back',
    annotations: { readOnlyHint: true },
    icons: [menu.icon],
    _meta: { 'com.example/kind': 'plain' },
  },
  'tools: input': true,
  'tools: output': 'object',

  'call: text': 'Grüße 🍮',
  'call: long text': true,
  'call: structured': { sum: 42 },
  'call: structured, as text': '{"sum":42}',
  'call: structured array': [1, 2, 3],
  'call: defaults': { count: 3, mode: 'slow', tags: ['a'], nested: { flag: true } },
  'call: every content': menu.blocks,
  'call: 50 at once': true,
  'call: a failing tool': { isError: true, content: [{ type: 'text', text: menu.failure }] },
  'call: a throwing tool': { isError: true, leaks: false },
  'call: wrong arguments': failed,

  progress: { seen: steps, text: 'done' },
  'progress right before the result': { seen: steps, text: 'done' },
  'progress without a token': 'done',
  'log: debug': [
    { level: 'debug', data: 'peeling' },
    { level: 'info', logger: 'kitchen', data: { pans: 2 } },
    { level: 'error', data: 'burnt' },
  ],
  'log: error': [{ level: 'error', data: 'burnt' }],
  cancel: { rejected: true, heard: true },
  timeout: { rejected: true, heard: true },

  'elicit: accept': { action: 'accept', content: { name: 'Ada', age: 36, plan: 'pro', news: false } },
  'elicit: defaults': { action: 'accept', content: { name: 'Ada', age: 36, plan: 'free', news: true } },
  'elicit: decline': { action: 'decline' },
  'elicit: cancel': { action: 'cancel' },
  'ask: two': 'one two',
  'ask: both': 'one two',
  'ask: visit': 'accept',
  'ask: sample': 'parrot: Be brief. Say hi',
  'ask: sample_tools': 'toolUse weather {"city":"Oslo"}',
  'ask: roots': 'a=file:///srv/a b=file:///srv/with%20space',

  'ask: a call that is cancelled takes its question back': { rejected: true, withdrawn: 1 },

  resources: ['config://app', 'pixel://1', 'secret://1', 'note:///1', 'note:///2'],
  'resources: config': {
    name: 'config',
    title: 'Configuration',
    mimeType: 'application/json',
    annotations: { audience: ['assistant'], priority: 1 },
  },
  templates: [{ uriTemplate: 'note:///{id}', name: 'note', title: 'A note', mimeType: 'text/plain' }],
  'read: text': [{ uri: 'config://app', mimeType: 'application/json', text: menu.config }],
  'read: bytes': [{ uri: 'pixel://1', mimeType: 'image/png', blob: menu.pixel }],
  'read: by template': [{ uri: 'note:///2', mimeType: 'text/plain', text: 'Note 2' }],
  'read: after a question': [{ uri: 'secret://1', text: 'opened with one' }],
  prompts: [
    {
      name: 'greet',
      title: 'Greeting',
      description: 'Greets somebody',
      arguments: [argument('name', true), argument('tone', false)],
    },
    { name: 'places', arguments: [argument('country', true), argument('city', true)] },
    { name: 'asking' },
    { name: 'media' },
  ],
  'prompt: arguments': { description: 'A greeting', messages: [user('Greet Ada (formal)')] },
  'prompt: an optional argument left out': { description: 'A greeting', messages: [user('Greet Ada (plain)')] },
  'prompt: every content': asPrompt(menu.blocks),
  'prompt: after a question': [user('asked for one')],
  'complete: prompt': ['formal', 'friendly', 'funny'],
  'complete: with context': ['Pisa', 'Parma'],
  'complete: template': ['1', '10'],

  'change: a list': { listed: true, said: 'I am new', gone: true },
  'change: a resource': 'note:///1',

  'refused: unknown tool': { code: -32602 },
  'refused: unknown resource': { code: -32602 },
  'refused: unknown note': { code: -32602 },
  'refused: unknown prompt': { code: -32602 },
  'refused: prompt without its argument': { code: -32602 },
  'refused: unknown method': { code: -32601 },
  'refused: unknown cursor': { code: -32602 },
  'refused: malformed params': { code: -32602 },
  afterwards: 'still here',
};

/** The expected report for a pairing. */
export function expectedReport({ client, server, revision, http }: Pairing): Report {
  return {
    ...base,
    revision,
    ...questions(revision),
    ...structure(revision),
    ...(server === 'tenon' ? fields(revision) : {}),
    ...(server === 'tenon' && client !== 'v2' ? missing(revision) : {}),
    ...(client === 'tenon' && revision < '2025-06-18' ? { 'complete: with context': [] } : {}),
    ...(server === 'v1' ? serverV1(client) : {}),
    ...(server === 'v2' ? officialServer : {}),
    ...(http === true && revision === '2026-07-28' && client === 'v2' ? modernOverHttp : {}),
  };
}

/** A name that no header can carry does not match its header. */
const modernOverHttp: Report = { 'refused: malformed params': { code: -32020 } };

/** Elicitation came with 2025-06-18; URL elicitation and tools in sampling with 2025-11-25. */
function questions(revision: Revision): Report {
  return {
    ...(revision < '2025-11-25' ? { 'ask: visit': failed, 'ask: sample_tools': failed } : {}),
    ...(revision < '2025-06-18'
      ? {
          'elicit: accept': failed,
          'elicit: defaults': failed,
          'elicit: decline': failed,
          'elicit: cancel': failed,
          'ask: two': failed,
          'ask: both': failed,
          'ask: a call that is cancelled takes its question back': { rejected: false, withdrawn: 0 },
          'read: after a question': { code: -32603 },
          'prompt: after a question': { code: -32603 },
        }
      : {}),
  };
}

/** Before 2026-07-28 structured content is an object; other values are wrapped in one. */
function structure(revision: Revision): Report {
  return revision < '2026-07-28' ? { 'call: structured array': { result: [1, 2, 3] } } : {};
}

/** Our server sends no members that a revision does not know, and a replacement if there is one. */
function fields(revision: Revision): Report {
  const blocks = menu.blocks.map((block, index) => downgraded(block, index, revision));
  const { title, description, annotations, _meta } = base['tools: echo'] as Record<string, unknown>;
  if (revision >= '2025-11-25') return {};
  if (revision >= '2025-06-18') {
    return {
      'server: what newer revisions know': { title: 'The menu' },
      'tools: echo': { title, description, annotations, _meta },
    };
  }
  const untitled = (entry: Record<string, unknown>) => ({ ...entry, title: undefined });
  return {
    'server: what newer revisions know': {},
    'tools: echo': { description, annotations: { title, readOnlyHint: true } },
    'tools: output': undefined,
    'call: structured': undefined,
    'call: structured array': undefined,
    'call: every content': blocks,
    'prompt: every content': asPrompt(blocks),
    'resources: config': untitled(base['resources: config'] as never),
    templates: (base['templates'] as []).map(untitled),
    prompts: (base['prompts'] as []).map(untitled),
    ...(revision === '2024-11-05' ? fieldsOfTheFirst : {}),
  };
}

const fieldsOfTheFirst: Report = {
  capabilities: { ...(base['capabilities'] as object), completions: undefined },
  'tools: echo': { description: 'Gives the text back' },
  progress: { seen: steps.map(({ progress, total }) => ({ progress, total })), text: 'done' },
  'progress right before the result': { seen: steps.map(({ progress, total }) => ({ progress, total })), text: 'done' },
};

/** Audio came with 2025-03-26, links to resources with 2025-06-18. */
function downgraded(block: (typeof menu.blocks)[number], index: number, revision: Revision): unknown {
  if (block.type === 'audio' && revision < '2025-03-26') {
    const resource = { uri: `embedded:audio/${index}`, mimeType: block.mimeType, blob: block.data };
    return { type: 'resource', resource };
  }
  if (block.type !== 'resource_link') return block;
  return { type: 'text', text: `Resource: ${block.name} (${block.mimeType})\nURI: ${block.uri}\n${block.description}` };
}

/** Before 2026-07-28 a missing resource has its own error code. The official client of version 2 turns it into the newer one. */
function missing(revision: Revision): Report {
  return revision < '2026-07-28'
    ? { 'refused: unknown resource': { code: -32002 }, 'refused: unknown note': { code: -32002 } }
    : {};
}

/** The official servers send exceptions to the peer, and answer malformed params of all methods but calls with an internal error. */
const officialServer: Report = {
  'call: a throwing tool': { isError: true, leaks: true },
  'refused: malformed params': { code: -32603 },
};

/** Version 1 has neither icons nor structured values other than objects, and returns failed results for unknown tools. */
function serverV1(client: Maker): Report {
  return {
    ...officialServer,
    tools: [...(base['tools'] as string[]).filter((name) => name !== 'numbers'), 'impatient', 'ping'].toSorted(),
    'tools: echo': { ...(base['tools: echo'] as object), icons: undefined },
    'call: structured array': undefined,
    'refused: unknown tool': failed,
    'refused: unknown note': { code: client === 'v2' ? -32602 : -32002 },
  };
}

/**
 * A report as JSON, without the parts that cannot be compared: the official clients return a result before the notifications that came
 * before it, and how many of the last ones they lose varies. The first of three arrives early enough.
 */
export function comparable(report: Report, { client, revision, http }: Pairing): unknown {
  const { seen } = report['progress'] as { seen: unknown[] };
  const lossy = {
    progress: seen.slice(0, 1),
    'progress right before the result': undefined,
    // The status is 404, for which the official client does not read the code.
    ...(http === true && revision === '2026-07-28' ? { 'refused: unknown method': undefined } : {}),
  };
  return JSON.parse(JSON.stringify(client === 'tenon' ? report : { ...report, ...lossy })) as unknown;
}
