import { ConnectionError, PeerError, ProtocolError, TimeoutError } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import type { HostListener } from '../events.ts';
import type { HostLimits } from '../options.ts';
import type { DecisionQueue } from '../pending/decision-queue.ts';
import type { InterruptedCall } from '../pending/interrupted-calls.ts';
import type { Gate } from '../policy/gate.ts';
import { callSubject, promptSubject, readSubject, type Subject } from '../policy/subject.ts';
import type { DecidedAction, Recorder } from '../recorder.ts';
import { pinOf } from '../registry/pin.ts';
import type { Registry } from '../registry/registry.ts';
import type { Connection } from '../servers/connection.ts';
import { isObject } from '@tenon/values/is-object';
import { messageOf } from '../values/message-of.ts';
import { pause } from '../servers/pause.ts';
import { waitFor } from '../values/wait-for.ts';

export interface ResumeOptions {
  readonly queue: DecisionQueue;
  readonly recorder: Recorder;
  readonly connections: ReadonlyMap<string, Connection>;
  readonly registry: Pick<Registry, 'toolsOf'>;
  readonly gate: Gate;
  readonly limits: HostLimits;
  readonly closing: AbortSignal;
  readonly emit: HostListener;
  config(server: string): ServerConfig | undefined;
  /** Subscribes to all events. Returns a function that unsubscribes. */
  onEvent(listener: HostListener): () => void;
}

/** How often to look for interrupted calls: other hosts that share the folder may end at any time. */
const SCAN_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** The call must never be resumed. */
class NotResumableError extends Error {}

/** The subject for the policy, the same as for the original call. Throws if the call was for something that no longer exists. */
function subjectOf({ item, call, launch, pin }: InterruptedCall, options: ResumeOptions): Subject {
  const { server } = item;
  const { method, params } = call;
  const now = options.connections.get(server)?.launchDigest;
  if (launch === undefined)
    throw new NotResumableError(
      'its server was part of the program that ended, and had no keys that last longer (set TENON_KEYS)',
    );
  if (launch !== now) throw new NotResumableError('it was made to a different program or address');
  const identity = { server, trusted: options.config(server)?.trusted ?? false, launch };
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  if (method === 'resources/read') return readSubject(identity, String(params['uri']));
  const name = String(params['name']);
  if (method === 'prompts/get') return promptSubject(identity, name, args);
  const tool = options.registry.toolsOf(server).find(({ entry }) => entry.name === name);
  if (tool === undefined) throw new NotResumableError(`there is no approved tool ${name} now`);
  if (pin === undefined || pinOf(tool.entry) !== pin) throw new NotResumableError(`the tool ${name} has changed`);
  return callSubject(identity, tool, pin, args);
}

/** Whether a failed attempt can be repeated, is final, or may have taken effect. */
function resumeFailureOf(error: unknown, maybeSent: boolean): 'retry' | 'final' | 'unknown' {
  if (error instanceof NotResumableError || error instanceof ProtocolError || error instanceof PeerError)
    return 'final';
  if (error instanceof TypeError) return 'final';
  // The call still waits at a question, and nothing was sent since.
  if (!maybeSent) return error instanceof TimeoutError ? 'final' : 'retry';
  // Sending it twice could run it twice.
  return error instanceof ConnectionError && error.processed === 'no' ? 'retry' : 'unknown';
}

function isAvailable({ state }: Connection): boolean {
  return state === 'ready' || state === 'idle';
}

/** Resolves when the server is available, or when the signal aborts. */
async function whenReady(connection: Connection, { closing, onEvent }: ResumeOptions): Promise<void> {
  if (isAvailable(connection)) return;
  let stop: (() => void) | undefined;
  const ready = new Promise<void>((resolve) => {
    stop = onEvent((event) => {
      if (event.kind === 'server' && event.server.alias === connection.alias && isAvailable(connection)) resolve();
    });
  });
  await waitFor(ready, closing).catch(() => {});
  stop?.();
}

/** Resumes one call until it has ended, or the host closes. */
async function resumeCall(
  interruptedCall: InterruptedCall,
  connection: Connection,
  options: ResumeOptions,
): Promise<void> {
  const { recorder, gate, limits, closing, emit } = options;
  const { server } = interruptedCall.item;
  const { method, params } = interruptedCall.call;
  const act = method === 'tools/call' ? 'call' : method === 'resources/read' ? 'read' : 'prompt';
  const target = String(params['name'] ?? params['uri']);
  const description = { act, server, target, requestedBy: 'host', arguments: params['arguments'] } as const;
  let action: DecidedAction | undefined;
  let lastMessage: string | undefined;

  const denyResume = async (why: string): Promise<never> => {
    await recorder.recordDecision({ ...description, allow: false, why });
    throw new NotResumableError(why);
  };

  /** Throws if the call must not be resumed, or if the decision cannot be recorded. */
  const admit = async (): Promise<void> => {
    let subject: Subject;
    try {
      subject = subjectOf(interruptedCall, options);
    } catch (error) {
      return denyResume(messageOf(error));
    }
    // It was approved when it was made.
    const { allow, why } = await gate.decide(subject, undefined, { signal: closing });
    if (!allow) return denyResume(why);
    if (action !== undefined) return;
    const first = { ...description, allow: true, why: 'interrupted at a question of an earlier program' };
    await recorder.recordDecision(first);
    action = first;
  };

  const attempt = (): Promise<unknown> =>
    connection.use(async (client) => {
      await admit();
      // Otherwise a closed client would keep waiting for the person without being able to deliver the answer.
      const signal = AbortSignal.any([closing, connection.disconnected]);
      return interruptedCall.resume((call) => client.resume(call, { signal, maxTimeout: limits.callMs }));
    });

  /** Handles a failed attempt. Returns whether to try again. */
  const failed = async (error: unknown): Promise<boolean> => {
    const failure = resumeFailureOf(error, interruptedCall.isAnswered());
    if (failure === 'retry') {
      await interruptedCall.putBack();
      const message = `An interrupted call (${target}) cannot be resumed now, and will be tried again: ${messageOf(error)}`;
      if (message !== lastMessage) emit({ kind: 'problem', server, message });
      lastMessage = message;
      return true;
    }
    await interruptedCall.finish();
    if (action !== undefined) await recorder.recordOutcome(action, { outcome: 'error' });
    const unknown = failure === 'unknown' ? '. It may have taken effect' : '';
    const message = `An interrupted call (${target}) could not be resumed: ${messageOf(error)}${unknown}`;
    emit({ kind: 'problem', server, message });
    return false;
  };

  // The earlier program ended after the last answer. Sending it again could run it twice.
  if (interruptedCall.isAnswered()) {
    await interruptedCall.finish();
    const message = `A call (${target}) was interrupted after its last question was answered, so it is not resumed. It may have taken effect`;
    return emit({ kind: 'problem', server, message });
  }

  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    await whenReady(connection, options);
    if (closing.aborted) return;
    let result: unknown;
    try {
      result = await attempt();
    } catch (error) {
      if (closing.aborted || !(await failed(error))) return;
      await pause(pauseMs, closing, { ref: false });
      continue;
    }
    await interruptedCall.finish();
    if (action !== undefined) await recorder.recordOutcome(action, { outcome: isError(result) ? 'error' : 'ok' });
    return emit({ kind: 'resumed', server, method, params, result });
  }
}

function isError(result: unknown): boolean {
  return (result as { readonly isError?: unknown } | null)?.isError === true;
}

/**
 * Resumes calls that another program had to leave at a question: those that exist now, and those that appear while this host runs. Their
 * questions wait under the same ids as before, and a call waits until its server is available. Never rejects.
 */
export async function resumeInterruptedCalls(options: ResumeOptions): Promise<void> {
  const { queue, connections, closing, emit } = options;
  let lastMessage: string | undefined;
  const problem = (server: string, error: unknown): void => {
    const message = `Interrupted calls cannot be resumed: ${messageOf(error)}`;
    if (message !== lastMessage && !closing.aborted) emit({ kind: 'problem', server, message });
    lastMessage = message;
  };
  const scan = async (): Promise<void> => {
    try {
      for (const interruptedCall of await queue.takeInterrupted((server) => connections.has(server))) {
        const { server } = interruptedCall.item;
        void resumeCall(interruptedCall, connections.get(server)!, options).catch((error: unknown) =>
          problem(server, error),
        );
      }
    } catch (error) {
      problem('', error);
    }
  };
  while (!closing.aborted) {
    await scan();
    await pause(SCAN_MS, closing, { ref: false });
  }
}
