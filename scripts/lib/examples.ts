// Extracts the examples in doc comments of exported functions, as files that are compiled with the snippets of the documentation.

import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './files.ts';
import type { Snippet } from './snippets.ts';

/** The exported functions of an entry point, and their examples. */
export interface Examples {
  readonly functions: readonly string[];
  /** The functions whose doc comment has no ```ts block under `@example`. */
  readonly missing: readonly string[];
  readonly snippets: readonly Snippet[];
}

/** Reads the doc comments of the exports of the entry point at `path`. */
export function examplesOf(path: string): Examples {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const file = join(root, path);
  const program = ts.createProgram([file], { ...options, customConditions: ['tenon-source'] });
  const checker = program.getTypeChecker();
  const entry = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
  const functions: string[] = [];
  const missing: string[] = [];
  const snippets: Snippet[] = [];
  for (const exported of checker.getExportsOfModule(entry)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const { valueDeclaration } = symbol;
    if (valueDeclaration === undefined) continue;
    if (checker.getTypeOfSymbolAtLocation(symbol, valueDeclaration).getCallSignatures().length === 0) continue;
    functions.push(exported.name);
    const source = relative(root, valueDeclaration.getSourceFile().fileName).replaceAll('\\', '/');
    const code = exampleOf(symbol, checker);
    if (code === undefined) missing.push(`${source}: ${exported.name}`);
    else snippets.push(snippetOf(`${source}, example of ${exported.name}`, code));
  }
  return { functions, missing, snippets };
}

function exampleOf(symbol: ts.Symbol, checker: ts.TypeChecker): string | undefined {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'example');
  return /```ts\n(.*?)\n?```/s.exec(ts.displayPartsToString(tag?.text))?.[1];
}

function snippetOf(page: string, code: string): Snippet {
  const name = `${page.replaceAll(/\W+/g, '-').toLowerCase()}.ts`;
  return { page, name, language: 'ts', run: false, lines: code.split('\n'), output: [] };
}
