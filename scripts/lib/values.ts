// What packages share: the private package `@tenon/values`, which is bundled into each that uses it, so that nothing published depends on it.

/** How its modules are imported. */
export const VALUES = '@tenon/values/';

/**
 * Modules of the SDK that `@tenon/values` passes on: the SDK publishes its sources, so they cannot import what is not published. They import
 * only each other and Node.
 */
export const SHARED_BY_SDK = [
  'protocol/jsonrpc.ts',
  'protocol/text.ts',
  'store/canonical-json.ts',
  'store/node/process-identity.ts',
  'store/node/replace-file.ts',
];
