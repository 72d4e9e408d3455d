import type { Locator } from 'playwright-core';
import { type CallContext, text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { OpenPage } from './client-page.ts';
import { isAnswering } from './evaluate.ts';
import { limited } from './limited.ts';
import { playwrightMessage, SELECTOR, shown, type ToolSetting, withPage } from './tool-setting.ts';

/** How long an element may take to appear and to be ready, in milliseconds. */
const ELEMENT_MS = 5_000;
const MAX_TEXT = 1_000_000;

interface Limits {
  readonly timeout: number;
  readonly signal: AbortSignal;
}

interface Action {
  readonly selector: string;
  /** What it does, for an error: `click`. */
  readonly verb: string;
  /** The text of the result. */
  readonly done: string;
  readonly act: (element: Locator, limits: Limits, open: OpenPage) => Promise<unknown>;
}

/** Does something with an element. The first one is used if several match. */
async function onElement(setting: ToolSetting, ctx: CallContext, { selector, verb, done, act }: Action) {
  const timeout = Math.min(ELEMENT_MS, setting.timeoutMs);
  await withPage(setting, ctx, {
    act: async (open) => {
      const element = open.page.locator(`css=${selector}`).first();
      try {
        await act(element, { timeout, signal: ctx.signal }, open);
      } catch (error) {
        if (ctx.signal.aborted) throw error;
        const reason = error instanceof ToolError ? error.message : explain(error);
        throw new ToolError(`Failed to ${verb} ${selector}: ${reason}`, { cause: error });
      }
    },
  });
  return shown(setting, ctx, [text(done)]);
}

/** Why an element could not be used. */
function explain(error: unknown): string {
  const message = playwrightMessage(error);
  // Without any step: it waited for the element.
  return /^Timeout \d+ms exceeded\.$/.test(message) ? 'no element matches the selector' : message;
}

/** The tools that do something with an element. */
export function elementTools(setting: ToolSetting) {
  return {
    puppeteer_click: tool(
      {
        title: 'Click',
        description: 'Click an element on the page',
        input: z.object({ selector: SELECTOR.describe('CSS selector for element to click') }),
        readOnly: false,
        destructive: true,
        openWorld: true,
      },
      ({ selector }, ctx) =>
        onElement(setting, ctx, {
          selector,
          verb: 'click',
          done: `Clicked: ${selector}`,
          act: (element, limits) => element.click(limits),
        }),
    ),
    puppeteer_hover: tool(
      {
        title: 'Hover',
        description: 'Hover an element on the page',
        input: z.object({ selector: SELECTOR.describe('CSS selector for element to hover') }),
        readOnly: false,
        destructive: false,
        openWorld: true,
      },
      ({ selector }, ctx) =>
        onElement(setting, ctx, {
          selector,
          verb: 'hover',
          done: `Hovered ${selector}`,
          act: (element, limits) => element.hover(limits),
        }),
    ),
    puppeteer_fill: tool(
      {
        title: 'Fill',
        description: 'Fill out an input field. What was in it is replaced.',
        input: z.object({
          selector: SELECTOR.describe('CSS selector for input field'),
          value: z.string().max(MAX_TEXT).describe('Value to fill'),
        }),
        readOnly: false,
        destructive: false,
        idempotent: true,
        openWorld: true,
      },
      ({ selector, value }, ctx) =>
        onElement(setting, ctx, {
          selector,
          verb: 'fill',
          done: `Filled ${selector} with: ${value}`,
          act: (element, limits) => element.fill(value, limits),
        }),
    ),
    puppeteer_select: tool(
      {
        title: 'Select',
        description: 'Select an element on the page with Select tag',
        input: z.object({
          selector: SELECTOR.describe('CSS selector for element to select'),
          value: z.string().max(10_000).describe('Value to select'),
        }),
        readOnly: false,
        destructive: false,
        idempotent: true,
        openWorld: true,
      },
      ({ selector, value }, ctx) =>
        onElement(setting, ctx, {
          selector,
          verb: 'select',
          done: `Selected ${selector} with: ${value}`,
          act: (element, limits, open) => selectValue(element, value, limits, open),
        }),
    ),
  };
}

/** Selects an option by its value. Rejects with a `ToolError` that lists the options if there is none with it. */
async function selectValue(element: Locator, value: string, limits: Limits, { devtools }: OpenPage): Promise<void> {
  try {
    await element.selectOption({ value }, limits);
  } catch (error) {
    if (limits.signal.aborted || !(await isAnswering(devtools))) throw error;
    const values = element
      .locator('option')
      .evaluateAll((all) =>
        all.slice(0, 50).map((option) => (option as unknown as { value: string }).value.slice(0, 100)),
      );
    const options = await limited(values, { signal: limits.signal, timeoutMs: limits.timeout });
    if (options.length === 0 || options.includes(value)) throw error;
    throw new ToolError(`it has no option with the value ${JSON.stringify(value)}, but ${JSON.stringify(options)}`);
  }
}
