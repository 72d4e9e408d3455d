import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEnvFile, readEnvFile, withEnvFile } from './env-file.ts';
import type { CommandLaunch, ServerConfig } from './server-config.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-env-')));
const project = join(folder, 'project');
await mkdir(join(project, '.vscode'), { recursive: true });
await mkdir(join(project, 'inner'));
await writeFile(join(project, '.env'), 'A=file\nB=file\n');
await writeFile(join(folder, 'outside.env'), 'SECRET=1\n');

function server(fields: Partial<CommandLaunch>, file?: string, trust: 'user' | 'project' = 'project'): ServerConfig {
  return {
    alias: 'a',
    launch: { kind: 'stdio', command: 'x', args: [], env: { A: 'own' }, ...fields },
    source: file === undefined ? undefined : { file, trust },
  };
}
async function envOf(...given: Parameters<typeof withEnvFile>) {
  const { launch } = await withEnvFile(...given);
  assert.ok(launch.kind === 'stdio' && !('envFile' in launch));
  return launch.env;
}

test('an env file can have comments, export and quotes', () => {
  const text = [
    '# a comment',
    '',
    'PLAIN=value',
    '  SPACED = some words  ',
    'export EXPORTED=yes',
    "SINGLE='it is $HOME \\n # no comment'",
    'DOUBLE="two\\nlines \\"quoted\\" \\x # no comment" # a comment',
    'BACK=`it\'s "fine"`',
    'LINES="one',
    'two"',
    'COMMENT=value # a comment',
    'HASH=a#b',
    'EMPTY=',
    'NOTHING= # a comment',
    'DOLLAR=${PLAIN} $PLAIN',
    'URL=postgres://a:b@c/d?e=f',
    'PLAIN=again',
    '__proto__=x',
    'last.one-2=end',
  ];
  for (const end of ['\n', '\r\n', '\r']) {
    const found = parseEnvFile(`\uFEFF${text.join(end)}`, '.env');
    assert.deepEqual(Object.entries(found), [
      ['PLAIN', 'again'],
      ['SPACED', 'some words'],
      ['EXPORTED', 'yes'],
      ['SINGLE', 'it is $HOME \\n # no comment'],
      ['DOUBLE', 'two\nlines "quoted" \\x # no comment'],
      ['BACK', 'it\'s "fine"'],
      ['LINES', 'one\ntwo'],
      ['COMMENT', 'value'],
      ['HASH', 'a#b'],
      ['EMPTY', ''],
      ['NOTHING', ''],
      ['DOLLAR', '${PLAIN} $PLAIN'],
      ['URL', 'postgres://a:b@c/d?e=f'],
      ['__proto__', 'x'],
      ['last.one-2', 'end'],
    ]);
  }
});

const refusals: [text: string, message: RegExp][] = [
  ['A=1\nsecret\n', /^\.env \(line 2, column 1\): This line is not a variable/],
  ['1A=2', /line 1, column 1\): This line is not a variable/],
  ['A="b\n\n', /quotes of this value are not closed/],
  ['A="b" secret', /text after the closing quote/],
  ['A=b\0', /NUL/],
  [Array.from({ length: 1001 }, (_, index) => `A${index}=1`).join('\n'), /more than 1000 variables/],
];

for (const [index, [text, message]] of refusals.entries()) {
  test(`an error in an env file names its position, but not the value (${index + 1})`, () => {
    assert.throws(
      () => parseEnvFile(text, '.env'),
      (error: Error) => {
        assert.equal(error.name, 'ConfigError');
        assert.match(error.message, message);
        return !error.message.includes('secret');
      },
    );
  });
}

test('any text is either read or rejected with a ConfigError', () => {
  const piece = fc.constantFrom('A', '=', '"', "'", '`', '\\', '#', ' ', '\n', '\r', 'export ', '$', 'b');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((all) => all.join('')),
      ),
      (text) => {
        try {
          parseEnvFile(text, '.env');
        } catch (error) {
          assert.equal((error as Error).name, 'ConfigError');
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test('values in double quotes survive a round trip', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((value) => !/[\0\r]/.test(value)),
      (value) => {
        const text = `A="${value.replaceAll(/["\\]/g, '\\$&')}"`;
        assert.deepEqual(parseEnvFile(text, '.env'), { A: value });
      },
    ),
  );
});

test('a large env file is rejected', async () => {
  await writeFile(join(folder, 'large.env'), '#'.repeat(256 * 1024 + 1));
  await assert.rejects(readEnvFile(join(folder, 'large.env')), /more than 262144 bytes/);
});

test('variables in "env" take precedence over those of the env file', async () => {
  assert.deepEqual(await envOf(server({ envFile: '.env' }), project), { A: 'own', B: 'file' });
  assert.deepEqual(await envOf(server({ envFile: join(project, '.env') })), { A: 'own', B: 'file' });
});

test('a relative path of an env file is resolved against the working folder of the server', async () => {
  assert.deepEqual(await envOf(server({ envFile: '../.env', cwd: 'inner' }), project), { A: 'own', B: 'file' });
});

test('a server without an env file is not changed', async () => {
  const config = server({});
  assert.equal(await withEnvFile(config), config);
});

test('a missing env file is an error', async () => {
  await assert.rejects(withEnvFile(server({ envFile: 'none.env' }), project), /none\.env: There is no such file/);
});

test('the configuration of a project can use only env files inside the project', async () => {
  const inside = join(project, '.mcp.json');
  assert.deepEqual(await envOf(server({ envFile: '.env' }, inside), project), { A: 'own', B: 'file' });
  assert.deepEqual(await envOf(server({ envFile: '.env' }, join(project, '.vscode', 'mcp.json')), project), {
    A: 'own',
    B: 'file',
  });
  await symlink(join(folder, 'outside.env'), join(project, 'link.env'));
  for (const envFile of ['../outside.env', join(folder, 'outside.env'), 'link.env', '.', '../none.env']) {
    await assert.rejects(withEnvFile(server({ envFile }, inside), project), /"envFile" is outside the project/);
  }
  assert.deepEqual(await envOf(server({ envFile: 'link.env' }, inside, 'user'), project), { SECRET: '1', A: 'own' });
});

test('an env file that is not UTF-8 is refused as a whole, in an error without its content', async () => {
  const path = join(project, 'latin.env');
  await writeFile(path, Buffer.from('TOKEN=SECRET\xff\n', 'latin1'));
  await assert.rejects(
    async () => envOf(server({ envFile: path })),
    (error: Error & { code?: string }) => error.name === 'ConfigError' && !error.message.includes('SECRET'),
  );
});
