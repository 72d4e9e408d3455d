// Sends the same calls to the servers of this repository and to the published ones that they replace. Their requests and answers have to be
// equal, except for the differences that a comparison names.
//   npm run originals [-- github redis]
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installPinned } from '../scripts/lib/pinned-install.ts';
import { awsKbRetrieval } from './aws-kb-retrieval.ts';
import { compare, type Outcome } from './compare.ts';
import type { Comparison } from './comparison.ts';
import { braveSearch } from './brave-search.ts';
import { everart } from './everart.ts';
import { gdrive } from './gdrive.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { googleMaps } from './google-maps.ts';
import { puppeteer } from './puppeteer.ts';
import { redis } from './redis.ts';
import { slack } from './slack.ts';

const COMPARISONS: readonly Comparison[] = [
  awsKbRetrieval,
  braveSearch,
  everart,
  gdrive,
  github,
  gitlab,
  googleMaps,
  puppeteer,
  redis,
  slack,
];

const { positionals } = parseArgs({ allowPositionals: true });
const chosen = COMPARISONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (chosen.length === 0) {
  console.error(`Nothing to compare. There are: ${COMPARISONS.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}

function print(server: string, { call, answers, requests, isExpected }: Outcome): void {
  console.log(`${isExpected ? 'ok  ' : 'FAIL'} ${server} ${call.name} ${JSON.stringify(call.args).slice(0, 100)}`);
  for (const [found, reason, what] of [
    [answers, call.otherAnswer, 'answers'],
    [requests, call.otherRequests, 'requests'],
  ] as const) {
    if (reason !== undefined)
      console.log(`       ${what} ${found.length === 0 ? 'should differ' : 'differ'}: ${reason}`);
    if (!isExpected) for (const difference of found) console.log(`       ${difference.slice(0, 300)}`);
  }
}

installPinned(import.meta.dirname, 'Installing the published servers (originals/package.json), about 250 MB');
let failed = 0;
for (const comparison of chosen) {
  const outcomes: Outcome[] = [];
  for await (const outcome of compare(comparison)) {
    outcomes.push(outcome);
    print(comparison.name, outcome);
  }
  const equal = outcomes.filter(({ answers }) => answers.length === 0).length;
  failed += outcomes.filter(({ isExpected }) => !isExpected).length;
  console.log(`${comparison.name}: ${outcomes.length} calls, ${equal} equal answers\n`);
}
console.log(failed === 0 ? 'All as expected' : `${failed} not as expected`);
process.exitCode = failed === 0 ? 0 : 1;
