import { inspected } from './harness.ts';
import { everything, official, travel, at } from './servers.ts';
import { command } from '../fixtures/launch.ts';
for (const dark of [false, true])
  inspected(
    'opens',
    async () => ({
      dark,
      servers: {
        everything,
        asks: command('asks'),
        wrong: command('wrong-output'),
        protected: await at('protected'),
        banner: command('banner'),
      },
    }),
    async ({ page, go }) => {
      const shot = (s: string) => page.screenshot({ path: `/tmp/hbrow/${s}-${dark ? 'dark' : 'light'}.png` });
      await page.waitForTimeout(500);
      await go('connect');
      await page.waitForTimeout(300);
      await shot('connect');
      const call = (id: string, name: string, args: object = {}) =>
        page.evaluate(
          ([id, name, args]) => {
            void fetch(`/api/servers/${id}/requests`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({
                method: 'tools/call',
                params: JSON.stringify({ name, arguments: args }),
                key: crypto.randomUUID(),
              }),
            });
          },
          [id, name, args] as const,
        );
      await call('asks', 'form');
      await call('asks', 'page');
      await call('asks', 'sample');
      await call('wrong', 'forecast', { city: 'Oslo' });
      await page.waitForTimeout(500);
      for (const s of [
        'inbox',
        'inbox?ask=ask-2',
        'inbox?ask=ask-1',
        'auth/protected',
        'check/wrong',
        'trace',
        'trace?line=30',
      ]) {
        await go(s);
        await page.waitForTimeout(400);
        await shot(s.replaceAll(/\W/g, '-'));
      }
      await go('trace');
      await page.getByRole('button', { name: 'Lanes' }).click();
      await page.waitForTimeout(500);
      await shot('lanes');
      await go('check/wrong');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.waitForTimeout(2500);
      await shot('checked');
      await page.setViewportSize({ width: 1024, height: 700 });
      for (const s of [
        'connect',
        'inbox?ask=ask-1',
        'auth/protected',
        'check/wrong',
        'trace',
        'trace?line=30',
        'explore/everything/tools/echo',
      ]) {
        await go(s);
        await page.waitForTimeout(400);
        await shot('narrow-' + s.replaceAll(/\W/g, '-'));
      }
    },
  );
