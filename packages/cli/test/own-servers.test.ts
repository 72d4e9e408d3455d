import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { tenon } from './run-tenon.ts';

const TENON = fileURLToPath(new URL('../dist/tenon.js', import.meta.url));

test('a server of the project is run by its name, and gets all further arguments', async () => {
  const { stdout, code, stderr } = await tenon([
    'call',
    'get_current_time',
    'timezone=UTC',
    '--',
    process.execPath,
    TENON,
    'run',
    'time',
    '--local-timezone',
    'Asia/Tokyo',
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"timezone":"UTC"/);
  const help = await tenon(['run', 'time', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--local-timezone <value>/);
  const wrong = await tenon(['run', 'time', '--local-timezone', 'Nowhere']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /no time zone/);
});

test('the command of the package tenon is this one', () => {
  const bin = fileURLToPath(new URL('../../sdk/bin/tenon.js', import.meta.url));
  const run = spawnSync(process.execPath, [bin, 'run', 'time', '--help'], { encoding: 'utf8' });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  assert.match(run.stdout, /^time: /);
});

test('the same over HTTP, until a signal ends it', async () => {
  const child = spawn(process.execPath, [TENON, 'run', 'time', '--http', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<string>((resolve) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = / at (http\S+)\n/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const { code, stdout } = await tenon(['list', 'tools', url]);
  assert.equal(code, 0);
  assert.match(stdout, /convert_time/);
  const ended = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)));
  child.kill('SIGTERM');
  assert.equal(await ended, 'SIGTERM');
});

test('a name that is neither a file nor a server gets the server that was probably meant, or the list of servers', async () => {
  const close = await tenon(['run', 'tiem']);
  assert.equal(close.code, 2);
  assert.match(close.stderr, /Did you mean time\?/);
  const far = await tenon(['run', 'nothing-like-it']);
  assert.equal(far.code, 2);
  assert.match(far.stderr, /filesystem, gdrive, git, github, gitlab, google-maps, memory/);
});
