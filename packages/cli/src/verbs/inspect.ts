import { resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { ConfirmReason, Inspector, Target } from '@tenon/inspector';
import { parseRoots } from '../command-line/roots.ts';
import { type CommandLine, parsePort } from '../command-line/command-line.ts';
import { openTokens } from '../session/credentials.ts';
import { Failure, usage } from '../failure/failure.ts';
import { explainFileError, readTextFile } from '../failure/file-failures.ts';
import { namedTrace } from '../inspector/named-trace.ts';
import { readAddress, readTargets, resolveTargets, withIds } from '../inspector/targets.ts';
import { oneLine } from '../terminal/printable.ts';
import type { VerbContext } from '../session/session.ts';
import { traceWriteFailure } from '../session/trace-file.ts';
import { version } from '../version.ts';

const TEST_FILE = 'mcp.test.json';

function launchText({ launch }: Target): string {
  return 'url' in launch
    ? launch.url
    : [launch.command, ...launch.args].map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ');
}

const MAX_LAUNCH_LENGTH = 4_000;
const MAX_VALUE_LENGTH = 2_000;
const SECRET_NAME = /key|token|secret|pass|credential|auth/i;

/** Everything else that affects the launch: an environment variable, for example, can make a program load other code. */
function launchDetails({ launch }: Target): string[] {
  if ('url' in launch) {
    const { headers = {}, login } = launch;
    return [
      ...Object.keys(headers).map((name) => `header ${oneLine(name, MAX_VALUE_LENGTH)}`),
      ...(login?.client === undefined ? [] : [`logs in as the client ${oneLine(login.client.id, MAX_VALUE_LENGTH)}`]),
    ];
  }
  const { env = {}, inheritEnv = [], cwd } = launch;
  return [
    ...(cwd === undefined ? [] : [`in the folder ${oneLine(cwd, MAX_VALUE_LENGTH)}`]),
    ...Object.entries(env).map(
      ([name, value]) =>
        `with ${oneLine(name, MAX_VALUE_LENGTH)}=${SECRET_NAME.test(name) ? '…' : oneLine(value, MAX_VALUE_LENGTH)}`,
    ),
    ...inheritEnv.map((name) => `with ${oneLine(name, MAX_VALUE_LENGTH)} of this terminal`),
  ];
}

const CONFIRM_TITLES: Readonly<Record<ConfirmReason, string>> = {
  add: 'A page of the inspector wants to add:',
  change: 'A page of the inspector wants to start this in another way:',
};

/** Whether a text of a server would be truncated on display. */
function isTooLong(target: Target): boolean {
  if (launchText(target).length > MAX_LAUNCH_LENGTH) return true;
  if ('url' in target.launch) return false;
  const { env = {}, cwd = '' } = target.launch;
  const shown = Object.entries(env).filter(([name]) => !SECRET_NAME.test(name));
  return [cwd, ...Object.keys(env), ...shown.map(([, value]) => value)].some((text) => text.length > MAX_VALUE_LENGTH);
}

/** The prompts in the terminal that the inspector was started in. */
interface TerminalPrompts {
  /** Asks whether servers entered or changed in a page may be started, because a page must not be able to start programs on its own. */
  confirm(targets: readonly Target[], reason: ConfirmReason): Promise<boolean>;
  /** Makes Enter print a new link. Each link works once, so another browser needs a new one. */
  printLinksOnEnter(newUrl: () => string): void;
  close(): void;
}

function createPrompts({ person, screen, interrupt }: VerbContext): TerminalPrompts | undefined {
  if (person === undefined) return undefined;
  const { input, output } = person;
  let turn: Promise<unknown> = Promise.resolve();
  let isAsking = false;
  let link: (() => string) | undefined;
  const pressed = (): void => {
    if (!isAsking && link !== undefined) screen.line(link());
  };

  const ask = async (targets: readonly Target[], reason: ConfirmReason): Promise<boolean> => {
    const long = targets.find(isTooLong);
    if (long !== undefined) {
      // A person cannot approve a text that is not shown completely.
      screen.warn(`${CONFIRM_TITLES[reason]} ${oneLine(long.name, 60)}, which is too long to be shown here`);
      return false;
    }
    screen.line(CONFIRM_TITLES[reason]);
    for (const target of targets) {
      screen.line(`  ${oneLine(target.name, 60)}: ${oneLine(launchText(target), MAX_LAUNCH_LENGTH)}`);
      for (const text of launchDetails(target)) screen.line(`    ${text}`);
    }
    isAsking = true;
    const terminal = createInterface({ input, output });
    // While readline reads, Ctrl-C arrives as a key, not as a signal.
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      const answer = await terminal.question('Start it? [y/N] ', { signal: interrupt });
      return /^y(?:es)?$/i.test(answer.trim());
    } finally {
      terminal.close();
      isAsking = false;
      if (link !== undefined) input.resume();
    }
  };

  return {
    confirm(targets, reason) {
      const answered = turn.then(() => ask(targets, reason));
      turn = answered.catch(() => {});
      return answered;
    },
    printLinksOnEnter(newUrl) {
      link = newUrl;
      input.on('data', pressed);
    },
    close() {
      link = undefined;
      input.off('data', pressed);
      input.pause();
    },
  };
}

/** Whether a browser can be shown on this machine. */
function hasDisplay(): boolean {
  return (
    process.platform === 'darwin' ||
    process.platform === 'win32' ||
    (process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'] ?? '') !== ''
  );
}

function untilInterrupted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

async function open(
  line: CommandLine,
  { screen }: VerbContext,
  prompts: TerminalPrompts | undefined,
): Promise<Inspector> {
  const port = parsePort(line, 'port');
  const common = {
    by: `tenon ${version()}`,
    port,
    log: (message: string) => screen.warn(message),
  };
  const trace = namedTrace(line);
  const { openInspector, openTraceInspector, WorkbenchError } = await import('@tenon/inspector');
  if (trace !== undefined) return openTraceInspector(trace, common);
  const targets = await resolveTargets(line, screen.warn);
  const file = line.value('output');
  const answers = line.value('answers');
  const roots = parseRoots(line);
  return openInspector({
    ...common,
    targets,
    tokens: await openTokens(),
    testFile: resolve(TEST_FILE),
    file: file === undefined ? undefined : resolve(file),
    onTraceFailure: (error: Error) => screen.reportLater(traceWriteFailure(file ?? 'of this session', error)),
    script: answers === undefined ? undefined : readTextFile(answers),
    roots,
    confirm: prompts?.confirm,
    readTargets: async (text, leaveOut) => {
      const warn = (message: string): void => {
        screen.warn(message);
        leaveOut(message);
      };
      try {
        return withIds(prompts === undefined ? [readAddress(text)] : await readTargets(text, warn));
      } catch (error) {
        throw error instanceof Failure ? Object.assign(new Error(error.message), { fix: error.details.fix }) : error;
      }
    },
  }).catch((error: unknown) => {
    if (error instanceof WorkbenchError) throw usage(`${answers}: ${error.message}`, error.fix, 'bad_answers');
    throw file === undefined ? error : explainFileError(error);
  });
}

/** `tenon inspect` */
export async function inspect(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  const prompts = createPrompts(context);
  const inspector = await open(line, context, prompts);
  try {
    screen.result({
      json: () => JSON.stringify({ url: inspector.url, port: inspector.port, trace: inspector.file }),
      text: () => inspector.url,
    });
    if (!line.given.has('no-open') && context.person !== undefined && hasDisplay()) {
      const { openPage } = await import('@tenon/inspector');
      await openPage(inspector.url);
    }
    screen.line(
      prompts === undefined
        ? 'Ctrl-C stops the inspector and all servers it has started.'
        : 'Enter prints a new link for another browser. Ctrl-C stops the inspector and all servers it has started.',
    );
    prompts?.printLinksOnEnter(() => inspector.newUrl());
    await untilInterrupted(interrupt);
  } finally {
    prompts?.close();
    await inspector.close();
  }
  // Ctrl-C is the normal way to leave the inspector.
  if (interrupt.reason instanceof Failure && interrupt.reason.code !== 'interrupted') throw interrupt.reason;
}
