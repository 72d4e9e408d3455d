import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { Inspector, Target } from '@tenon/inspector';
import { type CommandLine, numberGiven } from '../command-line.ts';
import { openTokens } from '../credentials.ts';
import { Failure, usage } from '../failure.ts';
import { readTargets, targetsGiven, withIds } from '../inspector/targets.ts';
import { oneLine } from '../printable.ts';
import type { World } from '../session.ts';
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

/** Asks at the terminal whether servers that were typed into a page may be started: a page must not be able to start anything. */
const confirming = (world: World) => {
  const { person, screen } = world;
  if (person === undefined) return undefined;
  let turn: Promise<unknown> = Promise.resolve();
  return (targets: readonly Target[]): Promise<boolean> => {
    const ask = async (): Promise<boolean> => {
      screen.line('A page of the inspector wants to add:');
      for (const target of targets) screen.line(`  ${oneLine(target.name, 60)}: ${oneLine(launchText(target), 500)}`);
      const terminal = createInterface({ input: person.input, output: person.output });
      try {
        const answer = await terminal.question('Start it? [y/N] ', { signal: world.interrupt });
        return /^y(?:es)?$/i.test(answer.trim());
      } finally {
        terminal.close();
      }
    };
    const answered = turn.then(ask, ask);
    turn = answered.catch(() => {});
    return answered;
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

const open = async (line: CommandLine, world: World): Promise<Inspector> => {
  const { screen } = world;
  const port = numberGiven(line, 'port');
  const common = {
    by: `tenon ${version()}`,
    ...(port === undefined ? {} : { port }),
    log: (message: string) => screen.warn(message),
  };
  const trace = traceGiven(line);
  const { openInspector, openTraceInspector } = await import('@tenon/inspector');
  if (trace !== undefined) return openTraceInspector(trace, common);
  const targets = await targetsGiven(line);
  if (targets.length === 0 && world.person === undefined)
    throw usage(
      'There is no server to look at',
      'Put its command after --, or its URL: tenon inspect -- node server.js',
    );
  const file = line.value('output');
  if (file !== undefined && existsSync(file))
    throw usage(`The file ${file} is there already`, 'Traces are never written over: name another.');
  const confirm = confirming(world);
  return openInspector({
    ...common,
    targets,
    tokens: await openTokens(),
    testFile: resolve(TEST_FILE),
    ...(file === undefined ? {} : { file: resolve(file) }),
    ...(confirm === undefined
      ? {}
      : { confirm, readTargets: async (text: string) => withIds(await readTargets(text)) }),
  });
};

/** `tenon inspect` */
export const inspect = async (line: CommandLine, world: World): Promise<void> => {
  const { screen, interrupt } = world;
  const inspector = await open(line, world);
  try {
    screen.result({
      json: () => JSON.stringify({ url: inspector.url, port: inspector.port, trace: inspector.file }),
      text: () => inspector.url,
    });
    if (!line.given.has('no-open') && world.person !== undefined && hasDisplay()) {
      const { openPage } = await import('@tenon/inspector');
      await openPage(inspector.url);
    }
    screen.line('Ctrl-C ends it, and every server it has started.');
    await untilInterrupted(interrupt);
  } finally {
    await inspector.close();
  }
  // Ctrl-C is how one leaves.
  if (interrupt.reason instanceof Failure && interrupt.reason.code !== 'interrupted') throw interrupt.reason;
};
