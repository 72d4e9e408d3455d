// The parts that every revision has.

import { within, extras, annotations, contentOf, toolOf } from './pieces.ts';
import { toServer, type Json, type Script } from './script.ts';

/** Tools, prompts, resources and completion: every revision has them, with more fields each time. */
export function features(
  script: Script,
  complete: (more?: Json) => Json,
  params: (more?: Json) => Json | undefined,
): void {
  const { revision } = script;
  const ask = (method: string, more: Json | undefined, answer: Json): void =>
    script.ask(toServer, method, params(more), answer);
  const cached = within(revision, '2026-07-28') ? { ttlMs: 0, cacheScope: 'private' } : {};
  const named = {
    description: 'A thing',
    mimeType: 'text/plain',
    annotations: annotations(revision),
    ...extras(revision),
  };
  const argument = {
    name: 'code',
    description: 'The code',
    required: true,
    ...(within(revision, '2025-06-18') && { title: 'Code' }),
  };

  ask('tools/list', undefined, complete({ tools: [toolOf(revision)], nextCursor: 'next', ...cached }));
  ask('tools/list', { cursor: 'next' }, complete({ tools: [], ...cached }));
  ask(
    'tools/call',
    { name: 'forecast', arguments: { city: 'Oslo', __proto: { title: 1 } } },
    complete({
      content: contentOf(revision),
      isError: false,
      ...(within(revision, '2025-06-18') && { structuredContent: { celsius: 1.5, title: 'any' } }),
    }),
  );
  ask(
    'tools/call',
    { name: 'nothing' },
    { error: { code: -32602, message: 'No such tool', data: { name: 'nothing' } } },
  );
  ask(
    'prompts/list',
    undefined,
    complete({
      prompts: [{ name: 'review', description: 'Review', arguments: [argument], ...extras(revision) }],
      ...cached,
    }),
  );
  const messages = contentOf(revision).map((content) => ({ role: 'user', content }));
  ask('prompts/get', { name: 'review', arguments: { code: 'x' } }, complete({ description: 'Review', messages }));
  ask(
    'resources/list',
    undefined,
    complete({ resources: [{ uri: 'file:///a.txt', name: 'a', size: 1, ...named }], ...cached }),
  );
  ask(
    'resources/templates/list',
    undefined,
    complete({ resourceTemplates: [{ uriTemplate: 'file:///{+path}', name: 'file', ...named }], ...cached }),
  );
  const contents = contentOf(revision).flatMap((block) => (block['type'] === 'resource' ? [block['resource']] : []));
  ask('resources/read', { uri: 'file:///a.txt' }, complete({ contents, ...cached }));
  const reference = { type: 'ref/prompt', name: 'review', ...(within(revision, '2025-06-18') && { title: 'Review' }) };
  const context = within(revision, '2025-06-18') ? { context: { arguments: { language: 'ts' } } } : {};
  const completion = { values: ['a', 'b'], total: 2, hasMore: false };
  ask(
    'completion/complete',
    { ref: reference, argument: { name: 'code', value: 'a' }, ...context },
    complete({ completion }),
  );
  ask(
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'file:///{+path}' }, argument: { name: 'path', value: '' } },
    complete({ completion }),
  );
}
