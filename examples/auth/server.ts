// A protected server: all users have their own notes, and writing requires one more scope than reading.
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

/** All scopes. */
export const SCOPES: readonly string[] = ['notes:read', 'notes:write'];

/** Serves the notes. `resource`: the server's URL for clients; `issuer`: the authorization server. */
export function serveNotes(resource: string, issuer: string): Promise<ServedHttp> {
  return serveHttp(app, {
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
}
