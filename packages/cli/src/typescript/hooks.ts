// Module hooks with which a Node that does not run TypeScript does. They run in a thread of their own: this file is an entry of the build.
import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/wasm-typescript';

/** What the compiler throws. */
interface Problem {
  readonly code?: string;
  readonly message?: string;
  readonly startLine?: number;
  readonly snippet?: string;
}

/** The error that Node itself throws for such a file. */
function errorOf(problem: Problem, path: string): Error {
  const { code, message = String(problem), startLine, snippet = '' } = problem;
  const error = new SyntaxError(`${message} at ${path}:${startLine}\n${snippet.trimEnd()}`);
  const kind = code === 'UnsupportedSyntax' ? 'UNSUPPORTED' : 'INVALID';
  return Object.assign(error, { code: `ERR_${kind}_TYPESCRIPT_SYNTAX` });
}

/** Node does not run TypeScript of installed packages, either. */
const OWN_TYPESCRIPT = /^file:(?!.*\/node_modules\/).*\.m?ts$/;

/** Removes the types, and keeps lines and columns, as Node does. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!OWN_TYPESCRIPT.test(url)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const source = await readFile(path, 'utf8');
  try {
    const { code } = transformSync(source, { mode: 'strip-only', filename: path });
    return { format: 'module', shortCircuit: true, source: code };
  } catch (problem) {
    throw errorOf(problem as Problem, path);
  }
};
