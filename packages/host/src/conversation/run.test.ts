import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedModel } from './demo-model.ts';
import { fakeToolbox } from './fixtures/fake-toolbox.ts';
import { runConversation } from './run.ts';
import type { RunEvent } from './types.ts';

test('a model calls a tool and answers with its result', async () => {
  const toolbox = fakeToolbox({ add: { run: ({ a, b }) => String(Number(a) + Number(b)) } });
  const model = scriptedModel([
    () => ({ text: 'Let me see.', calls: [{ tool: 'add', arguments: { a: 1, b: 2 } }] }),
    ({ results }) => ({ text: `It is ${results[0]}.` }),
  ]);
  const events: RunEvent[] = [];
  const result = await runConversation({ model, prompt: '1 + 2?', toolbox, onEvent: (event) => events.push(event) });
  assert.equal(result.end, 'done');
  assert.equal(result.text, 'It is 3.');
  assert.equal(result.steps, 2);
  assert.deepEqual(toolbox.called, [{ name: 'add', args: { a: 1, b: 2 } }]);
  assert.deepEqual(
    result.calls.map((call) => ({ ...call, ms: 0 })),
    [{ tool: 'add', arguments: { a: 1, b: 2 }, ms: 0, isError: false }],
  );
  assert.deepEqual(
    result.messages.map((message) => message.role),
    ['user', 'assistant', 'tool', 'assistant'],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(result.messages)), result.messages);
  const types = events.map((event) => event.type).filter((type) => type !== 'text');
  assert.deepEqual(types, ['step', 'call', 'result', 'step', 'end']);
  const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
  assert.equal(texts.join(''), 'Let me see.It is 3.');
  assert.ok(texts.length > 2, 'text comes in pieces');
});

function answers(text: string) {
  return scriptedModel(() => ({ text }));
}
const one = fakeToolbox({ a: {} });

test('wrong options are refused with the name of the option', async () => {
  const good = { model: answers('x'), prompt: 'Hi', toolbox: one };
  const refused: [object, RegExp][] = [
    [{ model: undefined }, /"model"/],
    [{ toolbox: {} }, /"toolbox"/],
    [{ prompt: undefined }, /"messages" or "prompt"/],
    [{ prompt: '', messages: [] }, /"messages" or "prompt"/],
    [{ messages: 'Hi' }, /"messages"/],
    [{ discovery: 'some' }, /"discovery"/],
    [{ budget: { steps: 0 } }, /"budget\.steps"/],
    [{ budget: { calls: 0 } }, /"budget\.calls"/],
    [{ budget: { tokens: 1.5 } }, /"budget\.tokens"/],
    [{ budget: { callMs: -1 } }, /"budget\.callMs"/],
    [{ budget: { totalMs: 3e9 } }, /"budget\.totalMs"/],
    [{ contextTokens: Number.NaN }, /"contextTokens"/],
    [{ resultCharacters: 0 }, /"resultCharacters"/],
    [{ retries: -1 }, /"retries"/],
  ];
  for (const [wrong, message] of refused) {
    await assert.rejects(runConversation({ ...good, ...wrong } as never), { name: 'TypeError', message });
  }
});

test('calls beyond the budget of a run are not made, and answered with the reason', async () => {
  const toolbox = fakeToolbox({ a: {} });
  const calls = (count: number) => ({
    calls: Array.from({ length: count }, (_, n) => ({ tool: 'a', arguments: { n } })),
  });
  const two = scriptedModel([() => calls(3), () => calls(4), () => ({ text: 'never' })]);
  const {
    end,
    reason,
    steps,
    messages,
    calls: made,
  } = await runConversation({
    ...{ model: two, prompt: 'Hi', toolbox, budget: { calls: 5 } },
  });
  assert.deepEqual([end, reason, steps], ['calls', 'The run used up its 5 calls.', 2]);
  assert.deepEqual([made.length, toolbox.called.length], [5, 5]);
  const results = messages.at(-1)!.content as { readonly output: { readonly value: string } }[];
  assert.deepEqual(
    results.map(({ output }) => output.value),
    ['ok', 'ok', 'Not run: The run used up its 5 calls.', 'Not run: The run used up its 5 calls.'],
  );
});

test('a run that has used up its calls may still answer, and a run makes 200 calls by default', async () => {
  const burst = (count: number) => () => ({
    calls: Array.from({ length: count }, (_, n) => ({ tool: 'a', arguments: { n } })),
  });
  for (const [count, expected] of [
    [200, 'done'],
    [201, 'calls'],
  ] as const) {
    const toolbox = fakeToolbox({ a: {} });
    const model = scriptedModel([burst(count), () => ({ text: 'Done' })]);
    const { end } = await runConversation({ model, prompt: 'Hi', toolbox });
    assert.deepEqual([end, toolbox.called.length], [expected, 200]);
  }
});

test('a run can continue with the messages of an earlier run', async () => {
  const model = scriptedModel([() => ({ calls: [{ tool: 'a' }] }), () => ({ text: 'One.' }), () => ({ text: 'Two.' })]);
  const first = await runConversation({ model, prompt: 'Hi', toolbox: one });
  const kept = JSON.parse(JSON.stringify(first.messages)) as typeof first.messages;
  const second = await runConversation({ model, messages: kept, prompt: 'And?', toolbox: one });
  assert.equal(second.text, 'Two.');
  assert.deepEqual(second.messages.slice(0, kept.length), kept);
  assert.equal(kept.length, 4, 'the messages that were given stay as they are');
});

test('an exception of the model ends the run with its message', async () => {
  const model = scriptedModel(() => {
    throw new Error('no more paper');
  });
  const result = await runConversation({ model, prompt: 'Hi', toolbox: one, retries: 0 });
  assert.deepEqual([result.end, result.reason], ['model-error', 'The model failed: no more paper.']);
  assert.deepEqual(result.messages, [{ role: 'user', content: 'Hi' }]);
});

test('an exception of the toolbox is an error result for the model', async () => {
  const toolbox = fakeToolbox({
    a: {
      run: () => {
        throw new Error('gone');
      },
    },
  });
  const model = scriptedModel([() => ({ calls: [{ tool: 'a' }] }), ({ results }) => ({ text: results[0] ?? '' })]);
  assert.equal((await runConversation({ model, prompt: 'Hi', toolbox })).text, 'The call failed: gone');
});

test('a run that is cancelled before it begins sends no request', async () => {
  const model = answers('x');
  const result = await runConversation({ model, prompt: 'Hi', toolbox: one, signal: AbortSignal.abort() });
  assert.deepEqual([result.end, result.steps, result.messages.length], ['cancelled', 0, 1]);
});

test('a model that ignores the signal does not delay the end of a run', async () => {
  const model = { ...answers('x'), doStream: () => new Promise<never>(() => {}) };
  const result = await runConversation({ model, prompt: 'Hi', toolbox: one, budget: { totalMs: 30 } });
  assert.equal(result.end, 'time');
  assert.match(result.reason ?? '', /longer than 30 ms/);
});

test('progress of a call is reported while it runs, and not afterwards', async () => {
  const events: RunEvent[] = [];
  let late = (): void => {};
  const toolbox = fakeToolbox({
    a: {
      run: (_, { onProgress, timeout }) => {
        assert.equal(timeout, 500);
        onProgress?.({ progress: 1, total: 2, message: 'half' });
        late = () => onProgress?.({ progress: 2 });
        return 'ok';
      },
    },
  });
  const model = scriptedModel([
    () => ({ calls: [{ tool: 'a' }] }),
    () => {
      late();
      return { text: 'ok' };
    },
  ]);
  const onEvent = (event: RunEvent): void => void events.push(event);
  await runConversation({ model, prompt: 'Hi', toolbox, budget: { callMs: 500 }, onEvent });
  const progress = events.filter((event) => event.type === 'progress');
  assert.deepEqual(progress, [
    { type: 'progress', id: 'script-call-1', tool: 'a', progress: 1, total: 2, message: 'half' },
  ]);
});

test('no more than eight calls run at a time', async () => {
  let now = 0;
  let most = 0;
  const run = async (): Promise<string> => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now -= 1;
    return 'ok';
  };
  const calls = Array.from({ length: 20 }, (_, n) => ({ tool: 'a', arguments: { n } }));
  const model = scriptedModel([() => ({ calls }), ({ results }) => ({ text: String(results.length) })]);
  const result = await runConversation({ model, prompt: 'Hi', toolbox: fakeToolbox({ a: { run } }) });
  assert.deepEqual([result.text, most], ['20', 8]);
});

test('repeated calls with different results do not count as stuck', async () => {
  let n = 0;
  const toolbox = fakeToolbox({ a: { run: () => `state ${n++}` } });
  const model = scriptedModel(({ step }) => (step < 8 ? { calls: [{ tool: 'a' }] } : { text: 'ok' }));
  assert.equal((await runConversation({ model, prompt: 'Hi', toolbox })).end, 'done');
});

test('images of a result follow in a user message where results can contain only text', async () => {
  const picture = { content: [{ type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }] };
  const toolbox = fakeToolbox({ a: { run: () => picture } });
  const roles = async (resultImages: 'result' | 'message' | 'none') => {
    const model = scriptedModel([() => ({ calls: [{ tool: 'a' }] }), () => ({ text: 'ok' })]);
    const { messages } = await runConversation({ model, prompt: 'Hi', toolbox, modelTraits: { resultImages } });
    const withImage = messages.filter((message) => JSON.stringify(message).includes('iVBORw0KGgo='));
    return [messages.map(({ role }) => role).join(' '), withImage.map(({ role }) => role).join(' ')];
  };
  assert.deepEqual(await roles('result'), ['user assistant tool assistant', 'tool']);
  assert.deepEqual(await roles('message'), ['user assistant tool user assistant', 'user']);
  assert.deepEqual(await roles('none'), ['user assistant tool assistant', '']);
});

test('an exception of the listener ends the run and all calls in progress', async () => {
  let seen: AbortSignal | undefined;
  const toolbox = fakeToolbox({ a: { run: (_, { signal }) => ((seen = signal), new Promise(() => {})) }, b: {} });
  const model = scriptedModel([() => ({ calls: [{ tool: 'a' }, { tool: 'b' }] })]);
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'result') throw new Error('mine');
  };
  await assert.rejects(runConversation({ model, prompt: 'Hi', toolbox, onEvent }), /mine/);
  assert.equal(seen?.aborted, true);
  const onText = (event: RunEvent): void => {
    if (event.type === 'text') throw new Error('mine too');
  };
  await assert.rejects(runConversation({ model: answers('x'), prompt: 'Hi', toolbox, onEvent: onText }), /mine too/);
});

function brokenModel(finish: 'content-filter' | 'error', error?: unknown, model = answers('Said so far')) {
  const doStream: typeof model.doStream = async (options) => {
    const { stream } = await model.doStream(options);
    type Part = typeof stream extends ReadableStream<infer P> ? P : never;
    const change = new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === 'finish' && error !== undefined) controller.enqueue({ type: 'error', error });
        if (part.type !== 'finish') return controller.enqueue(part);
        const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
        const usage = { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
        controller.enqueue({ ...part, finishReason: { unified: finish, raw: undefined }, usage });
      },
    });
    return { stream: stream.pipeThrough(change) };
  };
  return { ...model, doStream };
}

test('an answer that the provider stopped is kept with the reason', async () => {
  const filtered = await runConversation({ model: brokenModel('content-filter'), prompt: 'Hi', toolbox: one });
  assert.deepEqual([filtered.end, filtered.text], ['model-error', 'Said so far']);
  assert.match(filtered.reason ?? '', /content filter/);
  assert.equal(filtered.usage.estimated, true);
  assert.ok(filtered.usage.inputTokens > 0 && filtered.usage.outputTokens > 0);
  const failed = await runConversation({
    model: brokenModel('error', { type: 'overloaded_error', message: 'Overloaded' }),
    prompt: 'Hi',
    toolbox: one,
  });
  assert.deepEqual([failed.end, failed.reason], ['model-error', 'The model failed: Overloaded.']);
  assert.equal(failed.messages.length, 2);
});

test('calls in an answer that the provider stopped are neither made nor kept', async () => {
  for (const finish of ['content-filter', 'error'] as const) {
    const toolbox = fakeToolbox({ a: {} });
    const calling = scriptedModel(() => ({ text: 'I look.', calls: [{ tool: 'a' }] }));
    const { end, messages } = await runConversation({
      model: brokenModel(finish, undefined, calling),
      prompt: 'Hi',
      toolbox,
    });
    assert.equal(end, 'model-error');
    assert.deepEqual(toolbox.called, []);
    assert.deepEqual(messages.slice(1), [{ role: 'assistant', content: [{ type: 'text', text: 'I look.' }] }]);
  }
});

test('a run in which the model gives no answer ends with a reason', async () => {
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const nothing = await runConversation({ model: answers(' '), prompt: 'Hi', toolbox: one, onEvent });
  assert.deepEqual([nothing.end, nothing.reason], ['done', 'The model gave no answer.']);
  const end = events.at(-1);
  assert.equal(end?.type === 'end' && end.reason, 'The model gave no answer.');
  const model = scriptedModel([() => ({ text: 'I look.', calls: [{ tool: 'a' }] }), () => ({ reasoning: 'Hm.' })]);
  const after = await runConversation({ model, prompt: 'Hi', toolbox: one });
  assert.deepEqual([after.end, after.reason, after.text], ['done', 'The model gave no answer.', 'I look.']);
  assert.equal((await runConversation({ model: answers('Yes'), prompt: 'Hi', toolbox: one })).reason, undefined);
});

for (const discovery of ['all', 'search'] as const) {
  test(`with ${discovery}, a tool of an unavailable server is not reported as unknown, and its call does not count as invalid`, async () => {
    const toolbox = fakeToolbox({ other: {} });
    toolbox.set({ other: {} }, { lost: 'lost is unavailable for now. Try again later.' });
    const calls =
      discovery === 'all'
        ? [{ tool: 'lost', arguments: {} }]
        : [
            { tool: 'tool_details', arguments: { names: ['lost'] } },
            { tool: 'call_tool', arguments: { name: 'lost', arguments: {} } },
          ];
    const seen: string[] = [];
    const model = scriptedModel(({ step, results }) => {
      seen.push(...results);
      return step < 4
        ? { calls: calls.map((call) => ({ ...call, arguments: { ...call.arguments, step } })) }
        : { text: 'ok' };
    });
    const { end } = await runConversation({ model, prompt: 'Go', toolbox, discovery });
    assert.equal(end, 'done');
    assert.equal(toolbox.called.filter(({ name }) => name === 'lost').length, 4);
    if (discovery === 'search') assert.match(seen[0]!, /lost is unavailable for now/);
  });
}
