// Records one build: `record.ts <folder of the checkout> <file for the recording> [transport or scenario …]`.
// Runs in a separate process, so that the two builds do not share modules.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import type { Revision } from 'tenon';
import { loadBuild } from './build.ts';
import { type Cell, type Exchange, type Recording, TRANSPORTS } from './exchange.ts';
import { scenarios } from './inputs/index.ts';
import { masked } from './mask.ts';
import { openConversation } from './open-conversation.ts';
import type { Scenario } from './scenario.ts';
import { warmUp } from './warm-up.ts';

const REVISIONS: readonly Revision[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** The number of concurrent conversations: they share nothing, and those with child processes mostly wait. */
const AT_ONCE = 4;
const WARMING = new Set(['forms', 'side by side', 'subscriptions', 'listening', 'resuming']);

const [folder = '', file = '', ...parts] = process.argv.slice(2);
const unknown = parts.filter(
  (part) => !TRANSPORTS.some((name) => name === part) && !scenarios.some(({ name }) => name === part),
);
if (unknown.length > 0) throw new Error(`There is no transport or scenario '${unknown.join(', ')}'`);
const build = await loadBuild(resolve(folder));

interface Job {
  readonly cell: Cell;
  readonly scenario: Scenario;
}

/** Whether it was named on the command line; if none of its kind was named, all are wanted. */
function isWanted(name: string, all: readonly string[]): boolean {
  const named = parts.filter((part) => all.includes(part));
  return named.length === 0 || named.includes(name);
}

const jobs: Job[] = TRANSPORTS.flatMap((transport) =>
  REVISIONS.flatMap((revision) =>
    scenarios
      .filter(({ only }) => only?.({ transport, revision }) !== false)
      .filter(
        ({ name }) =>
          isWanted(
            name,
            scenarios.map((one) => one.name),
          ) && isWanted(transport, TRANSPORTS),
      )
      .map((scenario) => ({ cell: { transport, revision }, scenario })),
  ),
);

async function record({ cell, scenario }: Job): Promise<Exchange[]> {
  const { conversation, close } = await openConversation(build, cell, scenario.name, scenario.profile ?? 'plain');
  try {
    await scenario.run(conversation);
  } catch (error) {
    throw new Error(`${scenario.name} on ${cell.transport} in ${cell.revision} could not be recorded`, {
      cause: error,
    });
  } finally {
    await close();
  }
  return masked(conversation.exchanges);
}

await warmUp(build);
// Modules that HTTP loads on first use.
const warmedTransports = (['http', 'fetch', 'sse'] as const).filter((name) => isWanted(name, TRANSPORTS));
for (const revision of REVISIONS.slice(0, 2))
  for (const scenario of scenarios)
    for (const transport of warmedTransports)
      if (WARMING.has(scenario.name) && scenario.only?.({ transport, revision }) !== false)
        await record({ cell: { transport, revision }, scenario });

const results: Exchange[][] = [];
let next = 0;
async function work(): Promise<void> {
  while (next < jobs.length) {
    const at = next++;
    const began = performance.now();
    results[at] = await record(jobs[at]!);
    const took = performance.now() - began;
    if (process.env['RECORD_TIMES'] && took > 300)
      console.error(`${jobs[at]!.scenario.name} ${JSON.stringify(jobs[at]!.cell)} ${took.toFixed()} ms`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));

const recording: Recording = { folder: resolve(folder), exchanges: results.flat() };
writeFileSync(file, JSON.stringify(recording, undefined, 1));
process.exit(0);
