import type { Command, Era, Revision, Target } from 'tenon/client';

/** The configuration of a server. Texts may contain `${VARIABLES}` until the start was approved. */
export interface ServerConfig {
  /** The name in the configuration, which people see and which its tools are prefixed with. Never the server's own name. */
  readonly alias: string;
  /** How it is started or reached. */
  readonly launch: Launch;
  /** If true, texts are used literally, without variables. */
  readonly literal?: boolean;
  /** Use exactly this revision. Default: the newest that both support. */
  readonly revision?: Revision;
  /** Use only revisions of this era. Never together with `revision`. Default: both. */
  readonly era?: Era;
  /** The roots for this server, instead of those of the host: paths, or `file://` URIs. */
  readonly roots?: readonly string[];
  /** Which of its tools are available. Default: all, under their own names. */
  readonly tools?: ToolChoice;
  /** Whether its tool annotations are trusted. Default false, as any server can declare a tool read-only. */
  readonly trusted?: boolean;
  /** Milliseconds that a request may take without progress. */
  readonly timeout?: number;
  /**
   * Milliseconds without a request after which the process is stopped or the connection closed; the next request starts it again. Default:
   * never.
   */
  readonly idleMs?: number;
  /** The file it was read from. Undefined if the program itself defines the server. */
  readonly source?: ConfigSource;
}

/** How a server is started or reached. */
export type Launch = ValueLaunch | WrittenLaunch;

/** A server of this program, or a channel. It starts without approval. */
export interface ValueLaunch {
  readonly kind: 'value';
  /** What `connect` of `tenon/client` accepts: a server of this program, a URL, a command, or a channel. */
  readonly target: Target;
}

/** The launches that a configuration can define. */
export type WrittenLaunch = CommandLaunch | AddressLaunch;

/** A program that is started, and speaks over stdio. */
export interface CommandLaunch {
  readonly kind: 'stdio';
  /** The program: a name that is found on the `PATH`, or a path. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Environment variables, by name. The program gets these and a short list of harmless ones of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** The path of a file with more variables, relative to `cwd`. Those in `env` take precedence. Default: none. */
  readonly envFile?: string;
  /** The working folder of the program, relative to the `folder` of the host. Default: that of this process. */
  readonly cwd?: string;
  /** Options of its process. Only a program can set them, not a configuration. */
  readonly how?: Pick<Command, 'stderr' | 'onStart' | 'graceMs' | 'killMs'>;
}

/** A server at a URL. */
export interface AddressLaunch {
  /** `http`: Streamable HTTP. `sse`: the older HTTP with SSE. */
  readonly kind: 'http' | 'sse';
  /** The URL of its endpoint. */
  readonly url: string;
  /** HTTP headers for every request, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The login settings, if the configuration has any. */
  readonly oauth?: LoginSettings;
}

/** The login settings of a server. */
export interface LoginSettings {
  /** The client id at the authorization server. */
  readonly clientId?: string;
  /** The secret of the client. Default: none, for a public client. */
  readonly clientSecret?: string;
  /** The authorization server of the client. If there is a secret, no other may see it. */
  readonly issuer?: string;
  /** The scopes to request at least. Default: those that the server asks for. */
  readonly scopes?: readonly string[];
  /** The port on this machine to which the browser comes back after the login. Default: any free port. */
  readonly callbackPort?: number;
}

/** Which of its tools are available, and under which names. Globs: `*` matches any characters. */
export interface ToolChoice {
  /** Globs for the server’s own names. Only these tools are available. Default: all. */
  readonly allow?: readonly string[];
  /** Globs for the server’s own names. These tools are never available. Takes precedence over `allow`. Default: none. */
  readonly deny?: readonly string[];
  /** New names, by the server's own names. */
  readonly rename?: Readonly<Record<string, string>>;
}

/** The origin of a configuration. */
export interface ConfigSource {
  /** The path of the file. */
  readonly file: string;
  /**
   * `project`: it came with a project and was written by its authors, so variables of this machine are filled in only where they do not
   * leak.
   */
  readonly trust: 'user' | 'project';
}
