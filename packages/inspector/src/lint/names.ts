import { quoted, shown } from '../values/words.ts';
import type { EntryRule, LintContext, LintEntry, LintRule, RuleGroup } from './rule.ts';

/** The characters that the specification allows in tool names, and those that model providers accept. */
const NAME = /^[A-Za-z0-9_.-]+$/;
const PLAIN = /^[A-Za-z0-9_-]+$/;
const MAX_LENGTH = 128;
const MAX_LENGTH_FOR_MODELS = 64;

const TOOL_NAMES = { page: 'tools#tool-names', since: '2025-11-25' } as const;

const missing: EntryRule = {
  id: 'name-missing',
  title: 'An entry without a name',
  why: 'Nothing can be called, asked for or shown without one; clients drop such an entry.',
  severity: 'error',
  clause: { page: 'messages' },
  of: ['tool', 'resource', 'template', 'prompt'],
  see({ kind, value, name }, _context, report) {
    if (name === undefined || (name === '' && kind !== 'tool'))
      report(`The ${kind} has ${value['name'] === undefined ? 'no name' : `a name that is ${quoted(value['name'])}`}`, {
        at: '/name',
        fix: 'Give it a name.',
      });
  },
};

const form: EntryRule = {
  id: 'tool-name',
  title: 'Tool names of 1 to 128 characters A–Z, a–z, 0–9, `_`, `-` and `.`',
  why: 'Hosts and model providers reject or change other names, some reject the whole request.',
  severity: 'warning',
  clause: TOOL_NAMES,
  of: ['tool'],
  see({ name }, _context, report) {
    if (name === undefined) return;
    const fix = 'Use letters, digits, _, - and . only, as in get_user.';
    if (name === '') report('The name is empty', { at: '/name', fix });
    else if (name.length > MAX_LENGTH)
      report(`The name has ${name.length} characters, more than ${MAX_LENGTH}`, { at: '/name', fix: 'Shorten it.' });
    else if (!NAME.test(name)) {
      const bad = [...name].find((sign) => !NAME.test(sign))!;
      report(`The name contains ${bad === ' ' ? 'a space' : quoted(bad)}`, { at: '/name', fix });
    }
  },
};

const long: EntryRule = {
  id: 'tool-name-long',
  title: 'Tool names of more than 64 characters',
  why: 'Most model providers accept 64 characters: hosts have to shorten the name, or leave the tool out.',
  severity: 'warning',
  of: ['tool'],
  see({ name }, _context, report) {
    if (name !== undefined && name.length > MAX_LENGTH_FOR_MODELS)
      report(`The name has ${name.length} characters; models take ${MAX_LENGTH_FOR_MODELS}`, {
        at: '/name',
        fix: 'Shorten it.',
      });
  },
};

/** The shortest prefix that hosts add to it. */
function qualified(context: LintContext, name: string): string {
  const { name: server } = context.surface.server ?? {};
  return `mcp__${typeof server === 'string' ? server : ''}__${name}`;
}

const withServer: EntryRule = {
  id: 'tool-name-qualified',
  title: 'Tool names of more than 64 characters once the server name is prefixed',
  why: 'Hosts with several servers call a tool `mcp__server__tool`; names of more than 64 characters are cut or left out.',
  severity: 'info',
  of: ['tool'],
  see({ name }, context, report) {
    if (name === undefined || name.length > MAX_LENGTH_FOR_MODELS) return;
    const whole = qualified(context, name);
    if (whole.length > MAX_LENGTH_FOR_MODELS)
      report(`As ${shown(whole, 100)} it has ${whole.length} characters; models take ${MAX_LENGTH_FOR_MODELS}`, {
        at: '/name',
        fix: 'Shorten the name of the tool or of the server.',
      });
  },
};

const dots: EntryRule = {
  id: 'tool-name-dots',
  title: 'Tool names with dots',
  why: 'The specification allows them, model providers do not, so hosts replace them.',
  severity: 'info',
  of: ['tool'],
  see({ name }, _context, report) {
    if (name !== undefined && NAME.test(name) && !PLAIN.test(name))
      report('The name has a dot, which hosts replace for the model', {
        at: '/name',
        fix: 'Write _ instead of the dot.',
      });
  },
};

/** Finds entries with the same key, and reports each but the first. */
function repeats(
  entries: readonly LintEntry[],
  keyOf: (entry: LintEntry) => string | undefined,
  tell: (entry: LintEntry, first: LintEntry) => void,
): void {
  const known = new Map<string, LintEntry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const first = key === undefined ? undefined : known.get(key);
    if (first !== undefined) tell(entry, first);
    else if (key !== undefined) known.set(key, entry);
  }
}

/** A rule about all entries of a kind, whose findings are about the repeated entry. */
function repeated(
  head: Omit<EntryRule, 'see' | 'of'>,
  kind: LintEntry['kind'],
  keyOf: (entry: LintEntry) => string | undefined,
  say: (entry: LintEntry, first: LintEntry) => string | undefined,
  fix: string,
): LintRule<LintContext> {
  return {
    ...head,
    see(context, _context, report) {
      repeats(context.entriesOf(kind), keyOf, (entry, first) => {
        const message = say(entry, first);
        if (message !== undefined) report(message, { about: entry, at: '/name', fix });
      });
    },
  };
}

function nameOf({ name }: LintEntry): string | undefined {
  return name;
}
function lower({ name }: LintEntry): string | undefined {
  return name?.toLowerCase();
}
/** As hosts write the name for models. */
function sanitized({ name }: LintEntry): string | undefined {
  return name?.replace(/[^A-Za-z0-9_-]/g, '_').toLowerCase();
}

const toolTwice = repeated(
  {
    id: 'tool-name-duplicate',
    title: 'Two tools with the same name',
    why: 'Only one of them can be called, and it is unknown which.',
    severity: 'warning',
    clause: TOOL_NAMES,
  },
  'tool',
  nameOf,
  () => 'Another tool has the same name',
  'Give each tool a name of its own.',
);

const toolCase = repeated(
  {
    id: 'tool-name-case',
    title: 'Tool names that differ only in capital letters',
    why: 'Models mix them up, and so do hosts that ignore case.',
    severity: 'warning',
    clause: TOOL_NAMES,
  },
  'tool',
  lower,
  (entry, first) =>
    entry.name === first.name ? undefined : `The name differs from ${quoted(first.name)} only in capital letters`,
  'Give them names that sound different when read aloud.',
);

const toolCollision = repeated(
  {
    id: 'tool-name-collision',
    title: 'Tool names that are the same once hosts have replaced characters that models do not accept',
    why: 'A host writes `_` for other characters: `a.b` and `a_b` become one name, and one of the tools is lost.',
    severity: 'warning',
  },
  'tool',
  sanitized,
  (entry, first) =>
    lower(entry) === lower(first) ? undefined : `For models its name is the same as that of ${quoted(first.name)}`,
  'Do not tell names apart by ., - and _ only.',
);

const promptTwice = repeated(
  {
    id: 'prompt-name-duplicate',
    title: 'Two prompts with the same name',
    why: 'Only one of them can be asked for.',
    severity: 'warning',
    clause: { page: 'prompts#prompt' },
  },
  'prompt',
  nameOf,
  () => 'Another prompt has the same name',
  'Give each prompt a name of its own.',
);

export const nameRules: RuleGroup = {
  entry: [missing, form, long, withServer, dots],
  surface: [toolTwice, toolCase, toolCollision, promptTwice],
};
