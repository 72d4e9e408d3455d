import { CODE } from '../../protocol/errors.ts';
import { ASSUMED_REVISION, checkStandardHeaders } from '../../wire/headers.ts';
import type { LegacyPost } from './facts.ts';
import { acceptedBy } from './facts-media.ts';
import { sessionObjection, versionObjection } from './ladder-head.ts';
import type { Rung } from './ladder-rung.ts';

const begins = ({ shape }: LegacyPost): boolean => shape.kind === 'request' && shape.message.method === 'initialize';

/** A message of the legacy era: whether it can be answered, and belongs to a session. */
export const LEGACY: readonly Rung<LegacyPost>[] = [
  {
    rank: '9l',
    name: 'headers of another era',
    answers: [[400, CODE.headerMismatch]],
    // A client of this era sends none. Whoever does all the same must not show one thing to a proxy and another to the server.
    check({ shape, header }, { nameSources }) {
      if (shape.kind !== 'request' && shape.kind !== 'notification') return undefined;
      const message = checkStandardHeaders(shape.message, header, false, nameSources);
      return message === undefined ? undefined : { status: 400, code: CODE.headerMismatch, message };
    },
  },
  {
    rank: '10l',
    name: 'accept',
    answers: [[406, CODE.invalidRequest]],
    check({ shape, header }) {
      const { json, stream } = acceptedBy(header('accept'));
      const answered = shape.kind === 'request' || shape.kind === 'batch';
      if (!answered || (json && stream)) return undefined;
      return {
        status: 406,
        code: CODE.invalidRequest,
        message: 'Accept must list application/json and text/event-stream',
      };
    },
  },
  {
    rank: '11l',
    name: 'session',
    answers: [
      [400, CODE.invalidRequest],
      [404, CODE.invalidRequest],
    ],
    // A session id that comes with initialize is ignored: the server mints its own.
    check: (post, { sessions }) => (sessions && !begins(post) ? sessionObjection(post) : undefined),
  },
  {
    rank: '12l',
    name: 'version',
    answers: [[400, CODE.invalidRequest]],
    // `initialize` negotiates in its body, whatever its header says.
    check: (post, lookup) =>
      begins(post) ? undefined : versionObjection(post.version ?? post.session?.revision ?? ASSUMED_REVISION, lookup),
  },
];
