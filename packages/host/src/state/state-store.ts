/** The stores: in a folder, in memory, or in a store that servers use as well. */
export { isName, type StateStore, UnreadableError } from './contract.ts';
export { createFolderStore } from './folder-store.ts';
export { createMemoryStore } from './memory-store.ts';
export { createSharedStore } from './shared-store.ts';
