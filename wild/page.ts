// Writes the matrix of a run into a Markdown file: between its markers, or as the whole file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

/** The day and the place of a run, under its matrix. */
export function placeOf(began: Date): string {
  return `${began.toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}.`;
}

/** Puts the block of each part between its markers. A block without markers is an error, so that nothing is lost. */
export function filled(text: string, blocks: ReadonlyMap<string, string>): string {
  const left = new Set(blocks.keys());
  const page = text.replaceAll(/(<!-- wild: (\w+) -->\n)[^]*?(<!-- \/wild -->)/g, (whole, begin, name, end) => {
    const block = blocks.get(name as string);
    left.delete(name as string);
    return block === undefined ? whole : `${begin}\n${block}\n\n${end}`;
  });
  if (left.size > 0) throw new Error(`there is no marker for ${[...left].join(', ')}`);
  return page;
}

export function writePage(path: string, blocks: ReadonlyMap<string, string>): void {
  const text = existsSync(path)
    ? readFileSync(path, 'utf8')
    : [...blocks.keys()].map((name) => `<!-- wild: ${name} -->\n<!-- /wild -->\n`).join('\n');
  writeFileSync(path, filled(text, blocks));
}
