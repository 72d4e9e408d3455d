import { server, tool } from 'tenon';
import { z } from 'zod';

export default server({
  name: 'my-server',
  version: '0.1.0',
  tools: {
    greet: tool(
      { description: 'Greet a person by name', input: z.object({ name: z.string() }) },
      ({ name }) => `Hello, ${name}!`,
    ),
  },
});
