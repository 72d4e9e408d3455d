import type { Rule } from '../rule.ts';
import { shown } from '../words.ts';
import { LastStderr, quotedStderr, tellingLines } from './stderr-lines.ts';

/** Why a program could not be started, by the error code of the operating system. */
const REASONS: ReadonlyMap<string, readonly [what: string, fix: string]> = new Map([
  [
    'ENOENT',
    [
      'there is no such program, or no such folder to start it in',
      'Look at the command: the program first, then its arguments. Is it installed, and in the PATH of the program that starts it?',
    ],
  ],
  [
    'EACCES',
    ['it may not be executed', 'Make the file executable (chmod +x), or start it by its interpreter: node server.js.'],
  ],
  [
    'EPERM',
    ['the system does not permit it', 'Look at the permissions of the file and of the program that starts it.'],
  ],
  [
    'ENOEXEC',
    ['it is not a program that this system can run', 'Start it by its interpreter: node server.js, python server.py.'],
  ],
  ['ENOTDIR', ['a part of its path is not a folder', 'Look at the path of the command and at its folder.']],
  ['E2BIG', ['its arguments and its environment are too long', 'Pass less: long values belong in a file.']],
  ['EMFILE', ['too many files are open', 'Close some programs, or raise the limit (ulimit -n).']],
  ['EAGAIN', ['too many processes are running', 'End some programs.']],
]);

export const notStarted: Rule = {
  id: 'not-started',
  title: 'The server process could not be started',
  blame: ['client'],
  severity: ['error'],
  why: 'No server ever ran. The command is the client’s: its configuration names a program that does not exist here.',
  page: 'stdio',
  watch: (report, session) => ({
    line({ line }) {
      if (line.kind !== 'note' && line.kind !== 'exit' && line.kind !== 'open') return;
      if (session.head?.transport !== undefined && session.head.transport !== 'stdio') return;
      const code = /\bspawn\b.*?\b(E[A-Z0-9]{3,})\b|\b(ENOENT|EACCES|ENOEXEC)\b/.exec(line.text);
      const found = REASONS.get(code?.[1] ?? code?.[2] ?? '');
      if (found === undefined) return;
      const [what, fix] = found;
      report({
        severity: 'error',
        blame: 'client',
        message: `The server could not be started: ${what}: ${shown(line.text, 200)}`,
        fix,
        evidence: [line.n],
      });
    },
  }),
};

export const stderrOnly: Rule = {
  id: 'stderr-only',
  title: 'The server sent no message, but wrote to stderr',
  blame: ['unknown'],
  severity: ['warning'],
  why: 'It runs, and does not answer. Its stderr may say why; the protocol does not.',
  page: 'stdio',
  watch: (report, session) => {
    const stderr = new LastStderr();
    let spoken = false;
    let hasEnded = false;
    let asked: number | undefined;
    return {
      request({ from, n }) {
        if (from === 'client') asked ??= n;
        else spoken = true;
      },
      text({ line }) {
        if (line.from === 'server') spoken = true;
      },
      line({ line }) {
        if (line.kind === 'junk' && line.from === 'server') spoken = true;
        // Processes that exit unexpectedly have rules of their own. A process stopped by its client was only silent until then.
        if (line.kind === 'exit' && session.closed?.by !== 'client') hasEnded = true;
        if (line.kind === 'stderr' && !spoken) stderr.add(line.n, line.text);
      },
      end() {
        const quoted = quotedStderr(stderr.lines);
        if (spoken || hasEnded || asked === undefined || quoted === undefined) return;
        report({
          severity: 'warning',
          blame: 'unknown',
          message: `The server answered nothing. Its stderr: ${quoted}`,
          fix: 'Is it a server for stdio? Some need an argument for that, and some first build, download or log in.',
          evidence: [asked, ...new Set(tellingLines(stderr.lines).map(({ n }) => n))],
        });
      },
    };
  },
};
