import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskContext, FormQuestion, UrlQuestion } from 'tenon/client';
import type { Decision } from '../pending/item.ts';
import { elicitResultOf, pageProblem, questionItem } from './questions.ts';

const context: AskContext = {
  signal: new AbortController().signal,
  server: { name: 'Your Bank', version: '1' },
  _meta: {},
  call: undefined,
};

function form(properties: object): FormQuestion {
  return {
    mode: 'form',
    name: 'q',
    message: 'Tell me',
    schema: { type: 'object', properties },
    defaults: {},
  };
}
function page(url: string): UrlQuestion {
  return {
    mode: 'url',
    name: 'q',
    message: 'Go there',
    url,
    elicitationId: undefined,
  };
}

test('[A-86] only https pages, or pages of this machine, can be opened', () => {
  for (const url of ['https://bank.example/x', 'http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]:8/']) {
    assert.equal(pageProblem(url), undefined, url);
  }
  for (const url of [
    'javascript:alert(1)',
    'http://bank.example/',
    'file:///etc/passwd',
    'data:text/html,x',
    'https://bank.example@evil.example/',
    'x',
  ]) {
    assert.notEqual(pageProblem(url), undefined, url);
  }
});

test('[A-86, ELIC-11, ELIC-47] the full URL is shown, and an international host name in both forms', () => {
  const url = `https://xn--pypal-4ve.com/${'a'.repeat(5_000)}?next=1`;
  const item = questionItem('pay', page(url), context, undefined, 0);
  assert.equal(item.page?.url, url);
  assert.equal(item.page?.host, 'xn--pypal-4ve.com (pаypal.com)');
  assert.match(item.warnings.join(), /another script/);
});

test('[A-86] the asking server is shown by its name in the configuration', () => {
  assert.equal(questionItem('pay', form({}), context, undefined, 0).server, 'pay');
});

test('[A-86] a form that asks for a secret by name or title causes a warning', () => {
  for (const properties of [
    { password: { type: 'string' } },
    { api_key: { type: 'string' } },
    { field: { type: 'string', title: 'Your credit card' } },
  ]) {
    assert.equal(
      questionItem('pay', form(properties), context, undefined, 0).warnings.length,
      1,
      JSON.stringify(properties),
    );
  }
  assert.deepEqual(questionItem('pay', form({ seat: { type: 'string' } }), context, undefined, 0).warnings, []);
});

test('[A-86] many words for secrets in a form cause a warning, and others do not', () => {
  const warnings = (properties: object, message = 'Tell me'): number =>
    questionItem('pay', { ...form(properties), message }, context, undefined, 0).warnings.length;
  for (const name of ['pwd', 'userPwd', 'user_pwd', 'passwd', 'otp', 'otp_code', 'loginOtp', 'card-pin', 'apiKey']) {
    assert.equal(warnings({ [name]: { type: 'string' } }), 1, name);
  }
  assert.equal(warnings({ field: { type: 'string', description: 'The password of your mailbox' } }), 1);
  assert.equal(warnings({ field: { type: 'string' } }, 'Your password'), 1);
  assert.equal(warnings({ field: { type: 'number' } }, 'Enter the OTP'), 1);
  assert.equal(warnings({ sure: { type: 'boolean' } }, 'Reset your password?'), 0);
  assert.equal(warnings({ shipping: { type: 'string' }, hotplate: { type: 'string' }, spin: { type: 'string' } }), 0);
});

test('[A-86] a URL is shown in its normalized form', () => {
  const shown = (url: string): string | undefined => questionItem('pay', page(url), context, undefined, 0).page?.url;
  assert.equal(shown('https:\\\\evil.com\\@good.com/'), 'https://evil.com/@good.com/');
  assert.equal(shown('https://evil.com/\u202Emoc.doog'), 'https://evil.com/%E2%80%AEmoc.doog');
  assert.equal(shown('https://evil.com/\u001B[2Kx'), 'https://evil.com/%1B[2Kx');
});

test('only a question of a resumable call has the same id again', () => {
  const call = { method: 'tools/call', params: { name: 'x' }, inputRequests: {}, state: 'sealed' } as const;
  const id = (more: Partial<AskContext>, question = form({})): string =>
    questionItem('pay', question, { ...context, ...more }, undefined, Math.random()).id;
  assert.equal(id({ call }), id({ call: structuredClone(call) }));
  assert.notEqual(id({ call }), id({ call: { ...call, state: 'other' } }));
  assert.notEqual(id({ call }), id({ call }, { ...form({}), name: 'another' }));
  assert.notEqual(id({}), id({}));
});

test('[ELIC-9] a denial declines, and dismissing cancels', () => {
  const item = questionItem('pay', form({}), context, undefined, 0);
  assert.deepEqual(elicitResultOf({ allow: false }, item), { action: 'decline' });
  assert.deepEqual(elicitResultOf({ allow: false, cancel: true }, item), { action: 'cancel' });
  assert.deepEqual(elicitResultOf({ allow: true, content: { seat: '1A' } }, item), {
    action: 'accept',
    content: { seat: '1A' },
  });
  const visit = questionItem('pay', page('https://a.example/'), context, undefined, 0);
  assert.deepEqual(elicitResultOf({ allow: true, content: { x: 1 } }, visit), { action: 'accept' });
});

test('the defaults of a form can be its answer', () => {
  const schema = { type: 'object', properties: { seat: { type: 'string', default: '1A' } } };
  const question = { mode: 'form', name: 'seat', message: 'Which seat?', schema, defaults: { seat: '1A' } } as const;
  const item = questionItem('a', question, { signal: new AbortController().signal } as never, undefined, 0);
  const decision: Decision = { allow: true, content: item.form!.defaults };
  assert.deepEqual(elicitResultOf(decision, item), { action: 'accept', content: { seat: '1A' } });
});
