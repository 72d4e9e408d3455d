/** Takes the user to the authorization server and back. */
export interface Browser {
  /**
   * Prepares for a login. Called before each login; `close` is called after it. `registered`: the redirect URI of the client that is registered
   * already. With any other the client registers again.
   */
  open(registered?: string): Promise<OpenBrowser> | OpenBrowser;
}

/** A browser that is ready for one login. */
export interface OpenBrowser {
  /** The redirect URI, to which the authorization server sends the user back. */
  readonly redirectUri: string;
  /** Shows the URL to the user. Resolves with the whole URL that the user was redirected to. */
  authorize(url: URL): Promise<URL | string>;
  /** Ends the login, also when it failed. */
  close(): Promise<void> | void;
}
