import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastStderr, tellingLine, tellingLines } from './stderr-lines.ts';

function linesOf(text: string) {
  return text.split('\n').map((line, index) => ({ n: index + 1, text: line }));
}

/** Real output of failing programs, and the line that says why. */
const PRINTS: readonly (readonly [program: string, text: string, telling: string])[] = [
  [
    'Node: an error that nobody caught',
    `starting up
file:///srv/crash.mjs:3
function load() { return cfg.url.host; }
                             ^

TypeError: Cannot read properties of undefined (reading 'url')
    at load (file:///srv/crash.mjs:3:30)
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:101:5)

Node.js v24.21.0`,
    "TypeError: Cannot read properties of undefined (reading 'url')",
  ],
  [
    'Node: a module that is not there',
    `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/srv/missing.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2`,
    "Error: Cannot find module '/srv/missing.js'",
  ],
  [
    'Node: an error with a code in its head',
    `node:internal/modules/esm/resolve:275
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/a.mjs
    at packageResolve (node:internal/modules/esm/resolve:768:81)

Node.js v22.1.0`,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/a.mjs",
  ],
  [
    'Python',
    `INFO reading settings
Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    import nothing
ModuleNotFoundError: No module named 'nothing'`,
    "ModuleNotFoundError: No module named 'nothing'",
  ],
  [
    'Go',
    `2026/11/22 10:00:00 listening
panic: runtime error: invalid memory address or nil pointer dereference

goroutine 1 [running]:
main.main()
	/srv/main.go:8 +0x1d
exit status 2`,
    'panic: runtime error: invalid memory address or nil pointer dereference',
  ],
  [
    'Rust',
    `loading
thread 'main' panicked at src/main.rs:2:5:
the key is missing
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
done`,
    "thread 'main' panicked at src/main.rs:2:5:",
  ],
  [
    'Java',
    `Picked up JAVA_TOOL_OPTIONS
Exception in thread "main" java.lang.IllegalStateException: No token
	at com.example.Main.main(Main.java:5)`,
    'Exception in thread "main" java.lang.IllegalStateException: No token',
  ],
  [
    'a log with levels',
    `2026-11-22T10:00:00Z INFO starting
2026-11-22T10:00:01Z ERROR could not reach db:5432
2026-11-22T10:00:02Z INFO stopping`,
    '2026-11-22T10:00:01Z ERROR could not reach db:5432',
  ],
  ['words only', 'reading settings\nDATABASE_URL missing\nbye', 'DATABASE_URL missing'],
  ['a code of the system only', 'one\nDB down ECONNREFUSED\ntwo', 'DB down ECONNREFUSED'],
  ['nothing that looks like an error', 'one\ntwo\nthree\n', 'three'],
  ['nothing but what says nothing', '\n\nNode.js v24.21.0\n', 'Node.js v24.21.0'],
];

for (const [program, text, telling] of PRINTS)
  test(`the line that says why is found: ${program}`, () => {
    assert.equal(tellingLine(linesOf(text))?.text, telling);
  });

test('a long output is reduced to the first error and the lines after it, without the stack', () => {
  const [, print] = PRINTS[3]!;
  assert.deepEqual(
    tellingLines(linesOf(`one\ntwo\n${print}`)).map(({ text }) => text),
    ["ModuleNotFoundError: No module named 'nothing'"],
  );
});

test('a few lines are shown unchanged', () => {
  assert.deepEqual(
    tellingLines(linesOf('reading settings\n\nDATABASE_URL missing')).map(({ n }) => n),
    [1, 3],
  );
});

test('a repeated line is shown once', () => {
  assert.deepEqual(
    tellingLines(linesOf('DB down\nretrying\n'.repeat(20))).map(({ n }) => n),
    [1, 2],
  );
});

test('the last lines of an endless output are kept', () => {
  const kept = new LastStderr();
  for (let n = 1; n <= 10_000; n++) kept.add(n, `line ${n}`);
  assert.ok(kept.lines.length <= 100, `${kept.lines.length}`);
  assert.equal(kept.lines.at(-1)?.text, 'line 10000');
  kept.add(10_001, 'x'.repeat(1_000_000));
  assert.ok(kept.lines.at(-1)!.text.length <= 2_000);
  kept.begin();
  assert.deepEqual(kept.lines, []);
});
