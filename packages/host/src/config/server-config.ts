import type { Command, Era, Revision, Target } from 'tenon/client';

/** A server as a configuration names it. Texts may still have `${VARIABLES}` in them until the start was approved. */
export interface ServerConfig {
  /** The name in the configuration: what its tools are called by, and what people see. Never the server's own word. */
  readonly alias: string;
  readonly launch: Launch;
  /** Its texts are taken as they are: nothing in them is a variable. */
  readonly literal?: boolean;
  /** Speak exactly this revision. Default: the newest both know. */
  readonly revision?: Revision;
  /** Speak only revisions of this era. Never together with `revision`. Default: both. */
  readonly era?: Era;
  /** Folders this server may know of, instead of those of the host: paths, or `file://` URIs. */
  readonly roots?: readonly string[];
  readonly tools?: ToolChoice;
  /** Its annotations are believed. Default false: anybody can call a tool read-only. */
  readonly trusted?: boolean;
  /** How long a request may take without news, in milliseconds. */
  readonly timeout?: number;
  /** Stop the process, or drop the connection, after so many milliseconds without a request; the next one starts it again. Default: never. */
  readonly idleMs?: number;
  /** Where it was read from. Undefined: the program itself names it. */
  readonly source?: ConfigSource;
}

/** How it is reached. */
export type Launch = ValueLaunch | WrittenLaunch;

/** A server of this program, or a channel. It starts without being asked for: the program names it. */
export interface ValueLaunch {
  readonly kind: 'value';
  readonly target: Target;
}

/** What a configuration can say. */
export type WrittenLaunch = CommandLaunch | AddressLaunch;

export interface CommandLaunch {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly envFile?: string;
  readonly cwd?: string;
  /** How its process is treated. No configuration says it, only a program. */
  readonly how?: Pick<Command, 'stderr' | 'onStart' | 'graceMs' | 'killMs'>;
}

export interface AddressLaunch {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Settings of the login, where the configuration has some. */
  readonly oauth?: LoginSettings;
}

/** Who logs in, and for what. */
export interface LoginSettings {
  /** The client as the authorization server knows it. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The authorization server that knows it. Where there is a secret, no other may see it. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
}

/** Which of its tools are there, and under which names. Globs: `*` stands for any characters. */
export interface ToolChoice {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** From the server's name to ours. */
  readonly rename?: Readonly<Record<string, string>>;
}

export interface ConfigSource {
  readonly file: string;
  /** What comes with a project was written by who wrote the project: variables of this machine are put only where nothing leaks. */
  readonly trust: 'user' | 'project';
}
