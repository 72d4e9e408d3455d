// Reads the examples in the doc comments of what packages export, as pages whose code is compiled like that of the documentation.

import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './files.ts';
import { type Page, readPage } from './snippets.ts';

/** The doc comments of entry points. */
export interface Examples {
  /** The names of the functions of each entry point whose doc comments were read. */
  readonly functions: readonly (readonly string[])[];
  /** The doc comments, as a page for each source file. */
  readonly pages: readonly Page[];
}

/** Reads the doc comments of everything that these entry points export, and of its members. */
export function examplesOf(entryPoints: readonly string[]): Examples {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = entryPoints.map((path) => join(root, path));
  const program = ts.createProgram(files, { ...options, customConditions: ['tenon-source'] });
  const checker = program.getTypeChecker();
  const comments = new Map<ts.SourceFile, Set<ts.JSDoc>>();
  const functions = files.map((file) => {
    const names: string[] = [];
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const declarations = (symbol.declarations ?? []).filter((one) => !one.getSourceFile().isDeclarationFile);
      for (const declaration of declarations) {
        const source = declaration.getSourceFile();
        comments.set(source, new Set([...(comments.get(source) ?? []), ...commentsIn(declaration)]));
      }
      if (isFunction(symbol, checker)) names.push(exported.name);
    }
    return names;
  });
  const pages = [...comments].map(([source, found]) =>
    readComments(relative(root, source.fileName).replaceAll('\\', '/'), textOf(source, found)),
  );
  return { functions, pages };
}

function readComments(path: string, text: string): Page {
  const { snippets, quotes, problems } = readPage(path, text);
  // Nothing would compile it.
  const unchecked = text
    .split('\n')
    .flatMap((line, at) =>
      /^@example\s+\S/.test(line) ? [`${path}:${at + 1}: write the example as a \`\`\`ts block`] : [],
    );
  return { snippets, quotes, problems: [...problems, ...unchecked] };
}

function isFunction(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const { valueDeclaration } = symbol;
  if (valueDeclaration === undefined) return false;
  return checker.getTypeOfSymbolAtLocation(symbol, valueDeclaration).getCallSignatures().length > 0;
}

function commentsOf(node: ts.Node): ts.JSDoc[] {
  return ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
}

/** The doc comments of a declaration and of its members. */
function commentsIn(node: ts.Node): ts.JSDoc[] {
  const own = commentsOf(node);
  if (ts.isFunctionLike(node)) return own;
  ts.forEachChild(node, (child) => void own.push(...commentsIn(child)));
  return own;
}

/** The text of doc comments without their asterisks, every line where it is in the source file. */
function textOf(source: ts.SourceFile, comments: ReadonlySet<ts.JSDoc>): string {
  const lines = source.text.split('\n').map(() => '');
  for (const comment of comments) {
    const { line: first } = source.getLineAndCharacterOfPosition(comment.getStart(source));
    for (const [index, line] of comment.getText(source).split('\n').entries())
      lines[first + index] = line.replace(/^\s*(?:\/\*\*|\*(?!\/)) ?/, '').replace(/ ?\*\/$/, '');
  }
  return lines.join('\n');
}
