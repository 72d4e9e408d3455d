import type { Side } from '../../trace/line.ts';
import type { Message } from '../message.ts';
import type { Rule, Watcher } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, quoted } from '../words.ts';

/** Calls `look` for messages of every kind. */
function every(look: (message: Message) => void): Watcher {
  return {
    request: look,
    response: look,
    notification: look,
    malformed: look,
  };
}

const BOTH = ['server', 'client'] as const;

/** Why a value is not a JSON-RPC message. Undefined: it is one. */
function problemOf({ kind, value }: Message): string | undefined {
  if (!isObject(value)) return `it is ${Array.isArray(value) ? 'an array in an array' : quoted(value)}, not an object`;
  if (!Object.hasOwn(value, 'jsonrpc')) return 'it has no "jsonrpc": "2.0"';
  if (value['jsonrpc'] !== '2.0') return `its "jsonrpc" is ${quoted(value['jsonrpc'])} instead of "2.0"`;
  if (kind === 'malformed') {
    if (Object.hasOwn(value, 'method')) return `its "method" is ${quoted(value['method'])}, not a string`;
    return 'it has neither "method" nor "result" nor "error"';
  }
  if (kind === 'response') return undefined;
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')) return 'it is a request and a response in one';
  const { params } = value;
  return params === undefined || isObject(params) ? undefined : `its "params" is ${quoted(params)}, not an object`;
}

export const notJsonRpc: Rule = {
  id: 'not-json-rpc',
  title: 'A message is not JSON-RPC 2.0',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever wrote the message.',
  page: 'messages#messages',
  watch: (report) => {
    const tell = (from: Side, n: number, problem: string): void =>
      report({
        severity: 'error',
        blame: from,
        message: `The ${from} sent something that is not a JSON-RPC 2.0 message: ${problem}`,
        fix: 'A message is an object with "jsonrpc": "2.0" and either "method", "result" or "error".',
        evidence: [n],
      });
    return {
      ...every((message) => {
        const problem = problemOf(message);
        if (problem !== undefined) tell(message.from, message.n, problem);
      }),
      text({ line, value }) {
        if (value === undefined && line.from !== undefined && line.redacted !== true)
          tell(line.from, line.n, `it is not JSON: ${quoted(line.text, 200)}`);
      },
    };
  },
};

/** Codes of errors about a request whose id could not be read. */
const UNREADABLE: ReadonlySet<unknown> = new Set([-32_700, -32_600]);

function codeOf(value: Json): unknown {
  return isObject(value['error']) ? value['error']['code'] : undefined;
}

export const idNull: Rule = {
  id: 'id-null',
  title: 'An id is null, or neither a string nor a number',
  blame: BOTH,
  severity: ['error', 'warning'],
  why: 'Whoever wrote it. An id is a string or an integer, and an answer has the id of its request.',
  page: 'messages#requests',
  watch: (report, session) => {
    let notified: Side | undefined;
    return {
      request({ id, from, n, key }) {
        notified = undefined;
        if (key !== undefined) return;
        report({
          severity: 'error',
          blame: from,
          message: `The ${from} sent a request whose id is ${quoted(id)}`,
          fix: 'Give each request an id: a string or an integer. Without an id it would be a notification.',
          evidence: [n],
        });
      },
      notification({ from }) {
        notified = from;
      },
      response({ id, from, n, key, value }) {
        if (key !== undefined) return;
        const failed = Object.hasOwn(value, 'error');
        // Over HTTP an error may reject a whole request. A rule of its own covers answers to notifications.
        const overHttp = session.head?.transport === 'http' || session.head?.transport === 'sse';
        if (failed && (UNREADABLE.has(codeOf(value)) || overHttp || notified !== undefined)) return;
        if (!failed && notified !== undefined && notified !== from) return;
        report({
          severity: failed ? 'warning' : 'error',
          blame: from,
          message: `The ${from} sent an answer whose id is ${quoted(id)}`,
          fix: 'Answer with the id of the request, exactly as it was sent.',
          evidence: [n],
        });
      },
    };
  },
};

export const notificationAnswered: Rule = {
  id: 'notification-answered',
  title: 'A notification was answered',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever answered: a notification is never answered, not even with an error.',
  page: 'messages#notifications',
  watch: (report, session) => {
    let last: { readonly n: number; readonly from: Side; readonly method: string } | undefined;
    return {
      request() {
        last = undefined;
      },
      notification({ n, from, method }) {
        last = { n, from, method };
      },
      response({ n, from, key, value }) {
        const overHttp = session.head?.transport === 'http' || session.head?.transport === 'sse';
        const failed = Object.hasOwn(value, 'error');
        if (key !== undefined || last === undefined || last.from === from) return;
        if (failed && (overHttp || UNREADABLE.has(codeOf(value)))) return;
        report({
          severity: 'error',
          blame: from,
          message: `The ${from} answered the notification ${last.method}`,
          fix: 'A message without an id gets no answer. Ignore unknown notifications.',
          evidence: [last.n, n],
        });
      },
    };
  },
};

export const idFraction: Rule = {
  id: 'id-fraction',
  title: 'An id is a number with a fraction',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever wrote it: an id is a string or an integer.',
  page: 'messages#requests',
  watch: (report) => ({
    request({ id, from, n }) {
      if (typeof id !== 'number' || Number.isInteger(id)) return;
      report({
        severity: 'error',
        blame: from,
        message: `The ${from} sent a request with the id ${id}`,
        fix: 'Use integers or strings: fractions are not the same to all readers.',
        evidence: [n],
      });
    },
  }),
};

export const batch: Rule = {
  id: 'batch',
  title: 'Several messages were sent as one',
  blame: BOTH,
  severity: ['error', 'warning'],
  why: 'Whoever sent it. Only 2025-03-26 has batches; 2024-11-05 does not mention them.',
  page: 'messages',
  watch: (report, session) => ({
    text({ line, value, messages }) {
      if (!Array.isArray(value) || line.from === undefined) return;
      const { from, n } = line;
      const revision = session.revision;
      const opening = messages.some((message) => message.kind === 'request' && message.method === 'initialize');
      if (revision === '2025-03-26' && !opening && value.length > 0) return;
      const why =
        value.length === 0
          ? 'is empty'
          : opening
            ? 'holds initialize, which is always sent alone'
            : `is not part of ${revision ?? 'this revision'}`;
      report({
        severity: revision === '2024-11-05' && value.length > 0 ? 'warning' : 'error',
        blame: from,
        message: `The ${from} sent a batch that ${why}`,
        fix: 'Send each message separately.',
        evidence: [n],
      });
    },
  }),
};
