import { ConnectionError, PeerError, ProtocolError, TimeoutError } from 'tenon/client';
import type { ServerConfig } from './config/server-config.ts';
import type { HostListener } from './events.ts';
import type { HostLimits } from './options.ts';
import type { Desk } from './pending/desk.ts';
import type { Left } from './pending/left.ts';
import type { Gate } from './policy/gate.ts';
import { callSubject, promptSubject, readSubject, type Subject } from './policy/subject.ts';
import type { Deed, Recorder } from './record.ts';
import { pinOf } from './registry/pin.ts';
import type { Registry } from './registry/registry.ts';
import type { Connection } from './servers/connection.ts';
import { isObject } from '@tenon/values/is-object';
import { messageOf } from './values/message-of.ts';
import { before, rested } from './servers/waiting.ts';

export interface ResumeOptions {
  readonly desk: Desk;
  readonly recorder: Recorder;
  readonly connections: ReadonlyMap<string, Connection>;
  readonly registry: Pick<Registry, 'tools'>;
  readonly gate: Gate;
  readonly limits: HostLimits;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
  config(server: string): ServerConfig | undefined;
  /** Tells of everything that happens. Returns what stops it. */
  onEvent(listener: HostListener): () => void;
}

/** Other hosts of the same folder may go at any time, and leave something. */
const LOOK_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** It must not be gone on with, and never may be. */
class Barred extends Error {}

const nobody = (): never => {
  throw new Error('Nobody is asked about a call that was left');
};

/** What is to pass the gate, as it was for the call itself. Throws if the call was for something that is not there any more. */
const subjectOf = ({ item, call, launch, pin }: Left, options: ResumeOptions): Subject => {
  const { server } = item;
  const { method, params } = call;
  const now = options.connections.get(server)?.launchDigest;
  if (launch === undefined || launch !== now) throw new Barred('it was for another program or address than this one');
  const about = { server, trusted: options.config(server)?.trusted ?? false, launch };
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  if (method === 'resources/read') return readSubject(about, String(params['uri']));
  const name = String(params['name']);
  if (method === 'prompts/get') return promptSubject(about, name, args);
  const tool = options.registry.tools().find((one) => one.server === server && one.entry.name === name);
  if (tool === undefined) throw new Barred(`there is no approved tool ${name} any more`);
  if (pin === undefined || pinOf(tool.entry) !== pin) throw new Barred(`the tool ${name} is not what it was`);
  return callSubject(about, tool.entry, pin, args);
};

/** What became of trying: whether it can be tried again, and what a person should know. */
const fateOf = (error: unknown, maybeSent: boolean): 'again' | 'over' | 'unknown' => {
  if (error instanceof Barred || error instanceof ProtocolError || error instanceof PeerError) return 'over';
  if (error instanceof TypeError) return 'over';
  // It still waits at a question, of whichever round, and nothing was done since.
  if (!maybeSent) return error instanceof TimeoutError ? 'over' : 'again';
  // Sent twice, it could be done twice.
  return error instanceof ConnectionError && error.processed === 'no' ? 'again' : 'unknown';
};

const isThere = ({ state }: Connection): boolean => state === 'ready' || state === 'idle';

/** Resolves when the server is there; also when the signal is aborted. */
const whenReady = async (connection: Connection, { closing, onEvent }: ResumeOptions): Promise<void> => {
  if (isThere(connection)) return;
  let stop: (() => void) | undefined;
  const ready = new Promise<void>((resolve) => {
    stop = onEvent((event) => {
      if (event.kind === 'server' && event.server.alias === connection.alias && isThere(connection)) resolve();
    });
  });
  await before(closing, ready).catch(() => {});
  stop?.();
};

/** Goes on with one call until it is over, or the host closes. */
const goOn = async (left: Left, connection: Connection, options: ResumeOptions): Promise<void> => {
  const { recorder, gate, limits, closing, tell } = options;
  const { server } = left.item;
  const { method, params } = left.call;
  const act = method === 'tools/call' ? 'call' : method === 'resources/read' ? 'read' : 'prompt';
  const what = String(params['name'] ?? params['uri']);
  const about = { act, server, what, who: 'host', arguments: params['arguments'] } as const;
  let deed: Deed | undefined;
  let told: string | undefined;

  const barred = async (why: string): Promise<never> => {
    await recorder.decided({ ...about, allow: false, why });
    throw new Barred(why);
  };

  /** Nothing is sent that may not be, or that cannot be written down. */
  const admit = async (): Promise<void> => {
    let subject: Subject;
    try {
      subject = subjectOf(left, options);
    } catch (error) {
      return barred(messageOf(error));
    }
    const { allow, why } = await gate.pass(subject, nobody, { signal: closing, chosen: true });
    if (!allow) return barred(why);
    if (deed !== undefined) return;
    const first = { ...about, allow: true, why: 'left at a question by an earlier program' };
    await recorder.decided(first);
    deed = first;
  };

  const tryIt = (): Promise<unknown> =>
    connection.use(async (client) => {
      await admit();
      // A client that is closed would go on waiting for the person, and have nobody to tell.
      const signal = AbortSignal.any([closing, connection.gone]);
      return left.goOn((call) => client.resume(call, { signal, maxTimeout: limits.callMs }));
    });

  /** True: it is to be tried again. */
  const failed = async (error: unknown): Promise<boolean> => {
    const fate = fateOf(error, left.isAnswered());
    if (fate === 'again') {
      await left.again();
      const message = `A call that was left (${what}) cannot be gone on with now, and is tried again: ${messageOf(error)}`;
      if (message !== told) tell({ kind: 'problem', server, message });
      told = message;
      return true;
    }
    await left.over();
    if (deed !== undefined) await recorder.ended(deed, { outcome: 'error' });
    const unknown = fate === 'unknown' ? '. Whether it was done is not known' : '';
    const message = `A call that was left (${what}) could not be gone on with: ${messageOf(error)}${unknown}`;
    tell({ kind: 'problem', server, message });
    return false;
  };

  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    await whenReady(connection, options);
    if (closing.aborted) return;
    let result: unknown;
    try {
      result = await tryIt();
    } catch (error) {
      if (closing.aborted || !(await failed(error))) return;
      await rested(pause, closing, { ref: false });
      continue;
    }
    await left.over();
    if (deed !== undefined) await recorder.ended(deed, { outcome: isError(result) ? 'error' : 'ok' });
    return tell({ kind: 'resumed', server, method, params, result });
  }
};

const isError = (result: unknown): boolean => (result as { readonly isError?: unknown } | null)?.isError === true;

/**
 * Goes on with calls that another program left at a question: those that are there now, and those that are left while this host runs. What
 * they ask waits under the same ids as before. A call waits until its server is there. Never rejects.
 */
export const resumeLeft = async (options: ResumeOptions): Promise<void> => {
  const { desk, connections, closing, tell } = options;
  let told: string | undefined;
  const problem = (server: string, error: unknown): void => {
    const message = `Calls that were left cannot be gone on with: ${messageOf(error)}`;
    if (message !== told && !closing.aborted) tell({ kind: 'problem', server, message });
    told = message;
  };
  const look = async (): Promise<void> => {
    try {
      for (const left of await desk.left((server) => connections.has(server))) {
        const { server } = left.item;
        void goOn(left, connections.get(server)!, options).catch((error: unknown) => problem(server, error));
      }
    } catch (error) {
      problem('', error);
    }
  };
  while (!closing.aborted) {
    await look();
    await rested(LOOK_MS, closing, { ref: false });
  }
};
