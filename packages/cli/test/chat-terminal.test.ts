import assert from 'node:assert/strict';
import { until } from '../../../scripts/lib/until.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { chat, EVERYTHING, folder, inTerminal, isIdle, KEYS, RISKY, say } from './chat-terminal.ts';

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('typing / lists commands and prompts, narrows them, and Tab completes one', async () => {
  const session = await chat([EVERYTHING]);
  await session.type('/');
  await session.shows('❯ /help');
  await session.type(...'args');
  await session.shows('❯ /server__args-prompt');
  assert.doesNotMatch(session.screen(), /\/help/);
  await session.type(KEYS.tab);
  await session.shows(/❯ city= +required/);
  await session.type(KEYS.escape);
  await session.shows(/› \/server__args-prompt *$/);
  await say(session, 'city=Oslo');
  await session.shows('I am a script');
  await isIdle(session);
  await session.type('/', 's', 'e', 'r', 'v', 'e', 'r', 's', KEYS.enter);
  await session.shows(/✓ server +ready · 2026-07-28 · everything/);
});

test('arguments of a prompt are completed by its server, with the other arguments as context', async () => {
  const session = await chat([EVERYTHING]);
  await session.type(...'/server__completable-prompt department=S');
  await session.shows(/❯ Sales\n {2}Support/);
  await session.type(KEYS.down, KEYS.tab, ...'name=');
  await session.shows(/❯ John\n {2}Kim\n {2}Lee/);
  await session.type(KEYS.tab, KEYS.enter);
  await session.shows('I am a script');
  assert.match(session.screen(), /department=Support name=John/);
});

test('a missing required argument is asked for, with completion', async () => {
  const session = await chat([EVERYTHING]);
  await say(session, '/server__completable-prompt ');
  await session.shows('Choose the department.');
  await session.type('M');
  await session.shows('❯ Marketing');
  await session.type(KEYS.tab, KEYS.enter);
  await session.shows('Choose a team member');
  await session.shows('❯ Grace');
  await session.type(KEYS.tab, KEYS.enter);
  await session.shows('I am a script');
});

test('typing @ lists resources, completes template variables, and attaches the resource', async () => {
  const session = await chat([EVERYTHING]);
  await session.type(...'look @feat');
  await session.shows('❯ @server:demo://resource/static/document/features.md');
  await session.type(KEYS.enter, ...'and @dynamic text');
  await session.type(...Array.from({ length: 5 }, () => KEYS.backspace));
  await session.shows('demo://resource/dynamic/text/{resourceId}');
  while (!/❯ @server:demo:\/\/resource\/dynamic\/text/.test(session.screen())) await session.type(KEYS.down);
  await session.type(KEYS.tab, '7');
  await session.shows(/❯ 7 +resourceId/);
  await session.type(KEYS.tab, KEYS.enter);
  await session.shows('I am a script');
  await isIdle(session);
  await say(session, '/why');
  await session.shows(/yes read server demo:\/\/resource\/dynamic\/text\/7: chosen by the person/);
  assert.match(session.screen(), /yes read server demo:\/\/resource\/static\/document\/features\.md/);
});

test('the first Ctrl-C stops the call, the next one at the prompt quits and stops the server', async () => {
  const cwd = folder();
  const session = await chat([RISKY, 'As it was', join(cwd, 'pid')], cwd);
  const server = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  assert.equal(isRunning(server), true);
  await say(session, 'call slow {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows(/\[█*░+\] \d+% step \d+a\\u001b/);
  await session.type(KEYS.ctrlC);
  await session.shows('Stopped.');
  await session.shows(/Stopped\.[^]*›/);
  await session.type(KEYS.ctrlC);
  assert.equal(await session.ends(), 0);
  assert.equal(isRunning(server), false);
});

test('Ctrl-C twice quits in the middle of a call, too', async () => {
  const session = await chat([RISKY]);
  await say(session, 'call slow {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows('step 2');
  await session.type(KEYS.ctrlC, KEYS.ctrlC);
  assert.equal(await session.ends(), 0);
});

test('Ctrl-C clears a line that is not empty', async () => {
  const session = await chat([RISKY]);
  await session.type(...'half a thou', KEYS.ctrlC);
  await session.shows(/half a thou\n› +Type a message/);
  await session.type(KEYS.ctrlC);
  assert.equal(await session.ends(), 0);
});

test('[A-85] text of a server is shown escaped, and the terminal is restored', async () => {
  const cwd = folder();
  const session = inTerminal(['chat', '--model', 'demo', '--', process.execPath, RISKY], { cwd, rows: 200 });
  const happened: string[] = [];
  session.xterm.onBell(() => happened.push('bell'));
  session.xterm.onTitleChange((title) => happened.push(`title ${title}`));
  await session.shows(/ready[^]*›/);
  for (const command of ['/tools', '/resources', '/prompts', '/servers']) {
    await say(session, command);
    await isIdle(session);
  }
  await session.type(...'/gre');
  await session.shows('❯ /server__greet');
  await session.type(KEYS.tab, KEYS.enter);
  await session.shows('I am a script');
  await isIdle(session);
  await say(session, 'call evil {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows('(10,000 characters)');
  await session.shows(
    /The tool returned:\nResult a\\u001b\[2Jb\\u001b\[8mhidden\\u001b\[0mc\\u001b\[1Ad\\u0007e\\u0000f/,
  );
  const text = session.screen();
  assert.match(text, /^tenon chat/);
  assert.match(text, /Description\s+a\\u001b\[2J/);
  assert.match(text, /Title\s+a\\u001b\[2J/);
  await isIdle(session);
  await session.type(KEYS.ctrlC);
  assert.equal(await session.ends(), 0);
  assert.deepEqual(happened, []);
  for (const sequence of ['\u001b[2J', '\u001b[8m', '\u0007', '\u0000', '\u001b]', '\u202e']) {
    assert.ok(!session.raw().includes(sequence), JSON.stringify(sequence));
  }
  const { active } = session.xterm.buffer;
  assert.equal(active.type, 'normal');
  for (let row = 0; row < active.length; row++) {
    for (let column = 0; column < 100; column++)
      assert.equal(active.getLine(row)?.getCell(column)?.isInvisible() ?? 0, 0);
  }
  // The last output of a program may arrive after its exit.
  await until(() => !session.xterm.modes.bracketedPasteMode);
  assert.ok(
    session.raw().lastIndexOf('\u001b[?25h') > session.raw().lastIndexOf('\u001b[?25l'),
    'the cursor is shown again',
  );
});

test('input being typed is kept when a message is shown', async () => {
  const session = await chat([RISKY]);
  await say(session, 'call leave {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows('The tool returned:\nsoon');
  await isIdle(session);
  await session.type(...'half a thought');
  await session.shows(/^! server: [^]*› half a thought *$/m);
  assert.equal(session.screen().split('half a thought').length, 2);
  await session.type(...', and the rest', KEYS.enter);
  await session.shows('› half a thought, and the rest');
});

test('input typed during an answer is kept, and its Enter approves nothing', async () => {
  const session = await chat([RISKY]);
  await say(session, 'call slow {}');
  await session.shows('Your decision');
  await session.type(KEYS.enter);
  await session.shows(/step 2/);
  await session.type(...'next', KEYS.enter, KEYS.ctrlC);
  await session.shows(/Stopped\.\n› next *$/);
});

test('a conversation is saved and resumed', async () => {
  const cwd = folder();
  const first = await chat([RISKY], cwd);
  await say(first, 'tools please');
  await first.shows('There are 6 tools');
  await isIdle(first);
  await first.type(KEYS.ctrlD);
  assert.equal(await first.ends(), 0);
  const session = await chat([RISKY], cwd, '--resume');
  await session.shows(/Resuming \d{8}-\d{6}-[0-9a-f]{6}: tools please \(2 messages\)/);
  await say(session, '/new');
  await session.shows('A new conversation.');
  await say(session, '/resume');
  await session.shows('● tools please');
  await session.type(KEYS.enter);
  await session.shows(/Resuming[^]*Resuming/);
});

test('without a key the chat says so and offers the demo script', async () => {
  const session = inTerminal(['chat', '--', process.execPath, RISKY], { cwd: folder() });
  await session.shows('There is no key for a language model.');
  await session.shows('ANTHROPIC_API_KEY');
  await session.shows(/With the demo \(a script[^)]*no model\)/);
  await session.type(KEYS.enter);
  await session.shows('demo: a script, not a model');
  await session.shows(/ready[^]*›/);
  await say(session, 'hello');
  await session.shows('I am a script, not a language model');
});

test('pasted text is one message with its line breaks', async () => {
  const session = await chat([RISKY]);
  await session.type('\u001b[200~one\rtwo\u001b[201~');
  await session.shows('› one\ntwo');
  await session.type(KEYS.enter);
  await session.shows('I am a script');
});

test('Up brings back earlier input', async () => {
  const session = await chat([RISKY]);
  await say(session, 'first thing');
  await session.shows(/I am a script[^]*› +Type/);
  await session.type(KEYS.up);
  await session.shows(/› first thing *$/);
});
