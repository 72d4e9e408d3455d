// Runs the official conformance suite against the fixtures in conformance/, strictly: a scenario that crashed, had no successful check,
// warned, or whose client did not exit with 0 has failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { startAuthority } from '../examples/auth/authority.ts';
import { clicking } from '../examples/auth/clicks.ts';
import { judge, type Outcome } from './conformance/judge.ts';
import { EXCUSED, type Leg, LEGS } from './conformance/legs.ts';
import { runAuthorizationLeg, runClientScenario, runServerLeg, scenariosOf } from './conformance/suite.ts';
import { root } from './lib/files.ts';
import { freePort } from './lib/free-port.ts';

const START_MS = 10_000;

/** Starts the fixture server and returns its URL when it is ready. */
async function startServer(): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, 'conformance/dist/server.js')], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://localhost:${port}/mcp`;
  const late = Date.now() + START_MS;
  for (;;) {
    const { ok = false } = await fetch(`http://127.0.0.1:${port}/health`).catch(() => ({ ok: false }));
    if (ok) return { url, child };
    if (child.exitCode !== null || Date.now() > late) {
      child.kill();
      throw new Error('The fixture server did not start');
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs a leg against the authorization server of the examples, where the user Ann approves everything. */
async function withAuthority(leg: Leg, scenarios: readonly string[]): Promise<Outcome[]> {
  const port = String(await freePort());
  const resource = 'http://127.0.0.1:9/mcp';
  const authority = await startAuthority({
    resources: new Map([[resource, ['notes']]]),
    clients: [
      {
        client_id: 'conformance',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        application_type: 'native',
      },
    ],
  });
  const server = { url: authority.issuer, 'client-id': 'conformance', resource, port };
  try {
    return await runAuthorizationLeg(leg, server, scenarios, async (page) => {
      const back = await clicking(['Ann', 'yes'])(page);
      await fetch(back);
    });
  } finally {
    await authority.close();
  }
}

async function runLeg(leg: Leg, url: string): Promise<boolean> {
  const scenarios = await scenariosOf(leg);
  let outcomes: Outcome[];
  if (leg.side === 'server') outcomes = await runServerLeg(leg, url, scenarios);
  else if (leg.side === 'authorization') outcomes = await withAuthority(leg, scenarios);
  else {
    outcomes = [];
    for (const scenario of scenarios) outcomes.push(await runClientScenario(scenario, leg.args.at(-1)!));
  }
  const { passed, failures } = judge(scenarios, outcomes, EXCUSED);
  console.log(`${leg.name}: ${passed} passed, ${scenarios.length - passed} failed`);
  for (const failure of failures) console.log(`  ${failure}`);
  return failures.length === 0 && scenarios.length > 0;
}

const asked = process.argv.slice(2);
const legs = LEGS.filter(({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)));
const { url, child } = await startServer();
let failed = 0;
try {
  for (const leg of legs) if (!(await runLeg(leg, url))) failed++;
} finally {
  child.kill();
}
console.log(failed === 0 ? `All ${legs.length} legs passed.` : `${failed} of ${legs.length} legs failed.`);
process.exitCode = failed === 0 && legs.length > 0 ? 0 : 1;
