// Tasks of a server, and the copies and saved tests of a call in Explore.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { callTool, inspected } from './harness.ts';
import { at } from './servers.ts';

function answer(page: Page) {
  return page.getByRole('region', { name: 'Result' });
}
function tree(page: Page) {
  return page.getByRole('tree');
}
const shot = process.env['TENON_SHOTS'];
async function look(page: Page, name: string): Promise<void> {
  if (shot !== undefined) await page.screenshot({ path: `${shot}/${name}.png` });
}

inspected(
  'a tool called as a task creates a task in the tree, whose state and result are requested, and which is cancelled',
  { servers: { tasks: command('tasks') } },
  async ({ page, go }) => {
    await go('explore/tasks/tools/research');
    await page.getByRole('button', { name: 'As a task', pressed: true }).waitFor();
    await page.getByRole('button', { name: /^Send/ }).click();
    await answer(page).getByText('Gathering sources', { exact: true }).waitFor();
    await tree(page)
      .getByText(/working ·/)
      .waitFor();
    await look(page, 'task-created');
    await answer(page).getByRole('link').click();
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await answer(page).getByText('"working"').waitFor();
    await look(page, 'task-working');
    // It waits until the task has ended; other requests can be sent meanwhile.
    await page.getByRole('button', { name: 'Result', exact: true }).click();
    await page.getByRole('button', { name: 'Stop waiting' }).waitFor();
    await callTool(page, 'tasks', 'finish').answer;
    await answer(page).getByText('Research Report').waitFor();
    await tree(page).getByText('completed').waitFor();
    await page.getByText('completed', { exact: true }).first().waitFor();
    await look(page, 'task-completed');

    await go('explore/tasks/tools/research');
    await page.getByRole('button', { name: /^Send/ }).click();
    await tree(page)
      .getByText(/working ·/)
      .waitFor();
    await answer(page).getByRole('link').click();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await tree(page)
      .getByText(/cancelled/)
      .waitFor();
    await look(page, 'task-cancelled');
    // A task that has ended cannot be cancelled: the server says so.
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await answer(page).getByText('-32602').first().waitFor();
  },
);

inspected(
  'the task of a call is followed until it ends: its state, its end and its result are shown with the call',
  { servers: { tasks: command('tasks') } },
  async ({ page, go, trace }) => {
    await go('explore/tasks/tools/research');
    await page.getByRole('button', { name: /^Send/ }).click();
    await answer(page).getByText('runs as a task').waitFor();
    await answer(page).getByText('Gathering sources', { exact: true }).waitFor();
    await look(page, 'task-followed');
    // A reloaded page finds it in the same state.
    await page.reload();
    await answer(page).getByText('Gathering sources', { exact: true }).waitFor();
    await callTool(page, 'tasks', 'finish').answer;
    await answer(page).getByText('Research Report').waitFor();
    await answer(page).getByText('ok', { exact: true }).first().waitFor();
    await answer(page).getByText('It ran as the task').waitFor();
    await look(page, 'task-ended');
    const asked = (await trace()).filter(({ text }) => text.includes('"method":"tasks/result"'));
    assert.equal(asked.length, 1);

    await page.getByRole('button', { name: /^Send/ }).click();
    await answer(page).getByRole('button', { name: 'Cancel the task' }).click();
    await answer(page).getByText('cancelled', { exact: true }).first().waitFor();
    await answer(page)
      .getByRole('tab', { name: /^History/ })
      .click();
    await look(page, 'task-history');
    assert.equal(await answer(page).getByRole('table').getByText('cancelled', { exact: true }).count(), 1);
    assert.equal(await answer(page).getByRole('table').getByText('ok', { exact: true }).count(), 1);
  },
);

inspected(
  'questions of a task of 2026-07-28 are answered beside its call, and its result is shown there',
  async (t) => ({ servers: { tasks: await at(t, 'tasks-extension') } }),
  async ({ page, go }) => {
    await go('explore/tasks/tools/greet');
    await page.getByRole('button', { name: /^Send/ }).click();
    await answer(page).getByText('Who is greeted?').waitFor();
    await look(page, 'task-asks');
    await answer(page).getByRole('textbox', { name: /name/ }).fill('Zoe');
    await answer(page)
      .getByRole('button', { name: /^Accept/ })
      .click();
    await answer(page).getByText('Hello Zoe').waitFor();
    await answer(page).getByText('ok', { exact: true }).first().waitFor();
    await look(page, 'task-answered');
  },
);

inspected('the palette finds a task', { servers: { tasks: command('tasks') } }, async ({ page, go }) => {
  await go('explore/tasks/tools/research');
  await page.getByRole('button', { name: /^Send/ }).click();
  await tree(page)
    .getByText(/working ·/)
    .waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('working');
  await page.getByRole('option', { name: /task/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Cancel the task' }).waitFor();
});

inspected(
  'a call is copied as a command, and saved as a test, where it was made',
  async (t) => ({ servers: { shapes: await at(t, 'listchanged') } }),
  async ({ page, go, inspector }) => {
    void inspector;
    await go('explore/shapes/tools');
    await tree(page).getByRole('treeitem').nth(2).click();
    await page.getByRole('button', { name: /^Send/ }).click();
    await answer(page).getByRole('button', { name: 'Copy as curl' }).click();
    await answer(page).getByText('Copied the curl command.').waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl http:[^]*"method":"tools\/call"/);
    await answer(page).getByRole('button', { name: 'Copy as tenon' }).click();
    await answer(page).getByText('Copied the command.').waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^tenon call \S+ --args/);
    await answer(page).getByRole('button', { name: 'Save as test' }).click();
    const said = await answer(page)
      .getByText(/^Saved as the test .+ in /)
      .innerText();
    await look(page, 'kept');
    const [, name, file] = /^Saved as the test (.+) in (.*)\.$/.exec(said)!;
    const { tests } = JSON.parse(readFileSync(file!, 'utf8')) as { tests: readonly { name: string }[] };
    assert.deepEqual([tests.length, tests[0]!.name], [1, name]);
  },
);
