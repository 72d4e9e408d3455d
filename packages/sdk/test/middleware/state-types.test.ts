// The types of middleware: lines that must not compile are marked, and an unused mark is a compile error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { connect } from '../../src/entries/client.ts';
import { type Middleware, middleware, server, tool } from '../../src/entries/index.ts';
import { logging, rateLimit } from '../../src/entries/middleware.ts';
import { telemetry } from '../../src/entries/otel.ts';

const withUser = middleware(async (call, next) => {
  if (call.principal === undefined) return call.answer({ content: [{ type: 'text', text: 'Who are you?' }] });
  return next({ user: { name: call.principal.id } });
});
const withTenant = middleware((_, next) => next({ tenant: 7 }));

test('a tool that names middleware gets its state, typed', async () => {
  const app = server({
    name: 'typed',
    tools: {
      both: tool({ use: [withUser, withTenant], input: z.object({ n: z.number() }) }, ({ n }, ctx) => {
        const name: string = ctx.state.user.name;
        const tenant: number = ctx.state.tenant;
        // @ts-expect-error -- no middleware adds it
        void ctx.state.other;
        return `${name} of ${tenant + n}`;
      }),
      shipped: tool({ use: [withTenant, logging(() => {}), rateLimit({ perMinute: 5 }), telemetry()] }, (_, ctx) => {
        // @ts-expect-error -- it is a number
        const tenant: string = ctx.state.tenant;
        return String(tenant);
      }),
      none: tool({}, (_, ctx) => {
        // @ts-expect-error -- without `use` its type is unknown
        const name: string = ctx.state['user'];
        return String(name);
      }),
    },
  });
  await using client = await connect(app, { principal: { id: 'ann' } });
  const text: string = await client.call('both', { n: 1 });
  assert.equal(text, 'ann of 8');
  assert.equal(await client.call('shipped'), '7');
  assert.equal(await client.call('none'), 'undefined');
  await using anybody = await connect(app);
  assert.equal(await anybody.call('both', { n: 1 }), 'Who are you?');
});

test('a middleware written in the list of a tool is typed; a tool whose middlewares add nothing has the state of others, untyped', async () => {
  const list: readonly Middleware[] = [withTenant];
  const app = server({
    name: 'typed',
    tools: {
      inline: tool({ use: [(call, next) => next({ from: call.method })] }, (_, ctx) => {
        const from: string = ctx.state.from;
        return from;
      }),
      limited: tool({ use: [rateLimit({ perMinute: 5 })] }, (_, ctx) => String(ctx.state['tenant'])),
      listed: tool({ use: list }, (_, ctx) => String(ctx.state['tenant'])),
      // @ts-expect-error -- nothing is returned
      forgets: tool({ use: [(_, next) => void next()] }, () => ''),
    },
  });
  app.use(withTenant);
  await using client = await connect(app);
  assert.equal(await client.call('inline'), 'tools/call');
  assert.equal(await client.call('limited'), '7');
  assert.equal(await client.call('listed'), '7');
});

test('members that a middleware adds only sometimes are not typed as always present', () => {
  // @ts-expect-error -- an addition must not be undefined
  middleware((call, next) => next(call.principal === undefined ? undefined : { user: call.principal.id }));
  const sometimes = middleware((call, next) =>
    call.principal === undefined ? next() : next({ user: call.principal.id }),
  );
  tool({ use: [sometimes] }, (_, ctx) => {
    // @ts-expect-error -- it is not always present
    const user: string = ctx.state['user'];
    return user;
  });
});

test('forgetting to return what next() returned is a compile error', () => {
  const app = server({ name: 'typed' });
  app.use(
    logging(() => {}),
    telemetry(),
    { 'tools/call': rateLimit({ perMinute: 5 }) },
  );
  // @ts-expect-error -- nothing is returned
  app.use(async (_, next) => {
    await next();
  });
  // @ts-expect-error -- nothing is returned
  app.use((_, next) => void next());
  // @ts-expect-error -- nothing is returned
  app.use({ 'tools/call': async (_, next) => void (await next()) });
  // @ts-expect-error -- a result is not an answer
  app.use(async (_, next) => (await next()).result);
  // @ts-expect-error -- nothing is returned
  middleware(async (_, next) => {
    await next();
  });
  void (() =>
    connect(app, {
      use: [
        // @ts-expect-error -- nothing is returned
        async (_, next) => {
          await next();
        },
      ],
    }));
});

test('the middleware of a server does not fit a client if it needs members that only servers have', () => {
  void (() =>
    connect(server({ name: 'typed' }), {
      use: [
        logging(() => {}),
        telemetry(),
        // @ts-expect-error -- it adds to `ctx.state`, which clients do not have
        withUser,
      ],
    }));
});
