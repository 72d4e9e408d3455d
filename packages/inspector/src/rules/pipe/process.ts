import type { SessionState } from '../session-state.ts';
import type { Severity } from '../finding.ts';
import type { Request } from '../message.ts';
import type { Rule, Seen } from '../rule.ts';
import { duration, listed } from '../words.ts';
import { counted } from '@tenon/values/counted';
import { LastStderr, quotedStderr, tellingLines } from './stderr-lines.ts';

/** How a process ended. */
export interface Ending {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

export function endingOf(text: string): Ending {
  const code = /\bcode (\d+)/.exec(text)?.[1];
  return { code: code === undefined ? undefined : Number(code), signal: /\bSIG[A-Z0-9]+\b/.exec(text)?.[0] };
}

/** Signals that are sent to a program because of its own faults. All others come from another process. */
const CRASHES: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS']);
/** The exit codes of programs that handle a signal: 128 plus its number. */
const ASKED: ReadonlySet<number | undefined> = new Set([129, 130, 137, 143]);

function isCrash({ signal }: Ending): boolean {
  return signal !== undefined && CRASHES.has(signal);
}
/** Returns whether it was killed from outside. */
export function wasEnded(ending: Ending): boolean {
  return (ending.signal !== undefined && !isCrash(ending)) || ASKED.has(ending.code);
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [126, 'the file is there, but may not be executed'],
  [127, 'the command was not found'],
  [134, 'it aborted, SIGABRT'],
  [137, 'it was killed, SIGKILL: often because it used too much memory'],
  [139, 'it crashed, SIGSEGV'],
  [143, 'it was asked to end, SIGTERM'],
]);

function wordsOf({ code, signal }: Ending): string {
  if (signal !== undefined) return `was ended by ${signal}`;
  if (code === undefined) return 'ended';
  const meaning = MEANINGS.get(code);
  return `exited with code ${code}${meaning === undefined ? '' : ` (${meaning})`}`;
}

/** The output of a process on stderr, and its lines in the trace. */
function createStderr() {
  const kept = new LastStderr();
  return {
    take({ line }: Seen): void {
      if (line.kind === 'open') kept.begin();
      if (line.kind === 'stderr') kept.add(line.n, line.text);
    },
    /** The lines of the trace that are quoted. */
    get lines() {
      return [...new Set(tellingLines(kept.lines).map(({ n }) => n))];
    },
    /** `. Its stderr: "…"` */
    get words() {
      const quoted = quotedStderr(kept.lines);
      return quoted === undefined ? '' : `. Its stderr: ${quoted}`;
    },
  };
}

/** Requests of the client that wait for an answer, except subscriptions, which last as long as the connection. */
function pendingOf(session: SessionState): readonly Request[] {
  return [...session.waiting.client.values()].filter(
    ({ generation, cancelledAt, method }) =>
      generation === session.generation && cancelledAt === undefined && method !== 'subscriptions/listen',
  );
}

/** The trace does not show who ended it. */
export const ENDED_FIX =
  'It was ended from outside: by a person, by a client that gave up, or by a system short of memory.';
const FIX = 'Look at its stderr, and start it by hand with the same arguments, environment and folder.';

export const exited: Rule = {
  id: 'exited',
  title: 'The server process ended unexpectedly',
  blame: ['server'],
  severity: ['error', 'warning'],
  why: 'The process is the server’s. No one is to blame if it is ended from outside while no request is waiting.',
  page: 'stdio',
  watch: (report, session) => {
    const stderr = createStderr();
    let spoken = false;
    return {
      text({ line }) {
        if (line.from === 'server') spoken = true;
      },
      line(seen) {
        stderr.take(seen);
        const { line } = seen;
        if (line.kind === 'open') spoken = false;
        if (line.kind !== 'exit' || session.closed !== undefined || pendingOf(session).length > 0) return;
        const ending = endingOf(line.text);
        const failed = isCrash(ending) || (ending.code ?? 0) !== 0;
        if (wasEnded(ending) || (!failed && spoken)) return;
        const severity: Severity = isCrash(ending) || (failed && !spoken) ? 'error' : 'warning';
        report({
          severity,
          blame: 'server',
          message: `The server ${wordsOf(ending)}${spoken ? '' : ' before it sent anything'}${stderr.words}`,
          fix: FIX,
          evidence: [...stderr.lines, line.n],
        });
      },
    };
  },
};

export const exitDuringRequest: Rule = {
  id: 'exit-during-request',
  title: 'The server process ended while requests waited for its answer',
  blame: ['server', 'unknown'],
  severity: ['error', 'warning'],
  why: 'It owed answers. If it was ended by a signal, the trace does not say who sent it: unknown.',
  page: 'stdio',
  watch: (report, session) => {
    const stderr = createStderr();
    return {
      line(seen) {
        stderr.take(seen);
        const { line } = seen;
        if (line.kind !== 'exit' || session.closed?.by === 'client' || session.lost.server) return;
        const pending = pendingOf(session);
        if (pending.length === 0) return;
        const ending = endingOf(line.text);
        const sent = wasEnded(ending);
        const names = pending.map(({ method, params }) => `${method}${subjectOf(params)}`);
        report({
          severity: sent ? 'warning' : 'error',
          blame: sent ? 'unknown' : 'server',
          message: `The server ${wordsOf(ending)} before it answered ${listed(names, 3)}${stderr.words}`,
          fix: sent ? ENDED_FIX : FIX,
          evidence: [...pending.slice(0, 5).map(({ n }) => n), ...stderr.lines, line.n],
        });
      },
    };
  },
};

function subjectOf(params: Readonly<Record<string, unknown>>): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? ` ${name}` : '';
}

/** The time in which a server should end after its stdin is closed, in milliseconds. */
const PATIENCE_MS = 2_000;

export const slowExit: Rule = {
  id: 'slow-exit',
  title: 'The server did not end when its stdin was closed',
  blame: ['server'],
  severity: ['warning'],
  why: 'A server should exit promptly when its stdin closes. Otherwise clients have to kill it, and some leave it running.',
  page: 'stdio#shutdown',
  watch: (report, session) => ({
    line({ line }) {
      const { closed } = session;
      if (line.kind !== 'exit' || closed?.by !== 'client') return;
      const took = line.at - closed.at;
      const { signal } = endingOf(line.text);
      // A server that is killed earlier had no time to exit.
      if (took < PATIENCE_MS) return;
      report({
        severity: 'warning',
        blame: 'server',
        message: `The server ended ${duration(took)} after its stdin was closed${signal === undefined ? '' : `, by ${signal}`}`,
        fix: 'Exit when stdin ends: process.stdin.on("end", …), and close what keeps the program alive.',
        evidence: [closed.n, line.n],
      });
    },
  }),
};

export const stdinClosedEarly: Rule = {
  id: 'stdin-closed-early',
  title: 'The client closed while its requests were waiting',
  blame: ['client'],
  severity: ['info'],
  why: 'The client gives up the answers by closing. The server is not to blame for them.',
  page: 'stdio#shutdown',
  watch: (report, session) => {
    /** The last output of the server is not a message: the answers may have come, and could not be read. */
    let strays = false;
    return {
      text({ line }) {
        if (line.from === 'server') strays = false;
      },
      line({ line }) {
        if (line.kind === 'open') strays = false;
        if ((line.kind === 'junk' || line.kind === 'lost') && line.from === 'server') strays = true;
        const { closed } = session;
        if (closed?.n !== line.n || closed.by !== 'client' || strays) return;
        const pending = pendingOf(session);
        if (pending.length === 0) return;
        report({
          severity: 'info',
          blame: 'client',
          message: `The client closed the connection while ${counted(pending.length, 'request')} waited for an answer: ${listed(
            pending.map(({ method }) => method),
            3,
          )}`,
          fix: 'Wait for the answers, or cancel the requests first.',
          evidence: [...pending.slice(0, 5).map(({ n }) => n), line.n],
        });
      },
    };
  },
};

/** A process that still runs this long after its client has left was forgotten, in milliseconds. */
const LEFT_MS = 10_000;

export const processLeft: Rule = {
  id: 'process-left',
  title: 'A server process was left running',
  blame: ['client'],
  severity: ['warning'],
  why: 'The client that starts a process must end it: close its stdin, wait, then terminate it.',
  page: 'stdio#shutdown',
  watch: (report, session) => {
    let running: number | undefined;
    return {
      line({ line }) {
        if (line.kind === 'exit') running = undefined;
        if (line.kind !== 'open' || session.head?.transport !== 'stdio') return;
        if (running !== undefined)
          report({
            severity: 'warning',
            blame: 'client',
            message: 'The client started a new process while the one before it was still running',
            fix: 'End the old process first, and its children too: as a process group.',
            evidence: [running, line.n],
          });
        running = line.n;
      },
      end() {
        const { closed, until } = session;
        if (running === undefined || closed === undefined || until - closed.at < LEFT_MS) return;
        report({
          severity: 'warning',
          blame: 'client',
          message: `The process was still running ${duration(until - closed.at)} after the connection was closed`,
          fix: 'Close its stdin, wait, then end it, and its children too: as a process group.',
          evidence: [running, closed.n],
        });
      },
    };
  },
};
