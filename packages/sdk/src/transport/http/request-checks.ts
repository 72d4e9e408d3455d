import { CODE } from '../../protocol/errors.ts';
import { META } from '../../protocol/meta.ts';
import { featuresOf, isRevision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { hasClaim, unsupportedVersion } from '../../wire/claim.ts';
import { ASSUMED_REVISION, checkStandardHeaders, HEADER, NAME_SOURCES } from '../../wire/headers.ts';
import { repeatedArgument, repeatedStandardMember } from '../../wire/mirrored-members.ts';
import { checkParamHeaders } from '../../wire/param-headers.ts';
import { UnavailableError } from '../../store/unavailable.ts';
import type { IncomingMessage } from '../serving/message.ts';
import type { Batch, HttpExchange } from './http-exchange.ts';
import type { BodyKind, Check, Checks, ExchangeWith, HttpRules, Rejection } from './request-check.ts';
import type { HttpRequest } from './http-message.ts';
import { isJsonType } from './media-types.ts';
import { RETRY_LATER } from './send-error.ts';

function reject(status: number, message: string, code: number = CODE.invalidRequest): Rejection {
  return { status, code, message };
}

function mismatch(message: string | undefined): Rejection | undefined {
  return message === undefined ? undefined : reject(400, message, CODE.headerMismatch);
}

/** If a member occurs twice, a proxy may act on one value and the server on the other. */
function repeated(name: string | undefined): Rejection | undefined {
  if (name === undefined) return undefined;
  return reject(400, `The body has the member '${shown(name)}' more than once, and a header repeats it: send it once`);
}

/** Why the host of a request is not served. */
function unservedHost({ host, authority, header }: HttpRequest): string {
  if (typeof host === 'string') return `The host '${shown(host, 80)}' is not served here`;
  const field = header('host');
  if (authority === '') return 'The target of the request names no host';
  if (authority === undefined || typeof field !== 'string') return 'The request names no host';
  return `The request is for the host '${shown(authority, 80)}', but its Host header names '${shown(field, 80)}'`;
}

function tooLarge({ limits: { bodyBytes } }: HttpRules): Rejection {
  return reject(413, `The body is larger than ${bodyBytes} bytes`);
}

/** The methods of requests that only sessions have. */
const OF_SESSIONS = ['GET', 'DELETE'];

/** A check of bodies of some kinds. */
function forBody<Kind extends BodyKind>(
  kinds: readonly Kind[],
  check: Check<ExchangeWith<Kind>>,
): Check<ExchangeWith<BodyKind>> {
  return { ...check, kinds };
}

/** Checks that a request has the session that it needs. The sender cannot distinguish an ended session from one of another principal. */
function checkSession({ session, sessionId, sessionUnavailable }: HttpExchange): Rejection | undefined {
  if (session !== undefined) return undefined;
  if (sessionUnavailable) return { status: 503, headers: RETRY_LATER, ...new UnavailableError().toJSON() };
  return sessionId === undefined
    ? reject(400, 'The Mcp-Session-Id header is missing: begin with initialize')
    : reject(404, 'There is no such session: begin a new one with initialize');
}

function checkLegacyVersion(version: string, { supported: { legacy } }: HttpRules): Rejection | undefined {
  if (legacy.some((known) => known === version)) return undefined;
  return reject(400, `Protocol version ${shown(version, 40)} is not supported here; supported: ${legacy.join(', ')}`);
}

function beginsSession({ body }: HttpExchange): boolean {
  return body.kind === 'request' && body.method === 'initialize';
}

function checkBatch({ messages }: Batch, { session, version }: HttpExchange, rules: HttpRules): Rejection | undefined {
  const { supported, limits } = rules;
  const revision = session?.agreed.revision ?? version ?? ASSUMED_REVISION;
  const batches = supported.legacy.length > 0 && isRevision(revision) && featuresOf(revision).batch;
  if (!batches) return reject(400, 'Batches are not part of this protocol revision');
  if (messages.length === 0 || messages.length > limits.batch)
    return reject(400, `A batch has 1 to ${limits.batch} messages`);
  // In a batch, these would be served by rules that differ from the headers; `initialize` would be the handshake that the other messages
  // need.
  return messages.some(isServedAlone)
    ? reject(400, 'A batch has neither initialize nor a request with its own protocol version')
    : undefined;
}

function isServedAlone(message: IncomingMessage): boolean {
  if (message.kind !== 'request' && message.kind !== 'notification') return false;
  return message.method === 'initialize' || hasClaim(message.meta);
}

/**
 * All checks of an HTTP request in the order in which they run: the first that fails answers, and the later ones do not run. OPTIONS is
 * answered and the sender authenticated between `access` and `head`; the body is read after `head`; the method's own errors come last.
 */
export const CHECKS: Checks = {
  access: [
    {
      order: '0',
      name: 'repeated headers',
      answers: [
        [400, CODE.invalidRequest],
        [400, CODE.headerMismatch],
      ],
      check({ request: { repeated } }) {
        if (repeated === undefined) return undefined;
        const code = repeated.startsWith('mcp-') ? CODE.headerMismatch : CODE.invalidRequest;
        return reject(400, `The ${repeated} header was sent more than once`, code);
      },
    },
    {
      order: '1a',
      name: 'host and origin',
      answers: [[403, CODE.invalidRequest]],
      check({ request }, { guard }) {
        const origin = request.header('origin');
        const refused = guard.refuses(request.host, origin);
        if (refused === undefined) return undefined;
        return reject(
          403,
          refused === 'host' ? unservedHost(request) : `Pages of '${shown(origin, 80)}' may not call this server`,
        );
      },
    },
    {
      order: '1b',
      name: 'path',
      answers: [[404, CODE.invalidRequest]],
      check: ({ request }, { path }) =>
        path === undefined || request.path === path
          ? undefined
          : reject(
              404,
              request.path === `${path}/`
                ? `The server is at ${path}, without the slash`
                : 'There is nothing at this path',
            ),
    },
  ],
  head: [
    {
      order: '4a',
      name: 'method',
      answers: [[405, CODE.invalidRequest]],
      check({ request: { method } }, { methods }) {
        if (methods.includes(method)) return undefined;
        return { ...reject(405, `${shown(method, 20)} is not allowed here`), headers: { allow: methods.join(', ') } };
      },
    },
    {
      order: '4b',
      name: 'accept of a GET',
      methods: ['GET'],
      answers: [[406, CODE.invalidRequest]],
      check: ({ accepts }) => (accepts.stream ? undefined : reject(406, 'Accept must list text/event-stream')),
    },
    {
      order: '4c',
      name: 'session of a GET or DELETE',
      methods: OF_SESSIONS,
      answers: [
        [400, CODE.invalidRequest],
        [404, CODE.invalidRequest],
        [503, CODE.internalError],
      ],
      check: checkSession,
    },
    {
      order: '4d',
      name: 'version of a GET or DELETE',
      methods: OF_SESSIONS,
      answers: [[400, CODE.invalidRequest]],
      check: ({ version }, rules) => (version === undefined ? undefined : checkLegacyVersion(version, rules)),
    },
    {
      order: '5a',
      name: 'content type',
      methods: ['POST'],
      answers: [[415, CODE.invalidRequest]],
      check: ({ request: { header } }) =>
        isJsonType(header('content-type')) ? undefined : reject(415, 'Content-Type must be application/json'),
    },
    {
      order: '5b',
      name: 'content encoding',
      methods: ['POST'],
      answers: [[415, CODE.invalidRequest]],
      // Nothing is decompressed, so a small body cannot become a huge one.
      check({ request: { header } }) {
        const encoding = header('content-encoding');
        if (encoding === undefined || encoding === null) return undefined;
        return /^(?:identity)?$/i.test(encoding.trim()) ? undefined : reject(415, 'The body must not be encoded');
      },
    },
    {
      order: '5c',
      name: 'accept',
      methods: ['POST'],
      answers: [[406, CODE.invalidRequest]],
      check: ({ accepts }) =>
        accepts.json || accepts.stream
          ? undefined
          : reject(406, 'Accept must list application/json and text/event-stream'),
    },
    {
      order: '6a',
      name: 'declared size',
      answers: [[413, CODE.invalidRequest]],
      check: ({ request: { header } }, rules) =>
        Number(header('content-length') ?? 0) > rules.limits.bodyBytes ? tooLarge(rules) : undefined,
    },
  ],
  body: [
    forBody(['oversize'], {
      order: '6b',
      name: 'size',
      answers: [[413, CODE.invalidRequest]],
      check: (_, rules) => tooLarge(rules),
    }),
    forBody(['not JSON'], {
      order: '6c',
      name: 'JSON',
      answers: [
        [400, CODE.parseError],
        [400, CODE.invalidRequest],
      ],
      check({ body }) {
        const { reason, message } = body.error;
        return reject(400, message, reason === 'syntax' ? CODE.parseError : CODE.invalidRequest);
      },
    }),
    forBody(['batch'], {
      order: '7a',
      name: 'batch',
      answers: [[400, CODE.invalidRequest]],
      check: (http, rules) => checkBatch(http.body, http, rules),
    }),
    forBody(['invalid'], {
      order: '7b',
      name: 'message',
      answers: [[400, CODE.invalidRequest]],
      check: ({ body }) => reject(400, body.reason),
    }),
    forBody(['response'], {
      order: '7c',
      name: 'response',
      answers: [[400, CODE.invalidRequest]],
      // Responses are expected only in sessions. A later check reports a session that has ended, because its client has to learn of that.
      check: ({ sessionId }, { supported, sessions }) =>
        sessions && supported.legacy.length > 0 && sessionId !== undefined
          ? undefined
          : reject(400, 'A response belongs to a session: nothing was asked here'),
    }),
    forBody(['request', 'notification'], {
      order: '7d',
      name: 'repeated members',
      answers: [[400, CODE.invalidRequest]],
      check({ body, text, request: { header } }) {
        if ((header(HEADER.method) ?? header(HEADER.name) ?? null) === null) return undefined;
        return repeated(repeatedStandardMember(text, body.meta, NAME_SOURCES.get(body.method)));
      },
    }),
  ],
  modern: [
    forBody(['request'], {
      order: '8m',
      name: 'initialize on a modern server',
      answers: [[400, CODE.unsupportedVersion]],
      // Checked before anything else in the body: the supported versions help the sender most.
      check({ body }, { supported }) {
        if (body.method !== 'initialize' || supported.legacy.length > 0 || hasClaim(body.meta)) return undefined;
        const asked = body.params['protocolVersion'];
        return { status: 400, ...unsupportedVersion(typeof asked === 'string' ? asked : '', supported).toJSON() };
      },
    }),
    {
      order: '9m',
      name: 'version header',
      answers: [[400, CODE.headerMismatch]],
      check: ({ version }) =>
        mismatch(version === undefined ? 'The MCP-Protocol-Version header is missing' : undefined),
    },
    {
      order: '10m',
      name: 'version header and claim',
      answers: [[400, CODE.headerMismatch]],
      check({ version, body }) {
        const claimed = body.meta[META.protocolVersion];
        if (typeof claimed !== 'string' || claimed === version) return undefined;
        return mismatch(
          `The MCP-Protocol-Version header says '${shown(version, 40)}', the body '${shown(claimed, 40)}'`,
        );
      },
    },
    {
      order: '11m',
      name: 'version',
      answers: [[400, CODE.unsupportedVersion]],
      check({ version = '' }, { supported }) {
        if (supported.modern.some((known) => known === version)) return undefined;
        return { status: 400, ...unsupportedVersion(version, supported).toJSON() };
      },
    },
    {
      order: '12m',
      name: 'method and name headers',
      answers: [[400, CODE.headerMismatch]],
      check: ({ body, request: { header } }) => mismatch(checkStandardHeaders(body, header, body.kind === 'request')),
    },
    {
      order: '13m',
      name: 'metadata',
      answers: [[400, CODE.invalidParams]],
      check: ({ claimError }) => (claimError === undefined ? undefined : { status: 400, ...claimError.toJSON() }),
    },
    forBody(['request'], {
      order: '14m',
      name: 'accept of a subscription',
      answers: [[406, CODE.invalidRequest]],
      check: ({ body, accepts }) =>
        body.method !== 'subscriptions/listen' || accepts.stream
          ? undefined
          : reject(406, 'Accept must list text/event-stream'),
    }),
  ],
  legacy: [
    forBody(['request', 'notification'], {
      order: '9l',
      name: 'headers of the other era',
      answers: [[400, CODE.headerMismatch]],
      // Legacy clients do not send these headers. If they are present, a proxy must not read another value than the server.
      check: ({ body, request: { header } }) => mismatch(checkStandardHeaders(body, header, false)),
    }),
    forBody(['request', 'batch'], {
      order: '10l',
      name: 'accept',
      answers: [[406, CODE.invalidRequest]],
      check: ({ accepts: { json, stream } }) =>
        json && stream ? undefined : reject(406, 'Accept must list application/json and text/event-stream'),
    }),
    {
      order: '11l',
      name: 'session',
      answers: [
        [400, CODE.invalidRequest],
        [404, CODE.invalidRequest],
        [503, CODE.internalError],
      ],
      // A session id that comes with `initialize` is ignored: the server creates its own.
      check: (http, { sessions }) => (sessions && !beginsSession(http) ? checkSession(http) : undefined),
    },
    {
      order: '12l',
      name: 'version',
      answers: [[400, CODE.invalidRequest]],
      // `initialize` negotiates in its body, whatever the header says.
      check: (http, rules) =>
        beginsSession(http)
          ? undefined
          : checkLegacyVersion(http.version ?? http.session?.agreed.revision ?? ASSUMED_REVISION, rules),
    },
  ],
  'tool call': [
    {
      order: '15m',
      name: 'repeated arguments',
      answers: [[400, CODE.invalidRequest]],
      check: ({ text, mirrored }) => repeated(repeatedArgument(text, mirrored)),
    },
    {
      order: '16m',
      name: 'parameter headers',
      answers: [[400, CODE.headerMismatch]],
      check: ({ header, mirrored, args }) => mismatch(checkParamHeaders(mirrored, args, header)),
    },
  ],
};
