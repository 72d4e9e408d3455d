import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import fc from 'fast-check';
import { contextIn, metaOfContext } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('the trace context of a request is read and written unchanged', () => {
  const meta = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1,b=2', baggage: 'tenant=%C3%A4;p=1,user=7' };
  const context = contextIn(meta, ROOT_CONTEXT);
  const span = trace.getSpanContext(context)!;
  assert.deepEqual([span.traceId, span.spanId, span.traceFlags, span.isRemote], [TRACE, SPAN, 1, true]);
  assert.equal(propagation.getBaggage(context)!.getEntry('tenant')!.value, 'ä');
  assert.deepEqual(metaOfContext(context), meta);
});

test('without a trace, no context is written', () => {
  assert.deepEqual(metaOfContext(ROOT_CONTEXT), {});
});

for (const [traceparent, why] of [
  [`00-${TRACE}-${SPAN}`, 'no flags'],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, 'upper case'],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, 'a trace of zeros'],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, 'a span of zeros'],
  [`ff-${TRACE}-${SPAN}-01`, 'a version that is forbidden'],
  [`00-${TRACE}-${SPAN}-01-more`, 'more than the first version has'],
  [`00-${TRACE}-${SPAN}-01\n`, 'a line break'],
  [7, 'a number'],
] as const)
  test(`a traceparent with ${why} is ignored`, () => {
    assert.equal(trace.getSpanContext(contextIn({ traceparent, tracestate: 'a=1' }, ROOT_CONTEXT)), undefined);
  });

test('later versions may have more members', () => {
  assert.equal(
    trace.getSpanContext(contextIn({ traceparent: `01-${TRACE}-${SPAN}-01-more` }, ROOT_CONTEXT))!.spanId,
    SPAN,
  );
});

test('a tracestate or baggage that is too long is ignored, and written baggage is limited', () => {
  const traceparent = `00-${TRACE}-${SPAN}-00`;
  const context = contextIn(
    { traceparent, tracestate: `a=${'1'.repeat(600)}`, baggage: `a=${'1'.repeat(9_000)}` },
    ROOT_CONTEXT,
  );
  assert.deepEqual(metaOfContext(context), { traceparent });
  let baggage = propagation.createBaggage();
  for (let entry = 0; entry < 100; entry++) baggage = baggage.setEntry(`k${entry}`, { value: 'x'.repeat(500) });
  const { baggage: written } = metaOfContext(propagation.setBaggage(ROOT_CONTEXT, baggage));
  assert.ok((written as string).length <= 8_192);
});

test('properties of baggage that W3C does not allow go no further: other propagators write them into headers', () => {
  for (const properties of ['p=x\r\nX-Evil: 1', 'p=\u0000', 'ä', 'p=a b', 'p q', '=x', 'p=x;\n', 'p="x"']) {
    const context = contextIn({ baggage: `a=1;good=%20;${properties},b=2` }, ROOT_CONTEXT);
    const { baggage } = metaOfContext(context);
    assert.match(String(baggage), /^a=1;good=%20[;=\w]*,b=2$/, JSON.stringify(properties));
    assert.doesNotMatch(propagation.getBaggage(context)!.getEntry('a')!.metadata!.toString(), /[^;=%\w]/);
  }
  assert.equal(metaOfContext(contextIn({ baggage: 'a=1; p ; q = 2' }, ROOT_CONTEXT))['baggage'], 'a=1;p;q=2');
  assert.equal(metaOfContext(contextIn({ baggage: 'a=1;ä' }, ROOT_CONTEXT))['baggage'], 'a=1');
});

test('whatever a peer sends, reading it does not throw', () => {
  const any = fc.oneof(fc.string(), fc.anything());
  fc.assert(
    fc.property(any, any, any, (traceparent, tracestate, baggage) => {
      const { baggage: written = '' } = metaOfContext(contextIn({ traceparent, tracestate, baggage }, ROOT_CONTEXT));
      assert.match(String(written), /^[!-~]*$/);
    }),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('=', ';', ' ', 'a', '\n', '"') }),
      (one, other) => {
        const { baggage: written = '' } = metaOfContext(contextIn({ baggage: `k=1;${one};${other}` }, ROOT_CONTEXT));
        assert.match(String(written), /^[!-~]*$/);
      },
    ),
  );
});
