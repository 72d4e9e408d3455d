import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { callTool, inspected } from './harness.ts';
import { at, everything } from './servers.ts';

// Runs axe on every screen, in light and dark mode. It runs in an isolated world beside the page, so that the policy of the page
// stays unchanged.

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** All rules except contrast, which differs in dark mode. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const RULES = {
  light: `{ type: 'tag', values: ${JSON.stringify(TAGS)} }`,
  dark: `{ type: 'rule', values: ['color-contrast'] }`,
};

/** Prepares axe for a page. Returns a function for the violations on the page as it is. */
async function openAxe(page: Page, colours: keyof typeof RULES) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  await session.send('Runtime.evaluate', { expression: axe, contextId });
  return async (): Promise<readonly string[]> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      contextId,
      awaitPromise: true,
      returnByValue: true,
      expression: `axe.run(document, { runOnly: ${RULES[colours]}, resultTypes: ['violations'] })
        .then(({ violations, passes }) => ({ violations, passes: passes.length }))`,
    });
    assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description);
    const { violations, passes } = result.value as { violations: readonly Violation[]; passes: number };
    assert.ok(passes > 0, 'it looked');
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
  };
}

for (const colours of ['light', 'dark'] as const)
  inspected(
    `every screen is without fault for axe, in ${colours}`,
    async (t) => ({
      dark: colours === 'dark',
      servers: {
        everything,
        asks: command('asks'),
        wrong: command('wrong-output'),
        banner: command('banner'),
        exits: command('exits'),
        protected: await at(t, 'protected'),
      },
    }),
    async ({ page, go }) => {
      const found: string[] = [];
      const violations = await openAxe(page, colours);
      const look = async (where: string): Promise<void> => {
        for (const violation of await violations()) found.push(`${where}: ${violation}`);
      };
      await page.getByText('login required').first().waitFor();
      await look('connect');
      await page.getByRole('button', { name: 'Add a server' }).click();
      await look('connect, adding');
      await page.getByText('How it is started').first().click();
      await page.getByText('Client settings').first().click();
      await page.getByRole('button', { name: 'Add a variable' }).first().click();
      await look('connect, how it is started');
      await page.setViewportSize({ width: 390, height: 844 });
      await look('connect, on a phone');
      await page.setViewportSize({ width: 1440, height: 900 });
      await go('inbox');
      await page.getByText('No questions yet').waitFor();
      await look('inbox, nothing');
      await go('explore/everything');
      await page.getByRole('button', { name: /^Find one/ }).waitFor();
      await look('explore, nothing');

      await go('explore/everything/tools/get-structured-content');
      await page.getByRole('button', { name: 'Call it with these arguments' }).waitFor();
      await look('explore, nothing sent');
      await page.getByRole('button', { name: /^Send/ }).click();
      await page.getByRole('tab', { name: 'Structured' }).waitFor();
      await look('explore');
      await page.getByRole('tab', { name: 'Raw frame' }).click();
      await page.locator('.cm-editor').getByRole('textbox', { name: 'Raw frame' }).waitFor();
      await look('explore, raw frame');
      await go('explore/wrong/tools/forecast');
      await page.getByRole('button', { name: /^Send/ }).click();
      await page.getByRole('list', { name: 'Findings' }).waitFor();
      await page.getByRole('tab', { name: /^History/ }).click();
      await look('explore, with a finding');

      for (const tool of ['form', 'page', 'sample']) callTool(page, 'asks', tool);
      await page.getByLabel('3 waiting').waitFor();
      await go('inbox');
      await page
        .getByRole('region', { name: 'Questions' })
        .getByRole('button', { name: 'asks you to fill in a form' })
        .click();
      await page.getByRole('region', { name: 'The question' }).getByText('As on the passport').waitFor();
      await look('inbox, form');
      await page.getByRole('button', { name: 'Send invalid answer' }).click();
      await page.locator('.cm-editor').getByRole('textbox').first().waitFor();
      await look('inbox, badly');
      for (const kind of ['asks you to open a page', 'asks for a model response']) {
        await page.getByRole('region', { name: 'Questions' }).getByRole('button', { name: kind }).click();
        await page.getByRole('heading', { name: kind }).waitFor();
        await look(`inbox, ${kind}`);
      }
      await page.getByRole('button', { name: 'Decline' }).click();
      await page.getByText('Answered: decline').waitFor();
      await look('inbox, answered');
      await page.getByRole('button', { name: 'Scripted answers' }).click();
      await page.getByRole('region', { name: 'Scripted answers' }).locator('.cm-editor').waitFor();
      await look('inbox, scripted answers');

      await go('trace?lanes=1');
      await page.getByRole('region', { name: /^Lanes/ }).waitFor();
      await page.getByRole('option').first().waitFor();
      await look('trace, lanes');
      await go('trace?filter=message%3Arequest+method%3Atools%2Fcall');
      await page.getByRole('option').first().click();
      await page.getByRole('button', { name: 'Edit and replay' }).click();
      await page.getByRole('textbox', { name: /^Parameters of/ }).waitFor();
      await look('trace, a request');

      await go('auth/protected');
      await page.getByRole('link', { name: /^Log in at/ }).waitFor();
      await page.getByText('Request and answer').nth(1).click();
      await look('auth');
      await go('auth/everything');
      await page.getByText('This server is a process').waitFor();
      await look('auth, without');

      await go('check/banner');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByRole('region', { name: 'Rows of the check' }).waitFor();
      await look('check');

      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      await look('palette');
      assert.deepEqual(found.slice(0, 20), []);
    },
  );
