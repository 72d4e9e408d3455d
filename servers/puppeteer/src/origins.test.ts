import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOrigins, destinationOf, RefusedError } from './origins.ts';

/** A name service in which each name has these addresses. */
function resolving(...addresses: readonly string[]) {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

async function outcome(list: readonly string[], url: string, ...addresses: readonly string[]): Promise<string> {
  const origins = createOrigins(list, resolving(...addresses) as never);
  const destination = destinationOf(new URL(url));
  try {
    const allowed = (await origins.addressesOf(destination)).map(({ address }) => address).join();
    return origins.refusal(new URL(url)) === undefined ? allowed : `only ${allowed}`;
  } catch (error) {
    assert.ok(error instanceof RefusedError, String(error));
    return 'refused';
  }
}

test('without names, the whole internet is allowed and nothing else', async () => {
  assert.equal(await outcome(['*'], 'https://example.com', '93.184.215.14'), '93.184.215.14');
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '168.63.129.16',
  ])
    assert.equal(await outcome(['*'], 'http://rebound.example', address), 'refused', address);
});

test('of several addresses, only those on the internet are used', async () => {
  assert.equal(await outcome(['*'], 'https://both.example', '10.0.0.1', '93.184.215.14'), '93.184.215.14');
});

test('a list allows exactly what it names: protocol, host and port', async () => {
  const list = ['https://example.com', 'http://localhost:3000'];
  assert.equal(await outcome(list, 'https://example.com', '93.184.215.14'), '93.184.215.14');
  assert.equal(await outcome(list, 'http://localhost:3000', '127.0.0.1'), '127.0.0.1');
  for (const url of [
    'http://example.com',
    'https://example.com:8443',
    'https://www.example.com',
    'https://example.com.evil.example',
    'http://localhost:3001',
    'http://127.0.0.1:3000',
    'https://other.example',
  ])
    assert.equal(await outcome(list, url, '93.184.215.14'), 'refused', url);
  // A connection has no protocol, but a navigation does.
  assert.equal(await outcome(list, 'https://localhost:3000', '127.0.0.1'), 'only 127.0.0.1');
});

test('a wildcard stands for the subdomains, on the internet only', async () => {
  const list = ['https://*.example.com'];
  for (const url of ['https://a.example.com', 'https://a.b.EXAMPLE.com.'])
    assert.equal(await outcome(list, url, '93.184.215.14'), '93.184.215.14', url);
  for (const url of [
    'https://example.com',
    'https://badexample.com',
    'http://a.example.com',
    'https://a.example.com:8443',
  ])
    assert.equal(await outcome(list, url, '93.184.215.14'), 'refused', url);
  assert.equal(await outcome(list, 'https://a.example.com', '10.0.0.1'), 'refused');
});

test('the metadata of a cloud has to be named by its address', async () => {
  for (const address of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fe80::a9fe:a9fe',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
  ])
    assert.equal(await outcome(['http://app.example'], 'http://app.example', address), 'refused', address);
  assert.equal(await outcome(['http://169.254.169.254'], 'http://169.254.169.254'), '169.254.169.254');
});

test('what is no origin is refused with a sentence that shows the form', () => {
  for (const text of [
    'localhost:3000',
    'example.com',
    'https://example.com/path',
    'ftp://example.com',
    'https://ann:pw@example.com',
    'https://*',
    'https://a.*.com',
    'https://*.1.2.3.4',
    '',
    'https://example.com?x',
  ])
    assert.throws(() => createOrigins([text]), /An origin has the form https:\/\/example\.com/, text);
});
