// node serverless-client.mjs <url> <worker | durable-object | sessions>: calls an example for a serverless platform. Prints how many
// things were right.
import { connect } from 'tenon/client';

const [, , url, kind] = globalThis.process.argv;
let right = 0;
function is(what, found, expected) {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`);
  right++;
}
for (const revision of ['2026-07-28', '2025-11-25', '2025-06-18']) {
  const client = await connect(url, { revision, elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) });
  is('the revision', client.revision, revision);
  is('a call', await client.call('add', { a: 2, b: 40 }), '42');
  const canAsk = revision === '2026-07-28' || kind !== 'worker';
  const greeted = await client.call('greet').catch((error) => error.name);
  is('a question', greeted, canAsk ? 'Hello, Ada!' : 'ToolError');
  await client.close();
}
console.log(right);
globalThis.process.exit(0);
