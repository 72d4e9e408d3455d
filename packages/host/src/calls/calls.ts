import {
  CODE,
  type CallToolResult,
  type Client,
  type Completion,
  type CompletionInput,
  type CompletionRef,
  type GetPromptResult,
  ProtocolError,
  type ReadResourceResult,
} from 'tenon/client';
import { HostError } from '../values/host-error.ts';
import type { HostListener } from '../events.ts';
import type { HostLimits } from '../options.ts';
import { ActiveCalls } from './active-calls.ts';
import { callItem, ownArguments, readItem } from './call-items.ts';
import { DeniedError } from './denied-error.ts';
import {
  unavailableText,
  failureText,
  errorResult,
  isServerChanged,
  isWithheld,
  outcomeOf,
  refusalText,
  unreadText,
} from './call-messages.ts';
import type { DecisionQueue } from '../pending/decision-queue.ts';
import type { Item } from '../pending/item.ts';
import type { Gate, PolicyDecision } from '../policy/gate.ts';
import { type ServerIdentity, callSubject, promptSubject, readSubject, type Subject } from '../policy/subject.ts';
import type { DecidedAction, ActionOutcome, Recorder, Action } from '../recorder.ts';
import { pinOf } from '../registry/pin.ts';
import type { Registry } from '../registry/registry.ts';
import type { HostCallOptions, HostTool } from '../registry/toolbox.ts';
import type { Connection } from '../servers/connection.ts';
import { connectionErrorOf } from '../servers/plain-failure.ts';
import { messageOf } from '../values/message-of.ts';
import { waitFor } from '../values/wait-for.ts';

export interface CallsOptions {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly queue: Pick<DecisionQueue, 'trackCall' | 'waitedMs'>;
  readonly limits: HostLimits;
  readonly closing: AbortSignal;
  readonly emit: HostListener;
  connection(server: string): Connection | undefined;
  /** Reads the tools of a server again if it does not announce changes. */
  refresh(server: string): Promise<void>;
  /** The server as it was started. */
  identity(server: string): ServerIdentity;
}

/** A call of a tool that was allowed. `check` throws if the permission no longer applies. */
interface AllowedCall {
  readonly tool: HostTool;
  readonly args: Record<string, unknown>;
  readonly options: HostCallOptions;
  check(): void;
}

interface CalledTool {
  readonly result: CallToolResult;
  readonly outcome: ActionOutcome['outcome'];
  readonly revision: string | undefined;
}

interface AllowedAction {
  readonly policyDecision: PolicyDecision;
  readonly decidedAction: DecidedAction;
}

/** The operations of people and models on servers. The policy decides about each of them, and each is recorded. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #active: ActiveCalls;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#active = new ActiveCalls(options);
  }

  /**
   * Calls a tool by its qualified name. Errors that a model can react to, such as an unknown tool, invalid arguments, a denial or a stopped
   * server, are results with `isError`. Rejects only with the signal's reason when it aborts.
   */
  async call(name: string, given: unknown, callOptions: HostCallOptions = {}): Promise<CallToolResult> {
    const { identity: identityOf, recorder } = this.#options;
    const { signal: callerSignal, by = 'model' } = callOptions;
    callerSignal?.throwIfAborted();
    const signal = this.#signalOf(callerSignal);
    const tool = await this.#toolFor(name, signal);
    callerSignal?.throwIfAborted();
    if (!('entry' in tool)) return tool;
    const own = ownArguments(name, given);
    if (!('args' in own)) return own;
    const { args } = own;
    const { server, entry } = tool;
    const subject = callSubject(identityOf(server), tool, pinOf(entry), args);
    let allowed: AllowedAction;
    try {
      const action = { act: 'call', server, target: entry.name, requestedBy: by, arguments: args } as const;
      const item = (): Item => callItem(tool, args, by, identityOf(server).trusted);
      allowed = await this.#decide(subject, action, item, { signal, by });
    } catch (error) {
      callerSignal?.throwIfAborted();
      // An action that cannot be recorded must not happen.
      const why = isWithheld(error) ? 'it could not be decided about and recorded' : messageOf(error);
      this.#reportWithheld(error, `${name} was not called`, server);
      return errorResult(`${name} was not called: ${why}`);
    }
    const { policyDecision, decidedAction } = allowed;
    if (!policyDecision.allow) return errorResult(refusalText(policyDecision, name));
    const startedAt = performance.now();
    const check = (): void => this.#assertUnchanged(name, subject, args);
    const { result, outcome, revision } = await this.#callTool({ tool, args, options: callOptions, check });
    await recorder.recordOutcome(decidedAction, { outcome, ms: performance.now() - startedAt, revision });
    callerSignal?.throwIfAborted();
    return result;
  }

  /** Reads a resource of a server. Rejects with a `DeniedError` if it is not allowed, and with the errors of the client. */
  async read(
    server: string,
    uri: string,
    { signal: callerSignal, by = 'model', ...conditions }: HostCallOptions = {},
  ): Promise<ReadResourceResult> {
    const signal = this.#signalOf(callerSignal);
    const action = { act: 'read', server, target: uri, requestedBy: by } as const;
    const identity = await this.#startServer(server, signal);
    const subject = readSubject(identity, uri);
    const decided = await this.#decide(subject, action, () => readItem(server, uri, by), { signal, by });
    const { policyDecision, decidedAction } = decided;
    if (!policyDecision.allow) throw new DeniedError(`${uri} was not read: ${policyDecision.why}`);
    const reading = { maxTimeout: this.#options.limits.callMs, ...conditions, signal };
    return this.#runAllowed(decidedAction, identity, signal, (client) => client.read(uri, reading));
  }

  /**
   * Gets a prompt by its qualified name. The user chose it, so it needs no approval. Rejects with a `DeniedError` if a rule denies it, and with
   * the errors of the client.
   */
  async prompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    { signal: callerSignal, by: _by, ...conditions }: HostCallOptions = {},
  ): Promise<GetPromptResult> {
    const signal = this.#signalOf(callerSignal);
    const prompt = this.#options.registry.prompts().find((candidate) => candidate.name === name);
    if (prompt === undefined) throw new HostError('unknown-prompt', `There is no prompt ${name}`);
    const { server, entry } = prompt;
    const action = { act: 'prompt', server, target: entry.name, requestedBy: 'user', arguments: args ?? {} } as const;
    const identity = await this.#startServer(server, signal);
    const subject = promptSubject(identity, entry.name, args);
    // People choose prompts themselves, so no approval is needed; a rule can still deny one.
    const { policyDecision, decidedAction } = await this.#decide(subject, action, undefined, { signal, by: 'user' });
    if (!policyDecision.allow) throw new DeniedError(`The prompt ${name} was not used: ${policyDecision.why}`);
    const asking = { maxTimeout: this.#options.limits.callMs, ...conditions, signal };
    return this.#runAllowed(decidedAction, identity, signal, (client) => client.prompt(entry.name, args, asking));
  }

  /** Suggests values for an argument of a prompt or resource template. At most 5 seconds are waited for the server. Empty
   * if a rule denies it, or the server has no completions. */
  async complete(server: string, ref: CompletionRef, typed: CompletionInput): Promise<Completion> {
    const { closing, gate, identity: identityOf } = this.#options;
    // The typed text is sent to the server, so a rule that denies the prompt or resource also denies completions for it.
    const subject =
      'prompt' in ref ? promptSubject(identityOf(server), ref.prompt) : readSubject(identityOf(server), ref.template);
    if (!(await gate.decide(subject, undefined, {})).allow) return { values: [] };
    return this.#connectionOf(server).use((client) =>
      client.complete(ref, typed, { timeout: 5_000, signal: closing }).catch((error: unknown) => {
        // A server without completions must not interrupt typing.
        if (error instanceof ProtocolError && error.code === CODE.methodNotFound) return { values: [] };
        throw error;
      }),
    );
  }

  /** Why a tool is unavailable for now, because its server is not running. Undefined if it is available, or does not exist. */
  unavailableReason(name: string): string | undefined {
    const server = this.#options.registry.unavailableServerOf(name);
    const connection = server === undefined ? undefined : this.#options.connection(server);
    // A server without tools runs, too. It is not ready before its tools are listed.
    return connection === undefined || connection.state === 'ready' ? undefined : unavailableText(name, connection);
  }

  /** The calls of a server that are in progress. `own` is the server's own name for the tool. */
  running(server: string): readonly { readonly name: string; readonly own: string }[] {
    return this.#active.of(server);
  }

  #connectionOf(server: string): Connection {
    const connection = this.#options.connection(server);
    if (connection === undefined) throw new HostError('unknown-server', `There is no server '${server}'`);
    return connection;
  }

  #signalOf(signal: AbortSignal | undefined): AbortSignal {
    const { closing } = this.#options;
    return signal === undefined ? closing : AbortSignal.any([signal, closing]);
  }

  /** The tool with this name, or an error result for the model. Checks for changes first where the server does not announce them. */
  async #toolFor(name: string, signal: AbortSignal): Promise<HostTool | CallToolResult> {
    const { refresh, registry } = this.#options;
    const server = registry.unavailableServerOf(name) ?? registry.find(name)?.tool.server;
    if (server !== undefined) await this.#connectionOf(server).waitUntilStarted(signal);
    const known = registry.find(name);
    if (known === undefined) return this.#missingToolResult(name);
    try {
      // An idle server is started first, so that the decision is about the process that will be used.
      const { server } = known.tool;
      await waitFor(
        this.#connectionOf(server).use(() => refresh(server), signal),
        signal,
      );
    } catch (error) {
      return errorResult(this.#notRunningText(error, known.tool) ?? unreadText(error, known.tool));
    }
    const found = registry.find(name);
    if (found === undefined) return this.#missingToolResult(name);
    if (found.changed === undefined) return found.tool;
    return errorResult(
      `${name} changed since it was approved, and waits for the person to approve it again. Continue without it.`,
    );
  }

  /** Tells the model that the server of a tool is not running, if that is the error. */
  #notRunningText(error: unknown, { name, server }: HostTool): string | undefined {
    const isNotRunning = error instanceof HostError && error.code === 'not-running';
    return isNotRunning ? unavailableText(name, this.#connectionOf(server)) : undefined;
  }

  #missingToolResult(name: string): CallToolResult {
    return errorResult(this.unavailableReason(name) ?? `There is no tool ${name}. Use one of the listed tools.`);
  }

  /** Starts the server if it is idle, so that the decision is about the process that will be used. */
  async #startServer(server: string, signal: AbortSignal): Promise<ServerIdentity> {
    await waitFor(
      this.#connectionOf(server).use(async () => {}, signal),
      signal,
    );
    return this.#options.identity(server);
  }

  /** Decides about an action and records the decision, or that the action was cancelled before there was one. */
  async #decide(
    subject: Subject,
    action: Action,
    item: (() => Item) | undefined,
    { signal, by }: { readonly signal: AbortSignal; readonly by: 'model' | 'user' },
  ): Promise<AllowedAction> {
    const { gate, recorder } = this.#options;
    let policyDecision: PolicyDecision;
    try {
      policyDecision = await gate.decide(subject, item, { signal, chosen: by === 'user' });
    } catch (error) {
      if (signal.aborted) await recorder.recordCancelled(action);
      throw error;
    }
    const { allow, why, decision } = policyDecision;
    const decidedAction = { ...action, allow, why, decision };
    await recorder.recordDecision(decidedAction);
    return { policyDecision, decidedAction };
  }

  /** Throws if, during the decision, the server changed the tool or was replaced by another program. */
  #assertUnchanged(name: string, subject: Subject, args: Record<string, unknown>): void {
    const { identity: identityOf, registry } = this.#options;
    const now = registry.find(name);
    const isSame =
      now !== undefined &&
      now.changed === undefined &&
      callSubject(identityOf(subject.server), now.tool, pinOf(now.tool.entry), args).exactly === subject.exactly;
    if (isSame) return;
    throw new HostError(
      'server-changed',
      this.unavailableReason(name) ??
        `${name} changed while its call was being approved, so it was not called. Read its description again.`,
    );
  }

  /** Calls a tool that was allowed, and emits its events. */
  async #callTool({ tool, args, options, check }: AllowedCall): Promise<CalledTool> {
    const { closing, limits, queue } = this.#options;
    const { signal, timeout } = options;
    const either = this.#signalOf(signal);
    let revision: string | undefined;
    const events = this.#active.begin(tool, options.onProgress);
    try {
      const result = await this.#connectionOf(tool.server).use((client: Client) => {
        // It may have been started again just now.
        check();
        revision = client.revision;
        const conditions = {
          signal: either,
          timeout,
          maxTimeout: limits.callMs,
          onProgress: events.onProgress,
        };
        return queue.trackCall(() => client.result(tool.entry.name, args, conditions));
      }, either);
      events.end(result.isError === true, revision);
      return { result, outcome: result.isError === true ? 'error' : 'ok', revision };
    } catch (error) {
      events.end(true, revision);
      const isCancelled = signal?.aborted === true || closing.aborted;
      return {
        result: errorResult(this.#failureText(error, tool)),
        outcome: outcomeOf(error, isCancelled),
        revision,
      };
    }
  }

  /** Reports an error as a problem, if the model does not get its message. Those of a connection are shown with the server. */
  #reportWithheld(error: unknown, what: string, server: string): void {
    const { closing, emit } = this.#options;
    if (isWithheld(error) && connectionErrorOf(error) === undefined && !closing.aborted)
      emit({ kind: 'problem', server, message: `${what}: ${messageOf(error)}` });
  }

  #failureText(error: unknown, tool: HostTool): string {
    if (isServerChanged(error)) return messageOf(error);
    this.#reportWithheld(error, `The call of ${tool.name} failed`, tool.server);
    return this.#notRunningText(error, tool) ?? failureText(error, tool);
  }

  /** Runs an allowed action on the server that the decision was about, and records its outcome. */
  async #runAllowed<T>(
    action: DecidedAction,
    { server, launch }: ServerIdentity,
    signal: AbortSignal,
    work: (client: Client) => Promise<T>,
  ): Promise<T> {
    const { connection, identity: identityOf, queue, recorder } = this.#options;
    const startedAt = performance.now();
    const end = (outcome: ActionOutcome['outcome']): Promise<void> => {
      const revision = connection(action.server)?.client?.revision;
      return recorder.recordOutcome(action, { outcome, ms: performance.now() - startedAt, revision });
    };
    try {
      const result = await this.#connectionOf(server).use((client) => {
        // It may have been started again just now, as another program.
        if (identityOf(server).launch !== launch)
          throw new HostError(
            'server-changed',
            `The server '${server}' changed after ${action.target} was approved. Try again`,
          );
        return queue.trackCall(() => work(client));
      }, signal);
      await end('ok');
      return result;
    } catch (error) {
      await end(outcomeOf(error, signal.aborted));
      throw error;
    }
  }
}
