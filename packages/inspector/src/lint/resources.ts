import { parseTemplate, type UriTemplate } from 'tenon/schema';
import { quoted } from '../values/words.ts';
import type { EntryRule, LintContext, LintEntry, LintRule, RuleGroup } from './rule.ts';

/** RFC 3986, appendix A: any other character must be percent-encoded. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const uri: EntryRule = {
  id: 'resource-uri',
  title: 'A resource whose `uri` is not a URI (RFC 3986)',
  why: 'Clients reject it, or read something else; two spellings of one resource are two resources.',
  severity: 'error',
  clause: { page: 'resources#custom-uri-schemes', since: '2025-06-18' },
  of: ['resource'],
  see({ value }, _context, report) {
    const { uri: given } = value;
    const at = '/uri';
    if (typeof given !== 'string')
      report(`The URI is ${quoted(given)}`, { at, fix: 'Give it a URI, as in config://app.' });
    else if (!SCHEME.test(given))
      report(`${quoted(given, 80)} has no scheme`, { at, fix: 'Begin with one, as in file:///a.txt or config://app.' });
    else if (!URI.test(given))
      report(`${quoted(given, 80)} has characters that no URI has`, { at, fix: 'Percent-encode them.' });
  },
};

const uriTwice: LintRule<LintContext> = {
  id: 'resource-uri-duplicate',
  title: 'Two resources with the same URI',
  why: 'Only one of them can be read.',
  severity: 'warning',
  clause: { page: 'resources#resource' },
  see(context, _context, report) {
    const seen = new Set<unknown>();
    for (const entry of context.entriesOf('resource')) {
      const given = entry.value['uri'];
      if (typeof given === 'string' && seen.has(given))
        report('Another resource has the same URI', { about: entry, at: '/uri', fix: 'List it once.' });
      seen.add(given);
    }
  },
};

const TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}(?:\s{0,5};.{0,1000})?$/;
const mime: EntryRule = {
  id: 'mime-type',
  title: 'A `mimeType` that is not a media type',
  why: 'A client does not know how to show the contents, or misinterprets them.',
  severity: 'warning',
  clause: { page: 'resources#resource' },
  of: ['resource', 'template'],
  see({ value }, _context, report) {
    const { mimeType } = value;
    if (mimeType !== undefined && !(typeof mimeType === 'string' && TYPE.test(mimeType)))
      report(`The MIME type is ${quoted(mimeType, 60)}`, {
        at: '/mimeType',
        fix: 'Write a type and a subtype, as in text/markdown.',
      });
  },
};

const size: EntryRule = {
  id: 'resource-size',
  title: 'A `size` that is not a number of bytes',
  why: 'Hosts show it, and plan with it whether the contents fit.',
  severity: 'warning',
  clause: { page: 'resources#resource' },
  of: ['resource'],
  see({ value }, _context, report) {
    const { size: given } = value;
    if (given !== undefined && !(Number.isInteger(given) && (given as number) >= 0))
      report(`The size is ${quoted(given, 40)}`, { at: '/size', fix: 'Write how many bytes it has, or leave it out.' });
  },
};

function parsed(entry: LintEntry): UriTemplate | { readonly problem: string } {
  const text = entry.value['uriTemplate'];
  if (typeof text !== 'string') return { problem: `The template is ${quoted(text)}` };
  try {
    return parseTemplate(text);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const template: EntryRule = {
  id: 'template-uri',
  title: 'A `uriTemplate` that is not a URI template (RFC 6570)',
  why: 'No client can expand it.',
  severity: 'error',
  clause: { page: 'resources#resource-templates' },
  of: ['template'],
  see(entry, _context, report) {
    const read = parsed(entry);
    const at = '/uriTemplate';
    if ('problem' in read) report(read.problem, { at, fix: 'Write it as in file:///{+path} or users://{id}.' });
    else if (!/^(?:[A-Za-z][A-Za-z0-9+.-]*:|\{)/.test(read.text))
      report(`${quoted(read.text, 80)} has no scheme`, { at, fix: 'Begin with one, as in users://{id}.' });
  },
};

const fixed: EntryRule = {
  id: 'template-fixed',
  title: 'A template without a variable',
  why: 'It is a single resource, which no list contains.',
  severity: 'warning',
  of: ['template'],
  see(entry, _context, report) {
    const read = parsed(entry);
    if (!('problem' in read) && read.variables.length === 0)
      report('The template has no variable', { at: '/uriTemplate', fix: 'List it as a resource.' });
  },
};

/** The most templates that are compared with each other. */
const MAX_TEMPLATES = 200;

const overlap: LintRule<LintContext> = {
  id: 'template-overlap',
  title: 'Two templates for the same URIs',
  why: 'Which of them answers depends on the order, and on the library.',
  severity: 'warning',
  see(context, _context, report) {
    const known: { readonly read: UriTemplate; readonly sample: string }[] = [];
    for (const entry of context.entriesOf('template').slice(0, MAX_TEMPLATES)) {
      const read = parsed(entry);
      if ('problem' in read || read.variables.length === 0) continue;
      const sample = read.expand(Object.fromEntries(read.variables.map((name) => [name, 'x1'])));
      // A template that matches only some URIs of another is fine: the more specific one answers.
      const same = known.find(
        (other) => other.read.match(sample) !== undefined && read.match(other.sample) !== undefined,
      );
      if (same !== undefined)
        report(`It matches the same URIs as ${quoted(same.read.text, 80)}`, {
          about: entry,
          at: '/uriTemplate',
          fix: 'Distinguish them by a fixed part.',
        });
      known.push({ read, sample });
    }
  },
};

export const resourceRules: RuleGroup = {
  entry: [uri, mime, size, template, fixed],
  surface: [uriTwice, overlap],
};
