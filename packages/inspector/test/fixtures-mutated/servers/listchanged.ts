// Tools, resources and prompts that come and go, and are told about.
import { prompt, resource, server, tool } from 'tenon';
import { start } from '../serving.ts';

let count = 0;
let ticks = 0;

const app = server({
  name: 'listchanged',
  version: '1.0.0',
  tools: {
    grow: tool({ description: 'Adds a tool, a resource and a prompt' }, () => {
      const name = `grown-${++count}`;
      app.tools.set(
        name,
        tool({ description: `Came with call ${count}` }, () => name),
      );
      app.resources.set(
        `grown://${count}`,
        resource({ name }, () => name),
      );
      app.prompts.set(
        name,
        prompt({}, () => name),
      );
      return name;
    }),
    shrink: tool({ description: 'Takes the last of them away' }, () => {
      if (count === 0) return 'There is none';
      const name = `grown-${count}`;
      
      app.resources.delete(`grown://${count}`);
      app.prompts.delete(name);
      count--;
      return name;
    }),
    rewrite: tool({ description: 'Replaces its own description' }, () => {
      app.tools.set(
        'rewrite',
        tool({ description: 'Was rewritten' }, () => 'Once is enough'),
      );
      return 'Rewritten';
    }),
    tick: tool({ description: 'Changes the resource count://ticks' }, () => {
      ticks++;
      app.changed('count://ticks');
      return String(ticks);
    }),
  },
  resources: { 'count://ticks': resource({ name: 'ticks' }, () => String(ticks)) },
  prompts: { first: prompt({ description: 'Is always there' }, () => 'First') },
});

await start(app);
