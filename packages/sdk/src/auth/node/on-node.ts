/** The parts of authorization that need Node. */
export { guardedFetch } from './guarded-fetch.ts';
export { internetOnlyFetch } from './internet-only-fetch.ts';
export { askOnTerminal } from './terminal.ts';
export { loopback } from './loopback.ts';
export { fileTokens } from './file-tokens.ts';
