import { keyOf, type Notification, ofMeta, type Request, resultOf, retypedKey } from '../message.ts';
import { isModern, MODERN } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { listOf, objectOf, quoted } from '../words.ts';

/** A subscription of 2026-07-28, by the id of its request. */
interface Subscription {
  readonly request: Request;
  acknowledged: boolean;
  endedAt: number | undefined;
}

const MAX_STREAMS = 1_000;
/** Notifications within this time after the end of a subscription may have crossed it, in milliseconds. */
const RACE_MS = 1_000;

/** Tracks the subscriptions of a session. */
function createSubscriptions() {
  const all = new Map<string, Subscription>();
  return {
    request(request: Request): void {
      const { method, from, key } = request;
      if (method !== 'subscriptions/listen' || from === 'server' || key === undefined || all.size >= MAX_STREAMS)
        return;
      all.set(key, { request, acknowledged: false, endedAt: undefined });
    },
    response(request: Request | undefined, at: number): void {
      const subscription = all.get(request?.key ?? '');
      if (request?.method === 'subscriptions/listen' && subscription !== undefined) subscription.endedAt = at;
    },
    of: (id: unknown): Subscription | undefined => all.get(keyOf(id) ?? ''),
    retyped: (id: unknown): Subscription | undefined => all.get(retypedKey(id) ?? ''),
    clear: (): void => all.clear(),
  };
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** The member of the filter that requests a notification. */
const ASKED_BY: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
  ['notifications/resources/updated', 'resourceSubscriptions'],
]);

export const listenAck: Rule = {
  id: 'listen-ack',
  title: 'A subscription began without its acknowledgement',
  blame: ['server'],
  severity: ['error'],
  why: 'The first message of a subscription must say which parts of it the server will honour.',
  page: 'subscriptions#acknowledgment',
  watch: (report) => {
    const subscriptions = createSubscriptions();
    return {
      anew: subscriptions.clear,
      request: subscriptions.request,
      notification({ from, method, meta, n }) {
        const subscription = subscriptions.of(ofMeta(meta, 'subscriptionId'));
        if (from === 'client' || subscription === undefined || subscription.acknowledged) return;
        subscription.acknowledged = true;
        if (method === ACKNOWLEDGED) return;
        report({
          severity: 'error',
          blame: 'server',
          message: `The server sent ${method} on a subscription before it acknowledged it`,
          fix: `Send ${ACKNOWLEDGED} first.`,
          evidence: [subscription.request.n, n],
          revision: MODERN,
        });
      },
    };
  },
};

export const listenUnasked: Rule = {
  id: 'listen-unasked',
  title: 'A notification that the subscription did not ask for',
  blame: ['server'],
  severity: ['error'],
  why: 'A server sends on a subscription only what its filter names, and never progress or logs.',
  page: 'subscriptions#opening-a-stream',
  watch: (report) => {
    const subscriptions = createSubscriptions();
    const isAsked = ({ request }: Subscription, { method }: Notification): boolean => {
      const member = ASKED_BY.get(method);
      // Extensions have filters of their own.
      if (member === undefined) return method !== 'notifications/progress' && method !== 'notifications/message';
      const wanted = objectOf(request.params['notifications'])[member];
      return member === 'resourceSubscriptions' ? listOf(wanted).length > 0 : wanted === true;
    };
    return {
      anew: subscriptions.clear,
      request: subscriptions.request,
      notification(notification) {
        const { from, method, meta, n } = notification;
        const subscription = subscriptions.of(ofMeta(meta, 'subscriptionId'));
        if (from === 'client' || subscription === undefined || isAsked(subscription, notification)) return;
        report({
          severity: 'error',
          blame: 'server',
          message: `The server sent ${method} on a subscription that does not ask for it`,
          fix: 'Send only what the filter of subscriptions/listen names.',
          evidence: [subscription.request.n, n],
          revision: MODERN,
        });
      },
    };
  },
};

export const listenId: Rule = {
  id: 'listen-id',
  title: 'A notification names no subscription, or one that does not exist',
  blame: ['server'],
  severity: ['error', 'warning'],
  why: 'A server puts the id of the subscription on each of its messages: otherwise clients cannot tell subscriptions apart.',
  page: 'subscriptions#receiving-notifications',
  watch: (report, session) => {
    const subscriptions = createSubscriptions();
    const tell = (message: string, evidence: number[], severity: 'error' | 'warning' = 'error'): void =>
      report({
        severity,
        blame: 'server',
        message,
        fix: 'Put the id of the subscriptions/listen request into _meta as io.modelcontextprotocol/subscriptionId, as it was written.',
        evidence,
        revision: MODERN,
      });
    return {
      anew: subscriptions.clear,
      request: subscriptions.request,
      notification({ from, method, meta, n, at, revision }) {
        if (from === 'client') return;
        const id = ofMeta(meta, 'subscriptionId');
        if (id === undefined) {
          if ((ASKED_BY.has(method) || method === ACKNOWLEDGED) && isModern(revision) && session.provenModern)
            tell(`The server sent ${method} without the id of a subscription`, [n]);
          return;
        }
        const subscription = subscriptions.of(id);
        const retyped = subscriptions.retyped(id);
        if (subscription !== undefined) {
          const ended = subscription.endedAt ?? subscription.request.cancelledAt;
          if (ended !== undefined && at - ended > RACE_MS)
            tell(`The server sent ${method} on a subscription that had ended`, [subscription.request.n, n], 'warning');
        } else if (retyped !== undefined)
          tell(`The server sent ${method} for ${quoted(id)}, but the subscription is ${quoted(retyped.request.id)}`, [
            retyped.request.n,
            n,
          ]);
        else tell(`The server sent ${method} for ${quoted(id)}, which is not a subscription`, [n]);
      },
      response(response) {
        const { request, n, at } = response;
        subscriptions.response(request, at);
        const result = resultOf(response);
        if (request?.method !== 'subscriptions/listen' || result === undefined) return;
        const id = ofMeta(objectOf(result['_meta']), 'subscriptionId');
        if (id !== request.id)
          tell(
            `The result that ends a subscription names ${quoted(id)} instead of ${quoted(request.id)}`,
            [request.n, n],
            'warning',
          );
      },
    };
  },
};
