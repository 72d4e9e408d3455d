import { isObject } from '@tenon/values/is-object';
import { nearest } from '@tenon/values/nearest';
import type { ClientAuth } from 'tenon/auth';
import type { ConnectOptions, Target, TraceEntry } from 'tenon/client';
import type { Login } from './config/login.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { OfferedModel } from './interaction/models.ts';
import type { DecisionHandler } from './pending/decision-queue.ts';
import type { Store } from 'tenon/http';
import type { Rule } from './policy/rule.ts';

/** Options of a host. Only `servers` is required. */
export interface HostOptions {
  /** The servers that `readServers` returned, or targets by alias: URLs, commands, or servers of this program. */
  readonly servers: readonly ServerConfig[] | Readonly<Record<string, Target>>;
  /**
   * A folder for decisions, pins, waiting questions and the audit log; or a store for all of them. Default: these end with the program, and
   * there is no log.
   */
  readonly state?: string | Store | undefined;
  /** Decide before a person is asked. Default: none, so that each action is asked about. A later change of the list has no effect. */
  readonly rules?: readonly Rule[] | undefined;
  /** Decides about items that no rule covers. Without it they wait, see `pending` and `answer`. */
  readonly approve?: DecisionHandler | undefined;
  /** Answers elicitations: forms, and pages to open. Without it they wait. */
  readonly ask?: DecisionHandler | undefined;
  /** Models for sampling requests, in order of preference. Default: sampling is not offered to servers. */
  readonly sample?: readonly OfferedModel[] | undefined;
  /**
   * Returns the context for a sampling request that asks for the context of its server, or of all servers (`includeContext`). The person
   * sees it in the item. Default: context is not offered to servers.
   */
  readonly context?:
    | ((
        server: string,
        which: 'thisServer' | 'allServers',
        options: { readonly signal: AbortSignal },
      ) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Roots for the servers, as paths or `file://` URIs. Default: none. */
  readonly roots?: readonly string[] | undefined;
  /** Environment variables for configurations. Default: those of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** The value of `${workspaceFolder}`. Default: the working folder. */
  readonly folder?: string | undefined;
  /** Asks the person for an input that a configuration declares. */
  readonly input?: ((id: string) => string | undefined | Promise<string | undefined>) | undefined;
  /** Additional options for the connection to a server, such as `auth`. */
  readonly connect?: ((config: ServerConfig) => ConnectOptions) | undefined;
  /** Receives all messages between this program and its servers, with the server's alias. Messages may contain secrets. */
  readonly onTrace?: ((entry: TraceEntry, server: string) => void) | undefined;
  /**
   * Creates the credentials for a server whose configuration has login settings: `({ callbackPort: port, ...login }) => oauth({ browser: loopback({ port }), ...login })`. Without it,
   * such settings are reported as a problem.
   */
  readonly login?: ((login: Login, config: ServerConfig) => ClientAuth) | undefined;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<HostLimits> | undefined;
}

/** Limits of a host. */
export interface HostLimits {
  /**
   * Milliseconds after which a start counts as late: `start` no longer waits for it, and `servers()` says so. The server may still become
   * ready. Default 30,000.
   */
  readonly startMs: number;
  /** Milliseconds that a program may take to answer the handshake. Then it is ended, and started again. Default 300,000. */
  readonly startMaxMs: number;
  /** Milliseconds until a server that ended soon after its start is started again, doubled after each failure. Default 1,000. */
  readonly restartMs: number;
  /** Milliseconds that a call waits for a server that is starting. Default 3,000. */
  readonly startWaitMs: number;
  /** Maximum tokens of one model response for a server. Default 4,096. */
  readonly sampleTokens: number;
  /** Maximum sampling requests of one server per minute. Default 20. */
  readonly samplesPerMinute: number;
  /** Total milliseconds that a call may take, including the time of the person. Default 24 hours. */
  readonly callMs: number;
  /** Maximum characters of a result that are given to the model. Default 100,000. */
  readonly resultCharacters: number;
}

export const LIMITS: HostLimits = {
  startMs: 30_000,
  // A package runner may have to download hundreds of megabytes.
  startMaxMs: 300_000,
  restartMs: 1_000,
  // Most servers are ready sooner.
  startWaitMs: 3_000,
  sampleTokens: 4_096,
  samplesPerMinute: 20,
  callMs: 24 * 3_600_000,
  resultCharacters: 100_000,
};

/** The requirement that a value does not meet, in words. Undefined if it is valid. */
type Check = (value: unknown) => string | undefined;

function expect(fits: (value: unknown) => boolean, expected: string): Check {
  return (value) => (fits(value) ? undefined : expected);
}

const aFunction = expect((value) => typeof value === 'function', 'a function');
const aText = expect((value) => typeof value === 'string' && value !== '', 'a path that is not empty');
const aList = expect(Array.isArray, 'a list');
const anObject = expect(isObject, 'an object');
/** Node's timers fire at once for anything longer. */
const MAX_TIMER_MS = 2_147_483_647;
const aTime = expect(
  (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS,
  `a number of milliseconds, more than 0 and at most ${MAX_TIMER_MS}`,
);
const aCount = expect((value) => Number.isInteger(value) && (value as number) >= 1, 'an integer of at least 1');

const LIMIT_CHECKS: Readonly<Record<keyof HostLimits, Check>> = {
  startMs: aTime,
  startMaxMs: aTime,
  restartMs: aTime,
  startWaitMs: aTime,
  sampleTokens: aCount,
  samplesPerMinute: aCount,
  callMs: aTime,
  resultCharacters: aCount,
};

const CHECKS: Readonly<Record<keyof HostOptions, Check>> = {
  servers: expect((value) => typeof value === 'object' && value !== null, 'an object of targets by name, or a list'),
  state: expect(
    (value) => (typeof value === 'string' && value !== '') || (isObject(value) && typeof value['swap'] === 'function'),
    'a path that is not empty, or a store',
  ),
  rules: aList,
  approve: aFunction,
  ask: aFunction,
  sample: aList,
  context: aFunction,
  roots: aList,
  variables: anObject,
  folder: aText,
  input: aFunction,
  connect: aFunction,
  onTrace: aFunction,
  login: aFunction,
  limits: anObject,
};

function checkMembers(given: object, checks: Readonly<Record<string, Check>>, what: string): void {
  const names = Object.keys(checks);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name)) {
      const near = nearest(name, names);
      const hint = near === undefined ? `There are ${names.join(', ')}` : `Did you mean "${near}"?`;
      throw new TypeError(`A host has no ${what} "${name}". ${hint}`);
    }
    const expected = value === undefined ? undefined : checks[name]!(value);
    if (expected !== undefined) throw new TypeError(`The ${what} "${name}" must be ${expected}`);
  }
}

/** Throws a `TypeError` for unknown and invalid options: otherwise a misspelt one would be ignored. */
export function checkHostOptions(options: unknown): asserts options is HostOptions {
  if (!isObject(options)) throw new TypeError('createHost needs an object with "servers"');
  checkMembers(options, CHECKS, 'option');
  if (options['servers'] === undefined) throw new TypeError('A host needs the option "servers": targets by name');
  checkMembers((options['limits'] ?? {}) as object, LIMIT_CHECKS, 'limit');
}
