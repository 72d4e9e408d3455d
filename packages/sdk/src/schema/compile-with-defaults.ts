// What plain JSON Schema needs: loaded when the first such schema is used.
export { makeFiller } from './defaults.ts';
export { compileSchema } from './validator/compile.ts';
