import { isObject } from '@tenon/values/is-object';
import { quoted } from '../values/words.ts';
import type { EntryKind, EntryRule, LintEntry, RuleGroup } from './rule.ts';

const ALL: readonly EntryKind[] = ['server', 'tool', 'resource', 'template', 'prompt'];
const ICONS = { page: 'messages#icons', since: '2025-11-25' } as const;
const MAX_ICONS = 50;

function iconsOf({ value }: LintEntry): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value['icons'])
    ? value['icons'].slice(0, MAX_ICONS).map((icon: unknown) => (isObject(icon) ? icon : {}))
    : [];
}

const shape: EntryRule = {
  id: 'icon-shape',
  title: 'Icons that are not a list of objects with a `src`',
  why: 'Clients that validate messages drop the icons, or the entry.',
  severity: 'error',
  clause: ICONS,
  of: ALL,
  see({ value }, _context, report) {
    const { icons } = value;
    if (icons === undefined) return;
    if (!Array.isArray(icons))
      report(`The icons are ${quoted(icons)}, not a list`, {
        at: '/icons',
        fix: 'Write a list: [{ "src": "https://…" }].',
      });
    else
      icons.slice(0, MAX_ICONS).forEach((icon: unknown, index) => {
        if (!isObject(icon) || typeof icon['src'] !== 'string')
          report('The icon has no src', { at: `/icons/${index}/src`, fix: 'Give it one: an https or data URI.' });
      });
  },
};

const scheme: EntryRule = {
  id: 'icon-scheme',
  title: 'An icon with neither an `https:` nor a `data:` URI',
  why: 'Clients must reject all others: `javascript:` runs a script, and `http:` can be read and changed in transit.',
  severity: 'warning',
  clause: ICONS,
  of: ALL,
  see(entry, _context, report) {
    iconsOf(entry).forEach(({ src }, index) => {
      if (typeof src !== 'string' || /^(?:https|data):/i.test(src)) return;
      const found = /^[A-Za-z][A-Za-z0-9+.-]{0,20}:/.exec(src)?.[0];
      report(found === undefined ? `${quoted(src, 60)} is not a URI` : `The icon has the scheme ${found}`, {
        at: `/icons/${index}/src`,
        fix: 'Serve it over https, or embed it as a data URI.',
      });
    });
  },
};

const IMAGES = /^image\/(?:png|jpe?g|svg\+xml|webp)$/i;
const mime: EntryRule = {
  id: 'icon-mime-type',
  title: 'An icon that is neither PNG, JPEG, SVG nor WebP',
  why: 'Clients do not have to support other image types.',
  severity: 'info',
  clause: ICONS,
  of: ALL,
  see(entry, _context, report) {
    iconsOf(entry).forEach(({ mimeType, src }, index) => {
      const embedded = typeof src === 'string' ? /^data:([^;,]{0,100})[;,]/i.exec(src)?.[1] : undefined;
      const type = mimeType ?? embedded;
      if (type !== undefined && !(typeof type === 'string' && IMAGES.test(type)))
        report(`The MIME type is ${quoted(type, 60)}`, { at: `/icons/${index}/mimeType`, fix: 'Use image/png.' });
    });
  },
};

const sizes: EntryRule = {
  id: 'icon-sizes',
  title: 'Sizes other than `48x48` or `any`, or a theme other than `light` and `dark`',
  why: 'A client cannot choose among the icons.',
  severity: 'warning',
  clause: ICONS,
  of: ALL,
  see(entry, _context, report) {
    iconsOf(entry).forEach(({ sizes: given, theme }, index) => {
      if (
        given !== undefined &&
        !(
          Array.isArray(given) &&
          given.every((each) => typeof each === 'string' && /^(?:\d{1,6}x\d{1,6}|any)$/.test(each))
        )
      )
        report(
          `The sizes are ${
            Array.isArray(given)
              ? given
                  .slice(0, 5)
                  .map((each) => quoted(each, 20))
                  .join(', ')
              : quoted(given, 40)
          }`,
          { at: `/icons/${index}/sizes`, fix: 'Write a list: ["48x48"].' },
        );
      if (theme !== undefined && theme !== 'light' && theme !== 'dark')
        report(`The theme is ${quoted(theme, 40)}`, { at: `/icons/${index}/theme`, fix: 'Write light or dark.' });
    });
  },
};

export const iconRules: RuleGroup = { entry: [shape, scheme, mime, sizes] };
