import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createListedTools } from './listed-tools.ts';
import type { Request } from './message.ts';

test('a tool that is no longer listed is forgotten, after any number of lists with pages', () => {
  const listed = createListedTools();
  const answered = (params: object, result: object): void =>
    listed.answered({ method: 'tools/list', params } as Request, result as Record<string, never>, 1);
  const lists = 300;
  for (let list = 0; list < lists; list++) {
    const nextCursor = `page 2 of list ${list}`;
    answered({}, { tools: [{ name: `tool ${list}` }], nextCursor });
    answered({ cursor: nextCursor }, { tools: [{ name: 'always there' }] });
    assert.equal(listed.complete, true);
    assert.equal(listed.get(`tool ${list - 1}`), undefined);
    assert.equal(listed.get(`tool ${list}`)?.name, `tool ${list}`);
    assert.equal(listed.get('always there')?.name, 'always there');
  }
});
