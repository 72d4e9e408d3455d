// What every server of the benchmark offers, and what the driver expects of them.
import process from 'node:process';

export const description = 'A tool of the benchmark with a description of an ordinary length, as they are';
/** Tools that are called: `echo`, `steps` and `big`. */
const CALLED = 3;
/** Tools in all, as the driver has asked for them. */
const total = Number(process.env['TOOLS'] ?? CALLED + 1);
/** Names of the tools that only take up room. */
export const others = Array.from({ length: total - CALLED }, (_, index) => `tool-${index}`);
/** In a session, or each request alone. */
export const sessions = process.env['SESSIONS'] === '1';
/** Answers may be streams: official servers have to be told. */
export const streams = process.env['STREAMS'] === '1';
/** How often `steps` says how far it is. */
export const STEPS = 50;
/** What `big` answers: one megabyte in lines of 64 characters. */
export const BIG = `${'benchmark '.repeat(7).slice(0, 63)}\n`.repeat(16_384);
/** The resource that is read. */
export const page = {
  uri: 'bench://page',
  name: 'page',
  mimeType: 'text/plain',
  text: 'A page of the benchmark, as long as a short paragraph is. '.repeat(4),
};
/**
 * Tells the driver where the server listens.
 *
 * @param {number} port
 */
export function ready(port) {
  process.stdout.write(`${JSON.stringify({ port })}\n`);
}
