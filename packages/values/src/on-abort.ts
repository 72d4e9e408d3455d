export { onAbort } from '../../sdk/src/protocol/on-abort.ts';
