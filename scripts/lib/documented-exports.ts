// Every export of a published package has a doc comment, functions with an example, and so has every member of an exported interface,
// class or object type. `scripts/docs.test.ts` compiles the examples.
// Read from the declarations of the build, because those are what users see.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/** An entry point of a package, such as `tenon/auth`, and the file of its declarations. */
interface Entry {
  readonly name: string;
  readonly file: string;
}

interface PackageFile {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
}

/** The entry points of all packages in `packages/` that users may import. */
function publicEntries(root: string): readonly Entry[] {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const path = join(root, 'packages', folder, 'package.json');
    if (!existsSync(path)) return [];
    const { name, private: internal, exports = {} } = JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
    if (internal === true) return [];
    return Object.entries(exports).flatMap(([key, target]) => {
      // The internal entry points are for the other packages of this repository.
      if (typeof target === 'string' || target.types === undefined || key.startsWith('./internal')) return [];
      return [{ name: join(name, key).split(sep).join('/'), file: join(root, 'packages', folder, target.types) }];
    });
  });
}

/** Checks the declarations of the packages in `root`. Returns the problems as text. */
export function checkDocumentedExports(root: string): string[] {
  const entries = publicEntries(root);
  const missing = entries.filter(({ file }) => !existsSync(file));
  if (missing.length > 0)
    return missing.map(({ name }) => `${name}: there are no declarations; build the packages first`);
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    // Without the declarations of the language and of Node, which are not needed and take most of the time.
    { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, noLib: true, types: [] },
  );
  const checker = program.getTypeChecker();
  const problems = entries.flatMap(({ name, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) return [`${name}: ${file} has no exports`];
    return checker.getExportsOfModule(module).flatMap((symbol) => problemsOf(symbol, { checker, root }));
  });
  return [...new Set(problems)].sort();
}

interface Check {
  readonly checker: ts.TypeChecker;
  readonly root: string;
}

function problemsOf(exported: ts.Symbol, check: Check): string[] {
  const { checker, root } = check;
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declarations = (symbol.declarations ?? []).filter((declaration) => !isForeign(declaration));
  const [first] = declarations;
  if (first === undefined) return [];
  const file = relative(root, first.getSourceFile().fileName).split(sep).join('/');
  const label = `${file}: ${exported.name}`;
  const problems = isDocumented(symbol, checker) ? [] : [`${label} has no doc comment`];
  if (isFunction(symbol, first, checker) && !hasExample(declarations))
    problems.push(`${label} has no \`\`\`ts example in its doc comment`);
  for (const member of declarations.flatMap(membersOf)) {
    const own = checker.getSymbolAtLocation(member.name);
    if (own !== undefined && !isDocumented(own, checker)) problems.push(`${label}.${own.name} has no doc comment`);
  }
  return problems;
}

/** Whether it is declared by a package that we only re-export. */
function isForeign(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.includes('/node_modules/');
}

function isDocumented(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return symbol.getDocumentationComment(checker).length > 0;
}

function isFunction(symbol: ts.Symbol, declaration: ts.Declaration, checker: ts.TypeChecker): boolean {
  if (!(symbol.flags & ts.SymbolFlags.Value)) return false;
  return checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures().length > 0;
}

function hasExample(declarations: readonly ts.Declaration[]): boolean {
  return declarations.some((declaration) => {
    const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return ts.getJSDocCommentsAndTags(statement).some((comment) => comment.getText().includes('```ts'));
  });
}

type Named<T> = T & { readonly name: ts.PropertyName };

/** The named members that a declaration itself declares. Those of an extended type are checked where they are exported. */
function membersOf(declaration: ts.Declaration): readonly Named<ts.TypeElement | ts.ClassElement>[] {
  if (ts.isInterfaceDeclaration(declaration)) return declaration.members.filter(isNamed);
  if (ts.isTypeAliasDeclaration(declaration)) {
    return objectsIn(declaration.type).flatMap(({ members }) => members.filter(isNamed));
  }
  if (!ts.isClassDeclaration(declaration)) return [];
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return declaration.members
    .filter(isNamed)
    .filter((member) => !(ts.getCombinedModifierFlags(member) & hidden) && !isErrorName(declaration, member));
}

/** The name of an error is that of its class. */
function isErrorName(declaration: ts.ClassDeclaration, member: Named<ts.ClassElement>): boolean {
  return declaration.heritageClauses !== undefined && member.name.getText() === 'name';
}

/** A member with one possible value: `kind: 'tool'`. Its type is enough documentation. */
function isDiscriminant(member: ts.TypeElement | ts.ClassElement): boolean {
  return ts.isPropertySignature(member) && member.type !== undefined && ts.isLiteralTypeNode(member.type);
}

function isNamed<T extends ts.TypeElement | ts.ClassElement>(member: T): member is Named<T> {
  // A computed name is a symbol such as `Symbol.asyncDispose`, whose meaning is known.
  const { name } = member;
  return (
    name !== undefined && !ts.isComputedPropertyName(name) && !ts.isPrivateIdentifier(name) && !isDiscriminant(member)
  );
}

/** The object types in a type, but not those of its members. */
function objectsIn(type: ts.TypeNode): readonly ts.TypeLiteralNode[] {
  if (ts.isTypeLiteralNode(type)) return [type];
  if (ts.isParenthesizedTypeNode(type)) return objectsIn(type.type);
  // The members of a variant of a union are described above the variant, or the union, which would be unreadable otherwise.
  return ts.isIntersectionTypeNode(type) ? type.types.flatMap(objectsIn) : [];
}
