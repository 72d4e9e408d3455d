import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import type { EntryKind, EntryRule, LintContext, LintRule, RuleGroup } from './rule.ts';
import { isReserved, keyProblem } from './meta.ts';
import { step } from '../values/schema/walk-schema.ts';

const SET_IN_SERVER = 'Set it where the server is made.';

const info: EntryRule = {
  id: 'server-info',
  title: 'A server without a name or a version',
  why: 'Reports cannot name the server and its version.',
  severity: 'error',
  clause: { page: 'messages' },
  of: ['server'],
  see({ value }, { revision }, report) {
    // Since 2026-07-28 a server should identify itself, but need not.
    if (revision >= '2026-07-28' && Object.keys(value).length === 0) return;
    for (const member of ['name', 'version']) {
      const given = value[member];
      if (typeof given !== 'string')
        report(`The server has ${given === undefined ? `no ${member}` : `a ${member} that is ${quoted(given)}`}`, {
          at: `/${member}`,
          fix: SET_IN_SERVER,
        });
    }
  },
};

const empty: EntryRule = {
  id: 'server-info-empty',
  title: 'A server whose name or version is an empty text',
  why: 'The specification allows it, but reports then cannot name the server and its version.',
  severity: 'warning',
  clause: { page: 'messages' },
  of: ['server'],
  see({ value }, _context, report) {
    for (const member of ['name', 'version'])
      if (value[member] === '')
        report(`The ${member} of the server is empty`, { at: `/${member}`, fix: SET_IN_SERVER });
  },
};

const silent: EntryRule = {
  id: 'server-info-missing',
  title: 'A server that does not identify itself',
  why: 'Reports cannot name the server. Since 2026-07-28 every result should identify it.',
  severity: 'warning',
  clause: { page: 'messages#meta', since: '2026-07-28' },
  of: ['server'],
  see({ value }, { revision }, report) {
    if (revision >= '2026-07-28' && Object.keys(value).length === 0)
      report('The server says neither name nor version', {
        fix: 'Add io.modelcontextprotocol/serverInfo to the _meta of results.',
      });
  },
};

const website: EntryRule = {
  id: 'server-website',
  title: 'A `websiteUrl` that is not a web address',
  why: 'Clients show it as a link: anything but http or https must not be opened.',
  severity: 'warning',
  clause: { page: 'messages#icons', since: '2025-11-25' },
  of: ['server'],
  see({ value }, _context, report) {
    const { websiteUrl } = value;
    if (websiteUrl !== undefined && !(typeof websiteUrl === 'string' && /^https?:\/\/[^\s/]/i.test(websiteUrl)))
      report(`The address is ${quoted(websiteUrl, 80)}`, {
        at: '/websiteUrl',
        fix: 'Write an address that begins with https://.',
      });
  },
};

const NEEDED: readonly (readonly [kind: EntryKind, capability: string])[] = [
  ['tool', 'tools'],
  ['resource', 'resources'],
  ['template', 'resources'],
  ['prompt', 'prompts'],
];

const undeclared: LintRule<LintContext> = {
  id: 'capability-missing',
  title: 'Tools, resources or prompts without the capability',
  why: 'Clients go by the capabilities: they never ask for the list.',
  severity: 'error',
  clause: { page: 'tools#capabilities' },
  see(context, _context, report) {
    const capabilities = isObject(context.surface.capabilities) ? context.surface.capabilities : {};
    for (const [kind, capability] of NEEDED) {
      const { length } = context.entriesOf(kind);
      if (length > 0 && !isObject(capabilities[capability]))
        report(`There are ${length} ${kind}s, and the capability ${capability} is not declared`, {
          at: `/capabilities/${capability}`,
          fix: `Declare "${capability}": {}.`,
        });
    }
  },
};

const MAX_NAMES = 100;
const KNOWN: ReadonlyMap<string, string> = new Map([
  ...['tools', 'resources', 'prompts', 'logging', 'experimental'].map((name) => [name, '2024-11-05'] as const),
  ['completions', '2025-03-26'],
  ['tasks', '2025-11-25'],
  ['extensions', '2024-11-05'],
]);

const capability: LintRule<LintContext> = {
  id: 'capability-unknown',
  title: 'A capability that the revision does not have',
  why: 'Clients ignore it, so its feature stays off.',
  severity: 'info',
  clause: { page: 'lifecycle' },
  see({ surface, revision }, _context, report) {
    if (!isObject(surface.capabilities)) return;
    for (const name of Object.keys(surface.capabilities).slice(0, MAX_NAMES)) {
      const since = KNOWN.get(name);
      if (since === undefined || since > revision || (name === 'tasks' && revision > '2025-11-25'))
        report(`${quoted(name, 60)} is not a server capability in ${revision}`, {
          at: `/capabilities${step(name)}`,
          fix: 'Put it under "experimental", or under "extensions".',
        });
    }
  },
};

const capabilityShape: LintRule<LintContext> = {
  id: 'capability-type',
  title: 'A capability that is not an object',
  why: 'Clients that validate messages do not connect.',
  severity: 'error',
  clause: { page: 'tools#capabilities' },
  see({ surface }, _context, report) {
    const { capabilities } = surface;
    if (!isObject(capabilities))
      report(`The capabilities are ${quoted(capabilities)}`, { at: '/capabilities', fix: 'Write {}.' });
    else
      for (const [name, value] of Object.entries(capabilities).slice(0, MAX_NAMES))
        if (KNOWN.has(name) && !isObject(value))
          report(`The capability ${name} is ${quoted(value)}`, { at: `/capabilities${step(name)}`, fix: 'Write {}.' });
  },
};

const extension: LintRule<LintContext> = {
  id: 'extension-name',
  title: 'An extension whose name is not a prefixed key, as in `_meta`',
  why: 'Two extensions with the same name cannot be distinguished.',
  severity: 'error',
  clause: { page: 'lifecycle#extension-negotiation', since: '2026-07-28' },
  see({ surface, revision }, _context, report) {
    const extensions = isObject(surface.capabilities) ? surface.capabilities['extensions'] : undefined;
    if (!isObject(extensions)) return;
    for (const name of Object.keys(extensions).slice(0, MAX_NAMES)) {
      const at = `/capabilities/extensions${step(name)}`;
      const problem = name.includes('/') ? keyProblem(name) : 'it has no prefix';
      const foreign = isReserved(name, revision) && !name.startsWith('io.modelcontextprotocol/');
      if (problem !== undefined)
        report(`The extension ${quoted(name, 60)}: ${problem}`, { at, fix: 'Write it as in com.example/name.' });
      else if (foreign)
        report(`The prefix of the extension ${quoted(name, 60)} is reserved`, {
          at,
          fix: 'Use a prefix of a domain of your own.',
        });
    }
  },
};

export const serverRules: RuleGroup = {
  entry: [info, empty, silent, website],
  surface: [undeclared, capability, capabilityShape, extension],
};
