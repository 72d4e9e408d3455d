// A client that adds watches, each when the one before is ready. A line `{ calls }` says how many more.
import { connect } from 'tenon/client';
import process from 'node:process';
import { createInterface } from 'node:readline';

const { port } = JSON.parse(process.env['SERVER']);
const client = await connect(`http://127.0.0.1:${port}/mcp`, { limits: { subscriptionUris: 100_000 } });
let watches = 0;

async function add(count) {
  for (let index = 0; index < count; index++) await client.watch({ uri: `item:///${++watches}` }).ready;
  process.stdout.write(`${JSON.stringify({ done: count })}\n`);
}

createInterface({ input: process.stdin })
  .on('line', (line) => void add(JSON.parse(line).calls))
  .on('close', () => process.exit(0));
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
