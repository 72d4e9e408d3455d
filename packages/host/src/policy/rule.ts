import type { Act, ToolAnnotations } from './subject.ts';

/**
 * `allow`: without asking. `ask`: a person decides each time, whatever was decided before, and also about calls and reads of their own.
 * `deny`: never.
 */
export type Effect = 'allow' | 'ask' | 'deny';

/**
 * A rule says which actions are allowed without asking, which are denied, and which are always asked about. All its conditions have to
 * match. `deny` takes precedence over `ask`, and `ask` over `allow`, whatever their order. If no rule matches, a person decides, and may
 * decide for longer. A `deny` without conditions, or with only a server, applies to everything but starting: calls, reads, prompts and
 * sampling.
 */
export interface Rule {
  /** The effect on the actions that match. */
  readonly effect: Effect;
  /** Default: calls and reads. Starts, prompts and sampling have to be named, except in a `deny` of a whole server. */
  readonly act?: Act | readonly Act[];
  /** A glob for the alias of the server. A host reports an alias that it does not have as a problem. */
  readonly server?: string;
  /**
   * A glob for the tool: for the server's own name of it, and for the qualified name, such as `desk__book`. An `allow` is compared with the
   * qualified name only if it contains `__`, and then with the server's own name only if it also has a `server`. The rule then applies to
   * calls only.
   */
  readonly tool?: string;
  /** A glob for resource URIs, both as written and as resolved (see `arguments`). The rule then applies to reads only. */
  readonly uri?: string;
  /**
   * The annotations of the tool. An `allow` applies only to `trusted` servers. A `deny` or `ask` applies to all; for a server that is not
   * trusted, also if it would apply to a tool without annotations. The rule then applies to calls only.
   */
  readonly annotations?: Readonly<ToolAnnotations>;
  /**
   * Globs for arguments as text, by name; a missing argument matches nothing. Paths are compared as written and as resolved: an `allow` of
   * `/tmp/*` does not match `/tmp/../etc`, a `deny` of `/etc/*` does. Or a function of all arguments.
   */
  readonly arguments?: Readonly<Record<string, string>> | ((args: Readonly<Record<string, unknown>>) => boolean);
  /** The reason that is given when the rule decides. */
  readonly because?: string;
}

/** The decision of a rule or grant, and its reason in words. */
export interface Verdict {
  readonly effect: Effect;
  readonly why: string;
}
