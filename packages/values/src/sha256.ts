export { sha256Hex } from '../../sdk/src/store/sha256.ts';
