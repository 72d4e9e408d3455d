import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { becomes, inspected } from './harness.ts';

// The fields of a form, which are the same for the arguments of a tool and for a question of a server.

const servers = { fields: command('fields') };

/** The field for each kind of value: its selector, and its input type. */
const TYPES: Readonly<Record<string, string>> = {
  day: 'date',
  moment: 'datetime-local',
  mail: 'email',
  site: 'url',
  count: 'text',
  price: 'text',
  agreed: 'checkbox',
};

function fieldOf(form: Locator, name: string): Locator {
  return form.getByLabel(new RegExp(`^${name}(?![a-z])`)).and(form.locator('input'));
}

/** Fills in the form like a user, and returns its values as JSON. */
async function fillIn(form: Locator): Promise<Readonly<Record<string, unknown>>> {
  for (const [name, type] of Object.entries(TYPES))
    assert.equal(await fieldOf(form, name).getAttribute('type'), type === 'text' ? null : type, name);
  assert.equal(await fieldOf(form, 'count').getAttribute('inputmode'), 'numeric');
  assert.equal(await fieldOf(form, 'price').getAttribute('inputmode'), 'decimal');

  await fieldOf(form, 'day').fill('2026-12-24');
  await becomes(() => fieldOf(form, 'moment').inputValue(), '2026-03-04T05:06:07');
  await fieldOf(form, 'moment').fill('2026-03-04T23:30');
  await fieldOf(form, 'mail').fill('ann@example.com');
  await fieldOf(form, 'site').fill('https://example.com/a');
  await fieldOf(form, 'count').fill('3');
  await form.getByRole('button', { name: 'More count' }).click();
  await fieldOf(form, 'count').press('ArrowUp');
  // Limited by the schema.
  await fieldOf(form, 'count').press('ArrowUp');
  await fieldOf(form, 'price').fill('1.5');
  await form.getByRole('button', { name: 'Less price' }).click();
  await fieldOf(form, 'agreed').check();
  await fieldOf(form, 'agreed').uncheck();
  await form.getByRole('button', { name: /board/ }).click();
  await form.page().getByRole('option', { name: 'Half board (half)' }).click();
  const days = form.getByRole('group', { name: /^days/ });
  for (const day of ['Fri', 'Mon']) await days.getByRole('checkbox', { name: day }).setChecked(true);
  await days.getByRole('checkbox', { name: 'Tue' }).setChecked(false);
  await form
    .getByRole('group', { name: /^sizes/ })
    .getByRole('checkbox', { name: 'Large (l)' })
    .check();
  return {
    day: '2026-12-24',
    moment: '2026-03-04T23:30:00+02:00',
    mail: 'ann@example.com',
    site: 'https://example.com/a',
    count: 5,
    price: 0.5,
    agreed: false,
    board: 'half',
    days: ['Mon', 'Fri'],
    sizes: ['l'],
  };
}

inspected(
  'the arguments of a tool have fields of the right kinds, and are sent as JSON of the right types',
  { servers },
  async ({ page, go, trace }) => {
    await go('explore/fields/tools/book');
    const form = page.locator('[data-arguments]');
    await fieldOf(form, 'day').waitFor();
    assert.equal(await fieldOf(form, 'hour').getAttribute('type'), 'time');
    const wanted = { ...(await fillIn(form)), hour: '08:30:00Z' };
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('"2026-12-24"').first().waitFor();
    const call = (await trace()).find(({ from, text }) => from === 'client' && text.includes('"tools/call"'));
    const { arguments: sent } = (JSON.parse(call!.text) as { params: { arguments: object } }).params;
    for (const [name, value] of Object.entries(wanted))
      assert.deepEqual((sent as Record<string, unknown>)[name], value, name);
  },
);

for (const revision of ['2025-11-25', '2026-07-28'])
  inspected(
    `a question has the same fields, and its answer the same types, in ${revision}`,
    { servers, revision },
    async ({ page, go }) => {
      await go('explore/fields/tools/ask');
      await page.getByRole('heading', { name: 'ask', exact: true }).waitFor();
      await page.keyboard.press('Control+Enter');
      const answer = page.getByRole('region', { name: 'Result' });
      const form = answer.getByRole('region', { name: 'The question' });
      await fieldOf(form, 'day').waitFor();
      const wanted = await fillIn(form);
      await form.getByRole('button', { name: /^Accept/ }).click();
      const text = await answer.locator('[class*=text] bdi').first().textContent();
      const { action, content } = JSON.parse(text!) as { action: string; content: Record<string, unknown> };
      assert.equal(action, 'accept');
      for (const [name, value] of Object.entries(wanted)) assert.deepEqual(content[name], value, name);
    },
  );

inspected(
  'a value that its field cannot represent is edited as text, and sent unchanged',
  { servers },
  async ({ page, go, trace }) => {
    await go('explore/fields/tools/book?as=json');
    await page.locator('.cm-editor').getByRole('textbox').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"day":"soon","mail":" a ","count":"many","days":["Sun"],"agreed":"yes"}');
    await page.getByRole('tab', { name: 'Form' }).click();
    const form = page.locator('[data-arguments]');
    const day = form.getByRole('textbox', { name: /^day/ }).first();
    await becomes(() => day.inputValue(), 'soon');
    // The field stays even when the typed text becomes a date.
    await day.fill('2026-01-01');
    await day.pressSequentially('x');
    assert.equal(await day.inputValue(), '2026-01-01x');
    await page.keyboard.press('Control+Enter');
    const sent = async (): Promise<string | undefined> =>
      (await trace()).find(({ from, text }) => from === 'client' && text.includes('"tools/call"'))?.text;
    await becomes(
      async () =>
        (await sent())?.includes('{"day":"2026-01-01x","mail":" a ","count":"many","days":["Sun"],"agreed":"yes"}'),
      true,
    );
  },
);

inspected('an omitted value is shown as such, and not sent', { servers }, async ({ page, go, trace }) => {
  await go('explore/fields/tools/book');
  const form = page.locator('[data-arguments]');
  for (const name of ['days', 'moment']) await form.getByRole('button', { name: `Leave ${name} out` }).click();
  const agreed = fieldOf(form, 'agreed');
  assert.equal(await agreed.evaluate((box: HTMLInputElement) => box.indeterminate), true);
  await fieldOf(form, 'day').fill('2026-12-24');
  await fieldOf(form, 'mail').fill('ann@example.com');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Result' }).getByText('"2026-12-24"').first().waitFor();
  const call = (await trace()).find(({ from, text }) => from === 'client' && text.includes('"tools/call"'));
  const { arguments: sent } = (JSON.parse(call!.text) as { params: { arguments: object } }).params;
  for (const name of ['agreed', 'days', 'moment']) assert.ok(!(name in sent), `${name} in ${JSON.stringify(sent)}`);
});
