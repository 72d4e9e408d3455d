import { nearest } from '@tenon/values/nearest';
import { globMatcher, type Matcher } from './glob.ts';
import { pathMatcher } from './path-glob.ts';
import { ruleProblem } from './rule-check.ts';
import type { Effect, Rule, Verdict } from './rule.ts';
import type { Act, Subject } from './subject.ts';

/** The defaults of annotations ("ToolAnnotations" of the schema). */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function actsOf({ effect, act, tool, uri, annotations, arguments: args }: Rule): readonly Act[] {
  if (act !== undefined) return typeof act === 'string' ? [act] : act;
  if (tool !== undefined || annotations !== undefined || args !== undefined) return ['call'];
  if (uri !== undefined) return ['read'];
  return effect === 'deny' ? ['call', 'read', 'prompt', 'sample'] : ['call', 'read'];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A condition of a rule. */
type Condition = (subject: Subject) => boolean;

function argumentsCondition({ arguments: condition, effect }: Rule): Condition | undefined {
  if (condition === undefined) return undefined;
  if (typeof condition === 'function')
    return ({ arguments: given = {} }) => {
      const result: unknown = condition(given);
      // A promise would count as true.
      if (typeof result !== 'boolean') throw new TypeError('its function for "arguments" must return true or false');
      return result;
    };
  const matchers = Object.entries(condition).map(
    ([name, glob]) => [name, pathMatcher(glob, effect === 'allow')] as const,
  );
  return ({ arguments: given = {} }) =>
    matchers.every(([name, matches]) => {
      if (!Object.hasOwn(given, name) || given[name] === undefined) return false;
      return matches(textOf(given[name]));
    });
}

function annotationsCondition({ annotations, effect }: Rule): Condition | undefined {
  if (annotations === undefined) return undefined;
  const wanted = Object.entries(annotations);
  return ({ annotations: own, trusted }) => {
    // Any server can declare a tool harmless, so only a declaration as harmful is believed.
    if (effect === 'allow' && !trusted) return false;
    const declared: Readonly<Record<string, unknown>> = { ...own };
    return wanted.every(
      ([name, value]) => (declared[name] ?? DEFAULTS[name]) === value || (!trusted && DEFAULTS[name] === value),
    );
  };
}

function textCondition(matches: Matcher, textOfSubject: (subject: Subject) => string | undefined): Condition {
  return (subject) => {
    const text = textOfSubject(subject);
    return text !== undefined && matches(text);
  };
}

/**
 * Both names of a tool are matched. An `allow` must not cover more than was meant: `read*` not all tools of a server `reader`, and
 * `desk__read` not a tool that another server calls so.
 */
function toolCondition({ effect, server, tool }: Rule): Condition | undefined {
  if (tool === undefined) return undefined;
  const matches = globMatcher(tool);
  const isQualified = tool.includes('__');
  const useOwn = effect !== 'allow' || !isQualified || server !== undefined;
  const useQualified = effect !== 'allow' || isQualified;
  return ({ tool: own, qualified }) =>
    (useOwn && own !== undefined && matches(own)) || (useQualified && qualified !== undefined && matches(qualified));
}

/** The conditions of a rule, which all have to hold. */
function conditionsOf(rule: Rule): readonly Condition[] {
  const { effect, server, uri } = rule;
  const acts = actsOf(rule);
  return [
    ({ act }: Subject) => acts.includes(act),
    server === undefined ? undefined : textCondition(globMatcher(server), (subject) => subject.server),
    toolCondition(rule),
    uri === undefined ? undefined : textCondition(pathMatcher(uri, effect === 'allow'), (subject) => subject.uri),
    annotationsCondition(rule),
    argumentsCondition(rule),
  ].filter((condition) => condition !== undefined);
}

/** Describes a rule by its actions and conditions, in the order `allow call, tool book, server desk`. */
function describeRule(rule: Rule, index: number): string {
  const { effect, because, server, tool, uri, annotations, arguments: args } = rule;
  if (because !== undefined) return `rule ${index + 1}: ${because}`;
  const about = [
    actsOf(rule).join(' or '),
    tool === undefined ? undefined : `tool ${tool}`,
    uri === undefined ? undefined : `resource ${uri}`,
    server === undefined ? undefined : `server ${server}`,
    annotations === undefined ? undefined : `annotations ${JSON.stringify(annotations)}`,
    args === undefined ? undefined : `arguments ${typeof args === 'function' ? 'by a function' : JSON.stringify(args)}`,
  ].filter((part) => part !== undefined);
  return `rule ${index + 1}: ${effect} ${about.join(', ')}`;
}

/** A rule takes precedence over those of lower ranks. */
const RANKS: Readonly<Record<Effect, number>> = { allow: 1, ask: 2, deny: 3 };

/** Decides about an action. Undefined if no rule applies. */
export type RuleEvaluator = (subject: Subject) => Verdict | undefined;

/**
 * Prepares rules, so that an action costs as little as possible. A later change of the rules has no effect. A rule that throws denies,
 * because its effect is unknown.
 */
export function prepareRules(rules: readonly Rule[]): RuleEvaluator {
  const prepared = rules.map((rule, index) => ({
    verdict: { effect: rule.effect, why: describeRule(rule, index) },
    conditions: conditionsOf(rule),
  }));
  return (subject) => {
    let found: Verdict | undefined;
    for (const [index, { verdict, conditions }] of prepared.entries()) {
      try {
        // Also after one that takes precedence: it denies if it throws.
        const applies = conditions.every((holds) => holds(subject));
        if (applies && RANKS[verdict.effect] > (found === undefined ? 0 : RANKS[found.effect])) found = verdict;
      } catch (error) {
        found = { effect: 'deny', why: `rule ${index + 1} failed: ${String(error)}` };
      }
      if (found?.effect === 'deny') return found;
    }
    return found;
  };
}

/** The rules that have no effect because they name a server that the host does not have, each as a sentence for the person. */
export function unknownServers(rules: readonly Rule[], aliases: readonly string[]): string[] {
  return rules.flatMap(({ server }, index) => {
    if (server === undefined || server.includes('*') || aliases.includes(server)) return [];
    const near = nearest(server, aliases);
    const hint = near === undefined ? '' : `. Did you mean '${near}'?`;
    return [`Rule ${index + 1} has no effect: this host has no server '${server}'${hint}`];
  });
}

/**
 * Validates rules, for example from a file. Throws a `TypeError` for an invalid one: a misunderstood rule would protect nothing.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { checkedRules, createHost } from '@tenon/host';
 *
 * const rules = checkedRules(JSON.parse(await readFile('rules.json', 'utf8')));
 * const host = await createHost({ servers: { travel: 'https://example.com/mcp' }, rules });
 * ```
 */
export function checkedRules(rules: unknown): readonly Rule[] {
  if (!Array.isArray(rules)) throw new TypeError('Rules must be a list');
  for (const [index, rule] of rules.entries()) {
    const problem = ruleProblem(rule);
    if (problem !== undefined) throw new TypeError(`Rule ${index + 1} ${problem}`);
  }
  return rules as Rule[];
}
