import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import type { ReadStream, WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { turns } from '../../../../scripts/lib/until.ts';
import { TerminalConsole } from './console.ts';

/** A terminal that reports this size. */
function terminal(columns: number, rows: number) {
  let written = '';
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.toString();
        done();
      },
    }),
    { isTTY: true, columns, rows },
  );
  const console = new TerminalConsole(input as unknown as ReadStream, output as unknown as WriteStream, () => {});
  const press = async (keys: string): Promise<void> => {
    input.write(keys);
    await turns();
  };
  return { console, press, output, written: () => stripVTControlCharacters(written) };
}

test('a terminal that reports no columns gets unwrapped lines, and complete lists', async () => {
  const { console, press, output, written } = terminal(0, 0);
  assert.deepEqual([console.columns(), console.output.columns, console.output.rows], [80, 80, 24]);
  const line = console.line({ above: ['Something to read'], initial: 'already here' });
  await press('\r');
  assert.deepEqual(await line, { outcome: 'submitted', text: 'already here' });
  assert.match(written(), /Something to read\n› already here/);
  const choices = Array.from({ length: 12 }, (_, index) => ({ value: `v${index}`, label: `Choice number ${index}` }));
  const choice = console.choose('Which one of these?', choices);
  await press('\r');
  assert.equal(await choice, 'v0');
  assert.match(written(), /Which one of these\?[^]*● Choice number 0[^]*Choice number 11/);
  Object.assign(output, { columns: 120, rows: 50 });
  assert.deepEqual([console.columns(), console.output.rows], [120, 50]);
  console.close();
});
