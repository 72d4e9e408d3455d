/** Where things are kept: in a folder, or as long as the program runs. */
export { isName, type Keep, UnreadableError } from './contract.ts';
export { createFolderKeep } from './folder-keep.ts';
export { createMemoryKeep } from './memory-keep.ts';
