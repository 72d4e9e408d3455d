import { randomUUID } from 'node:crypto';
import {
  CODE,
  type CallToolResult,
  type Client,
  type Completion,
  type CompletionInput,
  type CompletionRef,
  type GetPromptResult,
  type Progress,
  ProtocolError,
  type ReadResourceResult,
} from 'tenon/client';
import type { ServerConfig } from './config/server-config.ts';
import type { HostListener } from './events.ts';
import type { HostLimits } from './options.ts';
import { callItem, readItem } from './call-items.ts';
import { awayText, explained, failed, OtherThan, outcomeOf, refusal } from './call-words.ts';
import type { Item } from './pending/item.ts';
import type { Gate, Passage } from './policy/gate.ts';
import { type AboutServer, callSubject, promptSubject, readSubject, type Subject } from './policy/subject.ts';
import type { Deed, End, Recorder, Undecided } from './record.ts';
import { pinOf } from './registry/pin.ts';
import type { Registry } from './registry/registry.ts';
import type { HostCallOptions, HostTool } from './registry/toolbox.ts';
import type { Connection } from './servers/connection.ts';
import { before } from './servers/waiting.ts';
import { messageOf } from './values/message-of.ts';
import { createPace } from './values/pace.ts';

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
}

/** What people and models do with servers. All of it passes the gate, and is recorded. */
export interface Calls {
  call(name: string, args: unknown, options?: HostCallOptions): Promise<CallToolResult>;
  read(server: string, uri: string, options?: HostCallOptions): Promise<ReadResourceResult>;
  prompt(name: string, args?: Readonly<Record<string, string>>, options?: HostCallOptions): Promise<GetPromptResult>;
  complete(server: string, ref: CompletionRef, typed: CompletionInput): Promise<Completion>;
  /** Why a tool that was there is not there for now. Undefined: it is there, or there is none. */
  away(name: string): string | undefined;
  /** The calls of a server that run. */
  running(server: string): readonly { readonly name: string; readonly own: string }[];
}

/** Somebody did not want it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Most reports of progress of one call that are told in a second, besides the latest. */
const MOST_PROGRESS = 50;

/** Nobody is asked where the person has chosen. */
const never = (): never => {
  throw new Error('Nobody is asked about what was chosen');
};

const isArguments = (args: unknown): args is Record<string, unknown> =>
  typeof args === 'object' && args !== null && !Array.isArray(args);

export const createCalls = (options: CallsOptions): Calls => {
  const { registry, gate, recorder, limits, tell } = options;
  const active = new Map<string, { readonly server: string; readonly name: string; readonly own: string }>();

  const connectionOf = (server: string): Connection => {
    const connection = options.connection(server);
    if (connection === undefined) throw new Error(`There is no server '${server}'`);
    return connection;
  };

  const isTrusted = (server: string): boolean => options.config(server)?.trusted ?? false;

  const signalOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? options.closing : AbortSignal.any([signal, options.closing]);

  /** Calls a tool that may be called, and tells of it. `check` throws where it may not be any more. */
  const perform = async (
    tool: HostTool,
    args: Record<string, unknown>,
    { signal, timeout, onProgress }: HostCallOptions,
    check: () => void,
  ): Promise<{ result: CallToolResult; outcome: End['outcome']; revision?: string }> => {
    const call = randomUUID();
    let revision: string | undefined;
    active.set(call, { server: tool.server, name: tool.name, own: tool.entry.name });
    tell({ kind: 'calling', call, server: tool.server, tool: tool.name });
    const began = performance.now();
    let latest: Progress | undefined;
    const report = (progress: Progress): void => {
      latest = undefined;
      tell({ kind: 'progress', call, tool: tool.name, progress });
      onProgress?.(progress);
    };
    const pace = createPace(MOST_PROGRESS, () => {
      if (latest !== undefined && active.has(call)) report(latest);
    });
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
        // It may have been started again just now.
        check();
        revision = client.revision;
        return client.result(tool.entry.name, args, {
          signal: signalOf(signal),
          ...(timeout === undefined ? {} : { timeout }),
          maxTimeout: limits.callMs,
          onProgress: (progress) => {
            if (pace.takes()) report(progress);
            else latest = progress;
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
      const isCancelled = signal?.aborted === true || options.closing.aborted;
      return {
        result: failed(error instanceof OtherThan ? error.message : explained(error, tool)),
        outcome: outcomeOf(error, isCancelled),
        ...(revision === undefined ? {} : { revision }),
      };
    }
  };

  /** Decides and writes it down, also that it was cut off before anybody decided. */
  const passed = async (
    subject: Subject,
    deed: Undecided,
    item: () => Item,
    { signal, by }: { readonly signal: AbortSignal; readonly by: 'model' | 'user' },
  ): Promise<{ readonly passage: Passage; readonly deed: Deed }> => {
    let passage: Passage;
    try {
      passage = await gate.pass(subject, item, { signal, chosen: by === 'user' });
    } catch (error) {
      if (signal.aborted) await recorder.cutOff(deed);
      throw error;
    }
    const { allow, why, decision } = passage;
    const decided = { ...deed, allow, why, decision };
    await recorder.decided(decided);
    return { passage, deed: decided };
  };

  const about = (server: string): AboutServer => ({
    server,
    trusted: isTrusted(server),
    launch: options.connection(server)?.launchDigest,
  });

  /** Does something that was decided, with the server it was decided about, and writes how it ended. */
  const done = async <T>(
    deed: Deed,
    { server, launch }: AboutServer,
    signal: AbortSignal,
    work: (client: Client) => Promise<T>,
  ): Promise<T> => {
    const began = performance.now();
    const end = (outcome: End['outcome']): Promise<void> => {
      const revision = options.connection(deed.server)?.client?.revision;
      return recorder.ended(deed, { outcome, ms: performance.now() - began, revision });
    };
    try {
      const result = await connectionOf(server).use((client) => {
        // It may have been started again just now, as another program.
        if (about(server).launch !== launch)
          throw new OtherThan(`The server '${server}' is another one than it was when ${deed.what} was decided about`);
        return work(client);
      });
      await end('ok');
      return result;
    } catch (error) {
      await end(outcomeOf(error, signal.aborted));
      throw error;
    }
  };

  /** The server as it runs now, started if it was idle: what is decided is decided about that. */
  const startedOf = async (server: string, signal: AbortSignal): Promise<AboutServer> => {
    await before(
      signal,
      connectionOf(server).use(async () => {}),
    );
    return about(server);
  };

  const away = (name: string): string | undefined => {
    const server = registry.awayWith(name);
    const connection = server === undefined ? undefined : options.connection(server);
    return connection && awayText(name, connection);
  };

  const missing = (name: string): CallToolResult =>
    failed(away(name) ?? `There is no tool ${name}. Use one of those that are listed.`);

  /** The tool that is meant, or what to say instead. Servers that do not tell of changes are looked at first. */
  const toolFor = async (name: string, signal: AbortSignal): Promise<HostTool | CallToolResult> => {
    const server = registry.awayWith(name) ?? registry.find(name)?.tool.server;
    if (server !== undefined) await connectionOf(server).arrival(limits.arrivalMs, signal);
    const known = registry.find(name);
    if (known === undefined) return missing(name);
    try {
      // An idle server is started first: what is decided is decided about what runs.
      const { server } = known.tool;
      await before(
        signal,
        connectionOf(server).use(() => options.refresh(server)),
      );
    } catch (error) {
      return failed(explained(error, known.tool));
    }
    const found = registry.find(name);
    if (found === undefined) return missing(name);
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
      const tool = await toolFor(name, signal);
      wanted?.throwIfAborted();
      if (!('entry' in tool)) return tool;
      if (!isArguments(args)) return failed(`The arguments of ${name} must be an object.`);
      const { server, entry } = tool;
      const subject = callSubject(about(server), entry, pinOf(entry), args);
      let allowed: Awaited<ReturnType<typeof passed>>;
      try {
        const deed = { act: 'call', server, what: entry.name, who: by, arguments: args } as const;
        allowed = await passed(subject, deed, () => callItem(tool, args, by, isTrusted(server)), { signal, by });
      } catch (error) {
        wanted?.throwIfAborted();
        // Nothing is done that cannot be written down.
        return failed(`${name} was not called: ${messageOf(error)}`);
      }
      const { passage, deed } = allowed;
      if (!passage.allow) return failed(refusal(passage, name));
      // While it was looked at, the server may have made another one of it, or may have become another one itself.
      const check = (): void => {
        const now = registry.find(name);
        const isSame =
          now !== undefined &&
          now.changed === undefined &&
          callSubject(about(server), now.tool.entry, pinOf(now.tool.entry), args).exactly === subject.exactly;
        if (isSame) return;
        throw new OtherThan(
          away(name) ?? `${name} changed while it was decided about, so it was not called. Look at it again.`,
        );
      };
      const began = performance.now();
      const { result, outcome, revision } = await perform(tool, args, callOptions, check);
      await recorder.ended(deed, { outcome, ms: performance.now() - began, revision });
      wanted?.throwIfAborted();
      return result;
    },

    async read(server, uri, { signal: wanted, by = 'model', ...conditions } = {}) {
      const signal = signalOf(wanted);
      const undecided = { act: 'read', server, what: uri, who: by } as const;
      const whom = await startedOf(server, signal);
      const subject = readSubject(whom, uri);
      const { passage, deed } = await passed(subject, undecided, () => readItem(server, uri, by), { signal, by });
      if (!passage.allow) throw new RefusedError(`${uri} was not read: ${passage.why}`);
      const reading = { maxTimeout: limits.callMs, ...conditions, signal };
      return done(deed, whom, signal, (client) => client.read(uri, reading));
    },

    async prompt(name, args, { signal: wanted, by: _by, ...conditions } = {}) {
      const signal = signalOf(wanted);
      const prompt = registry.prompts().find((candidate) => candidate.name === name);
      if (prompt === undefined) throw new Error(`There is no prompt ${name}`);
      const { server, entry } = prompt;
      const undecided = { act: 'prompt', server, what: entry.name, who: 'user', arguments: args ?? {} } as const;
      const whom = await startedOf(server, signal);
      const subject = promptSubject(whom, entry.name, args);
      // A person chooses prompts, so nobody is asked; a rule may still deny it.
      const { passage, deed } = await passed(subject, undecided, never, { signal, by: 'user' });
      if (!passage.allow) throw new RefusedError(`The prompt ${name} was not used: ${passage.why}`);
      const asking = { maxTimeout: limits.callMs, ...conditions, signal };
      return done(deed, whom, signal, (client) => client.prompt(entry.name, args, asking));
    },

    async complete(server, ref, typed) {
      // What is typed goes to the server: a rule that denies what it is typed for denies that, too.
      const subject =
        'prompt' in ref ? promptSubject(about(server), ref.prompt) : readSubject(about(server), ref.template);
      if (!(await gate.pass(subject, never, { chosen: true })).allow) return { values: [] };
      return connectionOf(server).use((client) =>
        client.complete(ref, typed, { timeout: 5_000, signal: options.closing }).catch((error: unknown) => {
          // A server that suggests nothing is no reason to stop typing.
          if (error instanceof ProtocolError && error.code === CODE.methodNotFound) return { values: [] };
          throw error;
        }),
      );
    },

    away,

    running: (server) => [...active.values()].filter((call) => call.server === server),
  };
};
