// Lays out what the generator reads: the Markdown of the repository with links that lead to pages of the site.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../scripts/lib/files.ts';
import { changeLinks, linksOf, summaryOf } from '../scripts/lib/markdown.ts';
import { apiPage, entryPoints } from './entry-points.ts';
import { DIST, STAGED } from './folders.ts';
import { PAGES, sitePath } from './navigation.ts';
import { folderPage, isFolder, sourcePage, sourcePagePath, sourcesIn } from './sources.ts';

/** The first page of the site. It is not in the navigation. */
export const LANDING = 'site/index.md';

/** The class of pages that only show a file or a folder of the repository. */
export const SOURCE = 'source';

const IMAGE = /\.(?:png|svg)$/;

/** Files of the repository that pages link to, by path. */
interface Linked {
  readonly images: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** The file of the repository that a link on a page leads to; undefined for an anchor of the page and for other sites. */
function fileOf(page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target) || target.startsWith('#')) return undefined;
  return posix.join(posix.dirname(page), target.split('#')[0]!);
}

/** The link on the site for a link in the repository. Images stay where they are, beside the pages. */
export function siteLink(page: string, target: string): string {
  const path = fileOf(page, target);
  if (path === undefined || IMAGE.test(path)) return target;
  const anchor = target.includes('#') ? target.slice(target.indexOf('#')) : '';
  if (path === LANDING) return `/${anchor}`;
  if (PAGES.includes(path)) return `/${sitePath(path)}${anchor}`;
  const shown = sourcePagePath(path);
  return isFolder(path) ? `/${shown}/` : `/${shown}.md`;
}

function linkedFrom(pages: ReadonlyMap<string, string>): Linked {
  const found = [...pages].flatMap(([page, text]) => linksOf(text).flatMap((target) => fileOf(page, target) ?? []));
  const images = found.filter((path) => IMAGE.test(path));
  const others = found.filter((path) => !IMAGE.test(path) && !PAGES.includes(path) && path !== LANDING);
  const folders = others.filter(isFolder);
  const files = others.filter((path) => !isFolder(path));
  return {
    images: new Set(images),
    folders: new Set(folders),
    files: new Set([...files, ...folders.flatMap(sourcesIn)]),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A page with facts for the generator on top. */
function withFacts(text: string, facts: Readonly<Record<string, unknown>>): string {
  // YAML has JSON in it.
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${text}`;
}

/** What a page says about itself: the address of its Markdown, and a description for search engines. */
function factsOf(text: string, raw: string): Readonly<Record<string, unknown>> {
  const { description } = summaryOf(text);
  const alternate = ['link', { rel: 'alternate', type: 'text/markdown', href: `/${raw}` }];
  return { description, raw: `/${raw}`, head: [alternate] };
}

function readPages(): ReadonlyMap<string, string> {
  return new Map([LANDING, ...PAGES].map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** Writes the pages for the generator. The API reference is already there. */
export function stagePages(): void {
  const pages = readPages();
  for (const [path, text] of pages) {
    const staged = path === LANDING ? 'index.md' : sitePath(path);
    const facts = path === LANDING ? { ...factsOf(text, 'README.md'), aside: false } : factsOf(text, path);
    write(
      join(STAGED, staged),
      withFacts(
        changeLinks(text, (target) => siteLink(path, target)),
        facts,
      ),
    );
  }
  const { images, files, folders } = linkedFrom(pages);
  for (const path of images) cpSync(join(root, path), join(STAGED, path));
  // Code would be found before the pages that explain it.
  const facts = { search: false, aside: false, pageClass: SOURCE };
  for (const path of files) write(join(STAGED, `${sourcePagePath(path)}.md`), withFacts(sourcePage(path), facts));
  for (const path of folders) write(join(STAGED, sourcePagePath(path), 'index.md'), withFacts(folderPage(path), facts));
  for (const name of readdirSync(join(STAGED, 'api'))) {
    const text = readFileSync(join(STAGED, 'api', name), 'utf8');
    write(join(STAGED, 'api', name), withFacts(text, factsOf(text, `api/${name}`)));
  }
}

/** Copies Markdown into the finished site, with the files that it links to. All paths are those of the repository, so all links stay valid. */
export function copyMarkdown(): void {
  const { images, files } = linkedFrom(readPages());
  for (const path of [...PAGES, ...images, ...files]) cpSync(join(root, path), join(DIST, path));
  for (const path of ['api/index.md', ...entryPoints().map(apiPage)]) {
    const text = readFileSync(join(STAGED, path), 'utf8');
    write(join(DIST, path), text.replace(/^---\n[\s\S]*?\n---\n\n/, ''));
  }
}
