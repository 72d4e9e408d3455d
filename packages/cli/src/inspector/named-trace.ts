import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandLine } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';

/** The beginning of each trace. */
const HEAD = '{"mcptrace":';

function beginsLikeTrace(file: string): boolean {
  let handle: number | undefined;
  try {
    if (!statSync(file).isFile()) return false;
    handle = openSync(file, 'r');
    const head = Buffer.alloc(HEAD.length);
    readSync(handle, head);
    return head.toString('latin1') === HEAD;
  } catch {
    return false;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether a word of the command line is a trace, by its name or by the beginning of the file. A trace is never started as a program. */
export function isTrace(word: string): boolean {
  return word.endsWith('.mcptrace') || beginsLikeTrace(word);
}

/** The path of the trace that is given in place of a server; undefined if it is a server. */
export function namedTrace(line: CommandLine): string | undefined {
  const [, word, more] = line.words;
  if (word === undefined || !isTrace(word)) return undefined;
  if (line.target !== undefined) throw usage('Give either a trace or a server, not both');
  if (more !== undefined) throw usage('Only one trace can be given');
  if (!existsSync(word)) throw usage(`There is no file ${word}`);
  return resolve(word);
}
