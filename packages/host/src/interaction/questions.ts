import { randomUUID } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { AskContext, ElicitResult, JsonSchema, Question } from 'tenon/client';
import type { Decision, QuestionItem } from '../pending/item.ts';
import { questionId } from '../pending/record.ts';
import { isObject } from '@tenon/values/is-object';
import { isAboutSecrets } from 'tenon/internal';

function fieldsOf(schema: JsonSchema): [string, Record<string, unknown>][] {
  const properties = schema['properties'];
  return isObject(properties)
    ? Object.entries(properties).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]))
    : [];
}

const TYPED_IN: ReadonlySet<unknown> = new Set(['string', 'number', 'integer']);

/** Whether a field accepts free text or numbers, so that a secret can be entered. */
function takesText(field: Record<string, unknown>): boolean {
  return TYPED_IN.has(field['type']) && field['enum'] === undefined && field['oneOf'] === undefined;
}

function secretWarnings(message: string, schema: JsonSchema): string[] {
  const fields = fieldsOf(schema);
  const found = fields.flatMap(([name, field]) =>
    isAboutSecrets(name, field['title'], field['description'])
      ? [`It asks for '${name}'. A server must not ask for secrets in a form: do not enter one.`]
      : [],
  );
  return found.length === 0 && isAboutSecrets(message) && fields.some(([, field]) => takesText(field))
    ? ['It mentions a secret. A server must not ask for secrets in a form: do not enter one.']
    : found;
}

/** Whether a host name refers to this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
}

/** Why a person must not be asked to open a URL, or undefined. */
export function pageProblem(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return 'it is not a valid URL';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return `only https pages can be opened, and this is ${url.protocol}`;
  }
  return url.username !== '' || url.password !== ''
    ? 'it contains a user name, which can hide the real host'
    : undefined;
}

function pageWarnings(url: URL): string[] {
  return [
    ...(url.hostname.includes('xn--')
      ? [`The host name contains letters of another script: ${domainToUnicode(url.hostname)} is ${url.hostname}.`]
      : []),
    ...(/^\d+(?:\.\d+){3}$/.test(url.hostname) && !isLoopback(url.hostname)
      ? ['The host is an IP address, not a name.']
      : []),
  ];
}

/** The id of a question: of a resumable call, the same in every program, so that an answer finds the question. */
function idOf(server: string, question: Question, { call }: AskContext): string {
  return call === undefined ? randomUUID() : questionId(server, call, question.name ?? question.message);
}

/** The item for a question of a server. */
export function questionItem(
  server: string,
  question: Question,
  context: AskContext,
  tool: string | undefined,
  at: number,
): QuestionItem {
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
    return { ...base, warnings: secretWarnings(question.message, schema), form: { schema, defaults }, page: undefined };
  }
  // The normalized URL, without characters that change the text direction or hide the destination.
  const url = new URL(question.url);
  const readable = domainToUnicode(url.hostname);
  const host = readable === url.hostname || readable === '' ? url.hostname : `${url.hostname} (${readable})`;
  return { ...base, warnings: pageWarnings(url), form: undefined, page: { url: url.href, host } };
}

/** The elicitation result that is sent to the server. */
export function elicitResultOf({ allow, cancel, content }: Decision, item: QuestionItem): ElicitResult {
  if (cancel === true) return { action: 'cancel' };
  if (!allow) return { action: 'decline' };
  return item.form === undefined ? { action: 'accept' } : { action: 'accept', content: { ...content } };
}
