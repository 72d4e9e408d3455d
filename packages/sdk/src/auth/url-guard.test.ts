import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUrlGuard } from './url-guard.ts';

const remote = createUrlGuard(new URL('https://mcp.example.com/mcp'));
const local = createUrlGuard(new URL('http://localhost:3000/mcp'));
function refuses(text: string, guard = remote): void {
  assert.throws(() => guard.check(text, 'The address', 'discovery'), { name: 'AuthError', step: 'discovery' }, text);
}

test('[A-59] [SECU-13, SECU-30, SECU-31, SECU-32] only web addresses are used, and plain HTTP on this machine only', () => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'ms-msdt:/x',
    'http://remote.example/',
    'no address',
    'https://user:secret@example.com/',
  ])
    for (const guard of [remote, local]) refuses(text, guard);
  assert.equal(remote.check('https://as.example.com/x', 'x', 'token').href, 'https://as.example.com/x');
  assert.equal(local.check('http://localhost:4000/', 'x', 'token').port, '4000');
  assert.throws(
    () => remote.check('https://u:secret@h.example/', 'It', 'token'),
    (error: Error) => !error.message.includes('secret'),
  );
});

test('[A-61] [SECU-12, SECU-14] addresses of other networks are refused in every spelling', () => {
  for (const host of [
    '169.254.169.254',
    '127.0.0.1:6379',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[fd00::1]',
    '[fe80::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    'localhost',
    'localhost.',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'intranet',
  ])
    refuses(`https://${host}/`);
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'example.com'])
    assert.ok(remote.check(`https://${host}/`, 'x', 'token'));
});

test('a server on this machine may name others on it, but no other hidden address', () => {
  for (const host of ['localhost:4000', '127.0.0.1:4000', '[::1]:4000'])
    assert.ok(local.check(`http://${host}/`, 'x', 'token'));
  for (const host of ['10.0.0.1', '169.254.169.254', '192.168.0.1']) refuses(`https://${host}/`, local);
});
