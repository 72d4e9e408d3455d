import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Target, TestFile } from '@tenon/inspector';
import { clientFeatures } from '../session/client-features.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { inspectionOptions } from '../inspector/inspection-options.ts';
import { explainFileError, readTextFile } from '../failure/file-failures.ts';
import { notConnected } from '../inspector/not-connected.ts';
import { rowsSummary, rowsText } from '../inspector/rows.ts';
import { readTargets, resolveTargets, withIds } from '../inspector/targets.ts';
import type { VerbContext } from '../session/session.ts';

const DEFAULT_FILE = 'mcp.test.json';

async function readFile(path: string): Promise<TestFile> {
  if (!existsSync(path))
    throw usage(`There is no file ${path}`, 'tenon inspect writes one: call something there and keep it as a test.');
  const { readTestFile } = await import('@tenon/inspector');
  try {
    return readTestFile(readTextFile(path));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${path}: ${(error as Error).message}`, undefined, 'bad_tests');
  }
}

/** The server that the file names. An unset variable in it is a usage failure. */
async function serverIn(path: string, server: string, warn: (message: string) => void): Promise<Target> {
  try {
    const [target] = withIds(await readTargets(`{"mcpServers":{"server":${server}}}`, warn));
    return target!;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usage(`${path}: ${error.message}`, error.details.fix, 'bad_tests');
  }
}

/** The server of the command line, or the one that the file names. */
async function serverOf(
  line: CommandLine,
  path: string,
  file: TestFile,
  warn: (message: string) => void,
): Promise<Target> {
  const given = await resolveTargets(line, warn);
  if (given.length > 1) throw usage('Tests run against one server');
  if (given[0] !== undefined) return given[0];
  if (file.server === undefined)
    throw usage('No server is given', 'Put its command after --, or "server" into the file.');
  return serverIn(path, file.server, warn);
}

/** `tenon test`: runs the saved calls. */
export async function test(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen, interrupt } = context;
  const path = resolve(line.value('file') ?? DEFAULT_FILE);
  const file = await readFile(path);
  const target = await serverOf(line, path, file, screen.warn);
  // A file emptied by mistake must not count as passed.
  if (file.tests.length === 0) throw usage(`${path} has no tests`, 'Save calls in it with tenon inspect.', 'bad_tests');
  const { runTests, testFileText, withIsolatedServer } = await import('@tenon/inspector');
  await withIsolatedServer(
    target,
    {
      answering: clientFeatures(line, context.person, new AbortController()),
      bothEras: false,
      ...(await inspectionOptions(target, line, screen)),
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
        throw new Failure('check', 'tests_failed', `${run.left.length} of ${run.rows.length} tests still fail`, {
          blame: 'unknown',
          evidence: run.left.slice(0, 10).join(', '),
          fix: 'There was no response, it took too long, or a check refers to a missing value: correct these by hand.',
        });
      if (failed.length > 0 && !update)
        throw new Failure('check', 'tests_failed', `${failed.length} of ${run.rows.length} tests failed`, {
          blame: 'unknown',
          fix: 'If the current results are right: tenon test --update',
        });
    },
  ).catch((error: unknown) => {
    throw explainFileError(error);
  });
}
