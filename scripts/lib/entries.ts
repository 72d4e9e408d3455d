// Records which functions a program enters, with a module hook that inserts a call at the start of each function.
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The position of a function in the sources. */
export interface FunctionPlace {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

const ENTER = '__enterFunction';

/** The name of a function: its own, or that of the variable or property that holds it. */
function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return `new ${node.parent.name?.text ?? '(class)'}`;
  const { name } = node;
  const own = name === undefined ? heldBy(node.parent) : name.getText();
  const prefix = ts.isGetAccessor(node) ? 'get ' : ts.isSetAccessor(node) ? 'set ' : '';
  const holder = ts.isPropertyDeclaration(node.parent) ? node.parent.parent : node.parent;
  const owner = ts.isClassLike(holder) ? `${holder.name?.text ?? '(class)'}.` : '';
  return `${prefix}${owner}${own}`;
}

function heldBy(parent: ts.Node): string {
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
    return parent.name.getText();
  if (ts.isCallExpression(parent)) return `(argument of ${parent.expression.getText().slice(-40)})`;
  return '(anonymous)';
}

/**
 * Inserts a call at the start of each function, without changing line numbers. `place` returns the number under which a function
 * is reported.
 */
export function withEntries(source: string, file: string, place: (place: FunctionPlace) => number): string {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const { body } = node as { body: ts.ConciseBody };
      const start = body.getStart(tree);
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
      const call = `${ENTER}(${place({ name: nameOf(node as ts.FunctionLikeDeclaration), file, line })})`;
      if (ts.isBlock(body)) insertions.push({ at: start + 1, text: `${call};` });
      else insertions.push({ at: start, text: `(${call},` }, { at: body.end, text: ')' });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  // Insert from the end, so that earlier positions stay valid. Of two insertions at one position, the outer function's comes first.
  return insertions
    .map((insertion, order) => ({ ...insertion, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}

/** Records the functions of all modules in `folder` that are loaded from now on. */
export function watchEntries(folder: string, base: string): { start(): void; stop(): FunctionPlace[] } {
  const places: FunctionPlace[] = [];
  let entered: number[] | undefined;
  Object.assign(globalThis, { [ENTER]: (number: number) => void entered?.push(number) });
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(folder) || !url.endsWith('.ts')) return loaded;
      const source = withEntries(
        String(loaded.source),
        relative(base, fileURLToPath(url)),
        (place) => places.push(place) - 1,
      );
      return { ...loaded, source };
    },
  });
  return {
    start() {
      entered = [];
    },
    stop() {
      const found = (entered ?? []).map((number) => places[number]!);
      entered = undefined;
      return found;
    },
  };
}
