// Effects that must happen only once, code that runs again, and how a handler is stopped.
import assert from 'node:assert/strict';
import { everywhere, legacy, type CellContext } from './cells.ts';
import { asking, type makeAsking } from './fixtures/asking.ts';
import { fullClient, questionsOn } from './questions.ts';

const everybody = { fixture: asking, connect: fullClient };

type AskingSeat = CellContext<ReturnType<typeof makeAsking>>;
async function counted({ client }: AskingSeat, name: string): Promise<string> {
  return (await client.call('counted', { name })) as string;
}

// 6. and 7. Effects.

everywhere(
  'an effect happens once, and its result is the same in later runs',
  async (seat) => {
    const before = Number(await counted(seat, 'before'));
    const result = await seat.client.call('act');
    assert.equal(result, JSON.stringify([before + 1, 'poet', { count: before + 1 }, { count: before + 1 }]));
    assert.deepEqual(
      [await counted(seat, 'before'), await counted(seat, 'after'), await counted(seat, 'again')],
      [String(before + 1), String(before + 1), '0'],
    );
  },
  everybody,
);

everywhere(
  'an effect may have no result, and its failure is passed on',
  async (seat) => {
    const before = Number(await counted(seat, 'nothing'));
    assert.equal(await seat.client.call('nothing'), 'undefined');
    assert.equal(await counted(seat, 'nothing'), String(before + 1));
    await assert.rejects(seat.client.call('failing'), { name: 'ToolError', message: /^failed \d+$/ });
  },
  everybody,
);

everywhere(
  'a failed effect is not repeated when the handler runs again, but fails with the same error',
  async (seat) => {
    const failed = `failed ${Number(await counted(seat, 'failing')) + 1}`;
    assert.equal(await seat.client.call('failedBefore'), JSON.stringify([failed, failed]));
    assert.equal(`failed ${await counted(seat, 'failing')}`, failed);
  },
  everybody,
);

everywhere(
  'a value that is not JSON cannot be the result of an effect, even if the handler does not run again',
  async ({ client }) => {
    assert.match(JSON.stringify(await client.result('date')), /"isError":true/);
  },
  everybody,
);

everywhere(
  'the key of a call is the same in every run, and different for every call',
  async ({ client }) => {
    const [first, second] = [(await client.call('key')) as string, (await client.call('key')) as string];
    assert.match(first, /^1 [0-9a-f-]{36}$/);
    assert.match(second, /^1 /);
    assert.notEqual(first, second);
  },
  everybody,
);

// 8. Asking inside an effect.

everywhere(
  'asking inside an effect is an error, and nothing is asked',
  async ({ client, wire }) => {
    assert.match(JSON.stringify(await client.result('inside')), /"isError":true/);
    assert.deepEqual(questionsOn(wire), []);
  },
  everybody,
);

// 9. Stopping.

everywhere(
  'finally blocks run whenever the handler stops, also if it stops at each question',
  async (seat) => {
    const before = Number(await counted(seat, 'finally'));
    assert.equal(await seat.client.call('finally'), 'poet');
    assert.equal(await counted(seat, 'finally'), String(before + (legacy(seat.cell) ? 1 : 2)));
  },
  everybody,
);

everywhere(
  'catching the signal that stops a handler is an error; in eras that wait, there is nothing to catch',
  async ({ client, cell }) => {
    for (const [name, waited] of [
      ['swallow', 'poet'],
      ['settled', 'fulfilled'],
    ] as const) {
      if (legacy(cell)) assert.equal(await client.call(name), waited);
      else await assert.rejects(client.call(name), { code: -32603, message: /'poem'.*catch/ });
    }
  },
  everybody,
);

everywhere(
  'a question that is not awaited is an error if the handler is stopped at it',
  async ({ client, cell }) => {
    if (legacy(cell)) assert.equal(await client.call('forgotten'), 'done');
    else await assert.rejects(client.call('forgotten'), { code: -32603, message: /does not await/ });
    await client.ping();
  },
  everybody,
);
