import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import { SURFACE_LISTS } from '../compare/surface.ts';
import type { EntryRule, LintContext, LintRule, RuleGroup } from './rule.ts';

const entry: EntryRule = {
  id: 'entry-shape',
  title: 'An entry of a list that is not an object',
  why: 'Clients drop it, or the whole list.',
  severity: 'error',
  clause: { page: 'tools#listing-tools' },
  of: ['tool', 'resource', 'template', 'prompt'],
  see({ given, kind }, _context, report) {
    if (!isObject(given))
      report(`The ${kind} is ${quoted(given, 60)}, not an object`, { fix: 'Send an object for each entry.' });
  },
};

const list: LintRule<LintContext> = {
  id: 'list-shape',
  title: 'A value that should be a list but is not',
  why: 'Clients cannot read any of it.',
  severity: 'error',
  clause: { page: 'tools#listing-tools' },
  see({ surface }, _context, report) {
    for (const name of SURFACE_LISTS)
      if (!Array.isArray(surface[name]))
        report(`The list of ${name} is ${quoted(surface[name], 60)}`, {
          at: `/${name}`,
          fix: 'Send a list, if need be an empty one.',
        });
  },
};

export const shapeRules: RuleGroup = { entry: [entry], surface: [list] };
