import assert from 'node:assert/strict';
import { HIDDEN_SAMPLES } from '@tenon/values/fixtures/hidden-samples';
import type { Locator, Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, inspected } from './harness.ts';
import { everything } from './servers.ts';

// The screen Explore: from a name to a result, with the keyboard and with the form.

function answerOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Result' });
}
function send(page: Page): Promise<void> {
  return page.keyboard.press('Control+Enter');
}

inspected('a result is there after at most 8 keys', { servers: { everything } }, async ({ page }, t) => {
  let keys = 0;
  const press = async (...all: readonly string[]): Promise<void> => {
    for (const key of all) {
      keys++;
      await page.keyboard.press(key);
    }
  };
  await press('Control+k');
  await page.getByRole('dialog').waitFor();
  await press(...'echo');
  await page.getByRole('option', { name: /^echo/ }).first().waitFor();
  await press('Enter');
  const field = page.getByRole('textbox', { name: /^message/ });
  await field.and(page.locator(':focus')).waitFor();
  await press('Control+Enter');
  await answerOf(page).getByText('Echo: ').waitFor();
  t.diagnostic(`${keys} keys`);
  assert.ok(keys <= 8, `${keys} keys`);
});

inspected('Enter works while the palette is still rendering', { servers: { everything } }, async ({ page }) => {
  // The page has loaded the tools.
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /^echo/ }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (let count = 0; count < 5; count++) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('searchbox').waitFor();
    // Faster than any list can be rendered.
    await page.evaluate(() => {
      const input = document.activeElement as HTMLInputElement;
      const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
      write.call(input, 'echo');
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'echo', exact: true }).waitFor();
  }
});

inspected(
  'arguments and answer are side by side, with the duration and the size of the answer',
  { servers: { everything } },
  async ({ page, go }) => {
    await go('explore/everything/tools/get-sum');
    const a = page.getByRole('textbox', { name: /^a\b/ });
    assert.match(await a.inputValue(), /^-?\d/, 'the form is filled in');
    await a.fill('40');
    await page.getByRole('textbox', { name: /^b\b/ }).fill('2');
    await send(page);
    await answerOf(page).getByText('The sum of 40 and 2 is 42.').waitFor();
    assert.equal(await a.inputValue(), '40');
    const [left, right] = await Promise.all([a.boundingBox(), answerOf(page).boundingBox()]);
    assert.ok(left!.x + left!.width <= right!.x && right!.x < 1440, 'both are in sight');
    for (const figure of [/^\d+(\.\d+)? ms$/, /^\d+ B$/, /^~\d+ tokens$/])
      await answerOf(page).getByText(figure).waitFor();
  },
);

inspected(
  'the result of a failed call shows the output of the server during the call',
  { servers: { failing: command('failing') }, revision: '2025-11-25' },
  async ({ page, go }) => {
    await go('explore/failing/tools/boom');
    await page.getByRole('button', { name: /^Send/ }).click();
    const meanwhile = answerOf(page).getByRole('region', { name: 'Server output during the call' });
    await meanwhile.getByText(/Error: db refused/).waitFor();
    const text = (await meanwhile.textContent())!;
    assert.match(text, /ECONNREFUSED 10\.0\.0\.1:5432/);
    assert.ok(!text.includes('\u202e'), 'what hides text is shown as what it is');
    // It is read from the trace, so a reloaded page has it, too.
    await page.reload();
    await meanwhile.getByText(/Error: db refused/).waitFor();
  },
);

inspected(
  'invalid arguments are reported, and can be sent anyway',
  { servers: { everything } },
  async ({ page, go, trace }) => {
    await go('explore/everything/tools/get-sum');
    await page.getByRole('textbox', { name: /^a\b/ }).fill('forty');
    await page.getByRole('textbox', { name: /^b\b/ }).fill('');
    const left = page.locator('[data-arguments]');
    await left
      .getByText(/number/)
      .first()
      .waitFor();
    await send(page);
    await answerOf(page).getByText(/error/).first().waitFor();
    const [call] = (await trace()).filter(({ from, text }) => from === 'client' && text.includes('tools/call'));
    assert.match(call!.text, /"a":"forty"/);
  },
);

inspected('the last typed character is sent', { servers: { everything } }, async ({ page, go, trace }) => {
  await go('explore/everything/tools/echo?as=json');
  await page.locator('.cm-editor').getByRole('textbox').click();
  await page.keyboard.press('Control+A');
  await page.evaluate(async () => {
    for (const text of ['{"message":"the', ' last', ' word"}']) {
      document.execCommand('insertText', false, text);
      await Promise.resolve();
    }
    // Before anything is rendered.
    const key = new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true });
    document.activeElement!.dispatchEvent(key);
  });
  await answerOf(page).getByText('Echo: the last word').waitFor();
  const calls = (await trace()).filter(({ from, text }) => from === 'client' && text.includes('tools/call'));
  assert.equal(calls.length, 1);
});

inspected(
  'a frame is sent unchanged, and the lines after it are shown',
  { servers: { everything } },
  async ({ page, go, trace }) => {
    await go('explore/everything/tools/echo');
    await page.getByRole('tab', { name: 'Raw frame' }).click();
    await page.locator('.cm-editor').getByRole('textbox', { name: 'Raw frame' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"jsonrpc":"2.0","id":"mine","method":"no/such","params":[');
    await send(page);
    const then = page.getByRole('list', { name: 'Lines after the frame' });
    await then.getByText('{"jsonrpc":"2.0","id":"mine","method":"no/such","params":[').waitFor();
    await then.getByText('-32700').first().waitFor();
    assert.ok((await trace()).some(({ from, text }) => from === 'client' && text.endsWith('"params":[')));
  },
);

inspected('an editor names invisible characters', { servers: { everything } }, async ({ page, go }) => {
  await go('explore/everything/tools/echo');
  await page.getByRole('tab', { name: 'Raw frame' }).click();
  await page.locator('.cm-editor').getByRole('textbox', { name: 'Raw frame' }).click();
  await page.keyboard.press('Control+A');
  // A joiner between plain letters is invisible, too; those of an emoji are legitimate.
  await page.keyboard.insertText([...HIDDEN_SAMPLES, '\u200d', '👩‍🚀⚠️'].join('a'));
  const signs = page.locator('.cm-hidden-sign');
  const wanted = 'U+E0163 U+034F U+3164 U+FFA0 U+E0041 U+200B U+FEFF U+200D';
  await becomes(async () => (await signs.allTextContents()).join(' '), wanted);
});

inspected('an answer is compared with the one before it', { servers: { everything } }, async ({ page, go }) => {
  await go('explore/everything/tools/echo');
  const message = page.getByRole('textbox', { name: /^message/ });
  for (const text of ['first', 'first', 'second']) {
    await message.fill(text);
    await send(page);
    await answerOf(page).getByText(`Echo: ${text}`).waitFor();
    if (text === 'second') continue;
    await page.getByRole('tab', { name: 'History' }).waitFor();
  }
  const diff = page.getByRole('tab', { name: 'Diff changed' });
  await diff.click();
  await answerOf(page).locator('.cm-merge-a', { hasText: 'Echo: first' }).waitFor();
  await answerOf(page).locator('.cm-merge-b', { hasText: 'Echo: second' }).waitFor();
  await page.getByRole('tab', { name: 'History 3' }).click();
  assert.equal(await answerOf(page).getByRole('row').count(), 4);
});

inspected(
  'a call with a question is counted once, and not compared with its own question',
  { servers: { asks: command('asks') }, script: '{"form":{"name":"Bob","nights":2,"days":["Monday"]}}' },
  async ({ page, go }) => {
    await go('explore/asks/tools/form');
    await page.getByRole('heading', { name: 'form', exact: true }).waitFor();
    await send(page);
    await page.getByRole('tab', { name: 'History 1', exact: true }).waitFor();
    await answerOf(page).getByText('"Bob"').first().waitFor();
    assert.equal(await page.getByRole('tab', { name: /^Diff/ }).count(), 0);
    // Its lines are both requests and both answers.
    assert.equal(await answerOf(page).getByRole('status').getByRole('button').count(), 4);
    await send(page);
    await page.getByRole('tab', { name: 'Diff same' }).waitFor();
    await page.getByRole('tab', { name: 'History 2', exact: true }).waitFor();
  },
);

inspected(
  'a running call is not shown as lost',
  { servers: { silent: command('silent', '--calls') } },
  async ({ page, go }) => {
    await go('explore/silent/tools/never?as=frame');
    await page.locator('.cm-editor').getByRole('textbox', { name: 'Raw frame' }).click();
    await send(page);
    await answerOf(page).getByRole('status').getByText('running', { exact: true }).waitFor();
    assert.equal(await answerOf(page).getByText('no answer').count(), 0);
    assert.equal(
      await answerOf(page)
        .getByText(/^\d+(\.\d+)? ms$/)
        .count(),
      0,
    );
    await page.evaluate(() =>
      fetch('/api/servers/silent/disconnect', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      }),
    );
    await answerOf(page).getByRole('status').getByText('no answer', { exact: true }).waitFor();
  },
);

inspected(
  'a question is answered in the Inbox as well, and the call continues',
  { servers: { asks: command('asks') } },
  async ({ page, go }) => {
    await go('explore/asks/tools/confirm');
    await page.getByRole('heading', { name: 'confirm', exact: true }).waitFor();
    await send(page);
    await answerOf(page).getByRole('region', { name: 'The question' }).waitFor();
    await page.reload();
    await answerOf(page).getByRole('region', { name: 'The question' }).waitFor();
    await go('inbox');
    await page
      .getByRole('region', { name: 'The question' })
      .getByRole('button', { name: /^Decline/ })
      .click();
    await go('explore/asks/tools/confirm');
    await answerOf(page).getByText('ok', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'History 1', exact: true }).waitFor();
  },
);

inspected('a server completes typed text', { servers: { v1: command('official-v1') } }, async ({ page, go }) => {
  await go('explore/v1/prompts/greet');
  await page.getByRole('combobox', { name: /^name/ }).fill('Ann');
  const tone = page.getByRole('combobox', { name: /^tone/ });
  await tone.click();
  await page.keyboard.type('f');
  await page.getByRole('option', { name: 'funny' }).waitFor();
  await page.keyboard.type('u');
  await page.getByRole('option', { name: 'formal' }).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await becomes(() => tone.inputValue(), 'funny');
  await send(page);
  await answerOf(page).getByText('Greet Ann (funny)').waitFor();
});

inspected(
  'resources are read, by URI and by template',
  { servers: { v1: command('official-v1') } },
  async ({ page, go }) => {
    await go(`explore/v1/resources/${encodeURIComponent('shop://hours')}`);
    await page.getByRole('heading', { name: 'shop://hours' }).waitFor();
    await send(page);
    await answerOf(page).getByText('Monday to Friday').waitFor();
    await go(`explore/v1/templates/${encodeURIComponent('note:///{id}')}`);
    await page.getByRole('combobox', { name: /^id/ }).fill('2');
    await page.getByText('note:///2', { exact: true }).first().waitFor();
    // The completions are open, and hide the elements around them from screen readers.
    await page.keyboard.press('Tab');
    await send(page);
    await answerOf(page).getByText('Note 2').waitFor();
  },
);

inspected('a reload keeps the input, and finds the answer', { servers: { everything } }, async ({ page, go }) => {
  await go('explore/everything/tools/echo');
  await page.getByRole('textbox', { name: /^message/ }).fill('still here');
  await send(page);
  await answerOf(page).getByText('Echo: still here').waitFor();
  await page.getByRole('textbox', { name: /^message/ }).fill('not sent yet');
  await page.reload();
  await answerOf(page).getByText('Echo: still here').waitFor();
  assert.equal(await page.getByRole('textbox', { name: /^message/ }).inputValue(), 'not sent yet');
});

inspected(
  'a running call shows its progress, and can be cancelled',
  { servers: { everything } },
  async ({ page, go, trace }) => {
    await go('explore/everything/tools/trigger-long-running-operation');
    await page.getByRole('textbox', { name: /^duration/ }).fill('8');
    await page.getByRole('textbox', { name: /^steps/ }).fill('40');
    await send(page);
    await page.getByText(/Waiting for .* · \d+ of 40/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await answerOf(page).getByText('cancelled').first().waitFor();
    assert.ok((await trace()).some(({ from, text }) => from === 'client' && text.includes('notifications/cancelled')));
  },
);

inspected(
  'a changed list is shown without a reload',
  { servers: { changes: command('listchanged') } },
  async ({ page, go }) => {
    await go('explore/changes');
    const tree = page.getByRole('tree');
    const before = await tree.getByRole('treeitem').count();
    const tool = tree.getByRole('treeitem', { level: 3 }).first();
    await tool.click();
    await send(page);
    await page.waitForFunction((count) => document.querySelectorAll('[role=treeitem]').length !== count, before);
  },
);

/** The input for each form, and the arguments that the server must receive. */
const SHAPES: Readonly<Record<string, { readonly act: (page: Page) => Promise<void>; readonly sent: RegExp }>> = {
  ref: {
    act: async (page) => {
      await page
        .getByRole('textbox', { name: /^street/ })
        .first()
        .fill('Main Street 1');
      await page.getByRole('textbox', { name: /^zip/ }).first().fill('12345');
    },
    sent: /"home":\{"street":"Main Street 1","zip":"12345"\}/,
  },
  allOf: {
    act: async (page) => {
      await page.getByRole('textbox', { name: /^name/ }).fill('Ann');
      await page.getByRole('textbox', { name: /^age/ }).fill('41');
    },
    sent: /"name":"Ann","age":41/,
  },
  oneOf: {
    act: async (page) => {
      await page.getByRole('button', { name: /Card/ }).first().click();
      await page.getByRole('option', { name: 'Transfer' }).click();
      await page.getByRole('textbox', { name: /^iban/ }).fill('NO93');
    },
    sent: /"by":"iban"/,
  },
  recursion: {
    act: async (page) => {
      await page.getByRole('textbox', { name: /^name/ }).first().fill('root');
      await page.getByRole('button', { name: /^Add/ }).first().click();
      await page.getByRole('textbox', { name: /^name/ }).nth(1).fill('leaf');
    },
    sent: /"name":"root","children":\[\{"name":"leaf"/,
  },
  strings: {
    act: async (page) => {
      const add = page.getByRole('button', { name: /^Add/ });
      const field = page.locator('[data-arguments]').getByRole('textbox');
      for (let there = await field.count(); there < 2; there++) await add.click();
      await field.nth(0).fill('one');
      await field.nth(1).fill('two');
    },
    sent: /"tags":\["one","two"\]/,
  },
  map: {
    act: async (page) => {
      await page.locator('[data-arguments]').getByRole('textbox').last().fill('2.5');
    },
    sent: /"prices":\{"[^"]+":2\.5\}/,
  },
  ifThen: {
    act: async (page) => {
      await page.locator('[data-arguments] button[aria-haspopup=listbox]').first().click();
      await page.getByRole('option', { name: 'parcel' }).click();
      await page.getByRole('textbox', { name: /^kilos/ }).fill('1.5');
    },
    sent: /"kind":"parcel".*"kilos":1\.5/,
  },
};

inspected(
  'seven shapes of schemas are filled in by form',
  { servers: { shapes: command('shapes') } },
  async ({ page, go, trace }) => {
    for (const [name, { act, sent }] of Object.entries(SHAPES)) {
      await go(`explore/shapes/tools/${name}`);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.locator('[data-arguments] :is(input, textarea, button)').first().waitFor();
      await act(page);
      await send(page);
      await answerOf(page)
        .getByText(/These arguments (?:do not )?fit/)
        .waitFor();
      const said = await answerOf(page)
        .getByText(/These arguments/)
        .textContent();
      const call = (await trace()).findLast(({ from, text }) => from === 'client' && text.includes('tools/call'));
      assert.match(call!.text, sent, name);
      assert.equal(said, 'These arguments fit.', `${name}: ${call!.text}`);
    }
  },
);

inspected(
  'two thousand tools are filtered fast enough for typing',
  { servers: { many: command('many') } },
  async ({ page, go }, t) => {
    await go('explore/many');
    await page.getByText('2000').first().waitFor();
    const field = page.getByRole('searchbox', { name: 'Filter' });
    await field.focus();
    const times = await page.evaluate(async () => {
      const input = document.activeElement as HTMLInputElement;
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
      const all: number[] = [];
      for (const text of ['c', 'cr', 'create_inv', 'linear_create_invoice', '', 'zendesk', 'x']) {
        const began = performance.now();
        set.call(input, text);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        all.push(performance.now() - began);
      }
      return all;
    });
    t.diagnostic(`from a key to what is drawn: ${times.map((ms) => `${ms.toFixed(1)} ms`).join(', ')}`);
    await field.fill('linear create invoice');
    await page.getByRole('treeitem', { name: /linear_create_invoice/ }).waitFor();
    await becomes(async () => (await page.getByRole('treeitem').count()) < 10, true);
  },
);
