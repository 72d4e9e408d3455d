import { createHash, randomUUID } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { AskContext, ElicitResult, JsonSchema, Question } from 'tenon/client';
import type { Decision, QuestionItem } from '../pending/item.ts';

/** Names of fields that hold what a form may not ask for ("Elicitation", security considerations). */
const SECRET =
  /pass(?:word|phrase|code)|secret|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|token|credential|credit[-_ ]?card|card[-_ ]?number|cvv|cvc|\bpin\b|\bssn\b|iban/i;

const fieldsOf = (schema: JsonSchema): [string, Record<string, unknown>][] => {
  const properties = schema['properties'];
  return typeof properties === 'object' && properties !== null
    ? (Object.entries(properties) as [string, Record<string, unknown>][])
    : [];
};

const secretsIn = (schema: JsonSchema): string[] =>
  fieldsOf(schema).flatMap(([name, field]) =>
    SECRET.test(`${name} ${String(field?.['title'] ?? '')}`)
      ? [`It asks for '${name}'. A server may not ask for secrets in a form: do not enter one.`]
      : [],
  );

const isLoopback = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

/** What is wrong with an address that somebody is asked to visit, or undefined. */
export const pageProblem = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return 'it is no URL';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return `only https may be visited, and this is ${url.protocol}`;
  }
  return url.username !== '' || url.password !== ''
    ? 'it has a user name in it, which hides where it leads'
    : undefined;
};

const warningsOfPage = (url: URL): string[] => [
  ...(url.hostname.includes('xn--')
    ? [`The name of the host has letters of another script: ${domainToUnicode(url.hostname)} is ${url.hostname}.`]
    : []),
  ...(/^\d+(?:\.\d+){3}$/.test(url.hostname) && !isLoopback(url.hostname) ? ['The host is a number, not a name.'] : []),
];

/** A question of a call that another program can go on with has the same id there, so that an answer finds it. */
const idOf = (server: string, question: Question, { call }: AskContext): string =>
  call === undefined
    ? randomUUID()
    : createHash('sha256')
        .update(JSON.stringify([server, call, question.name ?? question.message]))
        .digest('hex')
        .slice(0, 32);

/** The question as it waits for a person. */
export const questionItem = (
  server: string,
  question: Question,
  context: AskContext,
  tool: string | undefined,
  at: number,
): QuestionItem => {
  const base = {
    kind: 'question' as const,
    id: idOf(server, question, context),
    at,
    server,
    message: question.message,
    name: question.name,
    tool,
  };
  if (question.mode === 'form') {
    const { schema, defaults } = question;
    return { ...base, warnings: secretsIn(schema), form: { schema, defaults }, page: undefined };
  }
  const url = new URL(question.url);
  const readable = domainToUnicode(url.hostname);
  const host = readable === url.hostname || readable === '' ? url.hostname : `${url.hostname} (${readable})`;
  return { ...base, warnings: warningsOfPage(url), form: undefined, page: { url: question.url, host } };
};

/** What the server is answered. */
export const answerOf = ({ allow, cancel, content }: Decision, item: QuestionItem): ElicitResult => {
  if (cancel === true) return { action: 'cancel' };
  if (!allow) return { action: 'decline' };
  return item.form === undefined ? { action: 'accept' } : { action: 'accept', content: { ...content } };
};
