export { canonicalJson } from '../../sdk/src/store/canonical-json.ts';
