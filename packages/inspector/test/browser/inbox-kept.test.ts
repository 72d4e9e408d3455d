import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, callTool, cancelCall, inspected } from './harness.ts';

// The screen Inbox: nothing in use disappears on its own, neither the question, nor the input, nor the focus.

const asks = { asks: command('asks') };
function question(page: Page): Locator {
  return page.getByRole('region', { name: 'The question' });
}

/** The name field in the form shown. */
function nameIn(page: Page): Locator {
  return question(page).getByRole('textbox', { name: /^name/i });
}

/** The text of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    return at === null || at === document.body ? 'nothing' : (at.textContent ?? '').trim();
  });
}

inspected(
  'when the question being answered is withdrawn, no other one takes its place',
  { servers: asks },
  async ({ page }) => {
    const first = callTool(page, 'asks', 'form');
    await page.getByLabel('1 waiting').waitFor();
    const second = callTool(page, 'asks', 'form');
    await page.getByLabel('2 waiting').waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Inbox' }).click();
    await nameIn(page).fill('Ann Bråten');
    await cancelCall(page, 'asks', first.key);
    await question(page).getByText('Withdrawn.').waitFor();
    // The input is still there, and the user chooses when to go to the other question.
    await question(page).getByText('Ann Bråten').waitFor();
    assert.match(await focused(page), /asks you to fill in a form/);
    assert.equal(
      await question(page)
        .getByRole('button', { name: /^Accept/ })
        .count(),
      0,
    );
    await page.getByRole('button', { name: /^Next:/ }).click();
    await becomes(() => nameIn(page).inputValue(), '');
    assert.match(await focused(page), /asks you to fill in a form/);
    await cancelCall(page, 'asks', second.key);
  },
);

inspected(
  'the focus is kept after a question is answered, here or on another page',
  { servers: asks },
  async ({ page, go, another }) => {
    await go('inbox');
    const badly = callTool(page, 'asks', 'confirm');
    const never = question(page).getByRole('button', { name: 'Never answer' });
    await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
    await never.focus();
    await page.keyboard.press('Enter');
    await question(page).getByText('Answered: no answer').waitFor();
    await becomes(async () => /asks you to fill in a form/.test(await focused(page)), true);
    await cancelCall(page, 'asks', badly.key);
    await badly.answer;

    const form = callTool(page, 'asks', 'form');
    await page.getByRole('button', { name: /^Next:/ }).click();
    await nameIn(page).fill('Ann');
    const other = await another();
    await other.evaluate(() => void (location.hash = '#/inbox'));
    await question(other).getByRole('button', { name: 'Decline', exact: true }).click();
    await form.answer;
    await question(page).getByText('Answered: decline').waitFor();
    await becomes(async () => /asks you to fill in a form/.test(await focused(page)), true);
  },
);

inspected('answering a question twice at once reports no failure', { servers: asks }, async (looking) => {
  const { page, go } = looking;
  const { answer } = callTool(page, 'asks', 'form');
  await go('inbox');
  await nameIn(page).fill('Ann');
  await page.evaluate(() => {
    for (let n = 0; n < 2; n++) {
      const init = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', init));
    }
  });
  await answer;
  await question(page).getByText('Answered: accept').waitFor();
  // This request comes after everything that the two key presses caused.
  await page.evaluate(async () => {
    await (await fetch('/api/state')).text();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
  assert.equal(looking.requests.filter((url) => url.includes('/api/inbox/')).length, 1);
  assert.equal(await page.getByRole('group', { name: 'Problem' }).count(), 0);
});

inspected('the page says whether an answer is saved in the script', { servers: asks }, async ({ page, go }) => {
  await go('inbox');
  const first = callTool(page, 'asks', 'confirm');
  await question(page).getByRole('button', { name: 'Always answer this way' }).click();
  await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
  await question(page).getByText('cannot be scripted').waitFor();
  await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
  await question(page).getByRole('button', { name: 'Decline', exact: true }).click();
  await first.answer;
  await question(page).getByText('The same question is now always answered this way').waitFor();
});

inspected(
  'scripted answers, and unsent answers, stay when another screen is opened',
  { servers: asks },
  async ({ page, go }) => {
    const write = async (place: Locator, text: string): Promise<void> => {
      await place.locator('.cm-editor').getByRole('textbox').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
    };
    const script = page.getByRole('region', { name: 'Scripted answers' });
    await go('inbox?ask=script');
    await write(script, '{"mine": "decline"}');
    await go('trace');
    await page.getByRole('option').first().waitFor();
    const { key } = callTool(page, 'asks', 'confirm');
    await go('inbox');
    await question(page).getByRole('button', { name: 'Always answer this way' }).click();
    await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
    await write(question(page), '{"no": "answer"}');
    await page.reload();
    await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
    await question(page).locator('.cm-editor').getByText('"no"').waitFor();
    await question(page).getByRole('button', { name: 'Always answer this way' }).click();
    await question(page).getByRole('button', { name: 'Never answer' }).click();
    await page.getByRole('button', { name: 'Scripted answers: 1' }).click();
    await script.locator('.cm-editor').getByText('"mine"').waitFor();
    await script.getByText('have changed since you began to edit').waitFor();
    const use = script.getByRole('button', { name: 'Use these' });
    await use.focus();
    await page.keyboard.press('Enter');
    await script.getByRole('button', { name: 'In use' }).waitFor();
    await becomes(() => focused(page), 'Scripted answers');
    await cancelCall(page, 'asks', key);
  },
);
