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

test('of several tools with one name the first counts, in a page, across pages and in the next list', () => {
  const listed = createListedTools();
  const answered = (params: object, result: object, n: number): void =>
    listed.answered({ method: 'tools/list', params } as Request, result as Record<string, never>, n);
  for (const title of ['first', 'changed']) {
    answered(
      {},
      {
        tools: [
          { name: 'a', title },
          { name: 'a', title: 'second' },
        ],
        nextCursor: 'more',
      },
      1,
    );
    answered({ cursor: 'more' }, { tools: [{ name: 'a', title: 'third' }] }, 2);
    assert.equal(listed.get('a')?.entry['title'], title);
  }
  answered({ cursor: 'of another list' }, { tools: [{ name: 'b', title: 'first' }, { name: 'b' }] }, 3);
  assert.equal(listed.get('b')?.entry['title'], 'first');
});
