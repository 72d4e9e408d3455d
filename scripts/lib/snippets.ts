// Extracts the code blocks of the documentation as files. The words after ```ts or ```sh say how a block is used:
//   run       it is run, and must print the ```text or ```json block right after it
//   more      it continues the previous block of the page; the two are one file
//   math.ts   the file's name, so that other blocks of all pages may import it
// A block of any language with the path of a file (```yaml examples/deploy/kubernetes.yaml) shows lines of that file, which must be in it.
// A block inside an HTML comment is hidden from readers, but used like any other.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './files.ts';

/** One file made of one or more blocks. Lines keep their numbers on the page. */
export interface Snippet {
  readonly page: string;
  readonly name: string;
  readonly language: 'ts' | 'sh';
  readonly run: boolean;
  readonly lines: string[];
  /** The output that the page shows. */
  readonly output: string[];
}

/** Lines of a file of the repository. */
export interface Quote {
  /** The page and the line. */
  readonly at: string;
  readonly path: string;
  readonly text: string;
}

/** A parsed page. */
export interface Page {
  readonly snippets: readonly Snippet[];
  readonly quotes: readonly Quote[];
  readonly problems: readonly string[];
}

interface Block {
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly lines: readonly string[];
  /** Whether only empty lines separate it from the previous block. */
  readonly follows: boolean;
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { at: number; words: string[]; fence: string; follows: boolean } | undefined;
  let follows = false;
  const all = text.split('\n');
  all.forEach((line, at) => {
    const fence = /^(`{3,})(.*)$/.exec(line);
    if (open !== undefined) {
      if (line.trim() !== open.fence) return;
      const [language = '', ...words] = open.words;
      blocks.push({ line: open.at + 1, language, words, lines: all.slice(open.at + 1, at), follows: open.follows });
      open = undefined;
      follows = true;
    } else if (fence !== null) {
      open = { at, words: fence[2]!.trim().split(/\s+/), fence: fence[1]!, follows };
    } else if (line.trim() !== '') follows = false;
  });
  return blocks;
}

const FILE = /^[a-z][\w-]*\.ts$/;
const PATH = /^[\w.@-]+(?:\/[\w.@-]+)+$/;

/** Parses the code blocks of a page. */
export function readPage(page: string, text: string): Page {
  const snippets: Snippet[] = [];
  const quotes: Quote[] = [];
  const problems: string[] = [];
  let last: Snippet | undefined;
  for (const { line, language, words, lines, follows } of blocksOf(text)) {
    const refuse = (why: string): void => void problems.push(`${page}:${line}: ${why}`);
    const path = words.find((word) => PATH.test(word));
    if (path !== undefined) {
      quotes.push({ at: `${page}:${line}`, path, text: lines.join('\n') });
      continue;
    }
    if (language === 'text' || language === 'json') {
      // Output without a block that is run would never be checked.
      if (last?.run === true && follows) last.output.push(...lines);
      // A transcript that starts with its own command is an illustration.
      else if (language === 'text' && !lines[0]?.startsWith('$ '))
        refuse('output must follow the block that prints it, and that block must be marked `run`');
      continue;
    }
    if (language !== 'ts' && language !== 'sh') {
      if (/^(js|javascript|tsx|jsx|typescript|bash|shell|console)$/.test(language)) refuse('write ```ts or ```sh');
      continue;
    }
    const files = words.filter((word) => FILE.test(word));
    const unknown = words.find((word) => word !== 'run' && word !== 'more' && !FILE.test(word));
    if (unknown !== undefined || files.length > 1) refuse(`a block is not '${words.join(' ')}'`);
    if (words.includes('more')) {
      if (last?.language !== language) refuse('there is nothing to go on with');
      else last.lines.push(...blank(line - last.lines.length), ...lines);
      continue;
    }
    last = {
      page,
      name: files[0] ?? `${page.replace(/\.md$/, '').replaceAll(/\W+/g, '-').toLowerCase()}-${line}.${language}`,
      language,
      run: words.includes('run'),
      lines: [...blank(line), ...lines],
      output: [],
    };
    snippets.push(last);
  }
  return { snippets, quotes, problems };
}

function blank(count: number): string[] {
  return Array.from({ length: count }, () => '');
}

/** Output without the measured times, which differ from run to run: every `12 ms` is the same. */
export function withoutTimes(output: string): string {
  return output.replaceAll(/(?<= )\d+ ms\b/g, '… ms');
}

/** Makes a folder with all snippets as files, and the packages installed like for a user. `modules`: the folder of these packages. */
export function layOut(
  snippets: readonly Snippet[],
  modules = join(root, 'node_modules'),
): { readonly folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-docs-')));
  const seen = new Map<string, Snippet>();
  for (const snippet of snippets) {
    const known = seen.get(snippet.name);
    const code = snippet.lines.join('\n');
    if (known !== undefined && known.lines.join('\n').trim() !== code.trim()) {
      throw new Error(`${snippet.name} is not the same in ${known.page} and ${snippet.page}`);
    }
    if (known === undefined) writeFileSync(join(folder, snippet.name), `${code}\n`);
    seen.set(snippet.name, snippet);
  }
  const options = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      lib: ['ES2024', 'ESNext.Disposable', 'ESNext.Array'],
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ['*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  mkdirSync(join(folder, 'data'));
  symlinkSync(modules, join(folder, 'node_modules'), 'junction');
  // The guide to web APIs tells the reader to copy this folder.
  symlinkSync(join(root, 'servers', 'shared', 'api'), join(folder, 'api'), 'junction');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
