import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quotaKeyOf } from './quota-key.ts';
import type { HttpRequest } from './http-message.ts';

function named(address: string | undefined, forwarded?: string, addressHeader?: string): string | undefined {
  const request = { address, header: (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined) };
  return quotaKeyOf(undefined, request as unknown as HttpRequest, addressHeader);
}

test('the calls of a principal are counted together, from any address', () => {
  const request = { address: '192.0.2.1', header: () => undefined } as unknown as HttpRequest;
  assert.equal(quotaKeyOf({ id: 'ann' }, request, undefined), 'principal ann');
  assert.notEqual(quotaKeyOf({ id: '192.0.2.1' }, request, undefined), named('192.0.2.1'));
});

test('without a principal calls are counted by address, for IPv6 by the /64 network', () => {
  assert.equal(named('192.0.2.1'), 'network 192.0.2.1');
  assert.equal(named('::ffff:192.0.2.1'), named('192.0.2.1'));
  assert.notEqual(named('192.0.2.1'), named('192.0.2.2'));
  assert.equal(named('2001:db8:1:2:3:4:5:6'), named('2001:DB8:1:2::9'));
  assert.notEqual(named('2001:db8:1:2::9'), named('2001:db8:1:3::9'));
  assert.equal(named('2001:db8::1'), named('2001:db8:0:0:5:6:7:8'));
  assert.equal(named('::1'), named('::2'));
  assert.equal(named(undefined), undefined);
});

test('the address is read from the configured header of the proxy; without that header it is the address of the connection', () => {
  const behind = (forwarded?: string) => named('10.0.0.1', forwarded, 'x-forwarded-for');
  assert.equal(behind('198.51.100.7'), 'network 198.51.100.7');
  // A client can begin the list with any text.
  assert.equal(behind('203.0.113.1, 198.51.100.7'), 'network 198.51.100.7');
  assert.equal(behind('198.51.100.7:4711'), 'network 198.51.100.7');
  assert.equal(behind('[2001:db8:1:2::9]:4711'), named('2001:db8:1:2::9'));
  for (const nothing of [undefined, '', '198.51.100.7, ']) assert.equal(behind(nothing), 'network 10.0.0.1');
  assert.equal(named('10.0.0.1', '198.51.100.7'), 'network 10.0.0.1');
});
