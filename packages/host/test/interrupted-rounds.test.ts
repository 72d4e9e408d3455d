// Interrupted calls with several rounds of questions, whose server may end in between.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createHost, type Host, type HostEvent, listPending } from '../src/index.ts';
import { newState, nextOf, until, yes } from './interrupted-kit.ts';

const SERVER = fileURLToPath(new URL('fixtures/asks-twice.ts', import.meta.url));
const KEYS = { TENON_KEYS: 'a key that lasts, and is long enough for everybody' };

function namesIn(host: Host): string[] {
  return host.pending().flatMap((item) => (item.kind === 'question' ? [String(item.name)] : []));
}

function answer(host: Host, name: string): void {
  const item = host.pending().find((one) => one.kind === 'question' && one.name === name);
  assert.equal(host.answer(item!.id, { allow: true, content: { [name]: `the ${name}` } }), true);
}

/** Interrupts a call at its first question, and returns a host that resumes it. */
async function goingOn(how: string) {
  const state = await newState();
  const done = join(state, 'done.txt');
  const servers = { one: { command: process.execPath, args: [SERVER, done], env: KEYS } };
  const first = await createHost({ state, servers, approve: yes });
  await first.start();
  void first.call('one__book', { how });
  await until(() => namesIn(first).length > 0);
  await first.close();
  const host = await createHost({ state, servers, approve: yes });
  const problems: string[] = [];
  host.on((event: HostEvent) => event.kind === 'problem' && problems.push(event.message));
  await host.start();
  await until(() => namesIn(host).includes('seat'));
  const deeds = async (): Promise<string> => readFile(done, 'utf8').catch(() => '');
  return { state, host, problems, deeds };
}

const WANTED = '{"seat":"the seat","meal":"the meal"}';

test('a resumed call survives the end of its server while its second question waits', async () => {
  const { state, host, problems, deeds } = await goingOn('in turn');
  answer(host, 'seat');
  await until(() => namesIn(host).includes('meal'));
  const [{ id } = { id: '' }] = await listPending(state);
  void host.call('one__die', {});
  await until(() => problems.length > 0);
  assert.match(problems.join(), /cannot be resumed now, and will be tried again/);
  assert.deepEqual(
    (await listPending(state)).map((item) => item.id),
    [id],
  );
  await until(() => namesIn(host).includes('meal'));
  const end = nextOf(host, 'resumed');
  answer(host, 'meal');
  const event = await end;
  assert.ok(event.kind === 'resumed');
  assert.deepEqual((event.result as { content: unknown }).content, [{ type: 'text', text: WANTED }]);
  assert.equal(await deeds(), `${WANTED}\n`);
  assert.deepEqual(await listPending(state), []);
  await host.close();
});

test('a resumed call survives the end of its server while one of two questions is answered', async () => {
  const { state, host, problems, deeds } = await goingOn('at once');
  answer(host, 'seat');
  await until(() => namesIn(host).includes('meal'));
  void host.call('one__die', {});
  await until(() => problems.length > 0);
  assert.match(problems.join(), /will be tried again/);
  await until(() => namesIn(host).includes('meal'));
  const end = nextOf(host, 'resumed');
  // The answered question is not asked again.
  assert.deepEqual(namesIn(host), ['meal']);
  answer(host, 'meal');
  await end;
  assert.equal(await deeds(), `${WANTED}\n`);
  assert.deepEqual(await listPending(state), []);
  await host.close();
});

test('a call whose last answers were sent is not sent again after its server ended, which is reported', async () => {
  const { state, host, problems, deeds } = await goingOn('crash');
  answer(host, 'seat');
  await until(() => namesIn(host).includes('meal'));
  answer(host, 'meal');
  await until(() => problems.length > 0);
  assert.match(problems.join(), /It may have taken effect/);
  await until(() => host.servers()[0]!.state === 'ready');
  // A call without a stored record is not sent again.
  await until(async () => (await listPending(state)).length === 0);
  assert.equal(await deeds(), `${WANTED}\n`);
  await host.close();
});

test('a call that was interrupted again at its second question is resumed there', async () => {
  const { state, host, deeds } = await goingOn('in turn');
  answer(host, 'seat');
  await until(() => namesIn(host).includes('meal'));
  const servers = { one: { command: process.execPath, args: [SERVER, join(state, 'done.txt')], env: KEYS } };
  await host.close();
  const third = await createHost({ state, servers, approve: yes });
  await third.start();
  await until(() => namesIn(third).includes('meal'));
  assert.deepEqual(namesIn(third), ['meal']);
  const end = nextOf(third, 'resumed');
  answer(third, 'meal');
  await end;
  assert.equal(await deeds(), `${WANTED}\n`);
  await third.close();
});
