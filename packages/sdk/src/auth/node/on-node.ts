/** The parts of authorization that need Node. */
export { guardedFetch } from './guarded-fetch.ts';
export { publicFetch } from './public-fetch.ts';
export { askOnTerminal } from './terminal.ts';
export { loopback } from './loopback.ts';
export { fileTokens } from './file-tokens.ts';
