import { INPUT_METHODS } from 'tenon/internal';
import { ofMeta, type Request, resultOf, type Response } from '../message.ts';
import { declares, needOf } from '../methods.ts';
import { isModern, NEWEST_LEGACY, type Revision } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, objectOf, other, shown } from '../words.ts';

/** Returns whether a result contains only an empty list. */
function isEmpty(result: Json): boolean {
  return ['tools', 'resources', 'resourceTemplates', 'prompts'].some(
    (name) => Array.isArray(result[name]) && (result[name] as unknown[]).length === 0,
  );
}

export const serverCapability: Rule = {
  id: 'server-capability',
  title: 'A feature was used that the server does not declare',
  blame: ['server', 'client'],
  severity: ['error', 'warning'],
  why: 'The server, if it has the feature and does not declare it. The client, if it uses a feature that is neither declared nor there.',
  page: 'lifecycle#capability-negotiation',
  watch: (report, session) => ({
    response(response) {
      const { request, n, revision } = response;
      const capabilities = session.serverCapabilities;
      if (request === undefined || request.from === 'server' || revision === undefined) return;
      if (capabilities === undefined || request.generation !== session.generation) return;
      const need = needOf('request', request.method, revision);
      if (need === undefined || declares(capabilities, need)) return;
      const result = resultOf(response);
      const has = result !== undefined && !isEmpty(result);
      report({
        severity: has || (revision >= '2025-06-18' && !isModern(revision)) ? 'error' : 'warning',
        blame: has ? 'server' : 'client',
        message: has
          ? `The server answers ${request.method}, but does not declare the capability ${need}`
          : `The client sent ${request.method}, but the server does not declare the capability ${need}`,
        fix: has
          ? `Declare ${need}: clients do not use undeclared features.`
          : 'Use only features that the server declares.',
        evidence: [request.n, n],
        revision,
      });
    },
  }),
};

/** The client capability that a question needs. Undefined if the client declares it. */
function lackingFor(capabilities: Json, method: string, params: Json, revision: Revision): string | undefined {
  if (method === 'roots/list') return declares(capabilities, 'roots') ? undefined : 'roots';
  if (method === 'sampling/createMessage') {
    if (!declares(capabilities, 'sampling')) return 'sampling';
    const withTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    return withTools && !declares(capabilities, 'sampling.tools') ? 'sampling.tools' : undefined;
  }
  if (method !== 'elicitation/create') return undefined;
  if (!declares(capabilities, 'elicitation')) return 'elicitation';
  const { form, url } = objectOf(capabilities['elicitation']);
  if (params['mode'] === 'url') return isObject(url) ? undefined : 'elicitation.url';
  // An empty object means forms, and before 2025-11-25 there are only forms.
  return revision < NEWEST_LEGACY || isObject(form) || url === undefined ? undefined : 'elicitation.form';
}

/** Questions in the answer to a request, by key (2026-07-28). */
function questionsIn(response: Response): readonly (readonly [string, Json])[] {
  const result = resultOf(response);
  if (result?.['resultType'] !== 'input_required') return [];
  return Object.entries(objectOf(result['inputRequests'])).filter((entry): entry is [string, Json] =>
    isObject(entry[1]),
  );
}

export const clientCapability: Rule = {
  id: 'client-capability',
  title: 'The server asks for a feature that the client does not declare',
  blame: ['server'],
  severity: ['error', 'warning'],
  why: 'A server may only ask what the client says it can answer.',
  page: 'lifecycle#capability-negotiation',
  watch: (report, session) => {
    const tell = (need: string, method: string, evidence: number[], revision: Revision): void =>
      report({
        severity: revision >= '2025-06-18' ? 'error' : 'warning',
        blame: 'server',
        message: `The server asked for ${method}, but the client does not declare the capability ${need}`,
        fix: 'Look at the capabilities of the client before asking, and do without where it cannot answer.',
        evidence,
        revision,
      });
    return {
      request({ from, method, params, n, revision }: Request) {
        const capabilities = session.clientCapabilities;
        if (from === 'client' || capabilities === undefined || !INPUT_METHODS.has(method)) return;
        const applies = revision ?? NEWEST_LEGACY;
        const need = lackingFor(capabilities, method, params, applies);
        if (need !== undefined) tell(need, method, [n], applies);
      },
      response(response) {
        const { request, n } = response;
        if (request?.from !== 'client' || !isModern(request.revision)) return;
        const capabilities = ofMeta(request.meta, 'clientCapabilities');
        if (!isObject(capabilities)) return;
        for (const [, question] of questionsIn(response)) {
          const method = String(question['method']);
          const need = lackingFor(capabilities, method, objectOf(question['params']), request.revision!);
          if (need !== undefined) tell(need, shown(method), [request.n, n], request.revision!);
        }
      },
    };
  },
};

export const notificationCapability: Rule = {
  id: 'notification-capability',
  title: 'A notification of a feature that its sender does not declare',
  blame: ['server', 'client'],
  severity: ['error', 'warning'],
  why: 'Whoever sent it: notifications that were not declared may be ignored.',
  page: 'lifecycle#capability-negotiation',
  watch: (report, session) => {
    const reported = new Set<string>();
    return {
      anew: () => reported.clear(),
      notification({ from, method, n, revision }) {
        const capabilities = from === 'server' ? session.serverCapabilities : session.clientCapabilities;
        if (capabilities === undefined || revision === undefined) return;
        const need = needOf('notification', method, revision);
        if (need === undefined || reported.has(method) || declares(capabilities, need)) return;
        reported.add(method);
        report({
          severity: need === 'logging' ? 'error' : 'warning',
          blame: from,
          message: `The ${from} sends ${method}, but does not declare the capability ${need}`,
          fix: `Declare ${need}, or do not send it: the ${other(from)} may ignore it.`,
          evidence: [n],
          revision,
        });
      },
    };
  },
};
