import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { Inspector, Target } from '@tenon/inspector';
import { rootsGiven } from '../asking.ts';
import { type CommandLine, numberGiven } from '../command-line.ts';
import { openTokens } from '../credentials.ts';
import { Failure, usage } from '../failure.ts';
import { explainedFile, readGiven } from '../inspector/files.ts';
import { readTargets, targetsGiven, withIds } from '../inspector/targets.ts';
import { oneLine } from '../printable.ts';
import type { World } from '../session.ts';
import { unwrittenTrace } from '../trace-file.ts';
import { version } from '../version.ts';

const TEST_FILE = 'mcp.test.json';

/** The trace that is to be looked at, if the command line names one. */
const traceGiven = (line: CommandLine): string | undefined => {
  const [, word, more] = line.words;
  if (word === undefined || !word.endsWith('.mcptrace') || line.target !== undefined) return undefined;
  if (more !== undefined) throw usage('One trace is looked at at a time');
  if (!existsSync(word)) throw usage(`There is no file ${word}`);
  return resolve(word);
};

const launchText = ({ launch }: Target): string =>
  'url' in launch
    ? launch.url
    : [launch.command, ...launch.args].map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ');

const LONGEST_LAUNCH = 4_000;
const LONGEST_VALUE = 200;
const SECRET_NAME = /key|token|secret|pass|credential|auth/i;

/** What else decides about what is started: a variable can make any program load another. */
const besides = ({ launch }: Target): string[] => {
  if ('url' in launch) return Object.keys(launch.headers ?? {}).map((name) => `header ${oneLine(name, LONGEST_VALUE)}`);
  const { env = {}, inheritEnv = [], cwd } = launch;
  return [
    ...(cwd === undefined ? [] : [`in the folder ${oneLine(cwd, LONGEST_VALUE)}`]),
    ...Object.entries(env).map(
      ([name, value]) =>
        `with ${oneLine(name, LONGEST_VALUE)}=${SECRET_NAME.test(name) ? '…' : oneLine(value, LONGEST_VALUE)}`,
    ),
    ...inheritEnv.map((name) => `with ${oneLine(name, LONGEST_VALUE)} of this terminal`),
  ];
};

/** The terminal that the inspector was started in, where there is one. */
interface Desk {
  /** Asks whether servers that were typed into a page may be started: a page must not be able to start anything. */
  confirm(targets: readonly Target[]): Promise<boolean>;
  /** Enter gives a new link: each works once, and a second browser needs one, too. */
  giveLinks(newUrl: () => string): void;
  close(): void;
}

const deskOf = ({ person, screen, interrupt }: World): Desk | undefined => {
  if (person === undefined) return undefined;
  const { input, output } = person;
  let turn: Promise<unknown> = Promise.resolve();
  let asking = false;
  let link: (() => string) | undefined;
  const pressed = (): void => {
    if (!asking && link !== undefined) screen.line(link());
  };

  const ask = async (targets: readonly Target[]): Promise<boolean> => {
    screen.line('A page of the inspector wants to add:');
    for (const target of targets) {
      screen.line(`  ${oneLine(target.name, 60)}: ${oneLine(launchText(target), LONGEST_LAUNCH)}`);
      for (const text of besides(target)) screen.line(`    ${text}`);
    }
    asking = true;
    const terminal = createInterface({ input, output });
    // While it reads, Ctrl-C is a key and no signal.
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      const answer = await terminal.question('Start it? [y/N] ', { signal: interrupt });
      return /^y(?:es)?$/i.test(answer.trim());
    } finally {
      terminal.close();
      asking = false;
      if (link !== undefined) input.resume();
    }
  };

  return {
    confirm(targets) {
      const answered = turn.then(() => ask(targets));
      turn = answered.catch(() => {});
      return answered;
    },
    giveLinks(newUrl) {
      link = newUrl;
      input.on('data', pressed);
    },
    close() {
      link = undefined;
      input.off('data', pressed);
      input.pause();
    },
  };
};

/** Is there a screen that a browser could show something on? */
const hasDisplay = (): boolean =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  (process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'] ?? '') !== '';

const untilInterrupted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });

const open = async (line: CommandLine, { screen, person }: World, desk: Desk | undefined): Promise<Inspector> => {
  const port = numberGiven(line, 'port');
  const common = {
    by: `tenon ${version()}`,
    ...(port === undefined ? {} : { port }),
    log: (message: string) => screen.warn(message),
  };
  const trace = traceGiven(line);
  const { openInspector, openTraceInspector, WorkbenchError } = await import('@tenon/inspector');
  if (trace !== undefined) return openTraceInspector(trace, common);
  const targets = await targetsGiven(line);
  if (targets.length === 0 && person === undefined)
    throw usage(
      'There is no server to look at',
      'Put its command after --, or its URL: tenon inspect -- node server.js',
    );
  const file = line.value('output');
  const answers = line.value('answers');
  const roots = rootsGiven(line);
  return openInspector({
    ...common,
    targets,
    tokens: await openTokens(),
    testFile: resolve(TEST_FILE),
    ...(file === undefined ? {} : { file: resolve(file) }),
    onTraceFailure: (error: Error) => screen.unwritten(unwrittenTrace(file ?? 'of this session', error)),
    ...(answers === undefined ? {} : { script: readGiven(answers) }),
    ...(roots === undefined ? {} : { roots }),
    ...(desk === undefined
      ? {}
      : { confirm: desk.confirm, readTargets: async (text: string) => withIds(await readTargets(text)) }),
  }).catch((error: unknown) => {
    if (error instanceof WorkbenchError) throw usage(`${answers}: ${error.message}`, error.fix, 'bad_answers');
    throw file === undefined ? error : explainedFile(error);
  });
};

/** `tenon inspect` */
export const inspect = async (line: CommandLine, world: World): Promise<void> => {
  const { screen, interrupt } = world;
  const desk = deskOf(world);
  const inspector = await open(line, world, desk);
  try {
    screen.result({
      json: () => JSON.stringify({ url: inspector.url, port: inspector.port, trace: inspector.file }),
      text: () => inspector.url,
    });
    if (!line.given.has('no-open') && world.person !== undefined && hasDisplay()) {
      const { openPage } = await import('@tenon/inspector');
      await openPage(inspector.url);
    }
    screen.line(
      desk === undefined
        ? 'Ctrl-C ends it, and every server it has started.'
        : 'Enter gives a new link for another browser. Ctrl-C ends it, and every server it has started.',
    );
    desk?.giveLinks(() => inspector.newUrl());
    await untilInterrupted(interrupt);
  } finally {
    desk?.close();
    await inspector.close();
  }
  // Ctrl-C is how one leaves.
  if (interrupt.reason instanceof Failure && interrupt.reason.code !== 'interrupted') throw interrupt.reason;
};
