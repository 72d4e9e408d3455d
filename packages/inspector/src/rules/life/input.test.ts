import { answer, ask, cases, complete, discovered, handshake, modern, stdio } from '../fixtures/traces.ts';

const error = { severity: 'error' } as const;
const question = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
};
function asked(id: unknown, result: object) {
  return answer(id, { resultType: 'input_required', ...result });
}
function called(id: unknown, more: object = {}, name = 'x') {
  return modern(id, 'tools/call', { name, arguments: { a: 1 }, ...more });
}
const answered = { who: { action: 'accept', content: {} } };

cases('input-required', {
  broken: {
    'a result that asks nothing': {
      ...error,
      blame: 'server',
      trace: [stdio, called(1), asked(1, {})],
      says: /result of tools\/call has neither inputRequests nor requestState/,
      cites: ['tools/call', 'input_required'],
      clause: /mrtr#inputrequiredresult$/,
    },
    'questions that are a list': {
      ...error,
      blame: 'server',
      trace: [stdio, called(1), asked(1, { inputRequests: [question] })],
      says: /inputRequests that are an array/,
    },
    'a state that is not a string': {
      ...error,
      blame: 'server',
      trace: [stdio, called(1), asked(1, { requestState: { a: 1 } })],
      says: /requestState that is an object/,
    },
    'a question of another kind': {
      ...error,
      blame: 'server',
      trace: [stdio, called(1), asked(1, { inputRequests: { who: { method: 'tools/call' } } })],
      says: /requests other than elicitation, sampling or roots: who/,
    },
    'a list that asks': {
      ...error,
      blame: 'server',
      trace: [stdio, modern(1, 'tools/list'), asked(1, { requestState: 'x' })],
      says: /only tools\/call, prompts\/get/,
    },
  },
  kept: {
    'questions and a state': [stdio, called(1), asked(1, { inputRequests: { who: question }, requestState: 'x' })],
    'a state alone': [stdio, modern(1, 'prompts/get', { name: 'x' }), asked(1, { requestState: 'x' })],
  },
});

function begun(result: object = { inputRequests: { who: question }, requestState: 'abc' }) {
  return [stdio, discovered(), called(1), asked(1, result)];
}
const client = { ...error, blame: 'client' } as const;

cases('input-retry', {
  broken: {
    'a state that was changed': {
      ...client,
      trace: [...begun(), called(2, { inputResponses: answered, requestState: 'abd' })],
      says: /continues tools\/call, but its request gives back another requestState/,
      cites: ['"id":1', 'input_required', '"id":2'],
      clause: /mrtr#basic-workflow$/,
    },
    'a state that is missing': {
      ...client,
      trace: [...begun(), called(2, { inputResponses: answered })],
      says: /does not give back requestState/,
    },
    'a state that was never given': {
      ...client,
      trace: [
        ...begun({ inputRequests: { who: question } }),
        called(2, { inputResponses: answered, requestState: 'x' }),
      ],
      says: /although the server gave none/,
    },
    'the right state, of two calls, without its answers': {
      ...client,
      trace: [
        ...begun(),
        called(2),
        asked(2, { inputRequests: { other: question }, requestState: 'two' }),
        called(3, { inputResponses: {}, requestState: 'abc' }),
      ],
      says: /does not answer who/,
    },
    'a question without an answer': {
      ...client,
      trace: [...begun(), called(2, { inputResponses: {}, requestState: 'abc' })],
      says: /does not answer who/,
    },
    'the same id': {
      ...client,
      trace: [...begun(), called(1, { inputResponses: answered, requestState: 'abc' })],
      says: /the id of the request before/,
    },
    'other arguments': {
      blame: 'client',
      severity: 'warning',
      trace: [...begun(), called(2, { arguments: { a: 2 }, inputResponses: answered, requestState: 'abc' })],
      says: /other parameters/,
    },
  },
  kept: {
    'a continued call': [
      ...begun(),
      called(2, { inputResponses: answered, requestState: 'abc' }),
      complete(2, { content: [] }),
    ],
    'a call continued twice': [
      ...begun(),
      called(2, { inputResponses: answered, requestState: 'abc' }),
      asked(2, { requestState: 'def' }),
      called(3, { requestState: 'def' }),
    ],
    'two calls at a time, in another order': [
      ...begun(),
      called(2),
      asked(2, { inputRequests: { who: question }, requestState: 'two' }),
      called(3, { inputResponses: answered, requestState: 'two' }),
      called(4, { inputResponses: answered, requestState: 'abc' }),
    ],
    'a call that another program began': [
      stdio,
      discovered(),
      called(7, { inputResponses: answered, requestState: 'from elsewhere' }),
    ],
    'a call too large to be compared': [
      stdio,
      discovered(),
      modern(1, 'tools/call', { name: 'x', arguments: { a: 'x'.repeat(100_000) } }),
      asked(1, { requestState: 'abc' }),
      modern(2, 'tools/call', { name: 'x', arguments: {}, requestState: 'other' }),
    ],
    'a call that is made anew': [...begun(), called(2)],
    'a tool whose arguments have these names': [
      stdio,
      handshake(),
      ask(1, 'tools/call', { name: 'x', requestState: 'y' }),
    ],
  },
});
