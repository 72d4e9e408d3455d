import type { Side } from '../../trace/line.ts';
import { type Message, type Response, resultFor } from '../message.ts';
import type { Page } from '../pages.ts';
import { NEWEST_LEGACY, type Revision } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { quoted } from '../words.ts';
import { blocksIn } from './blocks.ts';

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The required members of each type, and the first revision that has it. */
const TYPES: ReadonlyMap<unknown, readonly [since: Revision, needs: readonly string[]]> = new Map([
  ['text', ['2024-11-05', ['text']]],
  ['image', ['2024-11-05', ['data', 'mimeType']]],
  ['audio', ['2025-03-26', ['data', 'mimeType']]],
  ['resource', ['2024-11-05', []]],
  ['resource_link', ['2025-06-18', ['uri', 'name']]],
  ['tool_use', ['2025-11-25', ['id', 'name']]],
  ['tool_result', ['2025-11-25', ['toolUseId']]],
]);

function blockProblem(value: unknown, revision: Revision): string | undefined {
  if (!isObject(value)) return `is ${quoted(value)}, not an object`;
  const type = TYPES.get(value['type']);
  if (type === undefined) return `has the type ${quoted(value['type'])}, which the protocol does not have`;
  if (revision < type[0]) return `has the type ${quoted(value['type'])}, which ${revision} does not have`;
  const lacks = type[1].find((name) => !isText(value[name]));
  if (lacks !== undefined) return `(${String(value['type'])}) has no usable ${lacks}`;
  return value['type'] === 'resource' ? contentsProblem(value['resource']) : undefined;
}

/** The problem with the contents of a resource, if any. */
function contentsProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'contains no resource';
  if (!isText(value['uri'])) return 'has a resource without a uri';
  return isText(value['text']) || isText(value['blob']) ? undefined : 'has a resource with neither text nor blob';
}

const MAX_PROBLEMS = 10;

export const contentBlock: Rule = {
  id: 'content-block',
  title: 'Content that cannot be shown: no type, no data, no MIME type, or of a later revision',
  blame: ['server', 'client'],
  severity: ['error'],
  why: 'Whoever made the content.',
  page: 'tools#tool-result',
  watch: (report) => {
    const tell = (from: Side, problem: string, evidence: number[], page: Page, revision: Revision): void =>
      report({
        severity: 'error',
        blame: from,
        message: `Invalid content from the ${from}: ${problem}`,
        fix: 'Look up the members of each content type in this revision.',
        evidence,
        page,
        revision,
      });
    const look = (message: Message): void => {
      const revision = message.revision ?? NEWEST_LEGACY;
      const evidence = [
        ...(message.kind === 'response' && message.request !== undefined ? [message.request.n] : []),
        message.n,
      ];
      const lists = message.kind === 'response' ? listProblem(message) : undefined;
      if (lists !== undefined) tell(message.from, lists[0], evidence, lists[1], revision);
      let reported = 0;
      for (const { value, at, page } of blocksIn(message)) {
        const problem = blockProblem(value, revision);
        if (problem !== undefined && reported++ < MAX_PROBLEMS)
          tell(message.from, `${at} ${problem}`, evidence, page, revision);
      }
    };
    return { request: look, response: look };
  },
};

/** A result whose content is not a list. */
function listProblem(message: Response): readonly [string, Page] | undefined {
  const called = resultFor(message, 'tools/call');
  if (called !== undefined && !Array.isArray(called['content']))
    return [`the result of tools/call has the content ${quoted(called['content'])}, not a list`, 'tools#tool-result'];
  const prompted = resultFor(message, 'prompts/get');
  if (prompted !== undefined && !Array.isArray(prompted['messages']))
    return [
      `the result of prompts/get has the messages ${quoted(prompted['messages'])}, not a list`,
      'prompts#promptmessage',
    ];
  const read = resultFor(message, 'resources/read');
  if (read === undefined) return undefined;
  const contents = read['contents'];
  if (!Array.isArray(contents))
    return [
      `the result of resources/read has the contents ${quoted(contents)}, not a list`,
      'resources#resource-contents',
    ];
  const problem = contents.map((one) => contentsProblem(one)).find((found) => found !== undefined);
  return problem === undefined ? undefined : [`the result of resources/read ${problem}`, 'resources#resource-contents'];
}
