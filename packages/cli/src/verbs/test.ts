import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Target, TestFile } from '@tenon/inspector';
import { asking } from '../asking.ts';
import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { aloneGiven } from '../inspector/alone.ts';
import { explainedFile, readGiven } from '../inspector/files.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { rowsSummary, rowsText } from '../inspector/rows.ts';
import { readTargets, targetsGiven, withIds } from '../inspector/targets.ts';
import type { World } from '../session.ts';

const DEFAULT_FILE = 'mcp.test.json';

const readFile = async (path: string): Promise<TestFile> => {
  if (!existsSync(path))
    throw usage(`There is no file ${path}`, 'tenon inspect writes one: call something there and keep it as a test.');
  const { readTestFile } = await import('@tenon/inspector');
  try {
    return readTestFile(readGiven(path));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${path}: ${(error as Error).message}`, undefined, 'bad_tests');
  }
};

/** The server that the file names. A variable of it that has no value is for whoever runs the tests to set. */
const serverIn = async (path: string, server: string): Promise<Target> => {
  try {
    const [target] = withIds(await readTargets(`{"mcpServers":{"server":${server}}}`));
    return target!;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usage(`${path}: ${error.message}`, error.details.fix, 'bad_tests');
  }
};

/** The server of the command line, or the one that the file names. */
const serverOf = async (line: CommandLine, path: string, file: TestFile): Promise<Target> => {
  const given = await targetsGiven(line);
  if (given.length > 1) throw usage('Tests run against one server');
  if (given[0] !== undefined) return given[0];
  if (file.server === undefined)
    throw usage('There is no server to test', 'Put its command after --, or "server" into the file.');
  return serverIn(path, file.server);
};

/** `tenon test`: runs the calls that were kept. */
export const test = async (line: CommandLine, world: World): Promise<void> => {
  const { screen, interrupt } = world;
  const path = resolve(line.value('file') ?? DEFAULT_FILE);
  const file = await readFile(path);
  const target = await serverOf(line, path, file);
  // A file that was emptied by mistake must not look like one whose tests all passed.
  if (file.tests.length === 0) throw usage(`${path} holds no tests`, 'tenon inspect keeps calls in it.', 'bad_tests');
  const { runTests, testFileText, withServerAlone } = await import('@tenon/inspector');
  await withServerAlone(
    target,
    {
      answering: asking(line, world.person, new AbortController()),
      bothEras: false,
      ...(await aloneGiven(target, line, screen)),
    },
    async ({ server }) => {
      const end = (): void => void server.disconnect();
      interrupt.addEventListener('abort', end, { once: true });
      await server.connect(undefined);
      const { status, problem } = server.view();
      interrupt.throwIfAborted();
      if (status !== 'ready') throw notConnected(problem);
      const run = await runTests(server, file);
      interrupt.throwIfAborted();
      interrupt.removeEventListener('abort', end);
      return run;
    },
    (_, run) => {
      const failed = run.rows.filter((row) => row.status === 'fail');
      const update = line.given.has('update');
      const updated = update && failed.length > run.left.length;
      if (updated) {
        writeFileSync(`${path}.new`, testFileText(run.updated));
        renameSync(`${path}.new`, path);
      }
      screen.result({
        json: () => JSON.stringify({ file: path, rows: run.rows, updated }),
        text: () => `${rowsText(run.rows)}\n${rowsSummary(run.rows)}`,
      });
      if (update && run.left.length > 0)
        throw new Failure('check', 'tests_failed', `${run.left.length} of ${run.rows.length} tests fail all the same`, {
          blame: 'unknown',
          evidence: run.left.slice(0, 10).join(', '),
          fix: 'No answer came, it took too long, or a check is of something that is not there: correct these by hand.',
        });
      if (failed.length > 0 && !update)
        throw new Failure('check', 'tests_failed', `${failed.length} of ${run.rows.length} tests failed`, {
          blame: 'unknown',
          fix: 'If what came now is right: tenon test --update',
        });
    },
  ).catch((error: unknown) => {
    throw explainedFile(error);
  });
};
