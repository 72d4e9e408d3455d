/**
 * The error codes of this package, by class, with their meanings: the source of their types and of docs/errors.md. Only types and
 * tests may import it, so that no program loads it.
 */
export const ERROR_CODES = {
  WorkbenchError: {
    'unknown-server': 'there is no server of this id',
    'not-connected': 'the server is not connected: connect first',
    'bad-request': 'the given value is invalid',
    gone: 'the request or question has ended',
    'read-only': 'a recorded trace is shown, so nothing can be sent',
    failed: 'it failed at the server under test, or on disk',
  },
  TraceError: {
    'not-a-trace': 'the file is not a trace',
    newer: 'the trace has a newer version of the format',
    empty: 'the file is empty',
    unreadable: 'the file cannot be read',
  },
  SurfaceError: {
    'not-a-surface': 'the text is not a saved surface, or not a whole one',
    'newer-surface': 'the surface has another version of the format, mostly a newer one',
    'too-deep': 'the surface is nested deeper than any client accepts',
  },
  TestFileError: {
    'invalid-test-file': 'the only code of this class',
  },
  ConversationError: {
    'no-request': 'the trace has no request of a client',
    'several-sessions': 'the trace has several sessions, and none was named',
    'unknown-session': 'the trace has no session of this name',
    'unknown-line': 'the trace has no line of this number',
  },
  TapError: {
    'no-such-program': 'there is no such program, or no such folder',
    'not-executable': 'the program is not executable',
    'spawn-failed': 'another reason; `systemCode` is the error code of the system',
  },
  InexactNumberError: {
    'inexact-number': 'the only code of this class',
  },
} as const;

/** The error codes of a class, such as `ErrorCode<'TraceError'>`; without a class, all codes. */
export type ErrorCode<Name extends keyof typeof ERROR_CODES = keyof typeof ERROR_CODES> = {
  [Each in Name]: keyof (typeof ERROR_CODES)[Each];
}[Name];
