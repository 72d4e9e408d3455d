// A shop whose tool sends the user to a page of the shop: only the user who was asked can use the page.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { server, tool, ToolError } from 'tenon';
import { type HttpOptions, nodeHandler } from 'tenon/http';
import { z } from 'zod';

interface Payment {
  /** The user who was asked: the principal of the call, from its verified token. */
  readonly user: string;
  readonly amount: number;
  paid: boolean;
}

export interface ShopOptions {
  /** The address of the shop, such as `https://shop.example.com`. */
  readonly origin: string;
  /** Identifies the callers of tools. */
  readonly auth: NonNullable<HttpOptions['auth']>;
  /** The user who is logged in to the pages of the shop, with the same id as the principal. */
  userOf(request: IncomingMessage): string | undefined;
}

export function createShop({ origin, auth, userOf }: ShopOptions): Server {
  const payments = new Map<string, Payment>();

  const app = server({
    name: 'shop',
    version: '1.0.0',
    tools: {
      buy: tool({ description: 'Buys tea', input: z.object({ amount: z.int().min(1) }) }, async ({ amount }, ctx) => {
        const { principal } = ctx;
        if (principal === undefined) throw new ToolError('Please log in first');
        // The URL does not identify the user, and whoever opens it still has to log in.
        const id = await ctx.once('payment', () => {
          const created = randomUUID();
          payments.set(created, { user: principal.id, amount, paid: false });
          return created;
        });
        const { action } = await ctx.visit('pay', `Please pay for ${amount} tins of tea`, `${origin}/pay/${id}`);
        if (action !== 'accept') return 'Nothing was bought.';
        return payments.get(id)?.paid === true
          ? `${amount} tins are on their way, order ${id}.`
          : 'It is not paid yet.';
      }),
      // The id alone gives no access: only the user who made an order can track it.
      track: tool({ description: 'Where an order is', input: z.object({ order: z.string() }) }, ({ order }, ctx) => {
        const payment = payments.get(order);
        if (payment === undefined || payment.user !== ctx.principal?.id) throw new ToolError('There is no such order.');
        return payment.paid ? 'It is on its way.' : 'It is not paid yet.';
      }),
    },
  });
  const mcp = nodeHandler(app, { auth });

  return createServer((request, response) => {
    const [, id] = /^\/pay\/([\w-]+)$/.exec(request.url ?? '') ?? [];
    if (id === undefined) return mcp(request, response);
    const answer = (status: number, text: string): void => void response.writeHead(status).end(text);
    const user = userOf(request);
    if (user === undefined) return answer(401, 'Please log in to the shop.');
    const payment = payments.get(id);
    // Someone else's payment gets the same answer as one that does not exist, so a forwarded or guessed URL reveals nothing.
    if (payment === undefined || payment.user !== user) return answer(404, 'There is no such payment.');
    if (request.method !== 'POST') return answer(200, `Pay for ${payment.amount} tins?`);
    // Only a form of this shop may pay.
    if (request.headers.origin !== origin) return answer(403, 'Please use the page of the shop.');
    payment.paid = true;
    return answer(200, 'Thank you.');
  });
}
