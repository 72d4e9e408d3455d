import assert from 'node:assert/strict';
import { command } from '../fixtures/launch.ts';
import { becomes, callTool, inspected } from './harness.ts';
import { everything } from './servers.ts';

// How a call or a connection came out: said once, and not before it is so.

inspected(
  'the card of a server that failed says each fact once, with the rules that say the same',
  { servers: { exits: command('exits') } },
  async ({ page }) => {
    const card = page.getByRole('region', { name: 'exits', exact: true });
    const problem = card.getByRole('group', { name: 'Problem' });
    await problem.getByText(/exited with code 3/).waitFor();
    await problem.getByText('exit-during-request', { exact: true }).waitFor();
    for (const fact of [/exited with code 3/g, /DATABASE_URL missing/g])
      await becomes(async () => (await card.innerText()).match(fact)?.length, 1);
    assert.equal(await problem.count(), 1);
    // The step still says that it failed, and shows where.
    const step = card.locator('ol > li', { hasText: 'The process starts' });
    await step.getByText('fail', { exact: true }).waitFor();
    assert.ok((await step.getByRole('button', { name: /^Line \d+ of the trace$/ }).count()) > 0);
  },
);

inspected(
  'a call that was lost says once why, and what stands on stderr',
  { servers: { dies: command('dies') } },
  async ({ page, go }) => {
    await go('explore/dies/tools/die');
    await page.getByRole('heading', { name: 'die', exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    const answer = page.getByRole('region', { name: 'What came back' });
    await answer.getByRole('group', { name: 'Problem' }).waitFor();
    await becomes(async () => (await answer.innerText()).match(/exited with code 7/g)?.length, 1);
  },
);

inspected(
  'the history of a tool shows its arguments, and nothing else that was sent',
  { servers: { everything } },
  async ({ page, go }) => {
    await callTool(page, 'everything', 'echo', { message: 'to be seen' }).answer;
    await go('explore/everything/tools/echo?view=history');
    const row = page.getByRole('tabpanel').getByRole('row').nth(1);
    await row.getByText('{"message":"to be seen"}', { exact: true }).waitFor();
    assert.ok(!(await row.innerText()).includes('_meta'));
    // Everything that was sent is a line of the trace.
    await row.getByRole('button', { name: /^Line \d+/ }).click();
    await page.getByRole('complementary').getByText('_meta').first().waitFor();
  },
);

inspected(
  'a call that is answered with a task is not shown as done before the task has ended',
  { servers: { tasks: command('tasks') } },
  async ({ page, go }) => {
    await go('explore/tasks/tools/research');
    await page.getByRole('button', { name: 'As a task', pressed: true }).waitFor();
    await page.getByRole('button', { name: /^Send/ }).click();
    const answer = page.getByRole('region', { name: 'What came back' });
    await answer.getByRole('status').getByText('runs as a task').waitFor();
    assert.equal(await answer.getByText('ok', { exact: true }).count(), 0);
    // How it stands is seen there.
    await answer.getByText('working', { exact: true }).waitFor();
    await page.reload();
    await answer.getByRole('status').getByText('runs as a task').waitFor();
    await answer.getByRole('tab', { name: 'History 1' }).click();
    await answer.getByRole('row').getByText('runs as a task').waitFor();
    await go('trace?filter=method%3Atools%2Fcall+status%3Atask');
    await page.getByRole('option').first().waitFor();
    await becomes(() => page.getByRole('option').count(), 2);
    await callTool(page, 'tasks', 'finish').answer;
    // The answer still says that a task was made; the call has ended as the task did.
    await becomes(() => page.getByRole('option').count(), 1);
  },
);

inspected(
  'beside a tool that was not called yet stands one thing to do',
  { servers: { everything } },
  async ({ page, go }) => {
    await go('explore/everything/tools/echo');
    const answer = page.getByRole('region', { name: 'What came back' });
    await answer.getByRole('button', { name: 'Call it with these arguments' }).waitFor();
    await answer.getByText('Nothing was sent yet').waitFor();
    assert.equal(await answer.getByRole('button').count(), 1);
    await answer.getByRole('button', { name: 'Call it with these arguments' }).click();
    await answer.getByText('Echo: ').waitFor();
    await go('trace?filter=text%3A%22no+such+words%22');
    await page.getByRole('button', { name: 'Show all lines' }).click();
    await page.getByRole('option').first().waitFor();
  },
);
