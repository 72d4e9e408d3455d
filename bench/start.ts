// Time from the start of a server over stdio until its first answer to a call, with everything a client says before it.
import { spawn } from 'node:child_process';
import { programPath } from './measured.ts';
import { FIRST_ID, INITIALIZE, problemOf, requestOf } from './messages.ts';

/** Longer than this is not a start, in milliseconds. */
const MOST_MS = 60_000;
const INPUT = [
  { jsonrpc: '2.0', id: 'i', method: 'initialize', params: INITIALIZE },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  requestOf('echo', false, FIRST_ID),
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('');

/** Starts a server once, and gives the milliseconds until its answer has arrived. */
export function timeToAnswer(server: string, node: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(node, [programPath(`servers/stdio/${server}`)], { stdio: ['pipe', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
    let text = '';
    let errors = '';
    let time: number | undefined;
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (errors += chunk));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (time !== undefined || !text.endsWith('\n') || text.split('\n').length < 3) return;
      time = performance.now() - began;
      child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      const last = text.trimEnd().split('\n').at(-1)!;
      try {
        if (time === undefined) throw new Error('it ended without an answer');
        const expected = { call: 'echo', modern: false, tools: 0 } as const;
        const problem = problemOf([JSON.parse(last) as object], FIRST_ID, expected);
        if (problem !== undefined) throw new Error(`${problem}: ${last}`);
        resolve(time);
      } catch (error) {
        reject(new Error(`${server}: ${(error as Error).message}\n${errors}`));
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.write(INPUT);
  });
}
