import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, callTool, cancelCall, inspected, type Looking, outcomeOf } from './harness.ts';
import { everything } from './servers.ts';

// The screen Inbox: the questions of servers, answered in every possible way.

const asks = { asks: command('asks') };
function question(page: Page): Locator {
  return page.getByRole('region', { name: 'The question' });
}

/** The text of the result of a call. */
async function resultOf(answer: Promise<string>): Promise<string> {
  return String((JSON.parse(await answer) as { result?: string; error?: string }).result);
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  inspected(
    `a form is filled in and sent, in ${revision}`,
    { servers: asks, revision },
    async ({ page, go, trace }) => {
      const { answer } = callTool(page, 'asks', 'form');
      await page.getByLabel('1 waiting').waitFor();
      await go('inbox');
      await question(page).getByText('Book a room').waitFor();
      const name = question(page).getByRole('textbox', { name: /^name/ });
      await name.fill('Ann Bråten');
      await question(page)
        .getByRole('textbox', { name: /^nights/ })
        .fill('3');
      await question(page)
        .getByRole('checkbox', { name: /^window/ })
        .uncheck();
      await question(page).getByRole('button', { name: /^half/ }).click();
      await page.getByRole('option', { name: 'full' }).click();
      await name.focus();
      await page.keyboard.press('Control+Enter');
      const result = await resultOf(answer);
      for (const part of ['Ann Bråten', '\\"nights\\":3', '\\"window\\":false', '\\"board\\":\\"full\\"'])
        assert.ok(result.includes(part), `${part} is in ${result}`);
      await question(page).getByText('Answered: accept').waitFor();
      // The cited line must be the one that asks.
      await question(page)
        .getByRole('button', { name: /^Line \d+/ })
        .click();
      const n = Number(/\d+/.exec((await page.getByRole('complementary').getByRole('heading').textContent())!)![0]);
      assert.match((await trace())[n - 1]!.text, /"message":"Book a room"/);
    },
  );

  inspected(
    `a form is declined, and another cancelled, in ${revision}`,
    { servers: asks, revision },
    async ({ page, go }) => {
      await go('inbox');
      for (const [button, action] of [
        ['Decline', 'decline'],
        ['Cancel', 'cancel'],
      ] as const) {
        const { answer } = callTool(page, 'asks', 'confirm');
        if (action === 'cancel') await page.getByRole('button', { name: /^Next:/ }).click();
        await question(page).getByText('It has no fields').waitFor();
        await question(page).getByRole('button', { name: button, exact: true }).click();
        assert.match(await resultOf(answer), new RegExp(`\\\\"action\\\\":\\\\"${action}\\\\"`));
        await question(page).getByText(`Answered: ${action}`).waitFor();
      }
    },
  );

  inspected(
    `a page that is to be visited is shown with its host, and never opened by itself, in ${revision}`,
    { servers: asks, revision },
    async ({ page, go, context }) => {
      const { answer } = callTool(page, 'asks', 'page');
      await go('inbox');
      const link = question(page).getByRole('link');
      assert.equal(await link.getAttribute('href'), 'https://pay.example.com/order/17?step=1');
      assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
      await question(page).getByText('opens pay.example.com').waitFor();
      assert.equal(context.pages().length, 1);
      await question(page)
        .getByRole('button', { name: /^I opened it/ })
        .click();
      assert.match(await resultOf(answer), /accept/);
    },
  );

  inspected(
    `a model is played: with a ready answer, and by turning it down, in ${revision}`,
    { servers: asks, revision },
    async ({ page, go }) => {
      const first = callTool(page, 'asks', 'sample');
      await go('inbox');
      await question(page).getByText('Answer with one word.', { exact: true }).waitFor();
      await question(page)
        .getByRole('button', { name: /A sample response/ })
        .click();
      await page.getByRole('option', { name: 'Cut off by the limit' }).click();
      await question(page)
        .getByRole('button', { name: /^Accept/ })
        .click();
      assert.match(await resultOf(first.answer), /maxTokens.*It begins and then/);
      const second = callTool(page, 'asks', 'sample');
      await page.getByRole('button', { name: /^Next:/ }).click();
      await question(page).getByRole('button', { name: 'Decline' }).click();
      const { outcome } = JSON.parse(await second.answer) as { outcome: string };
      // In 2026-07-28 the client ends the call itself; before, the server is informed, and its tool fails.
      assert.equal(outcome, revision === '2026-07-28' ? 'cancelled' : 'tool-error');
    },
  );

  inspected(
    `a server that gets no answer, or one that is none, can be watched, in ${revision}`,
    { servers: asks, revision },
    async ({ page, go, trace }) => {
      await go('inbox');
      const silent = callTool(page, 'asks', 'confirm');
      await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
      await question(page).getByRole('button', { name: 'Never answer' }).click();
      await question(page).getByText('Answered: no answer').waitFor();
      // An answer would be sent before this request.
      await page.evaluate(async () => {
        const headers = { 'content-type': 'application/json' };
        const body = JSON.stringify({ method: 'tools/list', params: '{}', key: 'later' });
        await fetch('/api/servers/asks/requests', { method: 'POST', headers, body });
      });
      assert.equal(await outcomeOf(page, 'asks', silent.key), 'running');
      await cancelCall(page, 'asks', silent.key);
      await silent.answer;

      const garbled = callTool(page, 'asks', 'confirm');
      await page.getByRole('button', { name: /^Next:/ }).click();
      await question(page).getByRole('button', { name: 'Send invalid answer' }).click();
      const editor = question(page).locator('.cm-editor').getByRole('textbox', { name: 'Result to send unchanged' });
      await editor.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('{"action":12.50,"content":[]}');
      await question(page).getByRole('button', { name: 'Send unchanged' }).click();
      await becomes(
        async () =>
          (await trace()).some(({ from, text }) => from === 'client' && text.includes('{"action":12.50,"content":[]}')),
        true,
      );
      await cancelCall(page, 'asks', garbled.key);
    },
  );
}

/** The selected question in the list. */
function chosenIn(page: Page): Locator {
  return page.getByRole('region', { name: 'Questions' }).locator('[aria-current=true]');
}

inspected(
  'several questions are queued, and none takes the place of the one being answered',
  { servers: asks },
  async ({ page, go }) => {
    const both = callTool(page, 'asks', 'both');
    await page.getByLabel('1 waiting').waitFor();
    await go('inbox');
    const left = question(page).getByRole('textbox', { name: /^left/ });
    await left.fill('a door');
    const sample = callTool(page, 'asks', 'sample');
    await page.getByLabel('2 waiting').waitFor();
    assert.equal(await left.inputValue(), 'a door');
    await page.keyboard.press('Control+Enter');
    await question(page).getByText('Answered: accept').waitFor();
    await page.getByRole('button', { name: /^Next:/ }).click();
    await question(page)
      .getByRole('button', { name: /^Line \d+/ })
      .click();
    await page.getByRole('complementary').getByText('Name a river in Norway.').first().waitFor();
    await question(page)
      .getByRole('button', { name: /^Accept/ })
      .click();
    await sample.answer;
    await page.getByRole('button', { name: /^Next:/ }).click();
    await question(page)
      .getByRole('textbox', { name: /^right/ })
      .fill('a window');
    await page.keyboard.press('Control+Enter');
    assert.match(await resultOf(both.answer), /a door.*a window/);
    // The arrow keys move through the list.
    await chosenIn(page).focus();
    await page.keyboard.press('ArrowDown');
    await chosenIn(page).and(page.locator(':focus')).waitFor();
  },
);

for (const revision of ['2025-11-25', '2026-07-28'])
  inspected(
    `questions that come at the same time each cite the line that asks them, in ${revision}`,
    { servers: asks, revision },
    async ({ page, go, trace }) => {
      for (const tool of ['page', 'sample', 'both']) callTool(page, 'asks', tool);
      // In 2026-07-28 the client asks the questions of one result one after the other.
      const asked = ['Pay for the room', 'Name a river in Norway.', 'What is on the left?'];
      if (revision === '2025-11-25') asked.push('What is on the right?');
      await page.getByLabel(`${asked.length} waiting`).waitFor();
      await go('inbox');
      const questions = page.getByRole('region', { name: 'Questions' });
      for (const words of asked) {
        await questions.getByRole('button', { name: words }).click();
        await question(page).getByText(words, { exact: true }).first().waitFor();
        const chip = question(page).getByRole('button', { name: /^Line \d+/ });
        const n = Number(/\d+/.exec((await chip.textContent())!)![0]);
        assert.ok((await trace())[n - 1]!.text.includes(words), `${words}: ${(await trace())[n - 1]!.text}`);
      }
    },
  );

/** Uses other screens while a question is open. */
async function lookElsewhere({ page, go }: Looking): Promise<void> {
  await go('trace');
  const row = page.getByRole('option').last();
  await row.click();
  await page.getByRole('complementary').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await go('explore/everything/tools/echo');
  await page.getByRole('textbox', { name: /^message/ }).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Echo: ').first().waitFor();
}

inspected(
  'a question blocks nothing: the trace and other calls continue, and the input is kept',
  { servers: { ...asks, everything } },
  async (looking) => {
    const { page, go } = looking;
    const { answer } = callTool(page, 'asks', 'chain');
    await page.getByLabel('1 waiting').waitFor();
    await go('inbox');
    await question(page)
      .getByRole('textbox', { name: /^first/ })
      .fill('the egg');
    await lookElsewhere(looking);
    await page.reload();
    await go('inbox');
    const first = question(page).getByRole('textbox', { name: /^first/ });
    await becomes(() => first.inputValue(), 'the egg');
    await first.focus();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /^Next:/ }).click();
    await question(page).getByText('What comes after the egg?').waitFor();
    await question(page)
      .getByRole('textbox', { name: /^second/ })
      .fill('the hen');
    await page.keyboard.press('Control+Enter');
    // The page was reloaded meanwhile, so the outcome of the call is read from the trace.
    await answer.catch(() => {});
    await go('trace?filter=text%3A%22the+egg%2C+the+hen%22');
    await page.getByRole('option').first().waitFor();
  },
);

inspected('a withdrawn question says so', { servers: asks }, async ({ page, go }) => {
  const { key } = callTool(page, 'asks', 'form');
  await go('inbox');
  await question(page).getByText('Book a room').waitFor();
  await cancelCall(page, 'asks', key);
  await question(page)
    .getByText(/No answer is needed any more/)
    .waitFor();
  assert.equal(
    await question(page)
      .getByRole('button', { name: /^Accept/ })
      .count(),
    0,
  );
});

inspected(
  'an answer that is not JSON is rejected with a reason, and the question stays open',
  { servers: asks, expected: [/400 \(Bad Request\)/] },
  async ({ page, go }) => {
    const { key } = callTool(page, 'asks', 'form');
    await go('inbox');
    await question(page).getByRole('button', { name: 'As JSON' }).click();
    await question(page).locator('.cm-editor').getByRole('textbox', { name: 'The answer' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"name":');
    await page.keyboard.press('Control+Enter');
    await question(page)
      .getByRole('group', { name: 'Problem' })
      .getByText(/is not JSON/)
      .waitFor();
    await question(page)
      .getByRole('button', { name: /^Accept/ })
      .waitFor();
    await cancelCall(page, 'asks', key);
  },
);

inspected(
  'an answer is always given automatically, and the script with it can be changed',
  { servers: asks, script: '{"sampling/createMessage":"decline"}', expected: [/status of 400/] },
  async ({ page, go }) => {
    await go('inbox');
    const first = callTool(page, 'asks', 'confirm');
    await question(page).getByText('Delete everything?').waitFor();
    await question(page).getByRole('button', { name: 'Always answer this way' }).click();
    await question(page).getByRole('button', { name: 'Decline', exact: true }).click();
    assert.match(await resultOf(first.answer), /decline/);
    await page.getByRole('button', { name: 'Scripted answers: 2' }).waitFor();
    // Now the question is answered automatically.
    assert.match(await resultOf(callTool(page, 'asks', 'confirm').answer), /decline/);
    await page.getByText('answered automatically').first().waitFor();
    await page.getByRole('button', { name: 'Scripted answers: 2' }).click();
    const script = page.getByRole('region', { name: 'Scripted answers' });
    await script.locator('.cm-editor').getByText('"confirm"').waitFor();
    await script.locator('.cm-editor').getByRole('textbox').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"confirm": 7}');
    await script.getByRole('button', { name: 'Use these' }).click();
    await script.getByText('The answer to "confirm" is 7').waitFor();
    await script.getByRole('button', { name: 'Remove all' }).click();
    await page.getByRole('button', { name: 'Scripted answers', exact: true }).waitFor();
    const last = callTool(page, 'asks', 'confirm');
    await page.getByLabel('1 waiting').waitFor();
    await cancelCall(page, 'asks', last.key);
  },
);

inspected(
  'requests for roots wait in the inbox if so configured, and may be answered with other roots',
  { servers: asks, roots: ['file:///work/here'] },
  async ({ page, go }) => {
    assert.match(await resultOf(callTool(page, 'asks', 'roots').answer), /work\/here/);
    await page.getByText('Client settings').click();
    await page.getByRole('button', { name: 'Ask me each time' }).click();
    await page.getByRole('button', { name: 'Ask me each time', pressed: true }).waitFor();
    const { answer } = callTool(page, 'asks', 'roots');
    await go('inbox');
    await question(page).getByText('asks for roots').waitFor();
    const editor = question(page).locator('.cm-editor').getByRole('textbox');
    await editor.getByText('file:///work/here').waitFor();
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"roots":[{"uri":"file:///work/there"}]}');
    await question(page)
      .getByRole('button', { name: /^Accept/ })
      .click();
    assert.match(await resultOf(answer), /work\/there/);
    await page.getByText('answered automatically').waitFor();
  },
);
