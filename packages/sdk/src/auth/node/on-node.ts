/** What authorization takes of Node. */
export { reachFor } from './reach.ts';
export { publicFetch } from './public-fetch.ts';
export { askOnTerminal } from './terminal.ts';
export { loopback } from './loopback.ts';
export { fileTokens } from './file-tokens.ts';
