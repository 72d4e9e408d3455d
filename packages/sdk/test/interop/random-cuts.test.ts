// Our client and server with each other and with the official SDKs, on every revision, while connections are cut, servers are replaced, and
// proxies answer in their place: each call ends once, and every failure is reported correctly. RANDOM_CUTS_SEED repeats a plan.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PATIENCE_MS, until } from '../../../../scripts/lib/until.ts';
import { rounds, sample } from '../../../../scripts/lib/soak.ts';
import { connect } from '../../src/entries/client.ts';
import { type CountedClient, officialClient, ourClient } from './counted-client.ts';
import { answerTo, type Call, type Kind, type Outcome } from './counted.ts';
import type { Maker, Revision } from './expected.ts';
import { type FaultPlan, planFaults } from './fault-plan.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type AtPort, fixture, startAtPort } from './official-client.ts';

const CALLS = rounds(20, 400);
/** Calls at a time. */
const WORKERS = 4;
/** The minimum share of calls of a pairing that succeed. With few calls, all may meet a fault. */
const MIN_SHARE = rounds(0.3, 0.6);
/** How many calls an outage lasts, in which another program or nothing answers. */
const OUTAGE_CALLS = 5;
const KINDS: readonly Kind[] = ['read', 'act', 'steps', 'ask'];
/** The errors with which a call may fail when the client got no answer. */
const TRUE_FAILURES: ReadonlySet<string> = new Set(['ConnectionError', 'TimeoutError', 'ToolError', 'ProtocolError']);

const seed = Number(process.env['RANDOM_CUTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

interface Pairing {
  readonly client: Maker;
  readonly server: Maker;
  readonly revision: Revision;
  readonly sse?: true;
}

const REVISIONS: readonly Revision[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const LEGACY = REVISIONS.slice(1);
const PAIRINGS: readonly Pairing[] = [
  ...REVISIONS.map((revision): Pairing => ({ client: 'tenon', server: 'tenon', revision })),
  { client: 'tenon', server: 'tenon', revision: '2024-11-05', sse: true },
  ...LEGACY.map((revision): Pairing => ({ client: 'tenon', server: 'v1', revision })),
  ...REVISIONS.map((revision): Pairing => ({ client: 'tenon', server: 'v2', revision })),
  ...LEGACY.map((revision): Pairing => ({ client: 'v1', server: 'tenon', revision })),
  ...REVISIONS.map((revision): Pairing => ({ client: 'v2', server: 'tenon', revision })),
];

describe('with random faults, each call ends once, with its own answer or a correct error', { concurrency: 1 }, () => {
  for (const pairing of sample(PAIRINGS, 3)) {
    const { client, server, revision, sse } = pairing;
    const way = sse === undefined ? '' : ' over HTTP+SSE';
    it(`${client} client ↔ ${server} server, ${revision}${way}`, async (t) => {
      const { calls, succeeded, violations, failures } = await run(pairing);
      const share = succeeded / calls;
      t.diagnostic(
        `${calls} calls, ${(share * 100).toFixed(1)} % succeeded, seed ${seed}, ${JSON.stringify(failures)}`,
      );
      assert.deepEqual(violations, [], `the seed is ${seed}`);
      assert.ok(share >= MIN_SHARE, `only ${succeeded} of ${calls} calls succeeded; the seed is ${seed}`);
    });
  }
});

interface Report {
  readonly calls: number;
  readonly succeeded: number;
  readonly violations: readonly string[];
  /** The number of failed calls, by error. */
  readonly failures: Readonly<Record<string, number>>;
}

async function run(pairing: Pairing): Promise<Report> {
  const plan = planFaults(seed);
  const folder = mkdtempSync(join(tmpdir(), 'tenon-cuts-'));
  const executions = join(folder, 'executions');
  writeFileSync(executions, '');
  let draw = (): Fault => 'none';
  const proxy = await startFaultProxy(() => draw(), plan.random);
  const servers = new Servers(pairing, executions, proxy);
  try {
    await servers.replace();
    const client = await clientOf(pairing, proxy);
    const ended: Ended[] = [];
    draw = () => plan.fault();
    await callThroughFaults(client, plan, servers, proxy, ended);
    draw = () => 'none';
    const violations = await callAfterwards(pairing, client, proxy, ended);
    draw = () => 'silence';
    violations.push(...(await closeAfterSilence(client, proxy, ended)), ...(await servers.leftOver()));
    const counts = new Map<string, number>();
    for (const key of readFileSync(executions, 'utf8').split('\n')) counts.set(key, (counts.get(key) ?? 0) + 1);
    violations.push(...ended.flatMap((one) => judge(pairing, one, counts.get(one.call.key) ?? 0)), ...servers.problems);
    return { calls: CALLS, ...summary(ended.slice(0, CALLS)), violations };
  } finally {
    await proxy.close();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function clientOf({ client, revision, sse }: Pairing, { origin }: FaultProxy): Promise<CountedClient> {
  const url = `${origin}/${sse === undefined ? 'mcp' : 'sse'}`;
  return client === 'tenon' ? ourClient(url, revision) : officialClient(client, url, revision);
}

/** The server of a pairing, which is replaced repeatedly. */
class Servers {
  readonly problems: string[] = [];
  readonly #program: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #proxy: FaultProxy;
  readonly #isOurs: boolean;
  #current: AtPort | undefined;

  constructor({ client, server, revision }: Pairing, executions: string, proxy: FaultProxy) {
    this.#proxy = proxy;
    this.#isOurs = server === 'tenon';
    this.#program = this.#isOurs
      ? [process.execPath, '--unhandled-rejections=strict', '--conditions=tenon-source', fixture('counted-server.ts')]
      : [process.execPath, '--unhandled-rejections=warn', fixture(`counted-${server}-server.mjs`)];
    // The official client of version 1 offers its newest revision only.
    const narrowed: Record<string, string> = client === 'v1' ? { REVISIONS: revision } : {};
    this.#env = { ...narrowed, EXECUTIONS: executions };
  }

  /** Ends the process, and starts another. */
  async replace(): Promise<void> {
    if (this.#current?.running === false) this.problems.push('the server ended by itself');
    await this.#current?.stop();
    this.#current = await startAtPort(this.#program, this.#env);
    this.#proxy.target = Number(new URL(this.#current.url).port);
  }

  /** Replaces the listener, and keeps the sessions. Official servers cannot do that. */
  async listenAnew(): Promise<void> {
    if (!this.#isOurs || process.platform === 'win32') await this.replace();
    else this.#current?.signal('SIGUSR2');
  }

  /** Handlers that still run in our server although their clients are gone. */
  async leftOver(): Promise<readonly string[]> {
    if (!this.#isOurs) return [];
    await using client = await connect(this.#current!.url);
    let running: unknown;
    const idle = async (): Promise<boolean> => (running = await client.call('running')) === '0';
    return await until(idle, 'no handler runs').then(
      () => [],
      (error: unknown) => [`${String(running)} handlers still run: ${String(error)}`],
    );
  }

  async stop(): Promise<void> {
    await this.#current?.stop();
  }
}

interface Ended {
  readonly call: Call;
  /** Empty if the call hangs. */
  readonly outcomes: Outcome[];
}

/** Makes all calls, some concurrently, and runs the planned events meanwhile. */
async function callThroughFaults(
  client: CountedClient,
  plan: FaultPlan,
  servers: Servers,
  proxy: FaultProxy,
  ended: Ended[],
): Promise<void> {
  let begun = 0;
  let event = plan.next();
  let since = 0;
  let away = false;
  let happening = Promise.resolve();
  const count = (): void => {
    since++;
    if (away && since === OUTAGE_CALLS) {
      away = false;
      happening = happening.then(() => proxy.setPhase('up'));
    }
    if (since < event.after) return;
    const { event: now } = event;
    since = 0;
    event = plan.next();
    if (now === 'new process') happening = happening.then(() => servers.replace());
    else if (now === 'new listener') happening = happening.then(() => servers.listenAnew());
    else {
      away = true;
      happening = happening.then(() => proxy.setPhase(now));
    }
  };
  const work = async (): Promise<void> => {
    while (begun < CALLS) {
      ended.push(await makeCall(client, drawCall(plan, ++begun)));
      count();
      await happening;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

function drawCall({ random }: FaultPlan, number: number): Call {
  return {
    kind: KINDS[Math.floor(random() * KINDS.length)]!,
    key: `call-${number}-${Math.floor(random() * 2 ** 31)}`,
    restMs: Math.floor(random() * 20),
    size: random() < 0.1 ? 100_000 : 0,
  };
}

/** Makes one call. A call that ends later than any timeout of a client counts as hanging. */
function makeCall(client: CountedClient, call: Call): Promise<Ended> {
  const made: Ended = { call, outcomes: [] };
  return new Promise((resolve) => {
    const hangs = setTimeout(() => resolve(made), PATIENCE_MS);
    client.begin(call, (outcome) => {
      clearTimeout(hangs);
      made.outcomes.push(outcome);
      resolve(made);
    });
  });
}

/** Makes calls after the faults. Those of our client have to succeed, although it is still the same client. */
async function callAfterwards(
  { client: maker }: Pairing,
  client: CountedClient,
  proxy: FaultProxy,
  ended: Ended[],
): Promise<string[]> {
  await proxy.setPhase('up');
  proxy.breakWithheld();
  await client.settled(() => proxy.open);
  const violations: string[] = [];
  for (const kind of maker === 'tenon' ? KINDS : []) {
    const next = await makeCall(client, { kind, key: `afterwards-${kind}`, restMs: 1, size: 0 });
    ended.push(next);
    if (!('text' in (next.outcomes[0] ?? {}))) violations.push(`after the faults ${JSON.stringify(next)}`);
  }
  return violations;
}

/** Closes the client when nothing has been answered for a while. It must not leave anything open. */
async function closeAfterSilence(client: CountedClient, proxy: FaultProxy, ended: Ended[]): Promise<string[]> {
  const calls = KINDS.map((kind): Call => ({ kind, key: `silence-${kind}`, restMs: 1, size: 0 }));
  ended.push(...(await Promise.all(calls.map((call) => makeCall(client, call)))));
  const violations = [...(await client.close())];
  await until(() => proxy.open === 0, 'no exchange is open').catch(() =>
    violations.push(`${proxy.open} exchanges are open after the client was closed`),
  );
  return violations;
}

/** The problem with the end of a call, given how often its tool ran. */
function judge({ client, server }: Pairing, { call, outcomes }: Ended, ran: number): string[] {
  const problems: string[] = [];
  const [outcome] = outcomes;
  if (outcome === undefined) problems.push('never ended');
  if (outcomes.length > 1) problems.push(`ended ${outcomes.length} times`);
  const isOurs = client === 'tenon';
  if (ran > 1 && !(isOurs && call.kind === 'read')) problems.push(`ran ${ran} times`);
  if (outcome !== undefined && 'text' in outcome) {
    if (ran === 0) problems.push('was answered and never ran');
    if (outcome.text !== answerTo(call)) problems.push(`got the answer ${outcome.text.slice(0, 80)}`);
  } else if (outcome !== undefined && isOurs) {
    const { name, processed } = outcome.error;
    if (!TRUE_FAILURES.has(name)) problems.push('failed with an error that no fault causes');
    if (name === 'ConnectionError' && ran > 0 && processed !== 'unknown') problems.push(`ran ${ran} times`);
  }
  return problems.map((problem) => `${server} server: ${JSON.stringify(call)} ${problem}: ${shownOutcome(outcome)}`);
}

function shownOutcome(outcome: Outcome | undefined): string {
  return JSON.stringify(outcome)?.slice(0, 300) ?? 'no outcome';
}

function summary(ended: readonly Ended[]): Pick<Report, 'succeeded' | 'failures'> {
  const failures: Record<string, number> = {};
  let succeeded = 0;
  for (const { outcomes } of ended) {
    const [outcome] = outcomes;
    if (outcome !== undefined && 'text' in outcome) {
      succeeded++;
      continue;
    }
    const { name, code, processed } = outcome?.error ?? {};
    const said = [name, code, processed].filter((part) => part !== undefined).join(' ');
    failures[said] = (failures[said] ?? 0) + 1;
  }
  return { succeeded, failures };
}
