export { isObject } from '../../sdk/src/protocol/jsonrpc.ts';
