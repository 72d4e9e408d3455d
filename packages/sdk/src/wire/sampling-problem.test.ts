import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampledProblem, samplingProblem } from './sampling-problem.ts';

const use = { type: 'tool_use', id: '1', name: 't', input: {} };
const result = { type: 'tool_result', toolUseId: '1', content: [] };
const tools = [{ name: 't', inputSchema: { type: 'object' } }];

function answerWith(...content: object[]) {
  return sampledProblem({ tools }, { role: 'assistant', model: 'm', content });
}
function requestWith(uses: readonly object[], results: readonly object[]) {
  const messages = [
    { role: 'assistant', content: uses },
    { role: 'user', content: results },
  ];
  return samplingProblem({ maxTokens: 1, messages });
}

test('[SAMP-20] [SAMP-28] a tool use has an id of its own, a name, and an object as its input: in answers and in messages', () => {
  assert.equal(answerWith(use, { ...use, id: '2' }), undefined);
  assert.equal(requestWith([use], [result]), undefined);
  for (const wrong of [
    { ...use, id: undefined },
    { ...use, id: 1 },
    { ...use, input: '{"city": ' },
    { ...use, input: [1] },
    { ...use, input: undefined },
  ]) {
    assert.match(
      String(answerWith(wrong)),
      /^it has a tool use without an id, a name or an input$/,
      JSON.stringify(wrong),
    );
    assert.match(String(requestWith([wrong], [result])), /messages\[0\] has a tool use without/, JSON.stringify(wrong));
  }
  assert.equal(answerWith(use, use), 'it has two tool uses with one id');
  assert.equal(requestWith([use, use], [result]), 'messages[0] has two tool uses with one id');
  assert.equal(requestWith([use], [result, result]), 'messages[1] has two results of one tool use');
});
