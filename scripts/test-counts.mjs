// A reporter for `node --test` that keeps only the totals: one JSON line for the whole run, and the files in which no test ran.

/** @param {AsyncIterable<import('node:test/reporters').TestEvent>} events */
export default async function* counts(events) {
  const empty = [];
  let total;
  for await (const { type, data } of events) {
    if (type !== 'test:summary') continue;
    if (data.file === undefined) total = data.counts;
    else if (data.counts.tests === 0) empty.push(data.file);
  }
  yield `${JSON.stringify({ total, empty })}\n`;
}
