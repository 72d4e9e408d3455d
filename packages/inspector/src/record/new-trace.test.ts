import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNames } from './names.ts';
import { nameOfCommand } from './new-trace.ts';
import { createRedactor } from './redact.ts';
import { hideEnvironment, shownCommand } from './shown-command.ts';

test('a server is named after its command', () => {
  for (const [command, name] of [
    ['npx -y @modelcontextprotocol/server-everything@1.2.3 stdio', 'server-everything'],
    ['node dist/index.js', 'index'],
    ['node /home/me/weather/dist/index.js', 'weather'],
    ['/usr/bin/python3 -m weather', 'weather'],
    ['uvx mcp-server-git --repository .', 'mcp-server-git'],
    ['weather.exe', 'weather'],
    ['tenon run time', 'time'],
    ['docker run -i --rm -e X=1 org/image:tag', 'image-tag'],
    ['C:\\tools\\weather.cmd', 'weather'],
    ['node', 'node'],
  ] as const) {
    const [first, ...args] = command.split(' ');
    assert.equal(nameOfCommand(first!, args), name, command);
  }
});

test('names that are taken get a number', () => {
  const nameFor = createNames();
  assert.deepEqual(['a', 'a', 'b', 'a-2', 'a', 'a-2'].map(nameFor), ['a', 'a-2', 'b', 'a-2-2', 'a-3', 'a-2-3']);
});

test('a command is shown without its secrets, and they are hidden from then on', () => {
  const redactor = createRedactor();
  const args = [
    '--token',
    'secret-one',
    '--api-key=secret-two',
    'PASSWORD=secret-three',
    '--header',
    'Authorization: Bearer secret-four',
    'postgres://me:secret-five@host/db',
    '--verbose',
    '--max-tokens',
    '100',
    '--token',
    '--flag',
    'short',
    '--secret',
    'x',
  ];
  assert.equal(
    shownCommand('run', args, redactor),
    'run --token [redacted] --api-key=[redacted] PASSWORD=[redacted] --header Authorization: [redacted] postgres://me:[redacted]@host/db --verbose --max-tokens 100 --token --flag short --secret [redacted]',
  );
  for (const secret of ['secret-one', 'secret-two', 'secret-three', 'secret-four'])
    assert.equal(redactor.clean(`say ${secret}`).text, 'say [redacted]');
});

test('environment variables with secret names and passwords in URLs are hidden, but paths are not', () => {
  const redactor = createRedactor();
  hideEnvironment(
    {
      API_TOKEN: 'token-value',
      DATABASE_URL: 'mysql://me:db-password@host',
      PATH: '/usr/bin:/bin',
      SSH_PRIVATE_KEY: '/home/me/.ssh/key',
      HOME: '/home/someone',
      EMPTY_TOKEN: undefined,
    },
    redactor,
  );
  const text = 'token-value db-password /usr/bin:/bin /home/me/.ssh/key /home/someone';
  assert.equal(redactor.clean(text).text, '[redacted] [redacted] /usr/bin:/bin /home/me/.ssh/key /home/someone');
});
