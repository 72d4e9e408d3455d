// What every server of the benchmark offers. TOOLS more tools stand beside the two that are called.
import process from 'node:process';

/** Names of the tools that only take up room. */
export const others = Array.from({ length: Number(process.env['TOOLS'] ?? 2) }, (_, index) => `tool-${index}`);
export const description = 'A tool of the benchmark with a description of an ordinary length, as they are';
/** In a session, or each request alone. */
export const sessions = process.env['SESSIONS'] === '1';
/** Answers may be streams: official servers have to be told. */
export const streams = process.env['STREAMS'] === '1';
export const STEPS = 50;
/** Tells the driver where the server listens. */
export const ready = (port) => process.stdout.write(`${JSON.stringify({ port })}\n`);
