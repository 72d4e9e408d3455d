// docs/features.md: every feature of the protocol is explained in prose, and has an example that a test runs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { anchorOf } from './lib/markdown.ts';
import { filesUnder, root } from './lib/files.ts';
import { readPage } from './lib/snippets.ts';

const PAGE = 'docs/features.md';
/** The features that an SDK of the first tier has to document, by heading of the page. */
const COUNTS = {
  Tools: 8,
  Resources: 8,
  Prompts: 6,
  'Questions of the server': 9,
  Utilities: 5,
  Transports: 6,
  Protocol: 6,
  Tasks: 5,
  'New in 2026-07-28': 8,
  Authorization: 9,
};

interface Row {
  readonly feature: string;
  readonly prose: string;
  readonly example: string;
  readonly word: string;
}

/** The target of a link in a cell, relative to the root. */
function targetOf(cell: string): string {
  const [, target = ''] = /\]\(([^)]+)\)/.exec(cell) ?? [];
  return join(dirname(PAGE), target).replaceAll('\\', '/');
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function rowsIn(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| feature '))
    .map((line) => line.split(' | '))
    .map(([feature = '', prose = '', example = '', word = '']) => ({
      feature: feature.replace('| ', ''),
      prose: targetOf(prose),
      example: targetOf(example),
      word: /`(.+)`/.exec(word)?.[1] ?? '',
    }));
}

/** The lines of a section and its subsections, from the one of the heading on; the whole page without an anchor. */
function sectionOf(target: string): { readonly page: string; readonly from: number; readonly to: number } {
  const [page = '', anchor] = target.split('#');
  const lines = read(page).split('\n');
  if (anchor === undefined) return { page, from: 0, to: lines.length };
  const isHeading = (line: string): boolean => /^#+ /.test(line);
  const from = lines.findIndex((line) => isHeading(line) && anchorOf(line.replace(/^#+ /, '')) === anchor);
  assert.notEqual(from, -1, `${target} does not exist`);
  const level = lines[from]!.indexOf(' ');
  const next = lines.findIndex((line, at) => at > from && /^#+ /.test(line) && line.indexOf(' ') <= level);
  return { page, from, to: next === -1 ? lines.length : next };
}

/** The sentences of a section: no code, no headings. */
function proseOf(target: string): string {
  const { page, from, to } = sectionOf(target);
  const text = read(page).split('\n').slice(from, to).join('\n');
  return text.replaceAll(/<!--[\s\S]*?-->|^```[\s\S]*?^```|^#.*$/gm, '').trim();
}

/** The snippets of a section that a test runs. */
function runIn(target: string): string {
  const { page, from, to } = sectionOf(target);
  return readPage(page, read(page))
    .snippets.filter(({ run }) => run)
    .map(({ lines }) => lines.slice(from, to).join('\n'))
    .join('\n');
}

/** Whether a test in the folder of a program, or in one above it, mentions the program. */
function isTested(path: string): boolean {
  const name = basename(path);
  const folder = path.split('/').slice(0, 2).join('/');
  return (
    name.endsWith('.test.ts') ||
    filesUnder(folder).some((file) => file.endsWith('.test.ts') && read(file).includes(`/${name}`))
  );
}

test('docs/features.md has every feature', () => {
  const sections = read(PAGE).split(/^## /m).slice(1);
  const counts = sections.map((section) => [section.split('\n')[0], rowsIn(section).length]);
  assert.deepEqual(Object.fromEntries(counts), COUNTS);
});

test('examples/README.md lists every example', () => {
  const text = read('examples/README.md');
  const folders = new Set(filesUnder('examples').map((path) => path.split('/')[1]!));
  folders.delete('README.md');
  assert.deepEqual(
    [...folders].filter((folder) => !text.includes(`\n| [${folder}](`)),
    [],
  );
});

test('every feature is explained in prose', () => {
  for (const { feature, prose } of rowsIn(read(PAGE)))
    assert.match(proseOf(prose), /[A-Z`][^|\n]{30,}\./, `${feature}: ${prose} has no sentence`);
});

test('every feature has an example that a test runs, and that uses the feature', () => {
  for (const { feature, example, word } of rowsIn(read(PAGE))) {
    const code = example.endsWith('.ts') ? read(example) : runIn(example);
    if (example.endsWith('.ts')) assert.ok(isTested(example), `${feature}: no test runs ${example}`);
    assert.ok(word !== '' && code.includes(word), `${feature}: nothing that runs at ${example} contains ${word}`);
  }
});
