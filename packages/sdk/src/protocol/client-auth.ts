import type { Maybe } from './maybe.ts';

/** Why a server did not serve an HTTP request. */
export interface Refusal {
  /** 401: it wants to know who is calling. 403: that is not enough. */
  readonly status: number;
  /** `www-authenticate`, where there is one. */
  readonly challenge: string | undefined;
  /** The address that was connected to. Requests go there, or beside it. */
  readonly server: string;
  readonly method: string;
  readonly url: string;
  /** The credentials that were sent. */
  readonly sent: Readonly<Record<string, string>>;
  /** How often this request was refused before. */
  readonly attempt: number;
  /** A header of the answer, by its name in lower case. */
  header(name: string): string | undefined;
}

/** Puts credentials on the HTTP requests of a client. One is for one user, and may serve many connections. */
export interface ClientAuth {
  /** The headers that say who is calling, by name in lower case. */
  credentials(request: Pick<Refusal, 'server' | 'method' | 'url'>): Maybe<Readonly<Record<string, string>>>;
  /** A request was refused. Gives whether to send it again, with other credentials. Rejects with an `AuthError` when there are none to be had. */
  refused(refusal: Refusal): Promise<boolean>;
}
