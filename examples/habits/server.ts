// A week of habits, as a page in which the user ticks what was done: an app, built with the official library for apps.
//   npx tenon inspect -- npx tenon run examples/habits/server.ts     then call show_week, and look at the view "App"
import process from 'node:process';
import { join } from 'node:path';
import { server, tool, ToolError } from 'tenon';
import { app, apps, shownBy } from 'tenon/apps';
import { z } from 'zod';
import { buildPage } from './build-page.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const Week = z.object({ habits: z.array(z.object({ name: z.string(), done: z.array(z.enum(DAYS)) })) });
type Week = z.infer<typeof Week>;

const week: Week = {
  habits: [
    { name: 'Read', done: ['Mon', 'Wed'] },
    { name: 'Run', done: ['Tue'] },
    { name: 'Stretch', done: [] },
  ],
};

const page = app(
  'ui://habits/week',
  { name: 'Week', description: 'A week of habits, to tick what is done', prefersBorder: true },
  await buildPage(join(import.meta.dirname, 'page/page.ts')),
);

const showWeek = tool(
  {
    description: 'Shows the habits of this week, and on which days each was done. The user can change it in the page.',
    output: Week,
    readOnly: true,
    _meta: shownBy(page),
  },
  () => week,
);

/** Only the page may tick, because a model cannot know what the user did. */
const tick = tool(
  {
    description: 'Notes that a habit was done on a day, or was not',
    input: z.object({ habit: z.string(), day: z.enum(DAYS), isDone: z.boolean() }),
    output: Week,
    idempotent: true,
    destructive: false,
    _meta: shownBy(page, { visibility: ['app'] }),
  },
  ({ habit, day, isDone }) => {
    const found = week.habits.find(({ name }) => name === habit);
    if (found === undefined) throw new ToolError(`There is no habit '${habit}'`);
    found.done = DAYS.filter((one) => (one === day ? isDone : found.done.includes(one)));
    return week;
  },
);

const habits = server({
  name: 'habits',
  version: '1.0.0',
  tools: { show_week: showWeek, tick },
  providers: [apps([page])],
});

export default habits;

if (process.argv[1] === import.meta.filename) {
  const { serveStdio } = await import('tenon/node');
  await serveStdio(habits);
}
