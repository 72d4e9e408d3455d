import { quoted } from '../values/words.ts';
import type { EntryRule, RuleGroup } from './rule.ts';

const SHORTEST = 12;
/** The length to which some hosts cut a description, and instructions. */
const MAX_LENGTH = 2_048;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
/** The text without differences that do not matter to a reader. */
function essence(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

const toolMissing: EntryRule = {
  id: 'tool-description-missing',
  title: 'A tool without a description',
  why: 'A model chooses tools by their descriptions: it will guess, or never call this one.',
  severity: 'warning',
  of: ['tool'],
  see({ value }, _context, report) {
    if (!textOf(value['description'])?.trim())
      report('The tool has no description', {
        at: '/description',
        fix: 'Say what it does, when to use it, and what it returns.',
      });
  },
};

const missing: EntryRule = {
  id: 'description-missing',
  title: 'A resource, template or prompt without a description',
  why: 'People and models have only the name to go by.',
  severity: 'info',
  of: ['resource', 'template', 'prompt'],
  see({ kind, value }, _context, report) {
    if (!textOf(value['description'])?.trim())
      report(`The ${kind} has no description`, { at: '/description', fix: 'Say in a sentence what it is for.' });
  },
};

const short: EntryRule = {
  id: 'description-short',
  title: 'A tool described in fewer than 12 characters',
  why: 'It says hardly more than the name.',
  severity: 'info',
  of: ['tool'],
  see({ value }, _context, report) {
    const text = textOf(value['description'])?.trim() ?? '';
    if (text !== '' && text.length < SHORTEST)
      report(`The description is only ${quoted(text)}`, {
        at: '/description',
        fix: 'Say what it does and what it returns.',
      });
  },
};

const repeatsName: EntryRule = {
  id: 'description-is-name',
  title: 'A description that only repeats the name or the title',
  why: 'It costs tokens and tells a model nothing.',
  severity: 'warning',
  of: ['tool', 'resource', 'template', 'prompt'],
  see({ value, name }, _context, report) {
    const text = essence(textOf(value['description']) ?? '');
    if (text === '') return;
    const which = [name, textOf(value['title'])].findIndex((each) => each !== undefined && essence(each) === text);
    if (which >= 0)
      report(`The description only repeats the ${which === 0 ? 'name' : 'title'}`, {
        at: '/description',
        fix: 'Add information that the name does not have.',
      });
  },
};

const long: EntryRule = {
  id: 'description-long',
  title: 'A description, or instructions, of more than 2,048 characters',
  why: 'Some hosts cut it there, in the middle of a sentence; the rest is never read.',
  severity: 'warning',
  of: ['server', 'tool', 'resource', 'template', 'prompt'],
  see({ kind, value }, { surface }, report) {
    const text = textOf(value['description']);
    if (text !== undefined && text.length > MAX_LENGTH)
      report(`The description has ${text.length} characters`, {
        at: '/description',
        fix: 'Keep only information that helps to choose and call it.',
      });
    const instructions = kind === 'server' ? textOf(surface.instructions) : undefined;
    if (instructions !== undefined && instructions.length > MAX_LENGTH)
      report(`The instructions have ${instructions.length} characters`, {
        at: '/instructions',
        fix: 'Keep only information about all tools.',
      });
  },
};

const type: EntryRule = {
  id: 'text-type',
  title: 'A title or description that is not a string',
  why: 'Clients that validate messages drop the entry.',
  severity: 'error',
  clause: { page: 'messages' },
  of: ['server', 'tool', 'resource', 'template', 'prompt'],
  see({ kind, value }, { surface }, report) {
    for (const member of ['title', 'description']) {
      const text = value[member];
      if (text !== undefined && typeof text !== 'string')
        report(`The ${member} is ${quoted(text)}, not a text`, {
          at: `/${member}`,
          fix: 'Write a text, or leave it out.',
        });
    }
    if (kind === 'server' && surface.instructions !== undefined && typeof surface.instructions !== 'string')
      report(`The instructions are ${quoted(surface.instructions)}, not a text`, {
        at: '/instructions',
        fix: 'Write a text, or leave them out.',
      });
  },
};

const titleIsName: EntryRule = {
  id: 'title-is-name',
  title: 'A title that repeats the name',
  why: 'The title is for people, the name for programs; a client shows the name anyway if there is no title.',
  severity: 'info',
  of: ['tool', 'resource', 'template', 'prompt'],
  see({ value, name }, _context, report) {
    if (name !== undefined && name !== '' && value['title'] === name)
      report('The title is the same as the name', { at: '/title', fix: 'Write it for people, or leave it out.' });
  },
};

const titlesDiffer: EntryRule = {
  id: 'title-twice',
  title: 'A tool with two different titles',
  why: 'Older clients show `annotations.title`, newer ones `title`: people use two names for one tool.',
  severity: 'info',
  clause: { page: 'tools#tool', since: '2025-06-18' },
  of: ['tool'],
  see({ value }, _context, report) {
    const { title, annotations } = value;
    const other =
      typeof annotations === 'object' && annotations !== null ? (annotations as { title?: unknown }).title : undefined;
    if (typeof title === 'string' && typeof other === 'string' && title !== other)
      report(`The title is ${quoted(title, 40)}, that of the annotations ${quoted(other, 40)}`, {
        at: '/annotations/title',
        fix: 'Write the same in both.',
      });
  },
};

export const descriptionRules: RuleGroup = {
  entry: [type, toolMissing, missing, short, repeatsName, long, titleIsName, titlesDiffer],
};
