/** How the user is brought to the authorization server and back. */
export interface Browser {
  /** Gets ready. Called before each login; `close` after it. */
  open(): Promise<OpenBrowser> | OpenBrowser;
}

export interface OpenBrowser {
  /** Where the authorization server sends the user back to. */
  readonly redirectUri: string;
  /** Shows the address to the user. Resolves with the whole address that the user came back to. */
  authorize(url: URL): Promise<URL | string>;
  close(): Promise<void> | void;
}
