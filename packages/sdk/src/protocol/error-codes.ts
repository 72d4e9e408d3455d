/**
 * The codes of the errors of this package, by class, with what they mean: the source of their types and of docs/errors.md. Only types and
 * tests may import it, so that no program loads it.
 */
export const ERROR_CODES = {
  DefinitionError: {
    'no-name': 'a server, tool, resource or prompt has no name',
    'invalid-definition': 'it cannot be used as it is defined; `cause` has the reason, if it is another error',
    'invalid-template': 'a URI template is invalid',
    'scopes-without-auth': 'an item needs scopes, but the server is served over HTTP without `auth`',
    'invalid-header-parameter': 'the annotations that map parameters of a tool to HTTP headers are invalid',
  },
  ToolError: {
    'tool-failed': 'the only code of this class',
  },
  ConnectionError: {
    closed: 'this program closed the client, the watch or the channel',
    disconnected: 'the peer ended the connection, or it broke; the `cause` may be a `ProcessExitError`',
    unreachable: 'the server could not be started or reached, so the request was not answered',
    unauthorized:
      'the server requires authorization, and the client has no credentials that it accepts; the `cause` may be an `AuthError`',
    'http-status':
      'the server answered with an unexpected HTTP status, which is `status`; `retryAfterMs` is how long it asks to wait, if it does',
    'session-lost': 'the server no longer knows the session; the next request begins a new one',
    'answer-lost': 'the stream with the answer ended too early and could not be resumed; the connection continues',
    'not-mcp': 'there is no MCP server at this address',
    'handshake-refused': 'the server answered the handshake with an error, which is the `cause`',
    'unsupported-revision': 'the server does not support a revision that the client or the call needs',
    'given-up': 'the server failed several times in a row and is not started again',
    'too-late': 'on a server: a handler asked the client after its call had been answered',
  },
  TimeoutError: {
    'connect-timeout': 'no connection within the timeout',
    'request-timeout': 'no response to a request within its timeout, in which progress may count',
    'total-timeout': 'no result within the total time limit of the call',
    'watch-timeout': 'the server did not acknowledge a watch',
  },
  PeerError: {
    'invalid-answer': 'the answer violates the protocol',
    'invalid-output': "the result of a tool does not fit the tool's output schema",
    'endless-list': 'the pages of a list form a loop, or there are too many',
    'endless-questions': 'a call asks too many questions, or too often',
    'forbidden-question': 'a question that the client does not allow',
    'watch-ended': 'the server ended a watch',
  },
  AuthError: {
    refused: 'the authorization server, or the user, refused; `oauthError` is the error code that it sent',
    'no-metadata': 'the authorization server, or one of its endpoints, cannot be found',
    'wrong-issuer': 'metadata or credentials belong to another server than the one in use',
    'wrong-resource': 'the metadata of the server names another resource than the URL in use',
    'unsafe-address': 'an address is invalid, not HTTPS, or leads where it must not',
    'invalid-response': 'a response could not be fetched, or is invalid',
    'no-pkce': 'the authorization server does not say that it supports PKCE with S256',
    'no-registration':
      'the authorization server does not register clients: give the id of a registered one as `client`',
    'login-unavailable': 'a login cannot begin here: there is no browser, port or Node',
    'login-incomplete': 'the user did not complete the login',
    'too-many-logins':
      'the server has asked for too many logins in a short time; the message says when the next is possible',
    'storage-failed': 'the credentials cannot be read or stored',
  },
  ProcessExitError: {
    'process-exited': 'the server process exited; `exitCode` is its exit code',
    'process-killed': 'a signal ended the server process; it is the `signal`',
    'stdout-closed': 'the server process closed its stdout, but keeps running',
  },
  SpawnError: {
    'no-such-program': 'there is no such program',
    'no-such-folder': 'the folder in which it would run does not exist',
    'not-executable': 'the program is not executable',
    'spawn-failed': 'another reason; `systemCode` is the error code of the system',
  },
} as const;

/** The codes of the errors of a class, such as `ErrorCode<'ConnectionError'>`; without a class, of all. */
export type ErrorCode<Name extends keyof typeof ERROR_CODES = keyof typeof ERROR_CODES> = {
  [Each in Name]: keyof (typeof ERROR_CODES)[Each];
}[Name];
