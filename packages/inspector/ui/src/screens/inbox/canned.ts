import type { InboxItem } from '../../../../src/api/views.ts';
import { prettyJson } from '../../../../src/values/json-text.ts';

function sampled(content: object, stopReason: string): string {
  return JSON.stringify({ role: 'assistant', model: 'a person', stopReason, content }, undefined, 2);
}

/** Model answers that a server should be able to handle. */
export const CANNED: readonly { readonly id: string; readonly label: string; readonly content: string }[] = [
  { id: 'short', label: 'A short text', content: sampled({ type: 'text', text: 'Yes.' }, 'endTurn') },
  { id: 'empty', label: 'An empty text', content: sampled({ type: 'text', text: '' }, 'endTurn') },
  {
    id: 'cut',
    label: 'Cut off by the limit',
    content: sampled({ type: 'text', text: 'It begins and then' }, 'maxTokens'),
  },
  {
    id: 'long',
    label: '100,000 characters',
    content: sampled({ type: 'text', text: 'lorem '.repeat(16_667) }, 'endTurn'),
  },
  {
    id: 'tool',
    label: 'Use of a tool',
    content: sampled({ type: 'tool_use', id: 'use-1', name: 'a_tool', input: {} }, 'toolUse'),
  },
];

/** The initial content of an answer: the defaults of the form, a short text of a model, or the configured roots. */
export function firstContent({ kind, defaults, roots }: InboxItem): string {
  if (kind === 'sampling') return CANNED[0]!.content;
  return kind === 'roots' ? prettyJson(roots ?? '{"roots":[]}') : JSON.stringify(defaults ?? {}, undefined, 2);
}
