// For servers that a test starts and that must not keep running when the test is killed, because then its hooks do not run.

/** Node arguments for a program that should exit with its parent process. Its stdin must be a pipe that is never written to. */
export const ENDS_WITH_PARENT: readonly string[] = ['--import', new URL('ends-with-parent.mjs', import.meta.url).href];
