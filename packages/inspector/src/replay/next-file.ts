import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';

/** The file in which a recorder went on that found this one taken: `x-2.mcptrace` after `x.mcptrace`. */
function nextFile(file: string): string | undefined {
  const ending = extname(file);
  const stem = file.slice(0, file.length - ending.length);
  const counted = /^(.*)-(\d{1,6})$/.exec(stem);
  const names = [`${stem}-2`, ...(counted === null ? [] : [`${counted[1]}-${Number(counted[2]) + 1}`])];
  return names.map((name) => name + ending).find((name) => existsSync(name));
}

/**
 * Where the rest of a session is whose client only looked which revision the server is of: such a client ends the process and starts another
 * one, which has a trace of its own.
 */
export function whereTheRestIs(file: string | undefined): string {
  const next = file === undefined ? undefined : nextFile(file);
  const where = next === undefined ? 'the trace that was recorded right after it' : basename(next);
  return `The client started the server a second time for everything else: look at ${where}`;
}
