import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../../scripts/lib/until.ts';
import { openPage } from './open-page.ts';

test('[CVE-2025-6514] a URL is passed to its program as one argument, and never to a shell', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-open-'));
  const out = join(folder, 'out');
  const opener = join(folder, 'opener.sh');
  writeFileSync(opener, `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${out}.new' && mv '${out}.new' '${out}'\n`);
  chmodSync(opener, 0o700);
  const url = `http://127.0.0.1:1/a?x=$(touch${folder}/owned)&y=\`id\`;touch|&calc.exe#code=a-b_c`;
  assert.equal(await openPage(url, { opener: [opener] }), true);
  await until(() => existsSync(out));
  assert.equal(readFileSync(out, 'utf8'), `1\n${new URL(url).href}\n`);
  rmSync(folder, { recursive: true });
});

test('[CVE-2025-58444] only http and https URLs are opened', async () => {
  const never = ['/nowhere/at/all'] as const;
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'ms-msdt:x',
    '--help',
    '-x http://a',
  ])
    await assert.rejects(openPage(url, { opener: never }), TypeError, url);
});

test('if no program opens pages, the caller learns it', async () => {
  assert.equal(await openPage('http://127.0.0.1:1/', { opener: ['/nowhere/at/all'] }), false);
});
