// What Tenon does with a server of others: each verb of the command line gives one cell.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type Cell, NONE, ok, red, short } from './cell.ts';
import { type Ended, endGroup, printed, run, start, withHome } from './programs.ts';
import { launchOf, type Server, type Verb } from './servers.ts';

const TENON = [process.execPath, join(import.meta.dirname, '../packages/cli/bin/tenon.js')];
const OFFICIAL = [process.execPath, join(import.meta.dirname, 'clients/v1.mjs')];
/** How long Tenon waits for one answer, in milliseconds. */
const ANSWER_MS = 30_000;
/** After this time a program is stopped, in milliseconds: more than Tenon needs to give up on a server that never answers. */
const LIMIT_MS = 180_000;

interface Failure {
  readonly code: string;
  readonly exit: number;
  readonly message: string;
  readonly blame: string;
}

/** The failure a verb prints as the last line on stderr. */
function failureOf({ err }: Ended): Failure | undefined {
  try {
    const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '') as { error?: Failure };
    return error;
  } catch {
    return undefined;
  }
}

/** A verb that did not end as it should. */
function failed(ended: Ended): Cell {
  const failure = failureOf(ended);
  if (failure === undefined) return red(`${ended.code}, ${short(ended.err || ended.out) || 'nothing said'}`);
  const mark = failure.blame === 'unknown' ? 'unknown' : 'red';
  return { mark, text: `${failure.exit} ${failure.blame}, ${short(failure.message)}` };
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly detail?: string;
  readonly findings: readonly { readonly rule: string; readonly blame: string; readonly severity: string }[];
}

/** A step of `check` or `doctor` that failed, and the sides that its findings name. */
export interface FailedRow {
  readonly id: string;
  readonly sides: readonly string[];
}

/** The steps that failed, or have a finding that is an error. */
export function failedRows({ out }: Ended): readonly FailedRow[] {
  const { rows } = JSON.parse(out || '{"rows":[]}') as { rows: readonly Row[] };
  return rows
    .map(({ id, status, findings }) => {
      const errors = findings.filter(({ severity }) => severity === 'error');
      return {
        id,
        isBad: status === 'fail' || errors.length > 0,
        sides: [...new Set(errors.map(({ blame }) => blame))],
      };
    })
    .filter(({ isBad }) => isBad);
}

/** What `check` and `doctor` found: the steps that failed, with the side that is named. */
export function verdict(ended: Ended): Cell {
  if (ended.code !== 0 && ended.code !== 9) return failed(ended);
  // A step of the doctor has no findings of its own where the failure names the side.
  const { blame } = failureOf(ended) ?? {};
  const bad = failedRows(ended).map(({ id, sides }) => ({
    id,
    sides: sides.length === 0 && blame !== undefined ? [blame] : sides,
  }));
  if (bad.length === 0) return ended.code === 0 ? ok() : red(`exit ${ended.code}`);
  const isUnknown = bad.every(({ sides }) => sides.every((side) => side === 'unknown'));
  const texts = bad.map(({ id, sides }) => (sides.length === 0 ? id : `${id} (${sides.join(', ')})`));
  return { mark: isUnknown ? 'unknown' : 'red', text: texts.join(', ') };
}

interface Lists {
  readonly revision?: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly resources?: readonly unknown[];
  readonly prompts?: readonly unknown[];
}

function counts({ tools, resources, prompts, revision }: Lists): string {
  const parts = Object.entries({ tools, resources, prompts }).flatMap(([kind, list]) =>
    list === undefined || list.length === 0 ? [] : [`${list.length} ${list.length === 1 ? kind.slice(0, -1) : kind}`],
  );
  return [revision, ...parts].filter((part) => part !== undefined).join(', ');
}

/** A server in a home of its own. */
export interface Started {
  readonly home: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
interface Trial extends Started {
  readonly server: Server;
  /** The other client's session without anything of Tenon's between. */
  readonly direct: () => Promise<string>;
}

/** `--env NAME=value` for each variable. */
function optionsOf({ env }: Started): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}

/** Runs a verb with a server. `answerMs`: how long Tenon waits for one answer. */
export function tenonWith(started: Started, answerMs: number, ...words: readonly string[]): Promise<Ended> {
  const all = [...TENON, ...words, '--timeout', String(answerMs), ...optionsOf(started), '--', ...started.command];
  return run(all, { home: started.home, limit: LIMIT_MS });
}

function tenon(trial: Trial, ...words: readonly string[]): Promise<Ended> {
  return tenonWith(trial, ANSWER_MS, ...words);
}

async function list(trial: Trial): Promise<Cell> {
  const ended = await tenon(trial, 'list', '--json');
  return ended.code === 0 ? ok(counts(JSON.parse(ended.out) as Lists)) : failed(ended);
}

async function call(trial: Trial): Promise<Cell> {
  const asked = trial.server.call;
  if (asked === undefined) return NONE;
  const ended = await tenon(trial, 'call', asked.tool, '--json', '--args', JSON.stringify(asked.args));
  return ended.code === 0 ? ok(asked.tool) : failed(ended);
}

/** The official client's session with a server, directly or through something of Tenon's. */
async function session(home: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const ended = await run([...OFFICIAL, ...words], { home, limit: 60_000, env });
  if (ended.code !== 0) {
    // Beside the message there are lines of a stack, with paths.
    const [line] = /^(?:\w*Error|McpError): .*$/m.exec(ended.err) ?? [];
    throw new Error(short(line ?? (ended.err || `it ended with ${ended.code}`)));
  }
  return (JSON.parse(ended.out) as { tools: readonly string[] }).tools.join(' ');
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Is the session the same with and without something between? A failure has to be the same one, too. */
async function compare(direct: () => Promise<string>, between: () => Promise<string>): Promise<Cell> {
  const settled = async (act: () => Promise<string>): Promise<{ tools?: string; problem?: string }> =>
    act().then(
      (tools) => ({ tools }),
      (error: unknown) => ({ problem: message(error) }),
    );
  const [one, other] = [await settled(direct), await settled(between)];
  if (one.tools === undefined)
    return other.tools === undefined
      ? red(`as without it, ${one.problem}`)
      : red(`works only with it: without, ${one.problem}`);
  if (other.tools === undefined) return red(`${other.problem}`);
  return one.tools === other.tools ? ok() : red(`other tools: ${short(other.tools)}`);
}

function traceOf({ home }: Trial): string {
  return join(home, 'session.mcptrace');
}

/** Another client's session through `tenon record` is the same as without it. */
function record(trial: Trial): Promise<Cell> {
  const { home, command, direct } = trial;
  return compare(direct, () =>
    session(home, ['--', ...TENON, 'record', '-o', traceOf(trial), ...optionsOf(trial), '--', ...command], {}),
  );
}

/** What was recorded is served over HTTP, and the other client sees the same there. */
async function serve(trial: Trial): Promise<Cell> {
  const { home, direct } = trial;
  if (!existsSync(traceOf(trial))) return NONE;
  const child = start([...TENON, 'serve', traceOf(trial), '--http', '0'], { home });
  try {
    const url = await printed(child, /(http:\/\/\S+)/, ANSWER_MS);
    return await compare(direct, () => session(home, [url], {}));
  } catch (error) {
    return red(message(error));
  } finally {
    endGroup(child);
  }
}

const ACTS: Readonly<Record<Verb, (trial: Trial) => Promise<Cell>>> = {
  list,
  call,
  check: async (trial) => verdict(await tenon(trial, 'check', '--json')),
  doctor: async (trial) => verdict(await tenon(trial, 'doctor', '--json')),
  record,
  serve,
};

/** Tries each verb with a server, in a temporary home. `each` is told as soon as a verb has ended. */
export function trialOf(
  server: Server,
  verbs: readonly Verb[],
  each: (verb: Verb, cell: Cell, ms: number) => void,
): Promise<void> {
  return withHome(async (home) => {
    const { command, env } = launchOf(server, home);
    let first: Promise<string> | undefined;
    const trial: Trial = {
      server,
      home,
      command,
      env,
      direct: () => (first ??= session(home, ['--', ...command], env)),
    };
    for (const verb of verbs) {
      const began = performance.now();
      const cell = await ACTS[verb](trial).catch((error: unknown) => red(message(error)));
      each(verb, cell, performance.now() - began);
    }
  });
}
