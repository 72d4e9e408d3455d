// Makes the API reference from the declarations that are published: TypeDoc reads them, and its plugin writes Markdown.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { root } from '../scripts/lib/files.ts';
import { CACHE, SITE } from './folders.ts';
import { apiPage, type EntryPoint, entryPoints } from './entry-points.ts';

const COMMENT = /^\/\*\*([\s\S]*?)\*\//;

function leadingComment(source: string): string {
  return (COMMENT.exec(source)?.[1] ?? '').replaceAll(/^ *\* ?/gm, '').trim();
}

/**
 * An entry point under the name by which it is imported. It is the published file with other paths; its first comment becomes that of the
 * module, because TypeDoc would take it for the comment of the first export.
 */
export function namedModule(source: string, name: string, pathOf: (specifier: string) => string): string {
  const comment = leadingComment(source);
  const exports = source
    .replace(COMMENT, '')
    .replaceAll(/from '([.#][^']+)'/g, (_, path: string) => `from '${pathOf(path)}'`);
  return `/**\n * ${comment.replaceAll('\n', '\n * ')}\n * @module ${name}\n */${exports}`;
}

interface Manifest {
  readonly imports?: Readonly<Record<string, { readonly node: string }>>;
}

function writeModule({ name, declarations, folder }: EntryPoint, out: string): string {
  const { imports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const source = join(folder, declarations);
  const path = join(out, `${name}.ts`);
  const pathOf = (specifier: string): string => {
    const target = imports?.[specifier]?.node;
    const file = target === undefined ? join(dirname(source), specifier) : join(folder, target);
    return relative(dirname(path), file).replaceAll('\\', '/');
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, namedModule(readFileSync(source, 'utf8'), name, pathOf));
  return path;
}

const TYPEDOC = {
  plugin: ['typedoc-plugin-markdown'],
  readme: 'none',
  // Errors inherit members that every JavaScript error has.
  excludeExternals: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  // The declarations in dist are no place to send a reader to.
  disableSources: true,
  outputFileStrategy: 'modules',
  flattenOutputFiles: true,
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useHTMLEncodedBrackets: true,
  // Headings that differ only in case would get anchors that the site does not have.
  useHTMLAnchors: true,
  anchorPrefix: 'api-',
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideSources: true, hideInherited: true, hideOverrides: true, leftAlignHeaders: true },
  sort: ['alphabetical'],
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', 'References'],
};

/** The list of all entry points, in place of TypeDoc's, which has neither their order nor their comments. */
function indexText(): string {
  const rows = entryPoints().map(({ name, folder, declarations }) => {
    const comment = leadingComment(readFileSync(join(folder, declarations), 'utf8'));
    return `| [\`${name}\`](${apiPage({ name }).replace('api/', '')}) | ${comment.replaceAll('\n', ' ')} |`;
  });
  return [
    '# API reference',
    '',
    'All public entry points of the packages, made from their declarations and doc comments.',
    '',
    '| import | |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Writes one page for each entry point, and an index, into `out`. Throws if TypeDoc fails. */
export function writeApiReference(out: string): void {
  const folder = join(CACHE, 'entry-points');
  rmSync(folder, { recursive: true, force: true });
  const modules = entryPoints().map((entry) => writeModule(entry, folder));
  const compilerOptions = { lib: ['ES2024', 'ESNext.Disposable', 'ESNext.Array', 'DOM'], noUnusedLocals: false };
  const tsconfig = join(folder, 'tsconfig.json');
  writeFileSync(
    tsconfig,
    JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files: modules }),
  );
  const options = join(folder, 'typedoc.json');
  const name = 'API reference';
  writeFileSync(options, JSON.stringify({ ...TYPEDOC, name, entryPoints: modules, tsconfig, out }));
  const typedoc = join(SITE, 'node_modules/typedoc/bin/typedoc');
  const { status } = spawnSync(process.execPath, [typedoc, '--options', options], { cwd: SITE, stdio: 'inherit' });
  if (status !== 0) throw new Error('TypeDoc failed; its messages are above.');
  writeFileSync(join(out, 'index.md'), indexText());
}
