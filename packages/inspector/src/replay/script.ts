import { rewriteJson } from '../record/rewrite-json.ts';
import { GONE } from '../record/secret-patterns.ts';
import type { Facts } from '../trace/facts.ts';
import { canonicalJsonText } from '../values/canonical-json-text.ts';
import { memberTexts } from '../values/json-text.ts';
import type { Conversation } from './conversation.ts';
import { matchesHidden } from './hidden-parts.ts';

/** The reaction of a server to one message of its client. */
export interface Scene {
  /** The line of the message. */
  readonly n: number;
  readonly method: string;
  readonly subject: string | undefined;
  /** The params without `_meta`, in canonical form. */
  readonly params: string;
  /** The messages before the answer: notifications, and requests of the server. */
  readonly before: readonly Facts[];
  readonly answer: Facts | undefined;
  /** The messages after it, until the next message of the client. */
  readonly after: readonly Facts[];
  readonly progressToken: string | undefined;
  readonly cancelled: boolean;
}

/** The params of a message as they were written, without `_meta`, which is new each time. */
export function plainParams(text: string): string {
  const message = new Map(memberTexts(text) ?? []);
  const params = message.get('params') ?? '{}';
  const members = memberTexts(params);
  if (members === undefined) return params;
  const kept = members.filter(([name]) => name !== '_meta').map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${kept.join(',')}}`;
}

/** The same in canonical form, for comparison. */
export function paramsIn(text: string): string {
  return canonicalJsonText(plainParams(text));
}

/** The progress token in the `_meta` of a request, or in the params of a notification. As JSON. */
export function progressTokenIn(text: string): string | undefined {
  if (!text.includes('progressToken')) return undefined;
  const { params } = JSON.parse(text) as { params?: { _meta?: { progressToken?: unknown }; progressToken?: unknown } };
  const token = params?.progressToken ?? params?._meta?.progressToken;
  return token === undefined ? undefined : JSON.stringify(token);
}

interface Draft {
  readonly facts: Facts;
  readonly scene: Scene & { before: Facts[]; after: Facts[] };
  done: boolean;
}

/**
 * Reads the reactions of a server to each request and notification of its client, in order. Other messages of the server belong
 * to the request with their progress token, otherwise to the request of their HTTP exchange, otherwise to the last request that
 * is still running, otherwise to the last message of the client.
 */
export function scriptOf(conversation: Conversation): Scene[] {
  const drafts: Draft[] = [];
  const byLine = new Map<number, Draft>();
  let last: Draft | undefined;

  const begin = (facts: Facts): void => {
    const text = conversation.text(facts.n);
    const answer = facts.pair === undefined ? undefined : conversation.at(facts.pair);
    const scene = {
      n: facts.n,
      method: facts.method!,
      subject: facts.subject,
      params: paramsIn(text),
      before: [],
      answer,
      after: [],
      progressToken: facts.message === 'request' ? progressTokenIn(text) : undefined,
      cancelled: facts.outcome === 'cancelled',
    };
    last = { facts, scene, done: facts.message !== 'request' };
    drafts.push(last);
    byLine.set(facts.n, last);
  };

  /** The request whose HTTP exchange contains a line: follows the causes up to the message that began the exchange. */
  const broughtBy = (facts: Facts): Draft | undefined => {
    let at: Facts | undefined = facts;
    for (let steps = 0; at?.cause !== undefined && steps < 5; steps++) {
      const cause = conversation.at(at.cause);
      if (cause !== undefined && byLine.has(cause.n)) return byLine.get(cause.n);
      at = cause;
    }
    return undefined;
  };

  const ownerOf = (facts: Facts): Draft | undefined => {
    if (facts.method === 'notifications/progress') {
      const token = progressTokenIn(conversation.text(facts.n));
      const named = drafts.findLast(({ scene }) => token !== undefined && scene.progressToken === token);
      if (named !== undefined) return named;
    }
    return broughtBy(facts) ?? drafts.findLast(({ done }) => !done) ?? last;
  };

  for (const facts of conversation.messages) {
    const { from, message } = facts;
    if (from === 'client') {
      if ((message === 'request' || message === 'notification') && facts.method !== undefined) begin(facts);
    } else if (message === 'response') {
      const asked = facts.pair === undefined ? undefined : byLine.get(facts.pair);
      if (asked !== undefined) asked.done = true;
    } else if (message === 'notification' || message === 'request') {
      const owner = ownerOf(facts);
      if (owner === undefined) continue;
      const { scene } = owner;
      const isBefore = scene.answer === undefined || facts.n < scene.answer.n;
      (isBefore ? scene.before : scene.after).push(facts);
    }
  }
  return drafts.map(({ scene }) => scene);
}

/** Returns whether a recorded value matches a current one. Redacted parts match anything. */
export function saysTheSame(recorded: string, now: string): boolean {
  if (recorded === now) return true;
  if (!recorded.includes(GONE)) return false;
  return fits(JSON.parse(recorded), JSON.parse(now));
}

function fits(recorded: unknown, now: unknown): boolean {
  if (typeof recorded === 'string') return matchesHidden(recorded, now);
  if (typeof recorded !== 'object' || recorded === null || typeof now !== 'object' || now === null)
    return recorded === now;
  if (Array.isArray(recorded) !== Array.isArray(now)) return false;
  const [own, other] = [Object.entries(recorded), new Map(Object.entries(now))];
  return own.length === other.size && own.every(([name, value]) => other.has(name) && fits(value, other.get(name)));
}

/** The message with the progress token and subscription id of the current request. */
export function readdressed(text: string, ids: { progressToken: string | undefined; id: string | undefined }): string {
  return rewriteJson(text, ({ isName, name, path }) => {
    if (isName) return undefined;
    if (name === 'progressToken' && path().join('.') === 'params.progressToken') return ids.progressToken;
    if (name === 'io.modelcontextprotocol/subscriptionId') return ids.id;
    return undefined;
  });
}
