// The oracle's state of one connection: the requests of each side, so that a response is checked against its request, and the revision, so
// that each message is checked by the rules that apply to its sender.

import { isObject, type Schema } from './bundle.ts';
import { batchProblems, checkMessage, kindOf, type AnsweredRequest } from './check.ts';
import { fewest } from './closed.ts';
import { claimOf, metaOf, subscriptionOf } from './rules.ts';
import { revisions, schemaOf, type Direction, type Revision } from './schemas.ts';

/** A request that was seen; `revision` is undefined if none was known at that time and the request claimed none. */
interface SeenRequest extends AnsweredRequest {
  readonly revision: Revision | undefined;
}

interface Sender {
  /** Requests without a response yet. An id may wrongly be in flight twice; then each has one response. */
  readonly open: Map<string, SeenRequest[]>;
  /** Every id this side ever used, with its method. */
  readonly used: Map<string, string>;
  /** Progress tokens of tasks stay valid after the response that created the task. */
  readonly taskTokens: Set<string>;
}

export interface Connection {
  readonly fixed: Revision | undefined;
  readonly senders: Readonly<Record<Direction, Sender>>;
  /** The methods of the input requests, by the requestState they were sent with. */
  readonly inputs: Map<string, ReadonlyMap<string, string>>;
  negotiated: Revision | undefined;
  offered: Revision | undefined;
  /** Whether a request claimed the modern revision. */
  modern: boolean;
}

const modernRevision: Revision = '2026-07-28';
const newestLegacy: Revision = '2025-11-25';
const other = { 'client-to-server': 'server-to-client', 'server-to-client': 'client-to-server' } as const;
function key(id: unknown): string {
  return `${typeof id}:${typeof id === 'object' ? JSON.stringify(id) : String(id)}`;
}
function newSender(): Sender {
  return { open: new Map(), used: new Map(), taskTokens: new Set() };
}

export function newConnection(fixed: Revision | undefined): Connection {
  const senders = { 'client-to-server': newSender(), 'server-to-client': newSender() };
  return { fixed, senders, inputs: new Map(), negotiated: undefined, offered: undefined, modern: false };
}

function legacyRevision(version: unknown): Revision | undefined {
  return revisions.find((revision) => revision === version && revision !== modernRevision);
}

/** The revision of a message that does not itself show it. */
export function sessionRevision({ fixed, negotiated, offered, modern }: Connection): Revision | undefined {
  return fixed ?? negotiated ?? offered ?? (modern ? modernRevision : undefined);
}

/** Checks the next message of a connection and records what later ones depend on. */
export function judge(connection: Connection, direction: Direction, value: unknown): string[] {
  if (Array.isArray(value)) {
    const own = batchProblems(sessionRevision(connection) ?? newestLegacy, value);
    return [...own, ...value.flatMap((item) => judgeOne(connection, direction, item))];
  }
  return judgeOne(connection, direction, value);
}

function judgeOne(connection: Connection, direction: Direction, value: unknown): string[] {
  switch (kindOf(value)) {
    case 'request':
      return judgeRequest(connection, direction, value as Schema);
    case 'notification':
      return judgeNotification(connection, direction, value as Schema);
    case 'response':
      return judgeResponse(connection, direction, value as Schema);
    default:
      // Anything with an id may be answered by an error, so it counts as a request.
      if (isObject(value) && Object.hasOwn(value, 'id')) {
        remember(connection, direction, value['id'], { method: '', revision: sessionRevision(connection) });
      }
      return ['neither a request, a notification nor a response'];
  }
}

function judgeRequest(connection: Connection, direction: Direction, message: Schema): string[] {
  const method = String(message['method']);
  const { id, params } = message;
  const revision = revisionOfRequest(connection, direction, method, params);
  const { used, open } = connection.senders[direction];
  // basic/index#requests: never again in a session; since 2026-07-28 not while the first is unanswered.
  const again = revision === modernRevision ? open.has(key(id)) : used.has(key(id));
  const problems = again ? [`the id ${JSON.stringify(id)} was used before`] : [];
  if (revision === undefined) problems.push(`${method} comes before any revision is known`);
  else problems.push(...checkMessage(revision, direction, message), ...wrongInputResponses(connection, params));
  remember(connection, direction, id, { method, params, revision });
  return problems;
}

function revisionOfRequest(
  connection: Connection,
  direction: Direction,
  method: string,
  params: unknown,
): Revision | undefined {
  const claim = direction === 'client-to-server' ? claimOf(params) : undefined;
  if (method === 'initialize' && claim === undefined && connection.fixed !== modernRevision) {
    // The client offers its revision; the response decides.
    connection.offered = legacyRevision(isObject(params) ? params['protocolVersion'] : undefined) ?? newestLegacy;
    return connection.offered;
  }
  if (connection.fixed === undefined && claim !== undefined) {
    connection.modern = true;
    return modernRevision;
  }
  // A ping may come before the handshake (basic/lifecycle#initialization).
  return sessionRevision(connection) ?? (method === 'ping' ? newestLegacy : undefined);
}

function remember({ senders }: Connection, direction: Direction, id: unknown, request: SeenRequest): void {
  const { open, used, taskTokens } = senders[direction];
  used.set(key(id), request.method);
  open.set(key(id), [...(open.get(key(id)) ?? []), request]);
  const token = metaOf(request.params)['progressToken'];
  const augmented = isObject(request.params) && request.params['task'] !== undefined;
  if (token !== undefined && augmented) taskTokens.add(key(token));
}

function judgeResponse(connection: Connection, direction: Direction, message: Schema): string[] {
  const { open } = connection.senders[other[direction]];
  if (!Object.hasOwn(message, 'id')) {
    return checkMessage(sessionRevision(connection) ?? newestLegacy, direction, message);
  }
  const id = key(message['id']);
  const waiting = open.get(id) ?? [];
  if (waiting.length === 0) return [`it answers ${JSON.stringify(message['id'])}, which is no open request`];
  const verdicts = waiting.map((request) => judgeAnswer(connection, direction, message, request));
  const verdict = fewest(verdicts);
  const answered = verdicts.indexOf(verdict);
  const rest = waiting.filter((_, index) => index !== answered);
  if (rest.length === 0) open.delete(id);
  else open.set(id, rest);
  applyResponse(connection, waiting[answered], message);
  return verdict;
}

function judgeAnswer({ fixed }: Connection, direction: Direction, message: Schema, request: SeenRequest): string[] {
  const as = (revision: Revision): string[] => checkMessage(revision, direction, message, request);
  const { result, error } = message;
  if (request.method === 'initialize' && isObject(result) && request.revision !== modernRevision) {
    const version = legacyRevision(result['protocolVersion']);
    if (version === undefined) return [`initialize is answered with ${JSON.stringify(result['protocolVersion'])}`];
    const wrong = fixed !== undefined && fixed !== version ? [`${version} was negotiated instead of ${fixed}`] : [];
    return [...wrong, ...as(version)];
  }
  // A side that does not know the revision of a request can only reject it in its own revision.
  const foreign = request.revision === undefined || (fixed === undefined && request.method === 'server/discover');
  if (foreign && error !== undefined) return fewest([modernRevision, newestLegacy].map(as));
  return request.revision === undefined
    ? [`${request.method} is answered before any revision is known`]
    : as(request.revision);
}

/** Applies the effects of a response on later messages. */
function applyResponse(connection: Connection, request: SeenRequest | undefined, { result }: Schema): void {
  const handshake = request?.method === 'initialize' && request.revision !== modernRevision;
  // A refused handshake offers no revision any more.
  if (handshake && connection.negotiated === undefined) connection.offered = undefined;
  if (!isObject(result)) return;
  if (handshake) connection.negotiated = legacyRevision(result['protocolVersion']);
  const { requestState, inputRequests } = result;
  if (typeof requestState !== 'string' || !isObject(inputRequests)) return;
  const methods = Object.entries(inputRequests).map(
    ([name, input]) => [name, isObject(input) ? String(input['method']) : ''] as const,
  );
  connection.inputs.set(requestState, new Map(methods));
}

/** Each input response must have the shape of its own input request; the schema alone allows any of the three. */
function wrongInputResponses({ inputs }: Connection, params: unknown): string[] {
  if (!isObject(params) || !isObject(params['inputResponses'])) return [];
  const wanted = inputs.get(String(params['requestState']));
  const schema = schemaOf(modernRevision);
  return Object.entries(params['inputResponses']).flatMap(([name, value]) => {
    const node = schema.results.get(wanted?.get(name) ?? '');
    return node === undefined ? [] : schema.errors(node, value, `/params/inputResponses/${name}`);
  });
}

function judgeNotification(connection: Connection, direction: Direction, message: Schema): string[] {
  const method = String(message['method']);
  const owner = ownerOf(connection, direction, method, isObject(message['params']) ? message['params'] : {});
  // Of the notifications without an owner only the log message exists in both eras, and it is the same in both.
  const revision = owner.revision ?? sessionRevision(connection);
  if (revision === undefined) return [...owner.problems, `${method} comes before any revision is known`];
  return [...owner.problems, ...checkMessage(revision, direction, message)];
}

interface Owner {
  readonly revision?: Revision | undefined;
  readonly problems: string[];
}

/** The request a notification belongs to determines its revision; a notification that names no request of the right side is wrong. */
function ownerOf(connection: Connection, direction: Direction, method: string, params: Schema): Owner {
  const { senders, fixed } = connection;
  const isListen = (id: unknown): boolean => senders['client-to-server'].used.get(key(id)) === 'subscriptions/listen';
  const subscription = subscriptionOf(params);
  if (subscription !== undefined) {
    const problems = isListen(subscription) ? [] : [`${JSON.stringify(subscription)} is no subscription`];
    return { revision: fixed ?? modernRevision, problems };
  }
  if (method === 'notifications/progress') return ownerOfProgress(senders[other[direction]], params['progressToken']);
  if (method !== 'notifications/cancelled') return { problems: [] };
  const id = params['requestId'];
  // 2026-07-28 basic/patterns/cancellation: servers end only subscriptions in this way.
  if (direction === 'server-to-client' && isListen(id)) return { revision: fixed ?? modernRevision, problems: [] };
  const { used, open } = senders[direction];
  const cancelled = used.get(key(id));
  if (cancelled === undefined) return { problems: [`it cancels ${JSON.stringify(id)}, which its sender never asked`] };
  const problems = cancelled === 'initialize' ? ['initialize is never cancelled'] : [];
  return { revision: open.get(key(id))?.[0]?.revision, problems };
}

function ownerOfProgress({ open, taskTokens }: Sender, token: unknown): Owner {
  const requests = [...open.values()].flat();
  const owner = requests.find(({ params }) => key(metaOf(params)['progressToken']) === key(token));
  if (owner !== undefined) return { revision: owner.revision, problems: [] };
  const ofTask = taskTokens.has(key(token));
  return { problems: ofTask ? [] : [`${JSON.stringify(token)} is the progress token of no open request`] };
}
