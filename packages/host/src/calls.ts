import { randomUUID } from 'node:crypto';
import {
  CODE,
  type CallToolResult,
  type Client,
  type Completion,
  type GetPromptResult,
  ProtocolError,
  type ReadResourceResult,
} from 'tenon/client';
import type { ServerConfig } from './config/server-config.ts';
import type { HostListener } from './events.ts';
import type { HostLimits } from './options.ts';
import type { CallItem, Item, ReadItem } from './pending/item.ts';
import type { Gate, Passage } from './policy/gate.ts';
import { type AboutServer, callSubject, promptSubject, readSubject, type Subject } from './policy/subject.ts';
import type { Deed, End, Recorder } from './record.ts';
import { pinOf } from './registry/pin.ts';
import type { Registry } from './registry/registry.ts';
import type { HostCallOptions, HostTool } from './registry/toolbox.ts';
import type { Connection } from './servers/connection.ts';
import { messageOf } from './values/message-of.ts';

export interface CallsOptions {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly limits: HostLimits;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
  connection(server: string): Connection | undefined;
  /** Looks again at the tools of a server that does not tell when they change. */
  refresh(server: string): Promise<void>;
  config(server: string): ServerConfig | undefined;
  now(): number;
}

/** What people and models do with servers. All of it passes the gate, and is recorded. */
export interface Calls {
  call(name: string, args: unknown, options?: HostCallOptions): Promise<CallToolResult>;
  read(server: string, uri: string, options?: HostCallOptions): Promise<ReadResourceResult>;
  prompt(name: string, args?: Readonly<Record<string, string>>, options?: HostCallOptions): Promise<GetPromptResult>;
  complete(
    server: string,
    ref: { readonly prompt: string } | { readonly template: string },
    argument: string,
    typed: string,
    resolved?: Readonly<Record<string, string>>,
  ): Promise<Completion>;
  /** The calls of a server that run. */
  running(server: string): readonly { readonly name: string; readonly own: string }[];
}

/** Somebody did not want it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

/** Nobody is asked where the person has chosen. */
const never = (): never => {
  throw new Error('Nobody is asked about what was chosen');
};

const isArguments = (args: unknown): args is Record<string, unknown> =>
  typeof args === 'object' && args !== null && !Array.isArray(args);

/** For the model: what it can do about it. */
const explained = (error: unknown, { name, server }: HostTool): string => {
  const message = messageOf(error);
  if (error instanceof ProtocolError) return `The server '${server}' refused the call of ${name}: ${message}`;
  return `The call of ${name} failed: ${message}`;
};

const refusal = ({ why, decision }: Passage, name: string): string => {
  const reason = decision?.reason;
  return `${name} was not called: ${reason ?? why}. Do not try it again unless the person asks for it.`;
};

export const createCalls = (options: CallsOptions): Calls => {
  const { registry, gate, recorder, limits, tell, now } = options;
  const active = new Map<string, { readonly server: string; readonly name: string; readonly own: string }>();

  const connectionOf = (server: string): Connection => {
    const connection = options.connection(server);
    if (connection === undefined) throw new Error(`There is no server '${server}'`);
    return connection;
  };

  const isTrusted = (server: string): boolean => options.config(server)?.trusted ?? false;

  const signalOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? options.closing : AbortSignal.any([signal, options.closing]);

  /** Calls a tool that may be called, and tells of it. */
  const perform = async (
    tool: HostTool,
    args: Record<string, unknown>,
    { signal, timeout, onProgress }: HostCallOptions,
  ): Promise<{ result: CallToolResult; outcome: 'ok' | 'error' | 'cancelled'; revision?: string }> => {
    const call = randomUUID();
    let revision: string | undefined;
    active.set(call, { server: tool.server, name: tool.name, own: tool.entry.name });
    tell({ kind: 'calling', call, server: tool.server, tool: tool.name });
    const began = performance.now();
    const over = (isError: boolean): void => {
      active.delete(call);
      tell({
        kind: 'called',
        call,
        server: tool.server,
        tool: tool.name,
        ms: performance.now() - began,
        isError,
        revision,
      });
    };
    try {
      const result = await connectionOf(tool.server).use((client: Client) => {
        revision = client.revision;
        return client.result(tool.entry.name, args, {
          signal: signalOf(signal),
          ...(timeout === undefined ? {} : { timeout }),
          maxTimeout: limits.callMs,
          onProgress: (progress) => {
            tell({ kind: 'progress', call, tool: tool.name, progress });
            onProgress?.(progress);
          },
        });
      });
      over(result.isError === true);
      return {
        result,
        outcome: result.isError === true ? 'error' : 'ok',
        ...(revision === undefined ? {} : { revision }),
      };
    } catch (error) {
      over(true);
      const cancelled = signal?.aborted === true || options.closing.aborted;
      return {
        result: failed(explained(error, tool)),
        outcome: cancelled ? 'cancelled' : 'error',
        ...(revision === undefined ? {} : { revision }),
      };
    }
  };

  const callItem = (tool: HostTool, args: Record<string, unknown>, by: 'model' | 'user'): CallItem => ({
    kind: 'call',
    id: randomUUID(),
    at: now(),
    server: tool.server,
    tool: tool.name,
    title: tool.entry.annotations?.title ?? tool.entry.title ?? tool.entry.name,
    arguments: args,
    by,
    warnings:
      isTrusted(tool.server) || tool.entry.annotations?.readOnlyHint !== true
        ? []
        : ['The server calls it read-only; it is not trusted to say so.'],
  });

  const readItem = (server: string, uri: string, by: 'model' | 'user'): ReadItem => ({
    kind: 'read',
    id: randomUUID(),
    at: now(),
    server,
    uri,
    by,
    warnings: [],
  });

  /** Decides and writes it down. What nobody decided because it was cut off is a no. */
  const passed = async (
    subject: Subject,
    deed: Omit<Deed, 'allow' | 'why' | 'decision'>,
    item: () => Item,
    { signal, by }: { readonly signal: AbortSignal; readonly by: 'model' | 'user' },
  ): Promise<{ readonly passage: Passage; readonly deed: Deed }> => {
    try {
      const passage = await gate.pass(subject, item, { signal, chosen: by === 'user' });
      const { allow, why, decision } = passage;
      const decided = { ...deed, allow, why, decision };
      await recorder.decided(decided);
      return { passage, deed: decided };
    } catch (error) {
      if (signal.aborted) await recorder.decided({ ...deed, allow: false, why: 'cut off before anybody decided' });
      throw error;
    }
  };

  const about = (server: string): AboutServer => ({
    server,
    trusted: isTrusted(server),
    launch: options.connection(server)?.launchDigest,
  });

  /** Does something that was decided, and writes how it ended. */
  const done = async <T>(deed: Deed, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const end = (outcome: End['outcome']): Promise<void> => {
      const revision = options.connection(deed.server)?.client?.revision;
      return recorder.ended(deed, { outcome, ms: performance.now() - began, revision });
    };
    try {
      const result = await work();
      await end('ok');
      return result;
    } catch (error) {
      await end('error');
      throw error;
    }
  };

  /** The tool that is meant, or what to say instead. Servers that do not tell of changes are looked at first. */
  const toolFor = async (name: string): Promise<HostTool | CallToolResult> => {
    const known = registry.find(name);
    if (known === undefined) return failed(`There is no tool ${name}. Use one of those that are listed.`);
    try {
      // An idle server is started first: what is decided is decided about what runs.
      const { server } = known.tool;
      await connectionOf(server).use(() => options.refresh(server));
    } catch (error) {
      return failed(explained(error, known.tool));
    }
    const found = registry.find(name);
    if (found === undefined) return failed(`There is no tool ${name} any more. Use one of those that are listed.`);
    if (found.changed === undefined) return found.tool;
    return failed(
      `${name} is not what was approved any more, and waits for the person to approve it. Go on without it.`,
    );
  };

  return {
    async call(name, args, callOptions = {}) {
      const { signal: wanted, by = 'model' } = callOptions;
      wanted?.throwIfAborted();
      const signal = signalOf(wanted);
      const tool = await toolFor(name);
      if (!('entry' in tool)) return tool;
      if (!isArguments(args)) return failed(`The arguments of ${name} must be an object.`);
      const { server, entry } = tool;
      const subject = callSubject(about(server), entry, pinOf(entry), args);
      let allowed: Awaited<ReturnType<typeof passed>>;
      try {
        const deed = { act: 'call', server, what: entry.name, who: by, arguments: args } as const;
        allowed = await passed(subject, deed, () => callItem(tool, args, by), { signal, by });
      } catch (error) {
        wanted?.throwIfAborted();
        // Nothing is done that cannot be written down.
        return failed(`${name} was not called: ${messageOf(error)}`);
      }
      const { passage, deed } = allowed;
      if (!passage.allow) return failed(refusal(passage, name));
      // While it was looked at, the server may have made another one of it, or may have become another one itself.
      const now = registry.find(name);
      const isSame =
        now !== undefined &&
        now.changed === undefined &&
        callSubject(about(server), now.tool.entry, pinOf(now.tool.entry), args).exactly === subject.exactly;
      if (!isSame) {
        await recorder.ended(deed, { outcome: 'cancelled' });
        return failed(`${name} changed while it was decided about, so it was not called. Look at it again.`);
      }
      const began = performance.now();
      const { result, outcome, revision } = await perform(tool, args, callOptions);
      await recorder.ended(deed, { outcome, ms: performance.now() - began, revision });
      wanted?.throwIfAborted();
      return result;
    },

    async read(server, uri, { signal: wanted, by = 'model' } = {}) {
      const signal = signalOf(wanted);
      const undecided = { act: 'read', server, what: uri, who: by } as const;
      const subject = readSubject(about(server), uri);
      const { passage, deed } = await passed(subject, undecided, () => readItem(server, uri, by), { signal, by });
      if (!passage.allow) throw new RefusedError(`${uri} was not read: ${passage.why}`);
      return done(deed, () => connectionOf(server).use((client) => client.read(uri, { signal })));
    },

    async prompt(name, args, { signal: wanted } = {}) {
      const signal = signalOf(wanted);
      const prompt = registry.prompts().find((candidate) => candidate.name === name);
      if (prompt === undefined) throw new Error(`There is no prompt ${name}`);
      const { server, entry } = prompt;
      const undecided = { act: 'prompt', server, what: entry.name, who: 'user', arguments: args ?? {} } as const;
      const subject = promptSubject(about(server), entry.name, args);
      // A person chooses prompts, so nobody is asked; a rule may still deny it.
      const { passage, deed } = await passed(subject, undecided, never, { signal, by: 'user' });
      if (!passage.allow) throw new RefusedError(`The prompt ${name} was not used: ${passage.why}`);
      return done(deed, () => connectionOf(server).use((client) => client.prompt(entry.name, args, { signal })));
    },

    async complete(server, ref, argument, typed, resolved) {
      // What is typed goes to the server: a rule that denies what it is typed for denies that, too.
      const subject =
        'prompt' in ref ? promptSubject(about(server), ref.prompt) : readSubject(about(server), ref.template);
      if (!(await gate.pass(subject, never, { chosen: true })).allow) return { values: [] };
      return connectionOf(server).use((client) =>
        client
          .complete(ref, argument, typed, resolved, { timeout: 5_000, signal: options.closing })
          .catch((error: unknown) => {
            // A server that suggests nothing is no reason to stop typing.
            if (error instanceof ProtocolError && error.code === CODE.methodNotFound) return { values: [] };
            throw error;
          }),
      );
    },

    running: (server) => [...active.values()].filter((call) => call.server === server),
  };
};
