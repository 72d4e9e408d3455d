/** What logging in takes of Node. */
export { loopback } from './loopback.ts';
export { fileTokens } from './file-tokens.ts';
