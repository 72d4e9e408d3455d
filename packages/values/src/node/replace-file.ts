export { replaceFile } from '../../../sdk/src/store/node/replace-file.ts';
