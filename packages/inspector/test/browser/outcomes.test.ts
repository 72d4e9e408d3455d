import assert from 'node:assert/strict';
import { command } from '../fixtures/launch.ts';
import { becomes, callTool, inspected } from './harness.ts';
import { everything } from './servers.ts';

// The outcome of a call or a connection: shown once, and not too early.

inspected(
  'the card of a failed server shows each fact once, with the rules that repeat it',
  { servers: { exits: command('exits') } },
  async ({ page }) => {
    const card = page.getByRole('region', { name: 'exits', exact: true });
    const problem = card.getByRole('group', { name: 'Problem' });
    await problem.getByText(/exited with code 3/).waitFor();
    await problem.getByText('exit-during-request', { exact: true }).waitFor();
    for (const fact of [/exited with code 3/g, /DATABASE_URL missing/g])
      await becomes(async () => (await card.innerText()).match(fact)?.length, 1);
    assert.equal(await problem.count(), 1);
    // The step still shows that it failed, and where.
    const step = card.locator('ol > li', { hasText: 'The process starts' });
    await step.getByText('fail', { exact: true }).waitFor();
    assert.ok((await step.getByRole('button', { name: /^Line \d+ of the trace$/ }).count()) > 0);
  },
);

inspected(
  'a lost call shows its reason once, and the stderr',
  { servers: { dies: command('dies') } },
  async ({ page, go }) => {
    await go('explore/dies/tools/die');
    await page.getByRole('heading', { name: 'die', exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    const answer = page.getByRole('region', { name: 'Result' });
    await answer.getByRole('group', { name: 'Problem' }).waitFor();
    await becomes(async () => (await answer.innerText()).match(/exited with code 7/g)?.length, 1);
  },
);

inspected(
  'the history of a tool shows only the arguments of its calls',
  { servers: { everything } },
  async ({ page, go }) => {
    await callTool(page, 'everything', 'echo', { message: 'to be seen' }).answer;
    await go('explore/everything/tools/echo?view=history');
    const row = page.getByRole('tabpanel').getByRole('row').nth(1);
    await row.getByText('{"message":"to be seen"}', { exact: true }).waitFor();
    assert.ok(!(await row.innerText()).includes('_meta'));
    // The whole request is in a line of the trace.
    await row.getByRole('button', { name: /^Line \d+/ }).click();
    await page.getByRole('complementary').getByText('_meta').first().waitFor();
  },
);

inspected(
  'a call answered with a task is not shown as done before the task has ended',
  { servers: { tasks: command('tasks') } },
  async ({ page, go }) => {
    await go('explore/tasks/tools/research');
    await page.getByRole('button', { name: 'As a task', pressed: true }).waitFor();
    await page.getByRole('button', { name: /^Send/ }).click();
    const answer = page.getByRole('region', { name: 'Result' });
    await answer.getByRole('status').getByText('runs as a task').waitFor();
    assert.equal(await answer.getByText('ok', { exact: true }).count(), 0);
    // The status of the task is shown there.
    await answer.getByText('working', { exact: true }).waitFor();
    await page.reload();
    await answer.getByRole('status').getByText('runs as a task').waitFor();
    await answer.getByRole('tab', { name: 'History 1' }).click();
    await answer.getByRole('row').getByText('runs as a task').waitFor();
    await go('trace?filter=method%3Atools%2Fcall+status%3Atask');
    await page.getByRole('option').first().waitFor();
    await becomes(() => page.getByRole('option').count(), 2);
    await callTool(page, 'tasks', 'finish').answer;
    // The answer still has the created task, but the call has ended like the task.
    await becomes(() => page.getByRole('option').count(), 1);
  },
);

inspected('a tool without calls offers one action', { servers: { everything } }, async ({ page, go }) => {
  await go('explore/everything/tools/echo');
  const answer = page.getByRole('region', { name: 'Result' });
  await answer.getByRole('button', { name: 'Call it with these arguments' }).waitFor();
  await answer.getByText('Nothing has been sent yet').waitFor();
  assert.equal(await answer.getByRole('button').count(), 1);
  await answer.getByRole('button', { name: 'Call it with these arguments' }).click();
  await answer.getByText('Echo: ').waitFor();
  await go('trace?filter=text%3A%22no+such+words%22');
  await page.getByRole('button', { name: 'Show all lines' }).click();
  await page.getByRole('option').first().waitFor();
});
