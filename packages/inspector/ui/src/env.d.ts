// What the build puts into the page (vite.config.ts).

interface ImportMetaEnv {
  /** The revisions that a server can be connected with, oldest first. */
  readonly REVISIONS: readonly string[];
}
