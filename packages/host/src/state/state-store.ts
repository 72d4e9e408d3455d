/** The stores: in a folder, or in memory. */
export { isName, type StateStore, UnreadableError } from './contract.ts';
export { createFolderStore } from './folder-store.ts';
export { createMemoryStore } from './memory-store.ts';
