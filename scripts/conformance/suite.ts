// Runs the official suite as a process: lists scenarios, runs one leg, or one client scenario.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/files.ts';
import type { Check, Outcome } from './judge.ts';
import type { Leg } from './legs.ts';

const SUITE = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = `"${process.execPath}" "${join(root, 'conformance/dist/client.js')}"`;
const TIMEOUT_MS = 120_000;

interface SuiteResult {
  readonly code: number;
  readonly output: string;
}

/** Runs the suite; `onOutput` is called with the whole output so far whenever there is more. */
function run(args: readonly string[], onOutput: (output: string) => void = () => {}): Promise<SuiteResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        onOutput(output);
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The scenarios of a leg, including those that are never scored. */
export async function scenariosOf({ list, side }: Leg): Promise<string[]> {
  const { code, output } = await run(['list', ...list]);
  if (code !== 0) throw new Error(`The suite could not list its scenarios:\n${output}`);
  const found: string[] = [];
  let section = '';
  for (const line of output.split('\n')) {
    if (/^\S/.test(line)) section = line;
    const [, name, mark] = /^\s+- (\S+)(?: \[(.+)\])?\s*$/.exec(line) ?? [];
    if (name === undefined) continue;
    const own = section.startsWith('Run and reported')
      ? mark === side
      : section.toLowerCase().startsWith(side) &&
        (mark === undefined || list.at(-1)!.length === 0 || mark.includes(list.at(-1)!));
    if (own) found.push(name);
  }
  return found;
}

/** The prefixes of the suite's result folders. */
const PREFIX = { server: 'server-', client: '', authorization: 'authorization-server-' } as const;

/** The checks in a results folder, by scenario. */
function checksIn(folder: string, scenarios: readonly string[], side: Leg['side']): Map<string, Check[]> {
  const found = new Map<string, Check[]>();
  const prefix = PREFIX[side];
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  for (const scenario of scenarios) {
    // The folder name is the scenario's name and the time of the run.
    const path = names.find((name) => {
      const normal = name.replaceAll('\\', '/');
      return normal.startsWith(`${prefix}${scenario}-20`) && normal.endsWith('/checks.json');
    });
    if (path !== undefined) found.set(scenario, JSON.parse(readFileSync(join(folder, path), 'utf8')) as Check[]);
  }
  return found;
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-conformance-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a server leg against a running server. */
export function runServerLeg(leg: Leg, url: string, scenarios: readonly string[]): Promise<Outcome[]> {
  return inFolder(async (folder) => {
    await run(['server', '--url', url, ...leg.args, '-o', folder]);
    const checks = checksIn(folder, scenarios, leg.side);
    return scenarios.map((scenario) => ({ scenario, checks: checks.get(scenario) }));
  });
}

/** Runs the scenarios of a leg against an authorization server, on which a scripted user presses the buttons. */
export function runAuthorizationLeg(
  leg: Leg,
  server: Readonly<Record<'url' | 'client-id' | 'resource' | 'port', string>>,
  scenarios: readonly string[],
  press: (page: string) => Promise<unknown>,
): Promise<Outcome[]> {
  return inFolder(async (folder) => {
    const options = Object.entries(server).flatMap(([name, value]) => [`--${name}`, value]);
    let pressed: Promise<unknown> | undefined;
    const { code, output } = await run(['authorization', ...options, ...leg.args, '-o', folder], (said) => {
      const [, page] = /^(http\S+)\s*$/m.exec(said.slice(said.indexOf('Access the following URL'))) ?? [];
      if (page !== undefined) pressed ??= press(page);
    });
    await pressed;
    if (code !== 0) process.stderr.write(`${output.split('\n').slice(-25).join('\n')}\n`);
    const checks = checksIn(folder, scenarios, leg.side);
    return scenarios.map((scenario) => ({ scenario, checks: checks.get(scenario), exitCode: code }));
  });
}

/** Runs one scenario with its own client process, whose exit code is checked. */
export function runClientScenario(scenario: string, revision: string): Promise<Outcome> {
  return inFolder(async (folder) => {
    const args = [
      'client',
      '--command',
      CLIENT,
      '--scenario',
      scenario,
      '--spec-version',
      revision,
      '--force',
      '-o',
      folder,
    ];
    const { code, output } = await run(args);
    const checks = checksIn(folder, [scenario], 'client').get(scenario);
    if (code !== 0) process.stderr.write(`${output.split('\n').slice(-25).join('\n')}\n`);
    return { scenario, checks, exitCode: code };
  });
}
