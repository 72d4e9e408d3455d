import { annotationRules } from './annotations.ts';
import { descriptionRules } from './descriptions.ts';
import { headerRules } from './headers.ts';
import { iconRules } from './icons.ts';
import { metaRules } from './meta.ts';
import { nameRules } from './names.ts';
import { nodeRules } from './nodes.ts';
import { portableRules } from './portable.ts';
import { promptRules } from './prompts.ts';
import { resourceRules } from './resources.ts';
import type { LintRule, RuleGroup } from './rule.ts';
import { schemaRules } from './schemas.ts';
import { serverRules } from './server.ts';
import { textRules } from './texts.ts';
import { tokenRules } from './tokens.ts';
import { valueRules } from './values.ts';
import { shapeRules } from './shapes.ts';

/** All rules, by subject. */
export const LINT_GROUPS: readonly (readonly [subject: string, rules: RuleGroup])[] = [
  ['Shapes', shapeRules],
  ['Server', serverRules],
  ['Names', nameRules],
  ['Descriptions and titles', descriptionRules],
  ['Texts', textRules],
  ['Schemas', schemaRules],
  ['Keywords', nodeRules],
  ['Values, bounds and patterns', valueRules],
  ['Models and forms', portableRules],
  ['Annotations', annotationRules],
  ['Headers and secrets', headerRules],
  ['Resources and templates', resourceRules],
  ['Prompts', promptRules],
  ['Icons', iconRules],
  ['Metadata', metaRules],
  ['Cost', tokenRules],
];

/** The head of a rule, for lists and documentation. */
export type LintRuleHead = Omit<LintRule<never>, 'see'>;

/** All rules in one list. */
export const LINT_RULES: readonly LintRuleHead[] = LINT_GROUPS.flatMap(([, group]) => headsOf(group));

/** The rules of a subject in one list. */
export function headsOf(group: RuleGroup): readonly LintRuleHead[] {
  const { entry = [], schema = [], node = [], text = [], surface = [] } = group;
  return [...entry, ...schema, ...node, ...text, ...surface];
}
