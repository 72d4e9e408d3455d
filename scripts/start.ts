// What `npm start` shows: a host with three servers that plan a trip together. In a terminal it is a conversation; elsewhere it runs by
// itself, as a transcript.
import process from 'node:process';

const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env['CI'] === undefined;
await import(isTerminal ? '../examples/travel/interactive.ts' : '../examples/travel/run.ts');
