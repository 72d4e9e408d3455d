// README's first example: the server that the clients of others are tried with, and the call that README makes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/lib/files.ts';
import { readPage } from '../scripts/lib/snippets.ts';

export interface Example {
  /** The name of its file without the extension, and of the server. */
  readonly name: string;
  readonly code: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, number>>;
  readonly answer: string;
}

/** The first program of a page, and the block after it that calls its tool, with what that prints. */
export function exampleOf(text: string): Example {
  const { snippets } = readPage('README.md', text);
  const [server, call] = snippets.slice(snippets.findIndex(({ language }) => language === 'ts'));
  const [, tool, words] = /tenon call (\w+) ((?:\w+=\d+ )+)--text /.exec(call?.lines.join('\n') ?? '') ?? [];
  if (server === undefined || tool === undefined) throw new Error('README does not begin with a server and a call');
  const args = words!.trim().split(' ');
  return {
    name: server.name.replace(/\.ts$/, ''),
    code: server.lines.join('\n').trimStart(),
    tool,
    args: Object.fromEntries(args.map((word) => [word.split('=')[0], Number(word.split('=')[1])])),
    answer: call!.output.join('\n'),
  };
}

export const EXAMPLE = exampleOf(readFileSync(join(root, 'README.md'), 'utf8'));

/** Saves the example in the clone, as README says, and removes it after `act`. */
export async function withExample<Result>(act: (path: string) => Promise<Result>): Promise<Result> {
  // Not below `wild`, whose packages it would find first.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/wild-'));
  try {
    const path = join(folder, `${EXAMPLE.name}.ts`);
    writeFileSync(path, EXAMPLE.code);
    return await act(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
