/**
 * The parts of the SDK that the other packages of this repository use. For them only: this entry point makes no promises. It does not follow
 * SemVer, and everything in it may change or disappear in any version, patches included. Parts of it need Node.
 */

/** The tables of the protocol. */
export { CODE } from '../protocol/errors.ts';
export { ASKING_METHODS, INPUT_METHODS, METHODS, methodOf } from '../protocol/methods.ts';
export type { Needs, Side } from '../protocol/methods.ts';
export { featuresOf, isRevision, LEGACY, MODERN, REVISIONS } from '../protocol/revision.ts';
export type { Revision } from '../protocol/revision.ts';

/** Messages over HTTP: event streams, and the headers in which a client repeats parts of a message. */
export { SseParser } from '../wire/sse-parser.ts';
export type { SseEvent } from '../wire/sse-parser.ts';
export { standardHeaders } from '../wire/headers.ts';
export { mirroredParams, paramHeaders } from '../wire/param-headers.ts';
export type { MirroredParam } from '../wire/param-headers.ts';

/** Tasks: the status that servers report, and how a client follows a task to its end. */
export { TASKS_EXTENSION } from '../protocol/tasks.ts';
export { followTask } from '../client/tasks/follow-task.ts';
export type { TaskFollowing } from '../client/tasks/follow-task.ts';
export { createdTask, isTerminal } from '../client/tasks/task-state.ts';
export type { TaskState } from '../client/tasks/task-state.ts';

/** Forms: detects fields that ask for secrets, which forms must not do. */
export { isAboutSecrets } from '../schema/secret-words.ts';

/** Patterns in schemas. */
export { patternExample } from '../schema/pattern/pattern-example.ts';
export { patternProblem } from '../schema/pattern/pattern-problem.ts';
export type { PatternProblem } from '../schema/pattern/pattern-problem.ts';

/** Processes: resolving commands on Windows, and ending a whole process tree. */
export { endSurvivors, signalTree } from '../transport/stdio/process-tree.ts';
export { windowsProgram } from '../transport/stdio/windows.ts';

/** State in a store that several processes share: a lock, and values that stay. */
export { ALWAYS_MS, keepInStore, withStoreLock } from '../store/with-store-lock.ts';

/** A lock that several processes share. */
export { withLock } from '../store/node/lock-file.ts';
