import { type Request, resultOf, type Response } from '../message.ts';
import { createRecent } from '../recent.ts';
import { isModern, NEWEST_LEGACY, type Revision } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { checkerOf } from '../schema-check.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, listed, objectOf, quoted, shown } from '../words.ts';

/** A question to the user, and its line. */
interface Question {
  readonly params: Json;
  readonly n: number;
  readonly revision: Revision;
}

/** The questions that a server asks in a request of its own, or in an answer. */
function questionsIn(message: Request | Response): readonly (readonly [key: string, question: Question])[] {
  const { n } = message;
  if (message.kind === 'request') {
    if (message.from === 'client' || message.method !== 'elicitation/create') return [];
    return [['', { params: message.params, n, revision: message.revision ?? NEWEST_LEGACY }]];
  }
  const result = resultOf(message);
  const { request } = message;
  if (request?.from !== 'client' || result?.['resultType'] !== 'input_required' || !isModern(request.revision))
    return [];
  return Object.entries(objectOf(result['inputRequests'])).flatMap(([key, asked]) =>
    isObject(asked) && asked['method'] === 'elicitation/create'
      ? [[key, { params: objectOf(asked['params']), n, revision: request.revision! }] as const]
      : [],
  );
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** The problem with a form in a revision, if any. */
function formProblem({ params, revision }: Question): string | undefined {
  const schema = params['requestedSchema'];
  if (!isObject(schema)) return 'has no requestedSchema';
  if (schema['type'] !== 'object' || !isObject(schema['properties']))
    return 'has a requestedSchema that is not an object with properties';
  const strange = Object.entries(schema['properties'])
    .filter(([, field]) => !isField(field, revision))
    .map(([name]) => name);
  return strange.length === 0
    ? undefined
    : `has fields that are neither text, number, yes or no, nor a choice: ${listed(strange)}`;
}

function isField(field: unknown, revision: Revision): boolean {
  if (!isObject(field)) return false;
  if (SCALARS.has(field['type'])) return true;
  if (field['type'] === undefined && Array.isArray(field['enum'])) return true;
  const items = objectOf(field['items']);
  const several = Array.isArray(items['enum']) || Array.isArray(items['anyOf']);
  return revision >= NEWEST_LEGACY && field['type'] === 'array' && several;
}

/** The reason why a question cannot be shown, if any. */
function shapeProblem(question: Question): string | undefined {
  const { params, revision } = question;
  if (typeof params['message'] !== 'string') return 'has no message';
  if (params['mode'] !== 'url') return formProblem(question);
  if (typeof params['url'] !== 'string' || !URL.canParse(params['url']))
    return `has the address ${quoted(params['url'])}, which is not a URL`;
  return revision === NEWEST_LEGACY && typeof params['elicitationId'] !== 'string' ? 'has no elicitationId' : undefined;
}

export const elicitShape: Rule = {
  id: 'elicit-shape',
  title: 'A question to the user that cannot be shown',
  blame: ['server'],
  severity: ['error'],
  why: 'The server asks: with a message, and with a flat form or, since 2025-11-25, an address.',
  page: 'elicitation#elicitation-requests',
  watch: (report) => {
    const look = (message: Request | Response): void => {
      for (const [, question] of questionsIn(message)) {
        const { n, revision } = question;
        const problem = shapeProblem(question);
        if (problem === undefined) continue;
        report({
          severity: 'error',
          blame: 'server',
          message: `A question of the server ${problem}`,
          fix: 'Ask with a flat object of strings, numbers, booleans and choices; for all else send the user to a page.',
          evidence: [n],
          revision,
        });
      }
    };
    return { request: look, response: look };
  },
};

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/** The problem with an answer, if any. */
function answerProblem(answer: Json, { params }: Question): string | undefined {
  if (!ACTIONS.has(answer['action'])) return `has the action ${quoted(answer['action'])}`;
  if (answer['action'] !== 'accept' || params['mode'] === 'url') return undefined;
  if (!isObject(answer['content'])) return 'accepts a form without content';
  const problem = checkerOf(params['requestedSchema'])?.(answer['content']);
  return problem === undefined ? undefined : `does not fit the form: ${shown(problem, 300)}`;
}

const MAX_QUESTIONS = 1_000;

export const elicitAnswer: Rule = {
  id: 'elicit-answer',
  title: 'The answer to a question does not fit it',
  blame: ['client'],
  severity: ['error', 'warning'],
  why: 'The client answers: with accept, decline or cancel, and with content that fits the form.',
  page: 'elicitation#response-actions',
  watch: (report) => {
    /** Questions of 2026-07-28, by key, as last asked. */
    const asked = createRecent<Question>(MAX_QUESTIONS);
    const judge = (answer: unknown, question: Question, n: number): void => {
      const problem = answerProblem(objectOf(answer), question);
      if (problem === undefined) return;
      report({
        severity: problem.startsWith('does not fit') ? 'warning' : 'error',
        blame: 'client',
        message: `The answer of the client ${problem}`,
        fix: 'Validate the input of the user against requestedSchema before sending it.',
        evidence: [question.n, n],
        revision: question.revision,
      });
    };
    return {
      response(response) {
        for (const [key, question] of questionsIn(response)) {
          asked.set(key, question);
        }
        const { request, n, redacted } = response;
        const result = resultOf(response);
        if (request?.from !== 'server' || request.method !== 'elicitation/create' || result === undefined || redacted)
          return;
        if (request.params['task'] !== undefined) return;
        judge(result, { params: request.params, n: request.n, revision: request.revision ?? NEWEST_LEGACY }, n);
      },
      request({ from, params, revision, n, redacted }) {
        if (from === 'server' || !isModern(revision) || redacted) return;
        for (const [key, answer] of Object.entries(objectOf(params['inputResponses']))) {
          const question = asked.get(key);
          if (question !== undefined) judge(answer, question, n);
        }
      },
    };
  },
};
