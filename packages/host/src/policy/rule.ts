import type { Act, ToolAnnotations } from './subject.ts';

export type Effect = 'allow' | 'ask' | 'deny';

/**
 * What may be done without asking, what never, and what is always asked. All conditions of a rule have to hold. `deny` beats `ask` beats
 * `allow`, whatever the order. What no rule is about, a person decides, and may decide for longer. A `deny` of nothing but a server, or of
 * nothing at all, is about everything but starting: calls, reads, prompts and samplings.
 */
export interface Rule {
  readonly effect: Effect;
  /** Default: calls and reads. Starting, prompts and sampling have to be named, except in a `deny` of a whole server. */
  readonly act?: Act | readonly Act[];
  /** A glob over aliases. */
  readonly server?: string;
  /** A glob over the names that servers give their tools. The rule is about calls then. */
  readonly tool?: string;
  /** A glob over addresses of resources: both as they are written and where they lead, see `arguments`. The rule is about reads then. */
  readonly uri?: string;
  /**
   * What the tool says about itself. An `allow` counts for servers that are `trusted` only. A `deny` or `ask` holds for any; for one that is
   * not trusted also where it only would hold if the tool had said nothing. The rule is about calls then.
   */
  readonly annotations?: Readonly<ToolAnnotations>;
  /**
   * Globs over arguments as text, by name; a name that is not given matches nothing. What is a path counts as it is written and as where it
   * leads: an `allow` of `/tmp/*` is none of `/tmp/../etc`, a `deny` of `/etc/*` is one. Or a function of all of them.
   */
  readonly arguments?: Readonly<Record<string, string>> | ((args: Readonly<Record<string, unknown>>) => boolean);
  /** Said when the rule decides. */
  readonly because?: string;
}

/** What was decided, and why, in words. */
export interface Verdict {
  readonly effect: Effect;
  readonly why: string;
}
