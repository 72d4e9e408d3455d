import type { ClientAuth, OAuthOptions } from 'tenon/auth';
import type { ConnectOptions, Target, TraceEntry } from 'tenon/client';
import type { ServerConfig } from './config/server-config.ts';
import type { OfferedModel } from './interaction/models.ts';
import type { Decider } from './pending/decision-queue.ts';
import type { Rule } from './policy/rule.ts';

/** How a host behaves. Only `servers` has to be given. */
export interface HostOptions {
  /** What `readServers` read, or targets by alias: addresses, commands, servers of this program. */
  readonly servers: readonly ServerConfig[] | Readonly<Record<string, Target>>;
  /** A folder for decisions, pins, questions that wait and the audit log. Without one all of it ends with the program. */
  readonly state?: string;
  readonly rules?: readonly Rule[];
  /** Decides what no rule decides. Without it such things wait, see `pending` and `answer`. */
  readonly approve?: Decider;
  /** Answers questions of servers: forms, and pages to visit. Without it they wait. */
  readonly ask?: Decider;
  /** Models that servers may be given, the preferred first. Without any they are not offered sampling. */
  readonly sample?: readonly OfferedModel[];
  /** Folders that servers may know of, as paths or `file://` URIs. Default: none. */
  readonly roots?: readonly string[];
  /** Variables for configurations. Default: those of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for. Default: the working folder. */
  readonly folder?: string;
  /** Asks for an input that a configuration declares. */
  readonly input?: (id: string) => string | undefined | Promise<string | undefined>;
  /** More options for connecting to a server: `auth`, for example. */
  readonly connect?: (config: ServerConfig) => ConnectOptions;
  /** Gets everything that passes between this program and each of its servers, called by their aliases. It may contain secrets. */
  readonly onTrace?: (entry: TraceEntry, server: string) => void;
  /**
   * Gives the credentials for a server whose configuration says who logs in, and for what: `(login) => oauth({ browser, ...login })`. Without
   * it such a configuration is told as a problem.
   */
  readonly login?: (login: Login, config: ServerConfig) => ClientAuth;
  readonly limits?: Partial<HostLimits>;
}

/** What a configuration says about a login, as `oauth` of `tenon/auth` takes it. */
export type Login = Pick<OAuthOptions, 'client' | 'scopes'>;

export interface HostLimits {
  /** Milliseconds in which a server has to be ready. */
  readonly startMs: number;
  /** Milliseconds until a server that ended soon after it was started is started again; twice as long each further time. */
  readonly restartMs: number;
  /** Milliseconds a call waits for a server that is being started again. */
  readonly arrivalMs: number;
  /** Tokens that a server gets for one answer of a model. */
  readonly sampleTokens: number;
  /** Requests of one server to a model in a minute. */
  readonly samplesPerMinute: number;
  /** Milliseconds a call may take at all, the time of the person included. */
  readonly callMs: number;
  /** Characters of a result that reach the model. */
  readonly resultCharacters: number;
}

export const LIMITS: HostLimits = {
  startMs: 30_000,
  restartMs: 1_000,
  // Most servers are there at once.
  arrivalMs: 3_000,
  sampleTokens: 4_096,
  samplesPerMinute: 20,
  callMs: 24 * 3_600_000,
  resultCharacters: 100_000,
};
