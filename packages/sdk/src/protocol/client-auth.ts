import type { Maybe } from './maybe.ts';

/** An HTTP request that a server refused. */
export interface Refusal {
  /** 401: credentials are required. 403: they are insufficient. */
  readonly status: number;
  /** The value of `www-authenticate`, if there is one. */
  readonly challenge: string | undefined;
  /** The URL of the server. Requests go to this URL, or to others at the same server. */
  readonly server: string;
  /** The method of the refused request, in upper case. */
  readonly method: string;
  /** The URL of the refused request. */
  readonly url: string;
  /** The headers with the credentials that were sent. */
  readonly sent: Readonly<Record<string, string>>;
  /** How many times this request was refused before. */
  readonly attempt: number;
  /** A header of the response, by its name in lower case. */
  header(name: string): string | undefined;
}

/** Adds credentials to the HTTP requests of a client. One instance is for one user, and may serve many connections. */
export interface ClientAuth {
  /** The headers with the credentials, by name in lower case. */
  credentials(request: Pick<Refusal, 'server' | 'method' | 'url'>): Maybe<Readonly<Record<string, string>>>;
  /**
   * Called when a request was refused. Resolves to whether to send it again with other credentials. Rejects with an `AuthError` if none
   * could be obtained.
   */
  challenged(refusal: Refusal): Promise<boolean>;
}
