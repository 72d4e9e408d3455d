import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { type Answer, askUser, type Question } from './ask.ts';

function form(properties: Record<string, unknown>, required: string[] = []): Question {
  return {
    mode: 'form',
    name: undefined,
    message: 'Please \u001b[31manswer',
    schema: { type: 'object', properties, required },
  };
}

/** Asks with these lines typed ahead; returns the answer and the screen content. */
async function ask(
  question: Question,
  lines: readonly string[],
  end = false,
): Promise<{ answer: Answer; screen: string }> {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = '';
  output.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  input.write(lines.map((line) => `${line}\n`).join(''));
  if (end) input.end();
  const answer = await askUser(question, 'peer\u001b[2J', { input, output }, AbortSignal.timeout(60_000));
  return { answer, screen };
}

test('a form is filled in field by field, with the types of its schema', async () => {
  const question = form(
    {
      name: { type: 'string', title: 'Your name', description: 'As in the passport' },
      age: { type: 'integer' },
      rate: { type: 'number' },
      sure: { type: 'boolean' },
      note: { type: 'string' },
    },
    ['name', 'age', 'rate', 'sure'],
  );
  const { answer, screen } = await ask(question, ['', 'Ann', '36', '1.5', 'true', '']);
  assert.deepEqual(answer, { action: 'accept', content: { name: 'Ann', age: 36, rate: 1.5, sure: true } });
  assert.match(screen, /As in the passport\n {2}Your name: /);
});

test('invalid input is asked for again', async () => {
  const question = form({ age: { type: 'integer' } }, ['age']);
  const { answer, screen } = await ask(question, ['a', '', 'x', '1.5', '7']);
  assert.deepEqual(answer, { action: 'accept', content: { age: 7 } });
  assert.equal(screen.match(/That is not valid here/g)?.length, 2);
  assert.equal(screen.match(/An answer is needed/g)?.length, 1);
});

test('a choice accepts its values and its titles, in all schema variants', async () => {
  const question = form(
    {
      plain: { type: 'string', enum: ['r', 'g'] },
      old: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
      titled: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
      several: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'r', title: 'Red' },
            { const: 'g', title: 'Green' },
          ],
        },
      },
      words: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    ['plain', 'old', 'titled', 'several', 'words'],
  );
  const { answer, screen } = await ask(question, ['', 'g', 'Green', 'Red', 'r, Green', 'a,c', 'a,b']);
  assert.deepEqual(answer.content, { plain: 'g', old: 'g', titled: 'r', several: ['r', 'g'], words: ['a', 'b'] });
  assert.match(screen, /one of: r \(Red\), g \(Green\)/);
});

test('an empty answer leaves the default to the client', async () => {
  const { answer, screen } = await ask(form({ env: { type: 'string', default: 'staging' } }, ['env']), ['', '']);
  assert.deepEqual(answer, { action: 'accept', content: {} });
  assert.match(screen, /empty: "staging"/);
});

test('declining and cancelling are one letter, and the end of input cancels', async () => {
  assert.deepEqual((await ask(form({}), ['d'])).answer, { action: 'decline' });
  assert.deepEqual((await ask(form({}), ['what?', 'C'])).answer, { action: 'cancel' });
  assert.deepEqual((await ask(form({ a: { type: 'string' } }), ['a'], true)).answer, { action: 'cancel' });
});

test('a question that the server withdraws is cancelled', async () => {
  const stop = new AbortController();
  const asked = askUser(
    form({}),
    undefined,
    { input: new PassThrough(), output: new PassThrough().resume() },
    stop.signal,
  );
  stop.abort();
  assert.deepEqual(await asked, { action: 'cancel' });
});

test('[A-85] text of the server cannot control the terminal', async () => {
  const { screen } = await ask(
    form({ 'x\u001b[1A': { type: 'string', description: '\u0007', enum: ['\u001b[2J'] } }, []),
    ['', ''],
  );
  assert.doesNotMatch(screen, /[\u0007\u001b]/);
  assert.match(screen, /calls itself peer\\u001b\[2J asks:\n {2}Please \\u001b\[31manswer/);
});

test('[A-86] a page is shown with its host, and never opened', async () => {
  const url = (address: string): Question => ({ mode: 'url', name: undefined, message: 'Log in', url: address });
  const { answer, screen } = await ask(url('https://login.example.com:8443/a?b=c'), ['']);
  assert.deepEqual(answer, { action: 'accept' });
  assert.match(screen, /Page: https:\/\/login\.example\.com:8443\/a\?b=c\n {2}Host: login\.example\.com:8443\n/);
  assert.match((await ask(url('https://xn--pple-43d.com/'), ['d'])).screen, /may look like other letters/);
});

test('[A-86] a URL that is not a web page is declined without asking', async () => {
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x']) {
    assert.deepEqual((await ask({ mode: 'url', name: undefined, message: 'x', url }, [])).answer, {
      action: 'decline',
    });
  }
});

test('[A-86] a form that asks for a secret is marked', async () => {
  const { screen } = await ask(form({ password: { type: 'string' } }), ['', '']);
  assert.match(screen, /looks like a secret/);
});
