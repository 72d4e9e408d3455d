import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { parseDocument } from './edit.ts';
import { headersIn } from './toml-lines.ts';

const FIELDS = { command: 'new', args: ['a'], env: { K: 'v' } };
const ENTRY = '[mcp_servers.n]\ncommand = "new"\nargs = [ "a" ]\n\n[mcp_servers.n.env]\nK = "v"\n';

function read(text: string) {
  return parseDocument(text, { syntax: 'toml', member: 'mcp_servers' });
}

const CODEX = `# my settings
model   =   "gpt-5" # fast

# about one
[mcp_servers.one]
command = 'one'   # mine
args = [
  "[mcp_servers.not]", # a bracket
  """
[mcp_servers.neither]
""",
]

[mcp_servers.one.env]
A = "b"
# in one

# about two
[mcp_servers."two words"]
url = "https://two"

# about the profile
[profiles.fast]
model = "small"
`;

test('a new server is inserted after the last one, and every other byte is kept', async () => {
  assert.equal(
    (await read(CODEX)).set('n', FIELDS),
    CODEX.replace('url = "https://two"\n', `url = "https://two"\n\n${ENTRY}`),
  );
  for (const [before, after] of [
    ['', ENTRY],
    ['model = "x"', `model = "x"\n\n${ENTRY}`],
    ['model = "x"\n[other]\na = 1\n', `model = "x"\n[other]\na = 1\n\n${ENTRY}`],
    ['model = "x"\r\n', `model = "x"\r\n\r\n${ENTRY.replaceAll('\n', '\r\n')}`],
    ['[mcp_servers]\n', `[mcp_servers]\n\n${ENTRY}`],
  ] as const)
    assert.equal((await read(before)).set('n', FIELDS), after);
});

test('a server is replaced in place, and removed with its tables', async () => {
  const document = await read(CODEX);
  assert.deepEqual([...document.servers().keys()], ['one', 'two words']);
  assert.equal(document.set('two words', { url: 'https://three' }), CODEX.replace('https://two', 'https://three'));
  const replaced = document.set('one', { command: 'x' });
  assert.equal(
    replaced,
    CODEX.replace(/command = 'one'[^]*?(?=\[mcp_servers\.one\.env\])/, 'command = "x"\n').replace(
      /\[mcp_servers\.one\.env\]\nA = "b"\n/,
      '\n',
    ),
  );
  assert.equal(
    document.set('two words', undefined),
    CODEX.replace('[mcp_servers."two words"]\nurl = "https://two"\n\n', ''),
  );
  assert.deepEqual((await read(ENTRY)).set('n', undefined), '');
});

test('a file in which one server cannot be changed alone is refused', async () => {
  for (const [text, name] of [
    ['mcp_servers = { a = { command = "x" } }\n', 'n'],
    ['mcp_servers = { a = { command = "x" } }\n', 'a'],
    ['mcp_servers.a.command = "x"\n', 'a'],
    ['[mcp_servers]\na = { command = "x" }\n', 'a'],
    ['[mcp_servers]\na.command = "x"\n', 'a'],
  ] as const)
    await assert.rejects(async () => (await read(text)).set(name, FIELDS), /cannot be changed in it/, text);
  await assert.rejects(read('a = '), /it is not TOML \(line 1\)/);
  await assert.rejects(read('mcp_servers = 1\n'), /not an object of servers/);
});

const name = fc.constantFrom('a', '"b c"', "'d.e'", '"é"');
const value = fc.constantFrom(
  '1',
  '"#["',
  "'[x]'",
  '[ [ "]" ], [] ] # ]',
  '[\n  "[a]", # [\n  "b"\n]',
  '"""\n[mcp_servers.x]\n\\""" """',
  "'''\n[y]\n'''",
  '{ a = "[", b = [1] }',
  '1979-05-27T07:32:00Z',
);
const line = fc.oneof(
  fc.tuple(fc.nat(1_000), value).map(([key, one]) => `key${key} = ${one}`),
  fc.constantFrom('', '# [comment]', '  # "'),
);

test('headers are found by the rules of TOML, whatever is between them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.uniqueArray(name, { minLength: 1 }), fc.array(line)), { maxLength: 5 }),
      (tables) => {
        const text = tables
          .map(([path, lines], index) =>
            [
              `[t${index}.${path.join(' . ')}] # x`,
              ...new Map(lines.map((one) => [one.split(' ')[0], one])).values(),
            ].join('\n'),
          )
          .join('\n');
        parse(text);
        const expected = tables.map(([path], index) => [
          `t${index}`,
          ...path.map((part) => part.replaceAll(/^["']|["']$/g, '')),
        ]);
        assert.deepEqual(
          headersIn(text).map(({ path }) => path),
          expected,
        );
      },
    ),
    { numRuns: 500 },
  );
});
