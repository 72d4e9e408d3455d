// A server that wants to know who is calling: everybody has their own notes, and to write takes one scope more than to read.
import { server, tool } from 'tenon';
import { jwt, protectedResource } from 'tenon/auth';
import { serveHttp, type ServedHttp } from 'tenon/node';
import { z } from 'zod';

const notes = new Map<string, string[]>();

export const app = server({
  name: 'my-notes',
  version: '1.0.0',
  tools: {
    whoami: tool({ description: 'Who is logged in', readOnly: true }, (_, ctx) => ctx.principal?.id ?? 'nobody'),
    list: tool({ description: 'List my notes', readOnly: true }, (_, ctx) =>
      (notes.get(ctx.principal!.id) ?? []).join('\n'),
    ),
    write: tool(
      { description: 'Write a note', input: z.object({ text: z.string() }), scopes: ['notes:write'] },
      ({ text }, ctx) => {
        const own = notes.get(ctx.principal!.id) ?? [];
        notes.set(ctx.principal!.id, [...own, text]);
        return `You have ${own.length + 1} notes`;
      },
    ),
  },
});

/** The scopes there are. */
export const SCOPES: readonly string[] = ['notes:read', 'notes:write'];

/** Serves it. `resource` is the address by which its clients call it; `issuer` is the authorization server they log in at. */
export const serveNotes = (resource: string, issuer: string): Promise<ServedHttp> =>
  serveHttp(app, {
    port: Number(new URL(resource).port),
    signals: false,
    auth: protectedResource({
      resource,
      authorizationServers: [issuer],
      verify: jwt({ issuer }),
      scopes: ['notes:read'],
      scopesSupported: SCOPES,
    }),
  });
