// The conversation loop with the real providers of the AI SDK, against local servers that implement their protocols.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { ModelMessage } from 'ai';
import { server, tool } from 'tenon';
import { connect, ToolError } from 'tenon/client';
import type { CallToolResult } from 'tenon/client';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { fakeToolbox } from '../../src/conversation/fixtures/fake-toolbox.ts';
import { runConversation } from '../../src/conversation/run.ts';
import type { RunEvent, RunOptions, RunResult } from '../../src/conversation/types.ts';
import type { HostTool, Toolbox } from '../../src/registry/toolbox.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer, Turn } from './model-server.ts';
import { compatibleWire, openAiWire } from './openai-wire.ts';
import { responsesWire } from './responses-wire.ts';

function call(id: string, name: string, ...pieces: string[]) {
  return { id, name, pieces };
}

function weather(): ReturnType<typeof fakeToolbox> {
  return fakeToolbox({
    weather: {
      description: 'The weather of a city.',
      schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: ({ city }) => (typeof city === 'string' ? `Sun in ${city}` : failed('"city" is missing. Give a city.')),
    },
  });
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Asserts that every call in the messages is followed by one result. */
function assertWhole(messages: readonly ModelMessage[]): void {
  messages.forEach((message, index) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return;
    const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    if (calls.length === 0) return;
    const next = messages[index + 1];
    assert.equal(next?.role, 'tool');
    const results = next.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
    assert.deepEqual(results, calls);
  });
  assert.deepEqual(JSON.parse(JSON.stringify(messages)), messages);
}

for (const wire of [compatibleWire, openAiWire, responsesWire, anthropicWire]) {
  const start = (...turns: Turn[]): Promise<ModelServer> => startModelServer(wire, turns);
  const run = async (model: ModelServer, toolbox: Toolbox, rest: Partial<RunOptions> = {}): Promise<RunResult> => {
    const result = await runConversation({ model: model.model, prompt: 'Weather in Oslo?', toolbox, ...rest });
    assertWhole(result.messages);
    return result;
  };

  test(`${wire.name}: a call is made and the model gets its result`, async () => {
    await using model = await start(
      { text: ['Let me ', 'look. Ünï', '🌦'], calls: [call('c1', 'weather', '{"ci', 'ty":"Os', 'lo"}')] },
      { text: ['It is sunny.'] },
    );
    const toolbox = weather();
    const events: RunEvent[] = [];
    const result = await run(model, toolbox, { system: 'Be short.', onEvent: (event) => events.push(event) });
    assert.deepEqual([result.end, result.text, result.steps], ['done', 'It is sunny.', 2]);
    assert.deepEqual(toolbox.called, [{ name: 'weather', args: { city: 'Oslo' } }]);
    assert.deepEqual(wire.results(model.requests[1] as never), [{ id: 'c1', text: 'Sun in Oslo' }]);
    assert.deepEqual(result.usage, { inputTokens: 200, outputTokens: 20, totalTokens: 220, estimated: false });
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    assert.deepEqual(wire.tools(model.requests[0] as never), [{ name: 'weather', schema }]);
    const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
    assert.equal(said, 'Let me look. Ünï🌦It is sunny.');
    assert.match(JSON.stringify(model.requests[0]), /Be short\./);
  });

  test(`${wire.name}: parallel calls are made concurrently and answered in order`, async () => {
    await using model = await start(
      { calls: [call('a', 'slow', '{"n"', ':1}'), call('b', 'slow', '{"n":', '2}'), call('c', 'slow')] },
      { text: ['Done.'] },
    );
    let most = 0;
    let now = 0;
    const toolbox = fakeToolbox({
      slow: {
        run: async ({ n = 3 }) => {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 30 / Number(n)));
          now -= 1;
          return `slow ${n}`;
        },
      },
    });
    const result = await run(model, toolbox);
    assert.equal(result.end, 'done');
    assert.equal(most, 3);
    const expected = ['a', 'b', 'c'].map((id, index) => ({ id, text: `slow ${index + 1}` }));
    assert.deepEqual(wire.results(model.requests[1] as never), expected);
  });

  test(`${wire.name}: arguments that are not JSON cause an error that the model can correct`, async () => {
    await using model = await start(
      { calls: [call('c1', 'weather', '{"city": "Os', 'lo"')] },
      { calls: [call('c2', 'weather', '["Oslo"]')] },
      { calls: [call('c3', 'weather', '{"city":"Oslo"}')] },
      { text: ['Sun.'] },
    );
    const toolbox = weather();
    const result = await run(model, toolbox);
    assert.equal(result.end, 'done');
    assert.deepEqual(toolbox.called, [{ name: 'weather', args: { city: 'Oslo' } }]);
    const [first] = wire.results(model.requests[1] as never);
    assert.match(first?.text ?? '', /not valid JSON.*city.*one JSON object/s);
    const [second] = wire.results(model.requests[2] as never);
    assert.match(second?.text ?? '', /not a JSON object/);
    assert.deepEqual(
      result.calls.map(({ isError }) => isError),
      [true, true, false],
    );
  });

  test(`${wire.name}: a number that cannot be passed on as the model wrote it is reported to the model, and the call is not made`, async () => {
    await using model = await start(
      { calls: [call('c1', 'weather', '{"city":"Oslo","id":90071992', '54740993}')] },
      { calls: [call('c2', 'weather', '{"city":"Oslo","id":"9007199254740993"}')] },
      { text: ['Sun.'] },
    );
    const toolbox = weather();
    const result = await run(model, toolbox);
    assert.equal(result.end, 'done');
    assert.deepEqual(toolbox.called, [{ name: 'weather', args: { city: 'Oslo', id: '9007199254740993' } }]);
    const [first] = wire.results(model.requests[1] as never);
    assert.match(first?.text ?? '', /9007199254740993 is too large to be passed on exactly/);
  });

  test(`${wire.name}: three invalid calls in a row end the run`, async () => {
    await using model = await start({ calls: [call('c', 'wether', '{"city":"Oslo"}')] });
    const toolbox = weather();
    const result = await run(model, toolbox);
    assert.deepEqual([result.end, result.steps, toolbox.called.length], ['model-error', 3, 0]);
    assert.match(result.reason ?? '', /invalid calls/);
    assert.match(wire.results(model.requests[1] as never)[0]?.text ?? '', /no tool with the name .*wether/);
  });

  test(`${wire.name}: the model gets the error of a tool about invalid arguments`, async () => {
    await using model = await start(
      { calls: [call('c1', 'weather', '{"town":"Oslo"}')] },
      { calls: [call('c2', 'weather', '{"city":"Oslo"}')] },
      { text: ['Sun.'] },
    );
    const result = await run(model, weather());
    assert.equal(result.end, 'done');
    assert.match(wire.results(model.requests[1] as never)[0]?.text ?? '', /is missing\. Give a city\./);
    assert.equal(result.calls[0]?.isError, true);
  });

  test(`${wire.name}: the step limit ends an endless loop, and the last calls are not made`, async () => {
    const turns = Array.from({ length: 9 }, (_, n) => ({ calls: [call('same', 'weather', `{"city":"${n}"}`)] }));
    await using model = await start(...turns);
    const toolbox = weather();
    const result = await run(model, toolbox, { budget: { steps: 4 } });
    assert.deepEqual([result.end, result.steps, toolbox.called.length], ['steps', 4, 3]);
    assert.match(JSON.stringify(result.messages.at(-1)), /Not run: .*4 steps/);
    const ids = result.messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map((part) => (part as { toolCallId: string }).toolCallId) : [],
    );
    assert.equal(new Set(ids).size, 4, 'ids are told apart though the provider repeats them');
  });

  test(`${wire.name}: the token limit ends an endless loop`, async () => {
    const turns = Array.from({ length: 9 }, (_, n) => ({ calls: [call(`c${n}`, 'weather', `{"city":"${n}"}`)] }));
    await using model = await start(...turns);
    const result = await run(model, weather(), { budget: { tokens: 300 } });
    assert.deepEqual([result.end, result.steps, result.usage.totalTokens], ['tokens', 3, 330]);
  });

  test(`${wire.name}: a model that repeats itself is warned once, then the run ends`, async () => {
    await using model = await start({ calls: [call('c', 'weather', '{"city":"Oslo"}')] });
    const result = await run(model, weather());
    assert.deepEqual([result.end, result.steps], ['stuck', 4]);
    const told = model.requests.map((body) => /3 times in a row/.test(JSON.stringify(wire.results(body as never))));
    assert.deepEqual(told, [false, false, false, true]);
  });

  for (const instead of ['break', 'end'] as const) {
    test(`${wire.name}: an interrupted answer (${instead}) keeps its text and makes no calls`, async () => {
      await using model = await start(
        { text: ['Half an ans'], calls: [call('c1', 'weather', '{"city":"Oslo"}')], instead },
        { text: ['Here I am again.'] },
      );
      const toolbox = weather();
      const result = await run(model, toolbox);
      assert.equal(result.end, 'model-error');
      assert.ok(result.reason);
      assert.deepEqual(toolbox.called, []);
      assert.equal(result.text, 'Half an ans');
      assert.deepEqual(result.messages.at(-1), { role: 'assistant', content: [{ type: 'text', text: 'Half an ans' }] });
      const again = await run(model, toolbox, { messages: result.messages, prompt: 'Go on.' });
      assert.deepEqual([again.end, again.text], ['done', 'Here I am again.']);
    });
  }

  test(`${wire.name}: an answer that is cut by the output limit ends with a reason`, async () => {
    await using model = await start({ text: ['And so'], finish: 'length' });
    const result = await run(model, weather());
    assert.deepEqual([result.end, result.text], ['tokens', 'And so']);
    assert.match(result.reason ?? '', /output token limit/);
  });

  test(`${wire.name}: a tool may be named like an inherited object member`, async () => {
    await using model = await start(
      { calls: [call('a', 'constructor', '{}'), call('b', '__proto__', '{"x":1}'), call('c', 'toString', '{}')] },
      { text: ['ok'] },
    );
    const odd = JSON.parse('{"__proto__":{},"constructor":{}}') as Record<string, object>;
    const toolbox = fakeToolbox(odd);
    const result = await run(model, toolbox);
    assert.equal(result.end, 'done');
    assert.deepEqual(
      wire.tools(model.requests[0] as never).map(({ name }) => name),
      ['__proto__', 'constructor'],
    );
    const results = wire.results(model.requests[1] as never).map(({ text }) => text);
    assert.deepEqual(results.slice(0, 2), ['ok', 'ok']);
    assert.match(results[2] ?? '', /no tool with the name .*toString/);
  });

  test(`${wire.name}: requests that fail with HTTP errors are retried a limited number of times`, async () => {
    await using model = await start({ status: 429 }, { status: 500 }, { text: ['Back.'] });
    assert.equal((await run(model, weather())).text, 'Back.');
    for (const status of [429, 500]) {
      await using down = await start({ status });
      const result = await run(down, weather(), { retries: 1 });
      assert.equal(result.end, 'model-error');
      assert.match(result.reason ?? '', new RegExp(`HTTP ${status}.*tried 2 times`));
      assert.equal(down.requests.length, 2);
    }
    await using closed = await start({ status: 401 });
    const refused = await run(closed, weather());
    assert.match(refused.reason ?? '', /401.*API key/);
    assert.equal(closed.requests.length, 1);
  });

  test(`${wire.name}: a run that is cancelled during an answer keeps its text`, async () => {
    await using model = await start({ text: ['One', ' two'], instead: 'hang' }, { text: ['Three.'] });
    const stop = new AbortController();
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'text' && event.text.includes('two')) stop.abort();
    };
    const result = await run(model, weather(), { signal: stop.signal, onEvent });
    assert.deepEqual([result.end, result.text], ['cancelled', 'One two']);
    await model.hungUp;
    const again = await run(model, weather(), { messages: result.messages, prompt: 'Go on.' });
    assert.deepEqual([again.end, again.text], ['done', 'Three.']);
  });

  test(`${wire.name}: a run that is cancelled during a call has a result for each call`, async () => {
    await using model = await start(
      { calls: [call('quick', 'weather', '{"city":"Oslo"}'), call('slow', 'wait', '{}')] },
      { text: ['Fine.'] },
    );
    const stop = new AbortController();
    let seen: AbortSignal | undefined;
    const toolbox = fakeToolbox({
      weather: { run: () => 'Sun' },
      // Ignores the signal.
      wait: {
        run: (_, { signal }) => {
          seen = signal;
          setTimeout(() => stop.abort(), 20);
          return new Promise(() => {});
        },
      },
    });
    const result = await run(model, toolbox, { signal: stop.signal });
    assert.equal(result.end, 'cancelled');
    assert.equal(seen?.aborted, true);
    assert.match(JSON.stringify(result.messages.at(-1)), /"Sun".*may have taken effect/);
    const again = await run(model, toolbox, { messages: result.messages, prompt: 'Go on.' });
    assert.equal(again.end, 'done');
  });

  test(`${wire.name}: a run ends at its time limit`, async (t) => {
    await using model = await start({ text: ['One'], instead: 'hang' });
    const time = stopTime(t);
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'text') void time.pass(150);
    };
    const result = await run(model, weather(), { budget: { totalMs: 150 }, onEvent });
    assert.deepEqual([result.end, result.text], ['time', 'One']);
  });

  test(`${wire.name}: the tools of real servers are called, and the model gets their errors`, async () => {
    await using model = await start(
      { calls: [call('a', 'sums__divide', '{"a":1,"b":0}'), call('b', 'sums__divide', '{"a":"x"}')] },
      { calls: [call('c', 'sums__divide', '{"a":6,"b":3}')] },
      { text: ['2'] },
    );
    const divide = tool(
      { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ quotient: z.number() }) },
      ({ a, b }) => {
        if (b === 0) throw new ToolError('Division by zero. Give another b.');
        return { quotient: a / b };
      },
    );
    await using client = await connect(server({ name: 'sums', tools: { divide } }));
    const tools = (await client.tools().all()).map((entry): HostTool => ({
      name: `sums__${entry.name}`,
      server: 'sums',
      entry,
    }));
    const toolbox: Toolbox = {
      tools: () => tools,
      call: (name, args, options) =>
        client.result(name.slice('sums__'.length) as 'divide', args as { a: number; b: number }, options),
      onToolsChanged: () => () => {},
    };
    const result = await run(model, toolbox);
    assert.equal(result.end, 'done');
    const [zero, wrong] = wire.results(model.requests[1] as never);
    assert.match(zero?.text ?? '', /Division by zero/);
    assert.match(wrong?.text ?? '', /\ba\b.*number/s);
    assert.equal(wire.results(model.requests[2] as never)[0]?.text, '{"quotient":2}');
  });
}
