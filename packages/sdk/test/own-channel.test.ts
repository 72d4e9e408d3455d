// Typical custom channels: `send` returns whatever the underlying function returns.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { connect } from '../src/entries/client.ts';
import { type Channel, revisions, serve, server, tool } from '../src/entries/index.ts';
import { streamChannel } from '../src/entries/node.ts';
import { memoryPair } from '../src/entries/testing.ts';

const app = server({ name: 'own', tools: { hello: tool({}, () => 'Hello') } });

/** The same channel, whose `send` returns `give(…)` of what it returned before. */
function giving(channel: Channel, give: (sent: void | Promise<void>) => unknown): Channel {
  return {
    send: (text) => give(channel.send(text)) as void,
    incoming: channel.incoming,
    close: () => channel.close(),
  };
}

const kinds = new Map<string, (sent: void | Promise<void>) => unknown>([
  ['true, as streams do', () => true],
  ['null', () => null],
  // oxlint-disable-next-line unicorn/no-thenable -- thenables are under test
  ['a non-promise thenable', (sent) => ({ then: (done: () => void) => void Promise.resolve(sent).then(done) })],
]);

for (const revision of revisions) {
  for (const [what, give] of kinds) {
    test(`a channel whose send returns ${what} works on both sides on ${revision}`, async () => {
      const [near, far] = memoryPair();
      const served = serve(app, giving(far, give));
      const client = await connect<typeof app>(giving(near, give), { revision });
      assert.equal(client.revision, revision);
      assert.equal(await client.call('hello'), 'Hello');
      await client.close();
      await served.closed;
    });
  }
}

const secretive = server({
  name: 'secretive',
  tools: { short: tool({}, () => 'a secret'), long: tool({}, () => 'a secret '.repeat(10_000)) },
});

/** Ways to serve on a channel with another `send`. */
const replacements = new Map<string, (channel: Channel, send: Channel['send']) => void>([
  ['in an object with its other members', (channel, send) => void serve(secretive, { ...channel, send })],
  [
    'in the channel, after the server got it',
    (channel, send) => {
      serve(secretive, channel);
      Object.assign(channel, { send });
    },
  ],
]);
for (const [where, serveWith] of replacements)
  test(`a program may replace the \`send\` of a stream channel, for messages of any length: ${where}`, async () => {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const channel = streamChannel(up, down);
    const { send } = channel;
    serveWith(channel, (text) => send(text.replaceAll('secret', 'word')));
    const client = await connect<typeof secretive>(streamChannel(down, up));
    assert.equal(await client.call('short'), 'a word');
    assert.ok((await client.call('long')) === 'a word '.repeat(10_000));
    await client.close();
  });
