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
import type { CallItem, ReadItem } from './pending/item.ts';
import type { Gate, Passage } from './policy/gate.ts';
import type { Recorder } from './record.ts';
import { pinOf } from './registry/pin.ts';
import type { Registry } from './registry/registry.ts';
import type { HostCallOptions, HostTool } from './registry/toolbox.ts';
import type { Connection } from './servers/connection.ts';

export interface CallsOptions {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly limits: HostLimits;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
  connection(server: string): Connection | undefined;
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

const isArguments = (args: unknown): args is Record<string, unknown> =>
  typeof args === 'object' && args !== null && !Array.isArray(args);

/** For the model: what it can do about it. */
const explained = (error: unknown, { name, server }: HostTool): string => {
  const message = error instanceof Error ? error.message : String(error);
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

  return {
    async call(name, args, callOptions = {}) {
      const { signal, by = 'model' } = callOptions;
      signal?.throwIfAborted();
      const found = registry.find(name);
      if (found === undefined) return failed(`There is no tool ${name}. Use one of those that are listed.`);
      const { tool, changed } = found;
      if (changed !== undefined) {
        return failed(
          `${name} is not what was approved any more, and waits for the person to approve it. Go on without it.`,
        );
      }
      if (!isArguments(args)) return failed(`The arguments of ${name} must be an object.`);
      const subject = {
        act: 'call' as const,
        server: tool.server,
        trusted: isTrusted(tool.server),
        tool: tool.entry.name,
        arguments: args,
        exactly: pinOf(tool.entry),
        ...(tool.entry.annotations === undefined ? {} : { annotations: tool.entry.annotations }),
      };
      const passage = await gate.pass(subject, () => callItem(tool, args, by), {
        signal: signalOf(signal),
        chosen: by === 'user',
      });
      const { allow, why, decision } = passage;
      const asked = decision !== undefined;
      const deed = {
        act: 'call',
        server: tool.server,
        what: tool.entry.name,
        who: by,
        allow,
        why,
        asked,
        arguments: args,
      } as const;
      recorder.decided(deed);
      if (!allow) {
        await recorder.write(deed);
        return failed(refusal(passage, name));
      }
      const began = performance.now();
      const { result, outcome, revision } = await perform(tool, args, callOptions);
      const ms = performance.now() - began;
      await recorder.write({ ...deed, outcome, ms, ...(revision === undefined ? {} : { revision }) });
      signal?.throwIfAborted();
      return result;
    },

    async read(server, uri, { signal, by = 'user' } = {}) {
      const subject = { act: 'read' as const, server, trusted: isTrusted(server), uri, exactly: uri };
      const passed = await gate.pass(subject, () => readItem(server, uri, by), {
        signal: signalOf(signal),
        chosen: by === 'user',
      });
      const { allow, why, decision } = passed;
      const deed = { act: 'read', server, what: uri, who: by, allow, why, asked: decision !== undefined } as const;
      recorder.decided(deed);
      if (!allow) {
        await recorder.write(deed);
        throw new RefusedError(`${uri} was not read: ${why}`);
      }
      return recorded(deed, () => connectionOf(server).use((client) => client.read(uri, { signal: signalOf(signal) })));
    },

    async prompt(name, args, { signal } = {}) {
      const prompt = registry.prompts().find((candidate) => candidate.name === name);
      if (prompt === undefined) throw new Error(`There is no prompt ${name}`);
      const { server, entry } = prompt;
      const why = 'chosen by the person';
      const deed = {
        act: 'prompt',
        server,
        what: entry.name,
        who: 'user',
        allow: true,
        why,
        arguments: args ?? {},
      } as const;
      recorder.decided(deed);
      return recorded(deed, () =>
        connectionOf(server).use((client) => client.prompt(entry.name, args, { signal: signalOf(signal) })),
      );
    },

    complete: (server, ref, argument, typed, resolved) =>
      connectionOf(server).use((client) =>
        client
          .complete(ref, argument, typed, resolved, { timeout: 5_000, signal: options.closing })
          .catch((error: unknown) => {
            // A server that suggests nothing is no reason to stop typing.
            if (error instanceof ProtocolError && error.code === CODE.methodNotFound) return { values: [] };
            throw error;
          }),
      ),

    running: (server) => [...active.values()].filter((call) => call.server === server),
  };

  async function recorded<T>(deed: Parameters<Recorder['write']>[0], work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const result = await work();
      await recorder.write({ ...deed, outcome: 'ok', ms: performance.now() - began });
      return result;
    } catch (error) {
      await recorder.write({ ...deed, outcome: 'error', ms: performance.now() - began });
      throw error;
    }
  }
};
