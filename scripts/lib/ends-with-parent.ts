// Servers that a test starts, and that must not stay behind when it is killed: its hooks do not run then.

/** Arguments of Node for a program that is to end with the process that started it. Its stdin has to be a pipe, which nobody writes to. */
export const ENDS_WITH_PARENT: readonly string[] = ['--import', new URL('ends-with-parent.mjs', import.meta.url).href];
