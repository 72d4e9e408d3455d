/**
 * The codes of the errors of this package, by class, with what they mean: the source of their types and of docs/errors.md. Only types and
 * tests may import it, so that no program loads it.
 */
export const ERROR_CODES = {
  StoreError: {
    'no-sqlite': 'this Node has no SQLite: it is older than 22.13',
    'not-a-store': 'the file, or the tables, are not of Tenon; they were left as they are',
    'newer-store': 'the file, or the tables, were written by a newer version of the package',
    damaged: 'the file is damaged',
    'read-only': 'the file, its folder or the database may not be written to',
    gone: 'the file was deleted or replaced while it was open',
    unavailable: 'the database could not be reached for longer than `busyMs`; later operations try again',
    'no-driver': 'the package that speaks to this database is not installed',
    busy: 'other processes wrote, or all connections were in use, for longer than `busyMs`',
    closed: 'this program closed the store',
    failed: 'the store cannot be opened, read or written for another reason, which is the `cause`',
  },
} as const;

/** The codes of the errors of a class, such as `ErrorCode<'StoreError'>`; without a class, of all. */
export type ErrorCode<Name extends keyof typeof ERROR_CODES = keyof typeof ERROR_CODES> = {
  [Each in Name]: keyof (typeof ERROR_CODES)[Each];
}[Name];
