import { rewriteJson } from '../record/rewrite-json.ts';
import type { Facts } from '../trace/facts.ts';
import { canonicalJsonText } from '../values/canonical-json-text.ts';
import { memberTexts } from '../values/json-text.ts';
import type { Conversation } from './conversation.ts';

/** What a server did about one message of its client. */
export interface Scene {
  /** The line of the message. */
  readonly n: number;
  readonly method: string;
  readonly subject: string | undefined;
  /** How it was asked: its params without `_meta`, in one form. */
  readonly params: string;
  /** What came before the answer: notifications, and requests of the server. */
  readonly before: readonly Facts[];
  readonly answer: Facts | undefined;
  /** What came after it, until the client spoke again. */
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

/** The same in one form, for comparing. */
export function paramsIn(text: string): string {
  return canonicalJsonText(plainParams(text));
}

/** The token of a progress: as a request names it in `_meta`, or a notification in its params. As JSON. */
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
 * Reads from a conversation what a server did about each request and notification of its client, in order. What it sent unasked belongs to the request that it names as its progress, else to the one
 * whose HTTP exchange brought it, else to the last one that it was still working on, else to what the client said last.
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

  /** The request whose HTTP exchange brought a line: up along its causes to the message that the exchange began with. */
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

  for (const facts of conversation.said) {
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

const HIDDEN = '[redacted]';

/** Does a recorded value say the same as one that comes now? What was taken out of it stands for anything. */
export function saysTheSame(recorded: string, now: string): boolean {
  if (recorded === now) return true;
  if (!recorded.includes(HIDDEN)) return false;
  return fits(JSON.parse(recorded), JSON.parse(now));
}

function fits(recorded: unknown, now: unknown): boolean {
  if (typeof recorded === 'string') {
    if (!recorded.includes(HIDDEN)) return recorded === now;
    // A number may have been hidden, too.
    const text = typeof now === 'string' ? now : JSON.stringify(now);
    const [first = '', ...rest] = recorded.split(HIDDEN);
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const [index, part] of rest.entries()) {
      const found = index === rest.length - 1 ? text.length - part.length : text.indexOf(part, at);
      if (found < at || !text.startsWith(part, found)) return false;
      at = found + part.length;
    }
    return true;
  }
  if (typeof recorded !== 'object' || recorded === null || typeof now !== 'object' || now === null)
    return recorded === now;
  if (Array.isArray(recorded) !== Array.isArray(now)) return false;
  const [own, other] = [Object.entries(recorded), new Map(Object.entries(now))];
  return own.length === other.size && own.every(([name, value]) => other.has(name) && fits(value, other.get(name)));
}

/** The message with another progress token, or subscription: as the request that is answered now names them. */
export function readdressed(text: string, ids: { progressToken: string | undefined; id: string | undefined }): string {
  return rewriteJson(text, ({ isName, name, path }) => {
    if (isName) return undefined;
    if (name === 'progressToken' && path().join('.') === 'params.progressToken') return ids.progressToken;
    if (name === 'io.modelcontextprotocol/subscriptionId') return ids.id;
    return undefined;
  });
}
