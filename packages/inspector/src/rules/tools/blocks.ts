import { type Message, resultFor } from '../message.ts';
import type { Page } from '../pages.ts';
import { listOf, objectOf } from '../words.ts';

/** A content block, and its path. */
export interface Block {
  readonly value: unknown;
  readonly at: string;
  readonly page: Page;
}

const MAX_BLOCKS = 10_000;

function blocks(values: unknown, at: string, page: Page): readonly Block[] {
  return listOf(values)
    .slice(0, MAX_BLOCKS)
    .map((value, index) => ({ value, at: `${at}[${index}]`, page }));
}

function ofSampling(content: unknown, at: string): readonly Block[] {
  return Array.isArray(content)
    ? blocks(content, at, 'sampling#messages')
    : [{ value: content, at, page: 'sampling#messages' }];
}

/** All content blocks of a message. */
export function blocksIn(message: Message): readonly Block[] {
  if (message.kind === 'request') {
    if (message.method !== 'sampling/createMessage') return [];
    return listOf(message.params['messages'])
      .slice(0, MAX_BLOCKS)
      .flatMap((entry, index) => ofSampling(objectOf(entry)['content'], `messages[${index}].content`));
  }
  if (message.kind !== 'response') return [];
  const called = resultFor(message, 'tools/call');
  if (called !== undefined) return blocks(called['content'], 'content', 'tools#tool-result');
  const prompted = resultFor(message, 'prompts/get');
  if (prompted !== undefined)
    return listOf(prompted['messages'])
      .slice(0, MAX_BLOCKS)
      .map((entry, index) => ({
        value: objectOf(entry)['content'],
        at: `messages[${index}].content`,
        page: 'prompts#promptmessage',
      }));
  const sampled = resultFor(message, 'sampling/createMessage');
  return sampled === undefined ? [] : ofSampling(sampled['content'], 'content');
}
