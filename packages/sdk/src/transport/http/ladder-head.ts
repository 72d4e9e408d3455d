import { CODE } from '../../protocol/errors.ts';
import { shown } from '../../protocol/text.ts';
import { HEADER } from '../../wire/headers.ts';
import { type Called, type Head, type Lookup, versionIn } from './facts.ts';
import { acceptedBy, isJsonType } from './facts-media.ts';
import type { Objection, Rung } from './ladder-rung.ts';

const objection = (status: number, message: string): Objection => ({ status, code: CODE.invalidRequest, message });

/** The methods of the endpoint: GET and DELETE belong to sessions. */
export const methodsOf = ({ spoken, sessions }: Lookup): readonly string[] =>
  sessions && spoken.legacy.length > 0 ? ['GET', 'POST', 'DELETE'] : ['POST'];

/** Who may come in at all. Looked at before anything else is, the sender's token included. */
export const DOOR: readonly Rung<Head>[] = [
  {
    rank: '0',
    name: 'repeated headers',
    answers: [
      [400, CODE.invalidRequest],
      [400, CODE.headerMismatch],
    ],
    check({ repeated }) {
      if (repeated === undefined) return undefined;
      const refusal = objection(400, `The ${repeated} header was sent more than once`);
      return repeated.startsWith('mcp-') ? { ...refusal, code: CODE.headerMismatch } : refusal;
    },
  },
  {
    rank: '1a',
    name: 'host and origin',
    answers: [[403, CODE.invalidRequest]],
    check({ host, header }, { guard }) {
      const origin = header('origin');
      const refused = guard.refuses(host, origin);
      if (refused === undefined) return undefined;
      return objection(
        403,
        refused === 'host'
          ? `The host '${shown(host ?? '', 80)}' is not served here`
          : `Pages of '${shown(origin, 80)}' may not call this server`,
      );
    },
  },
  {
    rank: '1b',
    name: 'path',
    answers: [[404, CODE.invalidRequest]],
    check: ({ path }, { endpoint }) =>
      endpoint === undefined || path === endpoint ? undefined : objection(404, 'There is nothing at this path'),
  },
];

/** Is it a request that only sessions know? */
const ofSession = (method: string): boolean => method === 'GET' || method === 'DELETE';

/** What can be told from the headers once the sender is known. Nothing of the body has been read. */
export const HEAD: readonly Rung<Called>[] = [
  {
    rank: '4a',
    name: 'method',
    answers: [[405, CODE.invalidRequest]],
    check({ method }, lookup) {
      const allowed = methodsOf(lookup);
      if (allowed.includes(method)) return undefined;
      return { ...objection(405, `${shown(method, 20)} is not allowed here`), headers: { allow: allowed.join(', ') } };
    },
  },
  {
    rank: '4b',
    name: 'accept of a GET',
    answers: [[406, CODE.invalidRequest]],
    check: ({ method, header }) =>
      method !== 'GET' || acceptedBy(header('accept')).stream
        ? undefined
        : objection(406, 'Accept must list text/event-stream'),
  },
  {
    rank: '4c',
    name: 'session of a GET or DELETE',
    answers: [
      [400, CODE.invalidRequest],
      [404, CODE.invalidRequest],
    ],
    check: (called) => (ofSession(called.method) ? sessionObjection(called) : undefined),
  },
  {
    rank: '4d',
    name: 'version of a GET or DELETE',
    answers: [[400, CODE.invalidRequest]],
    check({ method, header }, lookup) {
      const version = versionIn(header);
      return ofSession(method) && version !== undefined ? versionObjection(version, lookup) : undefined;
    },
  },
  {
    rank: '5a',
    name: 'content type',
    answers: [[415, CODE.invalidRequest]],
    check: ({ method, header }) =>
      method !== 'POST' || isJsonType(header('content-type'))
        ? undefined
        : objection(415, 'Content-Type must be application/json'),
  },
  {
    rank: '5b',
    name: 'content encoding',
    answers: [[415, CODE.invalidRequest]],
    // Nothing is inflated: a small body that becomes a huge one is no way in.
    check: ({ method, header }) =>
      method !== 'POST' || /^(?:identity)?$/i.test((header('content-encoding') ?? '').trim())
        ? undefined
        : objection(415, 'The body must not be encoded'),
  },
  {
    rank: '5c',
    name: 'accept',
    answers: [[406, CODE.invalidRequest]],
    check({ method, header }) {
      if (method !== 'POST') return undefined;
      const { json, stream } = acceptedBy(header('accept'));
      return json || stream ? undefined : objection(406, 'Accept must list application/json and text/event-stream');
    },
  },
  {
    rank: '6a',
    name: 'declared size',
    answers: [[413, CODE.invalidRequest]],
    check: ({ header }, { limits }) =>
      Number(header('content-length') ?? 0) > limits.bodyBytes ? tooLarge(limits.bodyBytes) : undefined,
  },
];

/** The answer to a body over the limit. */
export const tooLarge = (bodyBytes: number): Objection => objection(413, `The body is larger than ${bodyBytes} bytes`);

/** Why a request has no session that it needs. One that is gone and one of somebody else are the same to its sender. */
export const sessionObjection = ({ session, header }: Called): Objection | undefined => {
  if (session !== undefined) return undefined;
  const id = header(HEADER.session);
  return typeof id === 'string' && id !== ''
    ? objection(404, 'There is no such session: begin a new one with initialize')
    : objection(400, 'The Mcp-Session-Id header is missing: begin with initialize');
};

/** Why a legacy request cannot be served in a version. */
export const versionObjection = (version: string, { spoken: { legacy } }: Lookup): Objection | undefined =>
  legacy.some((known) => known === version)
    ? undefined
    : objection(400, `Protocol version ${shown(version, 40)} is not supported here; supported: ${legacy.join(', ')}`);
