import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTestFile, TestFileError, testFileText } from './test-file.ts';

const FILE = `{
  "mcptest": 1,
  "server": { "command": "node", "args": ["server.js"] },
  "tests": [
    {
      "name": "adds",
      "tool": "add",
      "arguments": { "a": 9007199254740993, "b": 1.0 },
      "expect": {
        "outcome": "ok",
        "maxMs": 500,
        "checks": [
          { "at": "/structuredContent/sum", "equals": 9007199254740994 },
          { "at": "/content/0/text", "contains": "sum" },
          { "at": "/content", "type": "array" }
        ]
      }
    },
    {
      "name": "lists",
      "method": "tools/list",
      "params": {},
      "expect": {
        "outcome": "ok",
        "checks": []
      }
    }
  ]
}
`;

test('a file is written as it was read, with every number unchanged', () => {
  assert.equal(testFileText(readTestFile(FILE)), FILE);
});

test('a call of a tool becomes a request', () => {
  const [adds] = readTestFile(FILE).tests;
  assert.equal(adds?.method, 'tools/call');
  assert.equal(adds?.params, '{"name":"add","arguments":{ "a": 9007199254740993, "b": 1.0 }}');
});

test('problems of a file are reported with their place', () => {
  const rows: [string, RegExp][] = [
    ['', /not JSON/],
    ['[]', /not an object/],
    ['{"tests":[]}', /\/mcptest: this must be 1/],
    ['{"mcptest":1,"tests":{}}', /\/tests: this is not a list/],
    ['{"mcptest":1,"tests":[{"tool":"a"}]}', /\/tests\/0\/name: this must be a text/],
    ['{"mcptest":1,"tests":[{"name":"a","tool":"a","expect":{"chekcs":[]}}]}', /there is no "chekcs"/],
    [
      '{"mcptest":1,"tests":[{"name":"a","tool":"a","expect":{"outcome":"good"}}]}',
      /it can be ok, tool-error or error/,
    ],
    ['{"mcptest":1,"tests":[{"name":"a","tool":"a","expect":{"checks":[{"at":"x","equals":1}]}}]}', /begins with \//],
    [
      '{"mcptest":1,"tests":[{"name":"a","tool":"a","expect":{"checks":[{"at":"/x"}]}}]}',
      /one of equals, contains and type/,
    ],
    ['{"mcptest":1,"tests":[{"name":"a","tool":"a","expect":{"checks":[{"at":"/x","type":"text"}]}}]}', /no type text/],
    ['{"mcptest":1,"tests":[{"name":"a","tool":"a"},{"name":"a","tool":"b"}]}', /two tests are called "a"/],
    ['{"mcptest":1,"tests":[{"name":"a","tool":"a","method":"ping"}]}', /"tool" and "method" exclude/],
    ['{"mcptest":1,"tests":[{"name":"a","method":"x","arguments":{}}]}', /"method" and "arguments" exclude/],
    ['{"mcptest":1,"tests":[{"name":"a","tool":"a","arguments":[1]}]}', /\/arguments: this is not an object/],
  ];
  for (const [text, message] of rows)
    assert.throws(
      () => readTestFile(text),
      (error) => error instanceof TestFileError && message.test(error.message),
      text,
    );
});
