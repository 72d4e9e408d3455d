import type { Decision, Item } from '../pending/item.ts';
import type { Grants } from './grants.ts';
import type { Rule, Verdict } from './rule.ts';
import { prepareRules } from './rules.ts';
import type { Subject } from './subject.ts';

/** The result of a policy check. */
export interface PolicyDecision {
  readonly allow: boolean;
  /** The reason in words: a rule, an earlier decision, or the person. */
  readonly why: string;
  /** The decision holds for longer than this action. */
  readonly standing: boolean;
  /** The decision of the person, if one was asked. */
  readonly decision: Decision | undefined;
}

/** Options of a decision. */
export interface GateOptions {
  readonly signal?: AbortSignal;
  /** The person started the action. */
  readonly chosen?: boolean;
  /** Called when the person can see the question. */
  readonly onWaiting?: () => void;
}

/** Decides about every action of a host. */
export interface Gate {
  /**
   * Decides by a rule, by an earlier decision, or by asking. `item` is created only if a person is asked; without it no one can be asked,
   * so only a `deny` rule prevents the action. `chosen`: the person started the action, so they are asked only if an `ask` rule says so.
   */
  decide(subject: Subject, item: (() => Item) | undefined, options: GateOptions): Promise<PolicyDecision>;
}

function standingDecision({ effect, why }: Verdict): PolicyDecision {
  return {
    allow: effect === 'allow',
    why,
    standing: true,
    decision: undefined,
  };
}

export function createGate(
  rules: readonly Rule[],
  grants: Grants,
  ask: (item: Item, exactly: string, options: Pick<GateOptions, 'signal' | 'onWaiting'>) => Promise<Decision>,
): Gate {
  const evaluateRules = prepareRules(rules);
  return {
    async decide(subject, item, { signal, chosen = false, onWaiting }) {
      const ruled = evaluateRules(subject);
      if (ruled !== undefined && ruled.effect !== 'ask') return standingDecision(ruled);
      if (item === undefined || (chosen && ruled === undefined))
        return { allow: true, why: 'chosen by the person', standing: false, decision: undefined };
      // An `ask` rule prompts every time.
      const earlier = ruled === undefined ? await grants.find(subject) : undefined;
      if (earlier !== undefined) return standingDecision(earlier);
      const decision = await ask(item(), subject.exactly, { signal, onWaiting });
      const { allow, scope = 'once', reason, automatic = false } = decision;
      // Automatic denials are never remembered.
      if (automatic)
        return { allow: false, why: reason ?? 'no decision could be made', standing: false, decision: undefined };
      const standing = scope !== 'once' && ruled === undefined;
      if (standing) await grants.add(subject, scope, allow);
      const summary = `${allow ? 'allowed' : 'denied'} by the person${standing ? `, ${scope === 'always' ? 'from now on' : 'for this session'}` : ''}`;
      return { allow, why: reason === undefined ? summary : `${summary}: ${reason}`, standing, decision };
    },
  };
}
