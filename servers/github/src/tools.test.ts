import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { connect } from 'tenon/client';
import { textOf } from '../../shared/test/ways.ts';
import { CALLS } from './fixtures/calls.ts';
import { createStandIn } from './fixtures/stand-in.ts';
import { createGithub } from './github.ts';

const TOKEN = 'ghp_theSecretOfAnn123';
const github = createStandIn();
await github.start();
after(() => github.stop());
beforeEach(() => github.reset());

function app() {
  return createGithub({ url: github.url, token: TOKEN });
}

test('each tool sends the requests that GitHub describes, and understands the described answers', async () => {
  await using client = await connect(app());
  for (const { name, args, operations } of CALLS) {
    github.received = [];
    const result = await client.result(name, args);
    assert.notEqual(result.isError, true, `${name}: ${textOf(result as never)} ${github.problems.join('; ')}`);
    assert.deepEqual(github.operations, operations, name);
    assert.deepEqual(github.problems, [], name);
    for (const { headers } of github.received) {
      assert.equal(headers.authorization, `Bearer ${TOKEN}`);
      assert.equal(headers['user-agent'], 'tenon-server-github');
      assert.equal(headers['x-github-api-version'], '2022-11-28');
    }
  }
  const tools = (await client.tools().all()).map(({ name }) => name);
  assert.deepEqual(tools.toSorted(), [...new Set(CALLS.map(({ name }) => name))].toSorted());
  assert.equal(tools.length, 26);
});
