import { pathToFileURL } from 'node:url';
import {
  type AskContext,
  type ConnectOptions,
  type EraMemory,
  type Question,
  revisions,
  type ServerLog,
  type SuspendedCall,
} from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import type { HostListener } from '../events.ts';
import { elicitResultOf, pageProblem, questionItem } from '../interaction/questions.ts';
import { createSampler } from '../interaction/sampling.ts';
import { type HostLimits, type HostOptions } from '../options.ts';
import type { DecisionQueue } from '../pending/decision-queue.ts';
import type { Item } from '../pending/item.ts';
import type { Gate } from '../policy/gate.ts';
import type { Subject } from '../policy/subject.ts';
import type { Recorder, Action } from '../recorder.ts';
import { createRateLimit, type RateLimit } from '../values/rate-limit.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

export function rootUri(folder: string): string {
  return /^file:/i.test(folder) ? folder : pathToFileURL(folder).href;
}

/** Log messages and problems of one server that are reported per second. */
const MAX_LOGS_PER_SECOND = 100;
const MAX_PROBLEMS_PER_SECOND = 20;

/** Treats every server as a legacy one. */
const ONLY_LEGACY: EraMemory = { get: () => 'legacy', set() {}, delete() {} };

/** The dependencies of the answers to a server's requests. */
export interface ClientOptionsContext {
  readonly config: ServerConfig;
  readonly host: HostOptions;
  readonly limits: HostLimits;
  readonly queue: DecisionQueue;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly emit: HostListener;
  /** The current roots. */
  roots(): readonly string[];
  /** The calls in progress: qualified names, and the server's own names. */
  running(): readonly { readonly name: string; readonly own: string }[];
  /** The digest of the running launch, as decisions are bound to it. */
  launch(): string | undefined;
  /** The qualified name and the pin of a tool, by the server's own name for it. */
  tool(own: string): { readonly name: string; readonly pin: string } | undefined;
  /** Whether the server can still read the state of a call in another program. */
  readonly keepsState: boolean;
  /** Aborts when the current process or connection has ended. */
  disconnected(): AbortSignal;
  /** Aborts when the host closes. */
  readonly closing: AbortSignal;
  now(): number;
}

/** The subject of a decision about sampling. A longer decision does not extend to requests with context, nor to responses. */
function subjectOf(item: Item, subject: Subject): Subject {
  if (item.kind === 'sampled') return { ...subject, tool: 'answer', exactly: item.id };
  return item.kind === 'sample' && item.context !== undefined ? { ...subject, tool: 'context' } : subject;
}

/** Handles the requests of one server: each is decided by a person or the policy, and recorded. */
class ServerRequests {
  readonly #options: ClientOptionsContext;
  readonly #server: string;
  readonly #logs: RateLimit;
  readonly #problems: RateLimit;

  constructor(options: ClientOptionsContext) {
    this.#options = options;
    this.#server = options.config.alias;
    this.#logs = this.#limited(MAX_LOGS_PER_SECOND, 'log messages');
    this.#problems = this.#limited(MAX_PROBLEMS_PER_SECOND, 'problems');
  }

  reportProblem(message: string): void {
    if (this.#problems.tryTake()) this.#options.emit({ kind: 'problem', server: this.#server, message });
  }

  reportLog(message: ServerLog): void {
    if (this.#logs.tryTake()) this.#options.emit({ kind: 'log', server: this.#server, message });
  }

  /** Asks the person a question of the server. */
  async elicit(question: Question, context: AskContext) {
    const { now, queue, recorder } = this.#options;
    const server = this.#server;
    const pageError = question.mode === 'url' ? pageProblem(question.url) : undefined;
    const target = question.name ?? question.message;
    const action = { act: 'question', server, target, requestedBy: server } as const;
    if (pageError !== undefined) {
      await recorder.recordDecision({ ...action, allow: false, why: pageError });
      this.reportProblem(`It asked you to open a page, which was declined: ${pageError}`);
      return { action: 'decline' as const };
    }
    const item = questionItem(server, question, context, this.#toolOf(context), now());
    const signal = this.#combinedSignal(context.signal);
    const { call } = context;
    const origin = call === undefined ? {} : { call, ...this.#originOf(call) };
    const decision = await this.#recordIfCancelled(signal, action, () => queue.decide(item, { signal, ...origin }));
    const answer = elicitResultOf(decision, item);
    const { automatic, reason = 'no decision could be made' } = decision;
    const why = automatic === true ? reason : `${answer.action} by the person`;
    const personDecision = automatic === true ? undefined : decision;
    await recorder.recordDecision({ ...action, allow: decision.allow, why, decision: personDecision });
    return answer;
  }

  /** Handles sampling requests with the models of the host; undefined if the host has no models. */
  sampler(): ReturnType<typeof createSampler> | undefined {
    const { host, limits, now } = this.#options;
    const [first, ...others] = host.sample ?? [];
    if (first === undefined) return undefined;
    return createSampler({
      server: this.#server,
      models: [first, ...others],
      maxTokens: limits.sampleTokens,
      perMinute: limits.samplesPerMinute,
      now,
      reportProblem: (message) => this.reportProblem(message),
      context: async (which, signal) => host.context?.(this.#server, which, { signal }),
      review: (item, wanted) => this.#reviewSampling(item, wanted),
    });
  }

  async #reviewSampling(item: Item, wanted: AbortSignal) {
    const { config, gate, launch, recorder } = this.#options;
    const server = this.#server;
    const signal = this.#combinedSignal(wanted);
    const subject = { act: 'sample' as const, server, trusted: config.trusted ?? false, exactly: launch() ?? '' };
    const shown = item.kind === 'sample' ? [item.request] : item.kind === 'sampled' ? [item.request, item.result] : [];
    const act = item.kind === 'sample' ? 'sample' : 'sampled';
    const action = { act, server, target: 'model', requestedBy: server, arguments: shown } as const;
    const { allow, why, standing, decision } = await this.#recordIfCancelled(signal, action, () =>
      gate.decide(subjectOf(item, subject), () => item, { signal }),
    );
    await recorder.recordDecision({ ...action, allow, why, decision });
    return { ...decision, allow, standing };
  }

  #limited(perSecond: number, what: string): RateLimit {
    const { emit } = this.#options;
    return createRateLimit(perSecond, (count) =>
      emit({
        kind: 'problem',
        server: this.#server,
        message: `${count} more ${what} were left out: there were too many in one second`,
      }),
    );
  }

  /** The tool whose call a question belongs to. */
  #toolOf({ call }: AskContext): string | undefined {
    const running = this.#options.running();
    if (call?.method === 'tools/call') return this.#options.tool(String(call.params['name']))?.name;
    if (call !== undefined) return undefined;
    // A legacy server does not say which call a question belongs to.
    return running.length === 1 ? running[0]!.name : undefined;
  }

  /** The launch and pin, which have to be the same for another program to resume the call. Without a launch, it cannot be resumed. */
  #originOf({ method, params }: SuspendedCall): { launch?: string; pin?: string } {
    const { keepsState, launch, tool } = this.#options;
    const called = method === 'tools/call' ? tool(String(params['name'])) : undefined;
    return { launch: keepsState ? launch() : undefined, pin: called?.pin };
  }

  /** Aborts when the server cancels the request or disconnects, or the host closes. */
  #combinedSignal(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#options.disconnected(), this.#options.closing]);
  }

  /** Asks a person, and records it if that is cancelled. */
  async #recordIfCancelled<T>(signal: AbortSignal, action: Action, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) await this.#options.recorder.recordCancelled(action);
      throw error;
    }
  }
}

/** Client options with the features that this host offers to servers: elicitation, sampling and roots, and its log handlers. */
export function createClientOptions(options: ClientOptionsContext): ConnectOptions {
  const { config, host } = options;
  const requests = new ServerRequests(options);
  const sample = requests.sampler();
  // They take precedence over the options of the program, but only where they are set.
  return withoutUndefined({
    elicit: { handler: (question, context) => requests.elicit(question, context), form: true, url: true },
    // A call that its server runs as a task is awaited like any other.
    tasks: true,
    roots: () => options.roots().map(rootUri),
    eras: config.era === 'legacy' ? ONLY_LEGACY : undefined,
    sample: sample === undefined ? undefined : { handler: sample, tools: true, context: host.context !== undefined },
    revision: config.revision ?? (config.era === 'modern' ? revisions[0] : undefined),
    timeout: config.timeout,
    onLog: (message) => requests.reportLog(message),
    log: ({ level, message, details }) => {
      // The message of the error is more informative than the event itself.
      const why = details instanceof Error ? `: ${details.message}` : '';
      if (level === 'warn' || level === 'error') requests.reportProblem(`${message}${why}`);
    },
  });
}
