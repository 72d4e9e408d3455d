import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LAUNCH, readLaunchOptions, readUserOptions } from './launch-options.ts';

const CAREFUL = { allowsDangerous: false };
const BOLD = { allowsDangerous: true };

test('the options of the user are the base of those of the model', () => {
  const user = readUserOptions(
    '{ "headless": false, "executablePath": "/opt/chrome", "args": ["--lang=de"] }',
    DEFAULT_LAUNCH,
    CAREFUL,
  );
  const launch = readLaunchOptions(
    { args: ['--mute-audio'], defaultViewport: { width: 10, height: 20 } },
    user,
    CAREFUL,
  );
  assert.deepEqual(launch, {
    headless: false,
    executablePath: '/opt/chrome',
    args: ['--lang=de', '--mute-audio'],
    viewport: { width: 10, height: 20 },
    ignoresCertificates: false,
  });
});

test('what reduces security is allowed only by the user', () => {
  for (const options of [
    { args: ['--disable-web-security'] },
    { args: ['--lang=de', '--disable-site-isolation-trials'] },
    { args: ['--remote-allow-nothing-known'] },
    { args: ['--blink-settings=imagesEnabled=false,webSecurityEnabled=false'] },
    { executablePath: '/bin/sh' },
    { ignoreHTTPSErrors: true },
  ])
    assert.throws(() => readLaunchOptions(options, DEFAULT_LAUNCH, CAREFUL), /less safe|not available/);
  const allowed = readLaunchOptions(
    { args: ['--disable-web-security'], acceptInsecureCerts: true },
    DEFAULT_LAUNCH,
    BOLD,
  );
  assert.deepEqual([allowed.args, allowed.ignoresCertificates], [['--disable-web-security'], true]);
});

test('what would lead around the checks is refused even then', () => {
  for (const arg of [
    '--proxy-server=direct://',
    '--no-proxy-server',
    '--PROXY-pac-url=x',
    '--host-resolver-rules=MAP * 127.0.0.1',
    '--remote-debugging-port=1',
    '--user-data-dir=/tmp',
    '--enable-quic',
  ])
    assert.throws(() => readLaunchOptions({ args: [arg] }, DEFAULT_LAUNCH, BOLD), /launchOptions: /, arg);
});

test('PUPPETEER_LAUNCH_OPTIONS that cannot be used are refused with a sentence', () => {
  for (const [text, message] of [
    ['{', /^PUPPETEER_LAUNCH_OPTIONS is not JSON: /],
    ['[]', /^PUPPETEER_LAUNCH_OPTIONS is not a JSON object$/],
    ['{"slowMo":1}', /^PUPPETEER_LAUNCH_OPTIONS: slowMo is not supported/],
    ['{"args":["--no-sandbox"]}', /^PUPPETEER_LAUNCH_OPTIONS: --no-sandbox would make the browser less safe/],
    ['{"executablePath":1}', /^PUPPETEER_LAUNCH_OPTIONS: executablePath is a path/],
  ] as const)
    assert.throws(() => readUserOptions(text, DEFAULT_LAUNCH, CAREFUL), { message });
});
