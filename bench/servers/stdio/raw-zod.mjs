// The floor with what servers need of zod: what it takes longer to start is not the library under test.
import { z } from 'zod';

z.object({ text: z.string() });
await import('./raw.mjs');
