import { claimOf, ofMeta, resultOf } from '../message.ts';
import { isOf, methodOf } from '../methods.ts';
import { isModern, MODERN, NEWEST_LEGACY } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { listed, objectOf, quoted, shown } from '../words.ts';

export const wrongRevision: Rule = {
  id: 'wrong-revision',
  title: 'A method that the revision does not have, or not from this side',
  blame: ['server', 'client'],
  severity: ['error'],
  why: 'Whoever sent it.',
  page: 'messages',
  watch: (report) => {
    const look = (message: {
      readonly kind: 'request' | 'notification';
      readonly from: 'client' | 'server';
      readonly method: string;
      readonly n: number;
      readonly revision: Parameters<typeof isOf>[2] | undefined;
    }): void => {
      const { kind, from, method, n, revision } = message;
      const row = methodOf(kind, method);
      if (row === undefined || revision === undefined) return;
      // A rule of its own covers requests of servers in 2026-07-28.
      if (kind === 'request' && from === 'server' && isModern(revision)) return;
      const turned = row.from !== 'both' && row.from !== from;
      if (!turned && isOf(kind, method, revision)) return;
      report({
        severity: 'error',
        blame: from,
        message: turned
          ? `The ${from} sent ${method}, which only a ${row.from} sends`
          : `The ${from} sent ${method}, which ${revision} does not have`,
        fix: turned ? 'Look at which side this is.' : 'Speak the revision that was agreed on, or agree on another.',
        evidence: [n],
        revision,
      });
    };
    return { request: look, notification: look };
  },
};

export const serverRequest: Rule = {
  id: 'server-request',
  title: 'The server sent a request, or the client a response, in 2026-07-28',
  blame: ['server', 'client'],
  severity: ['error'],
  why: 'Whoever sent it. Since 2026-07-28 only clients ask and only servers answer; servers ask in their results.',
  page: 'mrtr',
  watch: (report, session) => ({
    request({ from, n, method, revision }) {
      if (from === 'client' || !isModern(revision)) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The server sent the request ${shown(method)}: in ${revision} servers send none`,
        fix: 'Answer the request of the client with resultType "input_required" and inputRequests.',
        evidence: [n],
        revision,
      });
    },
    response({ from, n, request }) {
      // An answer to a request of a legacy session belongs to that session, even if the era has changed since.
      if (from === 'server' || session.handshake !== 'none' || !session.modern || request !== undefined) return;
      report({
        severity: 'error',
        blame: 'client',
        message: `The client sent a response: in ${MODERN} clients send none`,
        fix: 'Send the request again, with inputResponses.',
        evidence: [n],
        revision: MODERN,
      });
    },
  }),
};

export const requestMeta: Rule = {
  id: 'request-meta',
  title: 'A request of 2026-07-28 without its version or capabilities',
  blame: ['client'],
  severity: ['error', 'info'],
  why: 'Since 2026-07-28 there is no handshake: each request of a client carries both in _meta, and should name the client.',
  page: 'messages#meta',
  watch: (report, session) => {
    let unnamed = false;
    return {
      request({ from, n, method, meta }) {
        if (from === 'server') return;
        const claimed = typeof claimOf(meta) === 'string';
        const modern = claimed || session.modern || !isOf('request', method, NEWEST_LEGACY);
        if (!modern || (!claimed && session.handshake !== 'none')) return;
        const lacks = [
          ...(claimed ? [] : ['protocolVersion']),
          ...(isObject(ofMeta(meta, 'clientCapabilities')) ? [] : ['clientCapabilities']),
        ];
        if (lacks.length > 0)
          return report({
            severity: 'error',
            blame: 'client',
            message: `The client sent ${shown(method)} without ${listed(lacks)} in _meta`,
            fix: 'Put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta of every request.',
            evidence: [n],
            revision: MODERN,
          });
        if (unnamed || ofMeta(meta, 'clientInfo') !== undefined) return undefined;
        unnamed = true;
        return report({
          severity: 'info',
          blame: 'client',
          message: `The client does not name itself: ${shown(method)} has no clientInfo in _meta`,
          fix: 'Send io.modelcontextprotocol/clientInfo with name and version.',
          evidence: [n],
          revision: MODERN,
        });
      },
    };
  },
};

const CORE_TYPES: ReadonlySet<unknown> = new Set(['complete', 'input_required']);

export const resultType: Rule = {
  id: 'result-type',
  title: 'A result of 2026-07-28 without resultType, or with one that is not known',
  blame: ['server', 'unknown'],
  severity: ['error', 'warning'],
  why: 'Every result of 2026-07-28 has it. If the server never showed that it speaks that revision, it may just be older.',
  page: 'messages#resulttype',
  watch: (report, session) => ({
    response(response) {
      const { request, n } = response;
      const result = resultOf(response);
      if (request?.from !== 'client' || result === undefined || !isModern(request.revision)) return;
      const type = result['resultType'];
      if (CORE_TYPES.has(type)) return;
      const extensions = objectOf(objectOf(ofMeta(request.meta, 'clientCapabilities'))['extensions']);
      if (type !== undefined && Object.keys(extensions).length > 0) return;
      const proven = session.provenModern || type !== undefined;
      report({
        severity: proven ? 'error' : 'warning',
        blame: proven ? 'server' : 'unknown',
        message:
          type === undefined
            ? `The result of ${request.method} has no resultType`
            : `The result of ${request.method} has the resultType ${quoted(type)}, which no extension of the client explains`,
        fix: proven
          ? 'Answer with resultType "complete", or "input_required" with the required questions.'
          : 'If the server is of an older revision, begin with initialize.',
        evidence: [request.n, n],
        revision: request.revision,
      });
    },
  }),
};

const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

export const cacheHints: Rule = {
  id: 'cache-hints',
  title: 'A result that may be kept does not say for how long and for whom',
  blame: ['server'],
  severity: ['error'],
  why: 'Since 2026-07-28 lists, server/discover and resources/read carry ttlMs and cacheScope. Only the server knows them.',
  page: 'caching#cacheable-results',
  watch: (report, session) => {
    const reported = new Set<string>();
    return {
      response(response) {
        const { request, n } = response;
        const result = resultOf(response);
        if (request?.from !== 'client' || result === undefined || !isModern(request.revision)) return;
        if (!session.provenModern || !CACHEABLE.has(request.method) || reported.has(request.method)) return;
        if (result['resultType'] === 'input_required') return;
        const { ttlMs, cacheScope } = result;
        const wrong = [
          ...(typeof ttlMs === 'number' && ttlMs >= 0 ? [] : [`ttlMs is ${quoted(ttlMs)}`]),
          ...(cacheScope === 'public' || cacheScope === 'private' ? [] : [`cacheScope is ${quoted(cacheScope)}`]),
        ];
        if (wrong.length === 0) return;
        reported.add(request.method);
        report({
          severity: 'error',
          blame: 'server',
          message: `In the result of ${request.method} ${wrong.join(', ')}`,
          fix: 'Send ttlMs, 0 or more (0: do not keep it), and cacheScope "public" or "private".',
          evidence: [request.n, n],
          revision: request.revision,
        });
      },
    };
  },
};
