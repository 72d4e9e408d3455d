import { CODE } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import { featuresOf, isRevision } from '../../protocol/revision.ts';
import { hasClaim } from '../../wire/claim.ts';
import { ASSUMED_REVISION, HEADER } from '../../wire/headers.ts';
import { type Batch, isExactId, type Lookup, type Posted } from './facts.ts';
import { tooLarge } from './ladder-head.ts';
import type { Objection, Rung } from './ladder-rung.ts';

const invalid = (message: string): Objection => ({ status: 400, code: CODE.invalidRequest, message });

/** What a body is, before its era is known. */
export const BODY: readonly Rung<Posted>[] = [
  {
    rank: '6b',
    name: 'size',
    answers: [[413, CODE.invalidRequest]],
    check: ({ body }, { limits }) => (body.kind === 'oversize' ? tooLarge(limits.bodyBytes) : undefined),
  },
  {
    rank: '6c',
    name: 'JSON',
    answers: [
      [400, CODE.parseError],
      [400, CODE.invalidRequest],
    ],
    check({ body }) {
      if (body.kind !== 'broken') return undefined;
      const code = body.error.reason === 'syntax' ? CODE.parseError : CODE.invalidRequest;
      return { status: 400, code, message: body.error.message };
    },
  },
  {
    rank: '7a',
    name: 'batch',
    answers: [[400, CODE.invalidRequest]],
    check: (posted, lookup) =>
      posted.shape?.kind === 'batch' ? batchObjection(posted.shape, posted, lookup) : undefined,
  },
  {
    rank: '7b',
    name: 'message',
    answers: [[400, CODE.invalidRequest]],
    check({ shape }) {
      if (shape?.kind === 'invalid') return invalid(shape.reason);
      if (shape?.kind !== 'request' || isExactId(shape.message.id)) return undefined;
      return invalid('"id" must be a text, or an integer within ±(2^53 − 1)');
    },
  },
  {
    rank: '7c',
    name: 'response',
    answers: [[400, CODE.invalidRequest]],
    // Only a session has asked anything. Whether it lives is for a later check to say: its client has to hear of it.
    check: ({ shape, header }, { spoken, sessions }) =>
      shape?.kind !== 'response' || (sessions && spoken.legacy.length > 0 && Boolean(header(HEADER.session)))
        ? undefined
        : invalid('A response is taken in a session only: nothing was asked here'),
  },
];

const batchObjection = (
  { items }: Batch,
  { session, version }: Posted,
  { spoken, limits }: Lookup,
): Objection | undefined => {
  const revision = session?.revision ?? version ?? ASSUMED_REVISION;
  const batches = spoken.legacy.length > 0 && isRevision(revision) && featuresOf(revision).batch;
  if (!batches) return invalid('Batches are not part of this protocol revision');
  if (items.length === 0 || items.length > limits.batch) return invalid(`A batch has 1 to ${limits.batch} messages`);
  // Each element would be served by other rules than the headers say, or be the handshake that the others need.
  return items.some(standsAlone)
    ? invalid('A batch has neither initialize nor a request with its own protocol version')
    : undefined;
};

const standsAlone = (item: unknown): boolean =>
  isObject(item) && (item['method'] === 'initialize' || (isObject(item['params']) && hasClaim(item['params'])));
