import type { Decision, Item } from '../pending/item.ts';
import type { Grants } from './grants.ts';
import type { Rule, Verdict } from './rule.ts';
import { evaluateRules } from './rules.ts';
import type { Subject } from './subject.ts';

/** What became of a question of policy. */
export interface PolicyDecision {
  readonly allow: boolean;
  /** By what, in words: a rule, an earlier decision, the person. */
  readonly why: string;
  /** It holds for longer than this once. */
  readonly standing: boolean;
  /** What the person said, if one was asked. */
  readonly decision: Decision | undefined;
}

/** Nothing happens that has not passed here. */
export interface Gate {
  /**
   * Decides by rule, by what was decided before, or by asking. `item` is made only where a person is asked. `chosen`: the person wants it
   * of their own accord, so that only a rule that denies stands against it.
   */
  decide(
    subject: Subject,
    item: () => Item,
    options: { readonly signal?: AbortSignal; readonly chosen?: boolean },
  ): Promise<PolicyDecision>;
}

const standingDecision = ({ effect, why }: Verdict): PolicyDecision => ({
  allow: effect === 'allow',
  why,
  standing: true,
  decision: undefined,
});

export const createGate = (
  rules: readonly Rule[],
  grants: Grants,
  ask: (item: Item, exactly: string, signal: AbortSignal | undefined) => Promise<Decision>,
): Gate => ({
  async decide(subject, item, { signal, chosen = false }) {
    const ruled = evaluateRules(rules, subject);
    if (ruled !== undefined && ruled.effect !== 'ask') return standingDecision(ruled);
    if (chosen) return { allow: true, why: 'chosen by the person', standing: false, decision: undefined };
    // A rule that wants to be asked wants it each time.
    const before = ruled === undefined ? await grants.find(subject) : undefined;
    if (before !== undefined) return standingDecision(before);
    const decision = await ask(item(), subject.exactly, signal);
    const { allow, scope = 'once', reason, automatic = false } = decision;
    // Nobody said this no, so it holds for nothing but this.
    if (automatic)
      return { allow: false, why: reason ?? 'no decision could be made', standing: false, decision: undefined };
    const standing = scope !== 'once' && ruled === undefined;
    if (standing) await grants.add(subject, scope, allow);
    const said = `${allow ? 'allowed' : 'denied'} by the person${standing ? `, ${scope === 'always' ? 'from now on' : 'for this session'}` : ''}`;
    return { allow, why: reason === undefined ? said : `${said}: ${reason}`, standing, decision };
  },
});
