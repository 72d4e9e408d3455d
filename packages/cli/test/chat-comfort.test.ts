import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { chat, EVERYTHING, folder, inTerminal, isIdle, KEYS, RISKY, say } from './chat-terminal.ts';

test('a misspelled command gets a hint', async () => {
  const session = await chat([EVERYTHING]);
  await say(session, '/hlep');
  await session.shows('There is no command /hlep. Did you mean /help? /help lists them.');
});

test('/roots shows, replaces and removes the folders of the servers', async () => {
  const cwd = folder({ 'answers.json': {} });
  mkdirSync(join(cwd, 'one'));
  const session = await chat([EVERYTHING], cwd, '--roots', cwd);
  await say(session, '/roots');
  await session.shows(`  file://${cwd}`);
  await say(session, '/roots ./one "two words"');
  await session.shows(`  file://${cwd}/one\n  file://${cwd}/two%20words  there is no such folder`);
  await isIdle(session);
  await say(session, 'call get-roots-list {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows(/The tool returned:[^]*two%20words/);
  await isIdle(session);
  await say(session, '/roots ~');
  await session.shows(`  ${pathToFileURL(homedir()).href}\n`);
  await say(session, '/roots none');
  await session.shows('There are no roots.');
});

test('the shown time of a call is that of its server, without the time of the user', async () => {
  const session = await chat([RISKY]);
  await say(session, 'call visit {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows('● I agree to open it');
  await sleep(3_000);
  await session.type(KEYS.enter);
  await session.shows('tenon does not open it.');
  await session.type(KEYS.enter);
  await session.shows(/✓ server__visit · 2026-07-28 · \d+ ms/);
  const [, ms] = /✓ server__visit · 2026-07-28 · (\d+) ms/.exec(session.screen())!;
  assert.ok(Number(ms) < 2_000, `${ms} ms`);
});

test('a message after a stopped call is answered, and not with the result of that call', async () => {
  const session = await chat([RISKY]);
  await say(session, 'call slow {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows(/step 2/);
  await session.type(KEYS.ctrlC);
  await session.shows('Stopped.');
  await isIdle(session);
  await say(session, 'tools');
  await session.shows('There are 6 tools');
});

test('a resumed conversation is shown as it was', async () => {
  const cwd = folder();
  const first = await chat([EVERYTHING], cwd);
  await say(first, 'call echo {"message":"Hi"}');
  await first.shows('Your decision');
  await first.type(KEYS.enter);
  await first.shows('Echo: Hi');
  await isIdle(first);
  await first.type(KEYS.ctrlD);
  await first.ends();
  const session = await chat([EVERYTHING], cwd, '--resume');
  await session.shows(/Resuming [^\n]+\n\n› call echo [^\n]+\n● server__echo\n\nThe tool returned:\nEcho: Hi\n/);
});

test('the demo starts with its own servers approved', async () => {
  const script = join(import.meta.dirname, '../../../examples/travel/interactive.ts');
  const session = inTerminal([], { cwd: folder(), script });
  await session.shows(/script\.ts: a script, not a model/);
  await session.shows(/✓ travel +ready[^]*✓ weather +ready[^]*✓ calendar +ready[^]*›/);
  assert.doesNotMatch(session.screen(), /Start '/);
  await say(session, '/quit');
  assert.equal(await session.ends(), 0);
  await session.shows(/The audit log has \d+ entries, and is whole/);
});
