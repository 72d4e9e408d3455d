import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import type { EntryRule, RuleGroup } from './rule.ts';

const shape: EntryRule = {
  id: 'prompt-arguments',
  title: 'Arguments of a prompt that are not a list of objects with names',
  why: 'Clients that validate messages drop the prompt.',
  severity: 'error',
  clause: { page: 'prompts#prompt' },
  of: ['prompt'],
  see({ value }, _context, report) {
    const given = value['arguments'];
    if (given === undefined) return;
    if (!Array.isArray(given)) {
      report(`The arguments are ${quoted(given)}, not a list`, {
        at: '/arguments',
        fix: 'Write a list: [{ "name": "topic", "required": true }].',
      });
      return;
    }
    given.forEach((argument: unknown, index) => {
      const at = `/arguments/${index}`;
      if (!isObject(argument))
        report(`The argument is ${quoted(argument)}, not an object`, { at, fix: 'Write { "name": "topic" }.' });
      else if (typeof argument['name'] !== 'string' || argument['name'] === '')
        report('The argument has no name', { at: `${at}/name`, fix: 'Give it a name.' });
      else if (argument['required'] !== undefined && typeof argument['required'] !== 'boolean')
        report(`required is ${quoted(argument['required'])}, not true or false`, {
          at: `${at}/required`,
          fix: 'Write true, or leave it out.',
        });
    });
  },
};

const twice: EntryRule = {
  id: 'prompt-argument-duplicate',
  title: 'Two arguments of a prompt with the same name',
  why: 'Arguments are sent by name: only one of them can be given.',
  severity: 'warning',
  clause: { page: 'prompts#prompt' },
  of: ['prompt'],
  see({ value }, _context, report) {
    const seen = new Set<unknown>();
    objectsIn(value['arguments']).forEach(({ name }, index) => {
      if (typeof name === 'string' && seen.has(name))
        report(`Another argument is called ${quoted(name, 60)}`, {
          at: `/arguments/${index}/name`,
          fix: 'Give each a name of its own.',
        });
      seen.add(name);
    });
  },
};

const undescribed: EntryRule = {
  id: 'prompt-argument-description',
  title: 'An argument of a prompt without a description',
  why: 'A user has only the name to go by.',
  severity: 'info',
  of: ['prompt'],
  see({ value }, _context, report) {
    objectsIn(value['arguments']).forEach(({ name, description }, index) => {
      if (typeof name === 'string' && (typeof description !== 'string' || description.trim() === ''))
        report(`The argument ${quoted(name, 60)} has no description`, {
          at: `/arguments/${index}/description`,
          fix: 'Describe the value.',
        });
    });
  },
};

function objectsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map((each: unknown) => (isObject(each) ? each : {})) : [];
}

export const promptRules: RuleGroup = { entry: [shape, twice, undescribed] };
