// The private package `@tenon/values` with shared code. It is bundled into each package that uses it, so that no published package depends on it.

/** The prefix of its imports. */
export const VALUES = '@tenon/values/';

/**
 * Modules of the SDK that `@tenon/values` re-exports: the SDK publishes its sources, so they cannot import an unpublished package. They import
 * only each other and Node.
 */
export const SHARED_BY_SDK = [
  'auth/reserved-address.ts',
  'protocol/jsonrpc.ts',
  'protocol/on-abort.ts',
  'protocol/text.ts',
  'protocol/unordered-list.ts',
  'protocol/without-undefined.ts',
  'store/canonical-json.ts',
  'store/node/process-identity.ts',
  'store/node/replace-file.ts',
  'store/room.ts',
  'store/sha256.ts',
  'wire/media-type.ts',
  'wire/utf8.ts',
];
