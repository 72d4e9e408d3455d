import { errorOf, type Request, resultOf, type Response } from '../message.ts';
import type { SessionState } from '../session-state.ts';
import type { ListedTool } from '../listed-tools.ts';
import type { Page } from '../pages.ts';
import type { Rule } from '../rule.ts';
import type { Check } from '../schema-check.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, objectOf, shown, textOf } from '../words.ts';

interface Call {
  readonly name: string;
  readonly tool: ListedTool | undefined;
  /** Validates the arguments, if possible. */
  readonly input: Check | undefined;
  readonly args: Json;
  readonly n: number;
}

/** Calls with redacted arguments are not judged by them. */
function callOf(request: Request | undefined, session: SessionState): Call | undefined {
  const name =
    request?.method === 'tools/call' && request.from === 'client' ? textOf(request.params['name']) : undefined;
  if (request === undefined || name === undefined) return undefined;
  const tool = session.tools.get(name);
  return {
    name,
    tool,
    input: request.redacted ? undefined : tool?.input,
    args: objectOf(request.params['arguments']),
    n: request.n,
  };
}

/** A description of an argument that looks damaged on its way to the message. */
function alteredIn(args: Json, schema: unknown): string | undefined {
  const properties = objectOf(objectOf(schema)['properties']);
  for (const [name, value] of Object.entries(args)) {
    const { type } = objectOf(properties[name]);
    const numeric = type === 'number' || type === 'integer';
    if (value === null && numeric) return `${shown(name, 60)} is null: JSON writes NaN, which is not a number, as null`;
    if (typeof value === 'string' && (numeric || type === 'boolean'))
      return `${shown(name, 60)} is text, as if it had not been converted`;
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
      return `${shown(name, 60)} is a ${typeof value}, as if text had been converted`;
    if (value === '[object Object]') return `${shown(name, 60)} is "[object Object]": an object that was made text`;
  }
  return undefined;
}

export const inputSchema: Rule = {
  id: 'input-schema',
  title: 'Arguments violate the schema of their tool',
  blame: ['client'],
  severity: ['warning'],
  why: 'The client sent them, and knew the schema. The server is right to refuse them.',
  page: 'tools#calling-tools',
  watch: (report, session) => ({
    request(request) {
      const call = callOf(request, session);
      const problem = call?.input?.(call.args);
      if (call === undefined || problem === undefined) return;
      const hint = alteredIn(call.args, call.tool!.entry['inputSchema']);
      report({
        severity: 'warning',
        blame: 'client',
        message: `The arguments of ${shown(call.name)} violate its inputSchema: ${shown(problem, 300)}${hint === undefined ? '' : `. ${hint}`}`,
        fix: 'Check arguments against the schema before they are sent, and convert nothing on the way: text stays text.',
        subject: `tool ${shown(call.name)}`,
        evidence: [call.tool!.n, call.n],
      });
    },
  }),
};

const INVALID_PARAMS = -32_602;

export const argumentsRefused: Rule = {
  id: 'arguments-refused',
  title: 'Arguments that fit the schema were refused as invalid',
  blame: ['server'],
  severity: ['warning'],
  why: 'The arguments fit the inputSchema, as far as it says. The server may have a reason that its schema does not show.',
  page: 'tools#error-handling',
  watch: (report, session) => ({
    response(response) {
      const call = callOf(response.request, session);
      if (call?.tool === undefined || call.input === undefined || errorOf(response)?.['code'] !== INVALID_PARAMS)
        return;
      if (call.input(call.args) !== undefined || response.request!.params['inputResponses'] !== undefined) return;
      const refusal = textOf(errorOf(response)?.['message']) ?? '';
      report({
        severity: 'warning',
        blame: 'server',
        message: `The server refused ${shown(call.name)} with -32602 (${shown(refusal, 200)}), although the arguments fit its inputSchema`,
        fix: 'Describe the allowed arguments in the inputSchema. Errors that only the tool can find belong in a result with isError: true.',
        subject: `tool ${shown(call.name)}`,
        evidence: [call.tool.n, call.n, response.n],
      });
    },
  }),
};

export const argumentsAsError: Rule = {
  id: 'arguments-as-error',
  title: 'Wrong arguments were answered with a protocol error',
  blame: ['server'],
  severity: ['info'],
  why: 'Since 2025-11-25 a tool answers them with isError: true, so that a model reads what is wrong and tries again.',
  page: 'tools#error-handling',
  watch: (report, session) => ({
    response(response) {
      const call = callOf(response.request, session);
      if (call?.tool === undefined || call.input === undefined || errorOf(response)?.['code'] !== INVALID_PARAMS)
        return;
      if ((response.revision ?? '') < '2025-11-25' || call.input(call.args) === undefined) return;
      report({
        severity: 'info',
        blame: 'server',
        message: `The server refused the arguments of ${shown(call.name)} with -32602; a model does not see that`,
        fix: 'Answer with a result: isError: true, and an explanation of the error in content.',
        subject: `tool ${shown(call.name)}`,
        evidence: [call.n, response.n],
      });
    },
  }),
};

export const unlistedTool: Rule = {
  id: 'unlisted-tool',
  title: 'A tool was called that the server does not list',
  blame: ['client', 'server'],
  severity: ['warning', 'info'],
  why: 'The client, if the server does not have it. The server, if it has it and does not list it.',
  page: 'tools#listing-tools',
  watch: (report, session) => ({
    response(response) {
      const call = callOf(response.request, session);
      const { tools } = session;
      if (call === undefined || call.tool !== undefined || !tools.complete) return;
      // A list received after the call does not prove anything about the time of the call.
      if (tools.n > call.n) return;
      const result = resultOf(response);
      const has = result !== undefined && result['isError'] !== true;
      report({
        severity: has ? 'info' : 'warning',
        blame: has ? 'server' : 'client',
        message: has
          ? `The server ran ${shown(call.name)}, which it does not list`
          : `The client called ${shown(call.name)}, which the server does not list`,
        fix: has
          ? 'List it, or tell in the documentation that it is hidden.'
          : 'Call only tools in tools/list, and list them again after a change.',
        subject: `tool ${shown(call.name)}`,
        evidence: [tools.n, call.n, response.n],
      });
    },
  }),
};

/** The problem with an answer to the call of an unknown tool, if any. */
function wrongRefusal(response: Response): string | undefined {
  if (resultOf(response)?.['isError'] === true) return 'with a result of a tool (isError)';
  const code = errorOf(response)?.['code'];
  return code === undefined || code === INVALID_PARAMS ? undefined : `with the code ${String(code)}`;
}

export const unknownToolAnswer: Rule = {
  id: 'unknown-tool-answer',
  title: 'A tool that does not exist was not refused with -32602',
  blame: ['server'],
  severity: ['info'],
  why: 'The specification requires this error for unknown tools. Widespread servers answer otherwise, so this is only an info.',
  page: 'tools#error-handling',
  watch: (report, session) => ({
    response(response) {
      const call = callOf(response.request, session);
      const { tools } = session;
      if (call === undefined || call.tool !== undefined || !tools.complete || tools.n > call.n) return;
      const how = wrongRefusal(response);
      if (how === undefined) return;
      report({
        severity: 'info',
        blame: 'server',
        message: `The server refused the unknown tool ${shown(call.name)} ${how}`,
        fix: 'Answer with the error -32602: an unknown tool is a protocol error, not a result of a tool.',
        subject: `tool ${shown(call.name)}`,
        evidence: [tools.n, call.n, response.n],
      });
    },
  }),
};

export const listShape: Rule = {
  id: 'list-shape',
  title: 'A list contains an invalid entry',
  blame: ['server'],
  severity: ['error'],
  why: 'The server wrote the list. Many clients drop the whole list for one wrong entry.',
  page: 'tools#tool',
  watch: (report) => ({
    response(response) {
      const { request, n } = response;
      const result = resultOf(response);
      const shape = request?.from === 'client' ? SHAPES.get(request.method) : undefined;
      if (shape === undefined || result === undefined) return;
      const [member, needed, page] = shape;
      const entries = result[member];
      const problems = Array.isArray(entries)
        ? entries.flatMap((entry, index) => entryProblem(entry, needed, `${member}[${index}]`) ?? [])
        : [`${member} is not a list`];
      for (const problem of problems.slice(0, MAX_PROBLEMS))
        report({
          severity: 'error',
          blame: 'server',
          message: `In the result of ${request!.method} ${problem}`,
          fix: 'Send each entry with its required members, each of the type that the specification says.',
          evidence: [request!.n, n],
          revision: request!.revision,
          page,
        });
    },
  }),
};

const MAX_PROBLEMS = 10;

/** The member with the list, the required members of each entry, and the page. */
const SHAPES: ReadonlyMap<string, readonly [string, readonly string[], Page]> = new Map([
  ['tools/list', ['tools', ['name', 'inputSchema'], 'tools#tool']],
  ['resources/list', ['resources', ['uri', 'name'], 'resources#resource']],
  ['resources/templates/list', ['resourceTemplates', ['uriTemplate', 'name'], 'resources#resource-templates']],
  ['prompts/list', ['prompts', ['name'], 'prompts#prompt']],
]);

function entryProblem(entry: unknown, needed: readonly string[], at: string): string | undefined {
  if (!isObject(entry)) return `${at} is not an object`;
  const lacks = needed.find((name) =>
    name === 'inputSchema' ? !isObject(entry[name]) : typeof entry[name] !== 'string',
  );
  if (lacks !== undefined) return `${at} has no usable ${lacks}`;
  const { inputSchema } = entry;
  if (isObject(inputSchema) && inputSchema['type'] !== 'object')
    return `the inputSchema of ${shown(String(entry['name']), 60)} is not of type "object"`;
  return undefined;
}
