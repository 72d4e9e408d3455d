// Times of the start of programs, measured in pairs: machines are noisy.

import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import process from 'node:process';

function median(values: number[]) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Runs both `rounds` times, alternately in changing order. Returns the medians of the differences and of the baseline, in milliseconds. */
export async function paired(
  rounds: number,
  floor: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<{ more: number; base: number }> {
  await floor();
  await ours();
  const differences: number[] = [];
  const bases: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let base: number;
    let own: number;
    if (round % 2 === 0) {
      base = await floor();
      own = await ours();
    } else {
      own = await ours();
      base = await floor();
    }
    differences.push(own - base);
    bases.push(base);
  }
  return { more: median(differences), base: median(bases) };
}

/** Time from spawning a server, a script with its arguments, to its first response, in milliseconds. */
export function firstAnswer(command: readonly string[]): Promise<number> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'size', version: '1' } };
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'], cwd: tmpdir() });
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    let time: number | undefined;
    child.stdout.once('data', () => {
      time = performance.now() - started;
      child.stdin.end();
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (time === undefined) reject(new Error(`${command.join(' ')} did not answer`));
      else resolve(time);
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  });
}
