// What every client of the benchmark does: it makes as many calls as a line on its stdin says, so many at a time, and checks each answer.
import process from 'node:process';
import { createInterface } from 'node:readline';

/** The server to connect to: `{ port }`, or `{ command, args }`. */
export const server = JSON.parse(process.env['SERVER']);
const IN_FLIGHT = Number(process.env['IN_FLIGHT'] ?? 64);

/** Reads lines `{ calls }`, makes the calls and says `{ done }`. `call` gives the text of the answer. */
export function drive(call) {
  const makeCalls = async (calls) => {
    let left = calls;
    const work = async () => {
      while (left > 0) {
        const text = `hello ${left--}`;
        const answer = await call(text);
        if (answer !== text) throw new Error(`'${text}' was answered with ${JSON.stringify(answer)}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    process.stdout.write(`${JSON.stringify({ done: calls })}\n`);
  };
  createInterface({ input: process.stdin })
    .on('line', (line) => void makeCalls(JSON.parse(line).calls))
    .on('close', () => process.exit(0));
  process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
}
