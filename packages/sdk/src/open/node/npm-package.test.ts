import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { npmPackage } from './npm-package.ts';

const NAME = '@tenon/sample';
const base = mkdtempSync(join(tmpdir(), 'tenon-npm-package-'));
const packages = join(base, 'cache/tenon/packages');
let env: NodeJS.ProcessEnv;
let requests = 0;

/** A package whose install script would leave a file. */
function tarball(): Buffer {
  mkdirSync(join(base, 'package'));
  const scripts = { install: `node -e "fs.writeFileSync('ran', '')"` };
  writeFileSync(join(base, 'package/package.json'), JSON.stringify({ name: NAME, version: '1.2.3', scripts }));
  writeFileSync(join(base, 'package/index.js'), '');
  assert.equal(spawnSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: base }).status, 0);
  return readFileSync(join(base, 'package.tgz'));
}

const bytes = tarball();
const registry = createServer((request, response) => {
  requests += 1;
  if (request.url === '/package.tgz') return void response.end(bytes);
  if (!decodeURIComponent(request.url!).startsWith(`/${NAME}`)) return void response.writeHead(404).end('{}');
  const dist = {
    tarball: `http://${request.headers.host}/package.tgz`,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
  const version = { name: NAME, version: '1.2.3', dist, hasInstallScript: true };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': version } }));
});

before(async () => {
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  env = {
    ...process.env,
    XDG_CACHE_HOME: join(base, 'cache'),
    LOCALAPPDATA: join(base, 'cache'),
    HOME: base,
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
    npm_config_cache: join(base, 'npm'),
    npm_config_fetch_retries: '0',
  };
});

after(() => {
  registry.close();
  rmSync(base, { recursive: true, force: true });
});

test('a package is installed once, without its scripts, also for two programs at a time', async () => {
  let installs = 0;
  const open = (): Promise<string> => npmPackage({ name: NAME, version: '1.2.3' }, () => (installs += 1), env);
  const [folder, other] = await Promise.all([open(), open()]);
  assert.equal(other, folder);
  assert.ok(existsSync(join(folder, 'index.js')));
  assert.ok(!existsSync(join(folder, 'ran')));
  assert.deepEqual(readdirSync(packages), ['@tenon+sample@1.2.3']);
  const sent = requests;
  assert.equal(await open(), folder);
  assert.deepEqual([installs, requests], [2, sent]);
});

test('the reason of npm is reported if there is no such version, and nothing is left behind', async () => {
  const missing = npmPackage({ name: NAME, version: '9.9.9' }, () => {}, env);
  await assert.rejects(missing, /No matching version found for @tenon\/sample@9\.9\.9/);
  assert.ok(!readdirSync(packages).some((name) => name.includes('9.9.9') || name.startsWith('installing-')));
});

test('an npm that says nothing is reported, too', async () => {
  const path = { ...env, npm_execpath: join(base, 'package/npm-cli.js'), PATH: base };
  writeFileSync(path.npm_execpath, 'process.exit(3)');
  await assert.rejects(
    npmPackage({ name: NAME, version: '1.0.0' }, () => {}, path),
    /npm failed without a message/,
  );
});
