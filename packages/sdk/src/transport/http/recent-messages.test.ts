import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NODES, ReceivedMessages } from './recent-messages.ts';

test('a repetition is recognised however many messages of other nodes came meanwhile, and in any order of its own', () => {
  const received = new ReceivedMessages();
  assert.ok(received.isNew('a', 2));
  assert.ok(received.isNew('a', 1), 'a later one came first');
  for (let node = 0; node < 50; node++)
    for (let number = 1; number <= 1_000; number++) assert.ok(received.isNew(`${node}`, number));
  for (const number of [1, 2]) assert.ok(!received.isNew('a', number));
  assert.ok(received.isNew('a', 3));
});

test('the numbers of a node that sends much are forgotten, and its oldest messages are not taken for new ones', () => {
  const received = new ReceivedMessages();
  for (let number = 1; number <= 30_000; number++) assert.ok(received.isNew('a', number));
  for (const number of [1, 15_000, 29_999, 30_000]) assert.ok(!received.isNew('a', number), String(number));
});

test('the nodes that are remembered are limited: the oldest are forgotten', () => {
  const received = new ReceivedMessages();
  for (let node = 0; node <= MAX_NODES; node++) assert.ok(received.isNew(`${node}`, 1));
  assert.ok(!received.isNew(`${MAX_NODES}`, 1));
  assert.ok(!received.isNew('1', 1));
  assert.ok(received.isNew('0', 1), 'forgotten');
});
