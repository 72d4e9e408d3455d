import { PEER_FIX } from '@tenon/values/peer-fix';
import { resultFor, type Response } from '../message.ts';
import type { ListedTool } from '../listed-tools.ts';
import type { Rule } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, quoted, shown, textOf } from '../words.ts';

/** Earlier revisions have no structured content. */
const FIRST = '2025-06-18';

interface Called {
  readonly tool: ListedTool | undefined;
  readonly name: string;
  readonly result: Json;
  readonly evidence: readonly number[];
}

/** The result of a tool that did not fail, with the tool as last listed. */
function calledIn(response: Response, session: SessionState): Called | undefined {
  const result = resultFor(response, 'tools/call');
  const { request, revision, n } = response;
  const name = textOf(request?.params['name']);
  if (result === undefined || name === undefined || result['isError'] === true) return undefined;
  if (revision === undefined || revision < FIRST) return undefined;
  const tool = session.tools.get(name);
  return { tool, name, result, evidence: [...(tool === undefined ? [] : [tool.n]), request!.n, n] };
}

export const outputSchema: Rule = {
  id: 'output-schema',
  title: 'Structured content violates the schema of its tool',
  blame: ['server'],
  severity: ['error'],
  why: 'The server promised the schema and made the result. A client that reports an error here reports the fault of the server.',
  page: 'tools#output-schema',
  watch: (report, session) => ({
    response(response) {
      const called = calledIn(response, session);
      if (response.redacted || called?.tool?.output === undefined || !Object.hasOwn(called.result, 'structuredContent'))
        return;
      const problem = called.tool.output(called.result['structuredContent']);
      if (problem === undefined) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The structuredContent of ${shown(called.name)} violates its own outputSchema: ${shown(problem, 300)}`,
        fix: PEER_FIX.output,
        subject: `tool ${shown(called.name)}`,
        evidence: called.evidence,
      });
    },
  }),
};

export const outputMissing: Rule = {
  id: 'output-missing',
  title: 'A tool with an output schema returned no structured content',
  blame: ['server'],
  severity: ['error'],
  why: 'A tool with an outputSchema must return structured content that fits it, unless it failed (isError).',
  page: 'tools#output-schema',
  watch: (report, session) => ({
    response(response) {
      const called = calledIn(response, session);
      if (called === undefined || called.tool?.entry['outputSchema'] === undefined) return;
      if (Object.hasOwn(called.result, 'structuredContent')) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `${shown(called.name)} declares an outputSchema, and its result has no structuredContent`,
        fix: 'Return structuredContent, or do not declare an outputSchema. A failure is a result with isError: true.',
        subject: `tool ${shown(called.name)}`,
        evidence: called.evidence,
      });
    },
  }),
};

export const structuredShape: Rule = {
  id: 'structured-shape',
  title: 'Structured content is not an object, although the revision requires one',
  blame: ['server'],
  severity: ['error'],
  why: 'Up to 2025-11-25 structuredContent is an object; since then any JSON.',
  page: 'tools#structured-content',
  watch: (report, session) => ({
    response(response) {
      const called = calledIn(response, session);
      if (called === undefined || (response.revision ?? FIRST) > '2025-11-25') return;
      const { structuredContent } = called.result;
      if (structuredContent === undefined || isObject(structuredContent)) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The structuredContent of ${shown(called.name)} is ${quoted(structuredContent)}, not an object`,
        fix: 'Wrap it: { "result": … }, in the outputSchema too.',
        subject: `tool ${shown(called.name)}`,
        evidence: called.evidence,
      });
    },
  }),
};
