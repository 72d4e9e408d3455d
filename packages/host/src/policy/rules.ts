import { matches } from './glob.ts';
import { matchesPath } from './path-glob.ts';
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

function argumentsMatch(
  { arguments: condition, effect }: Rule,
  given: Readonly<Record<string, unknown>> = {},
): boolean {
  if (condition === undefined) return true;
  if (typeof condition === 'function') {
    const result: unknown = condition(given);
    // A promise would count as true.
    if (typeof result !== 'boolean') throw new TypeError('its function for "arguments" must return true or false');
    return result;
  }
  return Object.entries(condition).every(([name, glob]) => {
    if (!Object.hasOwn(given, name) || given[name] === undefined) return false;
    return matchesPath(glob, textOf(given[name]), effect === 'allow');
  });
}

function annotationsMatch({ annotations, effect }: Rule, { annotations: own, trusted }: Subject): boolean {
  if (annotations === undefined) return true;
  // Any server can declare a tool harmless, so only a declaration as harmful is believed.
  if (effect === 'allow' && !trusted) return false;
  const declared: Readonly<Record<string, unknown>> = { ...own };
  return Object.entries(annotations).every(
    ([name, value]) => (declared[name] ?? DEFAULTS[name]) === value || (!trusted && DEFAULTS[name] === value),
  );
}

function applies(rule: Rule, subject: Subject): boolean {
  return (
    actsOf(rule).includes(subject.act) &&
    (rule.server === undefined || matches(rule.server, subject.server)) &&
    (rule.tool === undefined || (subject.tool !== undefined && matches(rule.tool, subject.tool))) &&
    (rule.uri === undefined ||
      (subject.uri !== undefined && matchesPath(rule.uri, subject.uri, rule.effect === 'allow'))) &&
    annotationsMatch(rule, subject) &&
    argumentsMatch(rule, subject.arguments)
  );
}

function describeRule({ effect, because, server, tool, uri, annotations }: Rule, index: number): string {
  if (because !== undefined) return `rule ${index + 1}: ${because}`;
  const about = [
    tool === undefined ? undefined : `tool ${tool}`,
    uri === undefined ? undefined : `resource ${uri}`,
    server === undefined ? undefined : `server ${server}`,
    annotations === undefined ? undefined : JSON.stringify(annotations),
  ].filter((part) => part !== undefined);
  return `rule ${index + 1}: ${effect} ${about.join(', ') || 'everything'}`;
}

const ORDER: readonly Effect[] = ['deny', 'ask', 'allow'];

/** The decision of the rules, or undefined if none applies. A rule that throws denies, because its effect is unknown. */
export function evaluateRules(rules: readonly Rule[], subject: Subject): Verdict | undefined {
  const found = rules.flatMap((rule, index): Verdict[] => {
    try {
      return applies(rule, subject) ? [{ effect: rule.effect, why: describeRule(rule, index) }] : [];
    } catch (error) {
      return [{ effect: 'deny', why: `rule ${index + 1} failed: ${String(error)}` }];
    }
  });
  for (const effect of ORDER) {
    const verdict = found.find((candidate) => candidate.effect === effect);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
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
