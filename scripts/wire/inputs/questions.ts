// Calls that ask the client: with server requests in the legacy era, with retries in the modern one.
import { ABLE, META, type Message } from '../message.ts';
import { isTwoWay, type Scenario } from '../scenario.ts';
import type { Conversation } from '../conversation.ts';

/** The client's answers by method; the entries of a list are used one by one. */
type Answers = Readonly<Record<string, object | readonly object[]>>;

function accept(content: object): object {
  return { action: 'accept', content };
}
const SAMPLED = {
  role: 'assistant',
  content: { type: 'text', text: 'Roses are red' },
  model: 'm1',
  stopReason: 'endTurn',
};

const MAX_ROUNDS = 8;

/** Makes a call, and answers its questions until there is a result. */
async function askedCall(
  conversation: Conversation,
  input: string,
  message: Message,
  answers: Answers,
  capabilities: object = ABLE,
) {
  const used = new Map<string, number>();
  const answerTo = (method: string): object => {
    const at = used.get(method) ?? 0;
    used.set(method, at + 1);
    const list = [answers[method] ?? { action: 'cancel' }].flat();
    return list[Math.min(at, list.length - 1)] as object;
  };
  return conversation.modern
    ? retried(conversation, input, message, answerTo, capabilities)
    : answered(conversation, input, message, answerTo);
}

/** Legacy: the server sends requests on the stream of the call or on the channel. An `error` among the answers is sent as an error. */
async function answered(
  conversation: Conversation,
  input: string,
  message: Message,
  answerTo: (method: string) => object,
) {
  const open = await conversation.begin(input, message);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { method, id } = await open.next(
      (one) => (one.method !== undefined && one.id !== undefined) || one.id === message.id,
    );
    if (method === undefined || id === undefined) break;
    const answer = answerTo(method);
    await conversation.exchange(`${input}, answer ${round + 1}`, {
      jsonrpc: '2.0',
      id,
      ...('error' in answer ? answer : { result: answer }),
    });
  }
  await open.whole();
}

/** Modern: the result contains the questions, and the call is repeated with the answers. */
async function retried(
  conversation: Conversation,
  input: string,
  message: Message,
  answerTo: (method: string) => object,
  capabilities: object,
) {
  const { _meta, ...params } = message.params ?? {};
  let sent: Message = message;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const open = await conversation.begin(round === 0 ? input : `${input}, retry ${round}`, sent);
    const { result } = await open.next((one) => one.id === sent.id);
    await open.whole();
    const requests = result?.['inputRequests'] as Record<string, { method: string }> | undefined;
    if (requests === undefined) return;
    const inputResponses = Object.fromEntries(
      Object.entries(requests).map(([name, { method }]) => [name, answerTo(method)]),
    );
    const more = { inputResponses, requestState: result?.['requestState'] as unknown };
    sent = conversation.request(message.method!, { ...params, ...more }, _meta as object, capabilities);
  }
}

const FORMS: Answers[] = [
  { 'elicitation/create': accept({ color: 'blue' }) },
  { 'elicitation/create': { action: 'decline' } },
  { 'elicitation/create': { action: 'cancel' } },
  { 'elicitation/create': [accept({ color: 'b' }), accept({}), accept({ color: 'green' })] },
  { 'elicitation/create': accept({ color: 7 }) },
  { 'elicitation/create': { action: 'perhaps' } },
  { 'elicitation/create': {} },
  { 'elicitation/create': { action: 'accept' } },
  { 'elicitation/create': { error: { code: -32603, message: 'no form here' } } },
  { 'elicitation/create': { ...accept({ color: 'blue' }), _meta: { own: 1 } } },
];

async function forms(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [at, answers] of FORMS.entries())
    await askedCall(
      conversation,
      `ask, ${at}: ${JSON.stringify(Object.values(answers)[0]).slice(0, 50)}`,
      conversation.call('ask'),
      answers,
    );
  for (const content of [accept({ name: 'Ann' }), { action: 'decline' }])
    await askedCall(conversation, `elicit ${JSON.stringify(content).slice(0, 20)}`, conversation.call('elicit'), {
      'elicitation/create': content,
    });
  await askedCall(conversation, 'two questions', conversation.call('askTwo', {}, { progressToken: 'two' }), {
    'elicitation/create': [accept({ value: 'a' }), accept({ value: 2 })],
  });
  await askedCall(conversation, 'swallowed', conversation.call('swallow'), {
    'elicitation/create': accept({ yes: true }),
  });
  await askedCall(conversation, 'of a resource', conversation.request('resources/read', { uri: 'data://asks' }), {
    'elicitation/create': accept({ reason: 'so' }),
  });
  await askedCall(conversation, 'of a prompt', conversation.request('prompts/get', { name: 'asks' }), {
    'elicitation/create': accept({ reason: 'so' }),
  });
}

async function others(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const action of ['accept', 'decline', 'cancel', 'perhaps'])
    await askedCall(conversation, `visit, ${action}`, conversation.call('visit'), { 'elicitation/create': { action } });
  const samples = [SAMPLED, { ...SAMPLED, content: [SAMPLED.content] }, { role: 'assistant' }, {}];
  for (const [at, answer] of [...samples, { error: { code: -1, message: 'rejected' } }].entries())
    await askedCall(conversation, `sample, ${at}`, conversation.call('sample'), { 'sampling/createMessage': answer });
  const roots = [{ roots: [{ uri: 'file:///a', name: 'a' }, { uri: 'file:///b' }] }, { roots: [] }, { roots: 'x' }, {}];
  for (const [at, answer] of roots.entries())
    await askedCall(conversation, `roots, ${at}`, conversation.call('roots'), { 'roots/list': answer });
}

/** Clients without the required capabilities. */
async function unable(conversation: Conversation, capabilities: object): Promise<void> {
  await conversation.start(capabilities);
  for (const name of ['ask', 'visit', 'sample', 'roots', 'who'])
    await askedCall(
      conversation,
      name,
      conversation.request('tools/call', { name }, {}, capabilities),
      {},
      capabilities,
    );
}

/** Retries whose state is not the sealed one. */
async function states(conversation: Conversation): Promise<void> {
  const open = await conversation.begin('first', conversation.call('ask', {}));
  const { result } = await open.next();
  await open.whole();
  const state = String(result?.['requestState']);
  const inputResponses = { color: accept({ color: 'blue' }) };
  const retry = (params: object, name = 'ask'): Message => conversation.call(name, {}, {}, params);
  await conversation.exchange('no answers', retry({ requestState: state }));
  await conversation.exchange(
    'answers to something else',
    retry({ requestState: state, inputResponses: { other: {} } }),
  );
  await conversation.exchange('another tool', retry({ requestState: state, inputResponses }, 'elicit'));
  await conversation.exchange(
    'other arguments',
    conversation.call('ask', { a: 1 }, {}, { requestState: state, inputResponses }),
  );
  // Some states already end with these characters.
  const changed = `${state.slice(0, -2)}${state.at(-2) === 'A' ? 'B' : 'A'}A`;
  await conversation.exchange('a changed state', retry({ requestState: changed, inputResponses }));
  await conversation.exchange('a cut state', retry({ requestState: state.slice(0, 20), inputResponses }));
  await conversation.exchange('an empty state', retry({ requestState: '', inputResponses }));
  await conversation.exchange('answers in advance', retry({ inputResponses }));
  for (const wrong of [5, null, 'color', []])
    await conversation.exchange(
      `answers are ${JSON.stringify(wrong)}`,
      retry({ requestState: state, inputResponses: wrong }),
    );
  await conversation.exchange('delivered', retry({ requestState: state, inputResponses }));
  await conversation.exchange('delivered again', retry({ requestState: state, inputResponses }));
  await conversation.exchange(
    'without the ability',
    conversation.request('tools/call', { name: 'ask', arguments: {}, requestState: state }, {}, {}),
  );
}

/** A call with a question is cancelled, and answered too late. */
async function cancelled(conversation: Conversation): Promise<void> {
  await conversation.start();
  const message = conversation.call('ask', {}, { progressToken: 'q', [META.level]: 'debug' });
  const open = await conversation.begin('call', message);
  const { id } = await open.next((one) => one.method === 'elicitation/create');
  await conversation.exchange(
    'cancel',
    conversation.notification('notifications/cancelled', { requestId: message.id, reason: 'enough' }),
  );
  await conversation.exchange('late answer', { jsonrpc: '2.0', id, result: accept({ color: 'blue' }) });
  await conversation.exchange('and the connection works', conversation.call('add', { a: 1, b: 2 }));
  await open.drop();
}

export const QUESTIONS: readonly Scenario[] = [
  { name: 'forms', only: isTwoWay, run: forms },
  { name: 'other questions', only: isTwoWay, run: others },
  { name: 'no abilities', run: (conversation) => unable(conversation, {}) },
  { name: 'forms only', only: isTwoWay, run: (conversation) => unable(conversation, { elicitation: {} }) },
  {
    name: 'questions without sessions',
    only: (cell) => !isTwoWay(cell),
    run: (conversation) => unable(conversation, ABLE),
  },
  { name: 'states', only: ({ revision }) => revision === '2026-07-28', run: states },
  {
    name: 'cancelled question',
    only: (cell) => isTwoWay(cell) && cell.revision >= '2025-06-18' && cell.revision !== '2026-07-28',
    run: cancelled,
  },
];
