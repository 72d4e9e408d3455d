import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkbenchError } from './contract.ts';
import { readScript } from './script.ts';

const form = { method: 'elicitation/create', message: 'How many?' };

test('a question is answered by its name, else by its message, its method, or by the default', () => {
  const script = readScript(`{
    "order": {"cups": 9007199254740993},
    "How many?": {"cups": 1},
    "*": "decline",
    "sampling/createMessage": {"role":"assistant","model":"m","content":{"type":"text","text":"x"}},
    "roots/list": "ignore"
  }`);
  assert.deepEqual(script.answerTo({ ...form, name: 'order' }), {
    action: 'accept',
    content: '{"cups": 9007199254740993}',
  });
  assert.deepEqual(script.answerTo({ ...form, name: 'other' }), { action: 'accept', content: '{"cups": 1}' });
  assert.deepEqual(script.answerTo({ ...form, message: 'What else?' }), { action: 'decline' });
  const sampling = { method: 'sampling/createMessage', message: 'Name a river' };
  assert.equal(script.answerTo(sampling)?.action, 'accept');
  assert.deepEqual(script.answerTo({ method: 'roots/list', message: '' }), { action: 'ignore' });
  // The default for all forms and pages does not apply to sampling.
  assert.equal(readScript('{"*":"decline"}').answerTo(sampling), undefined);
});

test('an empty text answers nothing', () => {
  assert.equal(readScript(' \n').answerTo(form), undefined);
  assert.equal(readScript('{}').answerTo(form), undefined);
});

test('an invalid script is rejected, with the reason and the expected form', () => {
  for (const [text, words] of [
    ['{', /not JSON/],
    ['[]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['{"a":1}', /answer to "a" is 1/],
    ['{"a":"maybe"}', /answer to "a" is "maybe"/],
    ['{"a":null}', /answer to "a" is null/],
  ] as const)
    assert.throws(
      () => readScript(text),
      (error: WorkbenchError) => error.code === 'bad-request' && words.test(error.message),
      text,
    );
});

test('names of inherited members are names like any other', () => {
  assert.equal(readScript('{}').answerTo({ ...form, name: 'toString' }), undefined);
  assert.deepEqual(readScript('{"__proto__":"cancel"}').answerTo({ ...form, name: '__proto__' }), { action: 'cancel' });
});
