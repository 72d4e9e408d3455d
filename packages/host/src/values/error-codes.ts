/**
 * The codes of the errors of this package, by class, with what they mean: the source of their types and of docs/errors.md. Only types and
 * tests may import it, so that no program loads it.
 */
export const ERROR_CODES = {
  ConfigError: {
    'unreadable-file': 'a file does not exist, may not be read, or is not UTF-8',
    'too-large': 'it is larger, or nested deeper, than is read',
    'invalid-syntax': 'it is not JSON, YAML or a list of variables',
    'invalid-config': 'its syntax is right, but it is not a configuration',
    'unusable-server': 'a server cannot be used: a variable has no value, or not a fitting one',
    'outside-project': 'a project names a file that is outside of it',
  },
  DeniedError: {
    denied: 'the only code of this class',
  },
  DecisionError: {
    'invalid-decision': 'the only code of this class; `issues` says what is wrong, and where in the decision',
  },
  HostError: {
    'host-closed': 'the host is closed',
    'unknown-server': 'there is no server of this name',
    'unknown-prompt': 'there is no prompt of this name',
    'not-running': 'the server is not running; the message says why',
    'server-changed': 'the server changed after the call was approved',
  },
} as const;

/** The codes of the errors of a class, such as `ErrorCode<'ConfigError'>`; without a class, of all. */
export type ErrorCode<Name extends keyof typeof ERROR_CODES = keyof typeof ERROR_CODES> = {
  [Each in Name]: keyof (typeof ERROR_CODES)[Each];
}[Name];
