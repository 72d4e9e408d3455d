// The habits as hosts use them: a separate process, served by `tenon run`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { appOf, appPage, SHOWS_APPS } from 'tenon/apps';
import { connect } from 'tenon/client';
import type habits from './server.ts';

const here = import.meta.dirname;
const command = {
  command: process.execPath,
  args: [join(here, '../../packages/cli/bin/tenon.js'), 'run', join(here, 'server.ts')],
};

test('a tool shows the week, its page is self-contained, and only the page may tick', async () => {
  await using client = await connect<typeof habits>(command, { extensions: SHOWS_APPS });
  const tools = new Map((await client.tools().all()).map((tool) => [tool.name, appOf(tool)]));
  assert.deepEqual(tools.get('show_week'), { resourceUri: 'ui://habits/week', forModel: true, forApps: true });
  assert.deepEqual(tools.get('tick'), { resourceUri: 'ui://habits/week', forModel: false, forApps: true });

  const { html, csp, prefersBorder } = appPage(await client.read('ui://habits/week'));
  assert.match(html, /^<!doctype html>/);
  assert.match(html, /ui\/initialize/);
  assert.doesNotMatch(html, /<(?:script|link)[^>]*(?:src|href)=/);
  assert.deepEqual([csp, prefersBorder], [undefined, true]);

  const week = await client.call('tick', { habit: 'Read', day: 'Fri', isDone: true });
  assert.deepEqual(week.habits[0]?.done, ['Mon', 'Wed', 'Fri']);
  assert.match(JSON.stringify((await client.result('show_week')).content), /Stretch/);
  await assert.rejects(client.call('tick', { habit: 'Fly', day: 'Fri', isDone: true }), /There is no habit/);
});
