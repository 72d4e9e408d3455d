import type { CallAnswer, Call, CallMiddleware } from '../protocol/middleware.ts';
import type { Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { canonicalJson } from '../store/canonical-json.ts';
import { sha256Hex } from '../store/sha256.ts';
import { answered, type CallEnd, type Outcome, rejected } from './outcome.ts';

/** An entry of an audit log: the beginning or the end of a call. */
export interface AuditEntry {
  /** The id of the call, the same in both entries. */
  readonly id: string;
  /** `begin`: before anything is done. `end`: the call has an answer, which is sent next. */
  readonly event: 'begin' | 'end';
  /** The time, as ISO 8601. */
  readonly at: string;
  /** `server`: the call was received. `client`: it is sent. */
  readonly side: 'server' | 'client';
  /** The method. */
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource, cut to 1,000 characters. */
  readonly name?: string;
  /** The id of the verified caller. */
  readonly principal?: string;
  /** The revision of the protocol. */
  readonly revision: Revision;
  /** The number of the run, if the call is a run of a task. */
  readonly taskRun?: number;
  /** The SHA-256 of the arguments as canonical JSON (RFC 8785), in hexadecimal: equal arguments have equal hashes. */
  readonly argumentsHash?: string;
  /** How the call ended. */
  readonly outcome?: Outcome;
  /** The code of the error, if it was a JSON-RPC error. */
  readonly code?: number;
  /** The duration, in milliseconds. */
  readonly ms?: number;
}

/**
 * Writes an entry before each call, and one when it has ended. A call begins only after its first entry is written, and its answer is sent
 * only after the second one is: if `write` fails, so does the call. Arguments are written as a hash only.
 *
 * @example
 * ```ts
 * import { appendFile } from 'node:fs/promises';
 * import { server } from 'tenon';
 * import { audit } from 'tenon/middleware';
 *
 * const app = server({ name: 'notes' });
 * app.use({ 'tools/call': audit((entry) => appendFile('audit.jsonl', `${JSON.stringify(entry)}\n`)) });
 * ```
 */
export function audit(write: (entry: AuditEntry) => unknown): CallMiddleware {
  if (typeof write !== 'function') throw new TypeError('audit needs a function that writes the entries');
  return async (call, next) => {
    const began = performance.now();
    const what = await describe(call);
    const entry = (event: AuditEntry['event'], ended?: CallEnd): AuditEntry => {
      const ms = ended === undefined ? undefined : Math.round((performance.now() - began) * 10) / 10;
      return withoutUndefined({ ...what, event, at: new Date().toISOString(), ...ended, ms }) as AuditEntry;
    };
    await write(entry('begin'));
    let answer: CallAnswer;
    try {
      answer = await next();
    } catch (error) {
      await write(entry('end', rejected(call, error)));
      throw error;
    }
    await write(entry('end', answered(call, answer)));
    return answer;
  };
}

type Described = { readonly [Member in keyof Omit<AuditEntry, 'event' | 'at' | 'outcome' | 'code' | 'ms'>]: unknown };

async function describe({ side, method, name, principal, revision, task, params }: Call): Promise<Described> {
  const args = params['arguments'];
  return {
    id: crypto.randomUUID(),
    side,
    method: shown(method),
    name: name === undefined ? undefined : shown(name, 1_000),
    principal: principal?.id,
    revision,
    taskRun: task?.run,
    argumentsHash: args === undefined ? undefined : await sha256Hex(canonicalJson(args)),
  };
}
