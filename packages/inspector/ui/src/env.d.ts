// Values that the build inserts into the page (vite.config.ts).

interface ImportMetaEnv {
  /** The revisions with which a server can be connected, oldest first. */
  readonly REVISIONS: readonly string[];
}
