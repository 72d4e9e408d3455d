import assert from 'node:assert/strict';
import { command } from '../fixtures/launch.ts';
import { inspected } from './harness.ts';

// The events during a call are shown beside it, and its questions are answered there.

for (const revision of ['2026-07-28', '2025-11-25'])
  inspected(
    `a question is answered beside the call that asks it, and what came meanwhile stands there, in ${revision}`,
    { servers: { failing: command('failing') }, revision },
    async ({ page, go }) => {
      const answer = page.getByRole('region', { name: 'Result' });
      const question = answer.getByRole('region', { name: 'The question' });
      await go('explore/failing/tools/works');
      await page.getByRole('heading', { name: 'works', exact: true }).waitFor();
      await page.keyboard.press('Control+Enter');
      await question.getByText('Which colour?').waitFor();
      const field = question.getByRole('textbox', { name: /^colour/ });
      await field.fill('red');
      // The key that sends a call sends the answer here.
      await field.press('Control+Enter');
      await answer.getByText('It is red').first().waitFor();
      assert.equal(await question.count(), 0);
      await answer.getByRole('tab', { name: /^Meanwhile \d/ }).click();
      const view = answer.getByRole('tabpanel');
      for (const text of ['Which colour?', 'accept {"colour":"red"}', '1 of 2 · paint is mixed', /the brush is found/])
        await view.getByText(text).waitFor();
      if (revision === '2026-07-28') {
        await view.getByText('painting it red').waitFor();
        await view.getByText('Log messages from info up are requested').waitFor();
      } else await view.getByText('No log level is requested').waitFor();
      // It is read from the trace, so a reloaded page has it, too.
      await page.reload();
      await answer.getByRole('tab', { name: /^Meanwhile \d/ }).waitFor();
    },
  );

inspected(
  'while a call runs, the output of the server so far is shown beside it',
  { servers: { failing: command('failing') }, revision: '2025-11-25' },
  async ({ page, go }) => {
    const answer = page.getByRole('region', { name: 'Result' });
    await go('explore/failing/tools/works');
    await page.getByRole('heading', { name: 'works', exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    const meanwhile = answer.getByRole('region', { name: 'Server output during the call' });
    await meanwhile.getByText('Which colour?').waitFor();
  },
);
