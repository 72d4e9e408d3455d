import type { ClientAuth, OAuthOptions } from 'tenon/auth';
import type { ConnectOptions, Target, TraceEntry } from 'tenon/client';
import type { ServerConfig } from './config/server-config.ts';
import type { OfferedModel } from './interaction/models.ts';
import type { DecisionHandler } from './pending/decision-queue.ts';
import type { Rule } from './policy/rule.ts';

/** Options of a host. Only `servers` is required. */
export interface HostOptions {
  /** The servers that `readServers` returned, or targets by alias: URLs, commands, or servers of this program. */
  readonly servers: readonly ServerConfig[] | Readonly<Record<string, Target>>;
  /** A folder for decisions, pins, waiting questions and the audit log. Default: all of these end with the program. */
  readonly state?: string | undefined;
  /** Decide before a person is asked. Default: none, so that each action is asked about. A later change of the list has no effect. */
  readonly rules?: readonly Rule[] | undefined;
  /** Decides about items that no rule covers. Without it they wait, see `pending` and `answer`. */
  readonly approve?: DecisionHandler | undefined;
  /** Answers elicitations: forms, and pages to open. Without it they wait. */
  readonly ask?: DecisionHandler | undefined;
  /** Models for sampling requests, in order of preference. Default: sampling is not offered to servers. */
  readonly sample?: readonly OfferedModel[] | undefined;
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
   * Creates the credentials for a server whose configuration has login settings: `(login) => oauth({ browser, ...login })`. Without it,
   * such settings are reported as a problem.
   */
  readonly login?: ((login: Login, config: ServerConfig) => ClientAuth) | undefined;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<HostLimits> | undefined;
}

/** The login settings of a configuration, as `oauth` of `tenon/auth` takes them. */
export type Login = Pick<OAuthOptions, 'client' | 'scopes'>;

/** Limits of a host. */
export interface HostLimits {
  /** Milliseconds within which a server has to be ready. Default 30,000. */
  readonly startMs: number;
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
  restartMs: 1_000,
  // Most servers are ready sooner.
  startWaitMs: 3_000,
  sampleTokens: 4_096,
  samplesPerMinute: 20,
  callMs: 24 * 3_600_000,
  resultCharacters: 100_000,
};
