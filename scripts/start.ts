// The demo of `npm start`: a host with three servers that plan a trip together. Interactive in a terminal; elsewhere it runs
// as a transcript. With `--web` the same servers are shown in the inspector.
import process from 'node:process';

const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env['CI'] === undefined;
const shown = process.argv.includes('--web') ? 'inspect' : isTerminal ? 'interactive' : 'run';
await import(`../examples/travel/${shown}.ts`);
