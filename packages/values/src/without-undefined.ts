export { withoutUndefined } from '../../sdk/src/protocol/without-undefined.ts';
