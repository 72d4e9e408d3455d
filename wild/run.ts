// Tries Tenon with servers and clients of others, one program at a time. Fails where something is not as expected.
//   npm run wild [-- --part=servers --only=memory,gitlab --verbs=list,check --out=matrix.md]
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installPinned } from '../scripts/lib/pinned-install.ts';
import { BREACHES, tryBreach } from './breaches.ts';
import { type Cell, cellText, isExpected, ok } from './cell.ts';
import { WAYS } from './client.ts';
import { CLIENTS, tryClient } from './clients.ts';
import { withExample } from './example.ts';
import { type Line, markdown, plain } from './matrix.ts';
import { placeOf, writePage } from './page.ts';
import { endGroup, printed, start, withHome } from './programs.ts';
import { installEnvironments } from './python.ts';
import { SERVERS, VERBS, installedAs } from './servers.ts';
import { trialOf } from './verbs.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: 'servers,breaches,clients' },
    only: { type: 'string', default: '' },
    verbs: { type: 'string', default: VERBS.join(',') },
    out: { type: 'string' },
  },
});
const only = values.only.split(',').filter((name) => name !== '');
function isWanted(name: string): boolean {
  return only.length === 0 || only.some((part) => name.includes(part));
}

let passed = 0;
let failed = 0;
/** Prints one cell, and counts whether it is as expected. */
function tell(name: string, column: string, cell: Cell, expected: RegExp | undefined, ms: number): void {
  const right = isExpected(cell, expected);
  if (right) passed++;
  else failed++;
  console.log(`${right ? 'ok  ' : 'FAIL'} ${name} ${column}: ${cellText(cell)} (${(ms / 1000).toFixed(1)} s)`);
}

async function servers(): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const verbs = VERBS.filter((verb) => values.verbs.split(',').includes(verb));
  for (const server of SERVERS.filter(({ name }) => isWanted(name))) {
    const cells = new Map<string, Cell>();
    await trialOf(server, verbs, (verb, cell, ms) => {
      cells.set(verb, cell);
      if (cell.mark !== 'none') tell(server.name, verb, cell, server.expected?.[verb], ms);
    });
    lines.push({ ...server, ...installedAs(server), cells });
  }
  return lines;
}

/** A breach in each server that has none of its own, one breach after the other. */
async function breaches(): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const sound = SERVERS.filter(({ expected }) => expected === undefined);
  for (const [at, server] of sound.entries()) {
    if (!isWanted(server.name)) continue;
    const breach = BREACHES[at % BREACHES.length]!;
    const began = performance.now();
    const cell = await tryBreach(server, breach);
    tell(server.name, breach, cell, undefined, performance.now() - began);
    lines.push({
      ...server,
      ...installedAs(server),
      cells: new Map([
        ['planted', ok(breach)],
        ['found', cell],
      ]),
    });
  }
  return lines;
}

async function clients(example: string): Promise<readonly Line[]> {
  const tenon = [process.execPath, join(import.meta.dirname, '../packages/cli/bin/tenon.js'), 'run', example];
  return withHome(async (serverHome) => {
    const serving = start([...tenon, '--http', '0'], { home: serverHome });
    try {
      const url = await printed(serving, /(http:\/\/\S+)/, 60_000);
      const lines: Line[] = [];
      for (const client of CLIENTS.filter(({ name }) => isWanted(name))) {
        const cells = new Map<string, Cell>();
        for (const way of WAYS) {
          const began = performance.now();
          const at = way === 'HTTP' ? url : undefined;
          const cell = await withHome((home) => tryClient(client, { home, url: at, command: tenon }));
          cells.set(way, cell);
          if (cell.mark !== 'none') tell(client.name, way, cell, client.expected?.[way], performance.now() - began);
        }
        lines.push({ ...client, ...installedAs(client), cells });
      }
      return lines;
    } finally {
      endGroup(serving);
    }
  });
}

installPinned(import.meta.dirname, 'Installing the programs of others (wild/package.json), about 4 GB');
installEnvironments();
const parts = values.part.split(',');
const began = new Date();
const blocks = new Map<string, string>();
if (parts.includes('servers')) {
  const lines = await servers();
  console.log(`\n${plain(VERBS, lines)}\n`);
  blocks.set('servers', `${markdown(VERBS, lines)}\n\n${placeOf(began)}`);
}
if (parts.includes('breaches')) {
  const lines = await breaches();
  const columns = ['planted', 'found'];
  console.log(`\n${plain(columns, lines)}\n`);
  blocks.set('breaches', `${markdown(columns, lines)}\n\n${placeOf(began)}`);
}
if (parts.includes('clients')) {
  const lines = await withExample(clients);
  console.log(`\n${plain(WAYS, lines)}\n`);
  blocks.set('clients', `${markdown(WAYS, lines)}\n\n${placeOf(began)}`);
}
if (values.out !== undefined) writePage(values.out, blocks);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
