// A notebook: tools, resources, a prompt, and a question to the user.
// Serve it:    npx tenon run examples/notes/server.ts
// Look at it:  npx tenon inspect -- npx tenon run examples/notes/server.ts
import { link, prompt, resource, server, tool, ToolError } from 'tenon';
import { z } from 'zod';

interface Note {
  readonly title: string;
  readonly body: string;
}

const notes = new Map<string, Note>([
  ['1', { title: 'Groceries', body: 'Bread, apples, coffee' }],
  ['2', { title: 'Trip', body: 'Train to Lisbon on Friday, 9:40' }],
]);
let lastId = notes.size;

function uriOf(id: string): string {
  return `note:///${id}`;
}

function noteResource(id: string, { title }: Note) {
  return resource({ name: title, mimeType: 'text/plain' }, () => notes.get(id)?.body);
}

const app = server({
  name: 'notes',
  version: '1.0.0',
  title: 'Notebook',
  instructions: 'Search before you add: the user does not want the same note twice.',

  tools: {
    add_note: tool(
      {
        description: 'Write a note',
        input: z.object({ title: z.string().min(1), body: z.string() }),
        destructive: false,
      },
      (note) => {
        const id = String(++lastId);
        notes.set(id, note);
        app.resources.set(uriOf(id), noteResource(id, note));
        return link(uriOf(id), note.title, { description: 'The new note' });
      },
    ),

    search_notes: tool(
      {
        description: 'Find notes that contain a text',
        input: z.object({ text: z.string().describe('Case is ignored') }),
        output: z.object({ found: z.array(z.object({ id: z.string(), title: z.string() })) }),
        readOnly: true,
      },
      async ({ text }, ctx) => {
        const wanted = text.toLowerCase();
        const found = [];
        let seen = 0;
        for (const [id, { title, body }] of notes) {
          if (`${title}\n${body}`.toLowerCase().includes(wanted)) found.push({ id, title });
          await ctx.progress({ progress: ++seen, total: notes.size });
        }
        return { found };
      },
    ),

    delete_note: tool(
      { description: 'Delete a note, after asking the user', input: z.object({ id: z.string() }), destructive: true },
      async ({ id }, ctx) => {
        const note = notes.get(id);
        if (note === undefined) throw new ToolError(`There is no note ${id}. Search for it first.`);
        const { sure } = await ctx.ask('sure', `Delete "${note.title}"?`, z.object({ sure: z.boolean() }));
        if (!sure) return 'The note was kept.';
        return ctx.once('delete', () => {
          notes.delete(id);
          app.resources.delete(uriOf(id));
          return `Deleted "${note.title}".`;
        });
      },
    ),
  },

  resources: {
    'note:///{id}': resource(
      {
        name: 'note',
        description: 'One note as text',
        mimeType: 'text/plain',
        complete: { id: (typed) => [...notes.keys()].filter((id) => id.startsWith(typed)) },
      },
      ({ id }) => notes.get(id)?.body,
    ),
    ...Object.fromEntries([...notes].map(([id, note]) => [uriOf(id), noteResource(id, note)])),
  },

  prompts: {
    tidy: prompt(
      {
        description: 'Sort the notebook',
        input: z.object({ by: z.string().describe('topic or date') }),
        complete: { by: ['topic', 'date'] },
      },
      ({ by }) => `Read all my notes and propose an order by ${by}. Delete nothing without asking.`,
    ),
  },
});

export default app;
