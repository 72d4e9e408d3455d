/** Where things are kept: in a folder, or as long as the program runs. */
export { isName, type StateStore, UnreadableError } from './contract.ts';
export { createFolderStore } from './folder-store.ts';
export { createMemoryStore } from './memory-store.ts';
