import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { FORMATS } from './formats.ts';

const TABLE: Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }> = {
  email: {
    good: [
      'joe@example.com',
      'te~st@example.com',
      '~a+b@example.co',
      'a.b.c@x.y',
      '"joe bloggs"@example.com',
      '"a\\"b"@example.com',
      'joe@[127.0.0.1]',
      'joe@[IPv6:::1]',
      'joe@localhost',
    ],
    bad: [
      '',
      'a',
      '@a',
      'a@',
      '.a@example.com',
      'a.@example.com',
      'a..b@example.com',
      'a b@example.com',
      'a@b@c',
      'a@-b.c',
      'a@b..c',
      'a@[300.0.0.1]',
      'a@[nonsense]',
      'joé@example.com',
      `${'a'.repeat(400)}@b.c`,
    ],
  },
  uri: {
    good: [
      'https://example.com',
      'http://foo.bar/?baz=qux#quux',
      'mailto:joe@example.com',
      'urn:example:a',
      'file:///etc/hosts',
      'http://[2001:db8::1]:80/a',
      'http://[v1.a:b]/',
      'http://user:pw@host:1/',
      'x:',
      "http://-.~_!$&'()*+,;=:%40:80%2f@example.com",
      'tel:+1-816-555-1212',
    ],
    bad: [
      '',
      'example.com',
      '//example.com',
      '/a',
      'http://a b',
      'http://a/%zz',
      'http://a/"',
      'http://a/<b>',
      'http://[1::',
      'http://[nonsense]/',
      'http://a:b/',
      'a/b:c',
      'http://a/#b#c',
      '1a:b',
      'http://a\\b',
      'http://é/',
    ],
  },
  date: {
    good: ['2026-01-31', '2024-02-29', '2000-02-29', '0000-12-31'],
    bad: [
      '',
      '2026-1-31',
      '2026-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-01',
      '2026-01-00',
      '2026-01-31 ',
      '2026-01-31\n',
      '٢٠٢٦-01-31',
      '2026-01-31T00:00:00Z',
    ],
  },
  'date-time': {
    good: [
      '2026-01-31T12:00:00Z',
      '2026-01-31t12:00:00.123z',
      '2026-01-31T23:59:59+23:59',
      '1998-12-31T23:59:60Z',
      '1998-12-31T15:59:60.5-08:00',
      '1999-01-01T00:59:60+01:00',
    ],
    bad: [
      '',
      '2026-01-31',
      '2026-01-31T12:00:00',
      '2026-01-31 12:00:00Z',
      '2026-02-30T12:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T12:60:00Z',
      '2026-01-31T12:00:61Z',
      '2026-01-31T12:00:60Z',
      '1998-12-31T22:59:60Z',
      '2026-01-31T12:00:00+24:00',
      '2026-01-31T12:00Z',
      '2026-01-31T12:00:00.Z',
      '2026-01-31T12:00:00Z\n',
    ],
  },
};

for (const [name, { good, bad }] of Object.entries(TABLE)) {
  test(`the format ${name}`, () => {
    const { test: passes } = FORMATS.get(name)!;
    for (const text of good) assert.ok(passes(text), `${text} is one`);
    for (const text of bad) assert.ok(!passes(text), `${text} is invalid`);
  });
}

test('formats take linear time', () => {
  withinCpuMs(2_000, () => {
    for (const { test: passes } of FORMATS.values()) {
      for (const part of ['a', '.a', '1', '%20', '/', ':', '"', '@', '[', '-']) passes(part.repeat(100_000));
      passes(`http://${'a'.repeat(200_000)}@`);
      passes(`2026-01-31T12:00:00.${'1'.repeat(200_000)}`);
    }
  });
});
