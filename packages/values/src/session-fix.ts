/** What to do about a server that refuses a session with 404. The rules and the errors of clients say the same. */
export const SESSION_FIX = {
  /** It never knew the session that it gave, or knows it only sometimes. */
  unshared:
    'Several processes or nodes that do not share their sessions? Give them one store, or route all requests of a session to the same one (docs/http.md#several-nodes). If there is only one: was it restarted?',
  /** It knew the session before. */
  forgotten: 'Was the server restarted? Sessions kept in memory are lost then, and are not shared between processes.',
} as const;
